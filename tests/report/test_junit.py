import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import StoreError
from evenhand.report.junit import Case, junit_xml, write_junit

OUTCOMES = ("passed", "failure", "error", "skipped")
WHEN = "2026-11-30T07:10:11+00:00"

# junit-10.xsd of the Jenkins xUnit plugin: elements, what they may hold, and their attributes.
SCHEMA = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "disabled", "errors"}),
    "testsuite": (
        {"properties", "testcase", "system-out", "system-err"},
        {
            "name", "tests", "failures", "errors", "time", "disabled", "skipped", "skips", "timestamp", "hostname",
            "id", "package", "assertions", "file", "group", "log", "url", "version",
        },
    ),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err", "properties", "rerunFailure", "flakyFailure"},
        {"name", "time", "classname", "group", "assertions", "status", "class", "file", "line", "log", "url"},
    ),
    "failure": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
    "skipped": (set(), {"type", "message"}),
    "system-out": (set(), set()),
}  # fmt: skip
REQUIRED = {"testsuite": {"name"}, "testcase": {"name"}}


def check(element: ET.Element) -> None:
    """Check against the schema, and the attributes' types."""
    children, attributes = SCHEMA[element.tag]
    assert {child.tag for child in element} <= children, element.tag
    assert set(element.attrib) <= attributes, element.attrib
    assert REQUIRED.get(element.tag, set()) <= set(element.attrib)
    for name in ("tests", "failures", "errors", "skipped"):
        if name in element.attrib and element.tag != "skipped":
            assert re.fullmatch(r"[0-9]+", element.attrib[name])
    if "time" in element.attrib:
        assert re.fullmatch(r"[0-9]+(\.[0-9]+)?", element.attrib["time"])
    if "timestamp" in element.attrib:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", element.attrib["timestamp"])
    if element.tag == "testcase":
        assert sum(child.tag in ("failure", "error", "skipped") for child in element) <= 1
    for child in element:
        check(child)


def case(outcome: str, text: str = "30 % is above 15 %") -> Case:
    return Case(name=text, classname=f"gate.{text}", outcome=outcome, message=text)  # type: ignore[arg-type]


def test_a_document_of_every_outcome_follows_the_schema_and_counts() -> None:
    root = ET.fromstring(junit_xml([case(outcome) for outcome in OUTCOMES], suite="gate", timestamp=WHEN))  # noqa: S314
    check(root)
    suite = root[0]
    assert {k: suite.get(k) for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
    }
    assert [[child.tag for child in each] for each in suite] == [["system-out"], ["failure"], ["error"], ["skipped"]]


def test_hostile_text_stays_text() -> None:
    text = '"/><failure>&]]>\x00\x1b[31m\ud800\uffff\u202e<!ENTITY x>'
    data = junit_xml([case("failure", text)], suite=text, timestamp=WHEN)
    root = ET.fromstring(data)  # noqa: S314
    check(root)
    assert [each.tag for each in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]
    message = root[0][0][0].get("message")
    assert message is not None
    assert message.startswith('"/><failure>&]]>')
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\u202e\ufffe\uffff]", message)


@given(st.text(), st.sampled_from(OUTCOMES))
def test_any_text_makes_a_document_that_can_be_read(text: str, outcome: str) -> None:
    check(ET.fromstring(junit_xml([case(outcome, text)], suite=text, timestamp=WHEN)))  # noqa: S314


def test_it_is_written_whole_or_refused(tmp_path: Path) -> None:
    write_junit(tmp_path / "j.xml", [case("passed")], suite="gate", timestamp=WHEN)
    assert (tmp_path / "j.xml").read_bytes().startswith(b"<?xml")
    with pytest.raises(StoreError):
        write_junit(tmp_path / "none" / "j.xml", [], suite="gate", timestamp=WHEN)
