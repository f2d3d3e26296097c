"""JUnit XML: a report that continuous integration of every kind reads.

The elements and attributes are those of the schema that Jenkins publishes: a suite of test cases, each with at most one
of ``failure``, ``error`` and ``skipped``.

References
----------
https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from xml.etree import ElementTree as ET

from evenhand.report.text import visible
from evenhand.store.atomic import write_bytes_atomically

__all__ = ["Case", "CaseOutcome", "junit_xml", "write_junit"]

CaseOutcome: TypeAlias = Literal["passed", "failure", "error", "skipped"]

# XML 1.0, section 2.2: everything else can't stand in a document, not even as a reference.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test case.

    Attributes
    ----------
    outcome
        ``failure``: it was measured and is bad. ``error``: it could not be told. ``skipped``: it isn't decided, and
        that was allowed.
    message
        Why; for a passed case, what was found.
    """

    name: str
    classname: str
    outcome: CaseOutcome
    message: str = ""


def junit_xml(cases: Sequence[Case], *, suite: str, timestamp: str) -> bytes:
    """The document, UTF-8 with its declaration.

    Parameters
    ----------
    timestamp
        ISO 8601, to the second; a zone is left out, as the schema has none.

    Examples
    --------
    >>> case = Case(name="flip_rate<=0.15", classname="gate", outcome="passed")
    >>> b'tests="1" failures="0"' in junit_xml([case], suite="gate", timestamp="2026-11-30T07:10:11+00:00")
    True
    """
    count = {kind: str(sum(case.outcome == kind for case in cases)) for kind in ("failure", "error", "skipped")}
    totals = {"tests": str(len(cases)), "failures": count["failure"], "errors": count["error"]}
    root = ET.Element("testsuites", {"name": _clean(suite), **totals, "time": "0"})
    within = ET.SubElement(
        root,
        "testsuite",
        {
            "name": _clean(suite),
            **totals,
            "skipped": count["skipped"],
            "time": "0",
            "timestamp": _clean(timestamp)[:19],
            "hostname": "localhost",
        },
    )
    for case in cases:
        element = ET.SubElement(
            within, "testcase", {"classname": _clean(case.classname), "name": _clean(case.name), "time": "0"}
        )
        match case.outcome:
            case "passed":
                if case.message:
                    ET.SubElement(element, "system-out").text = _clean(case.message)
            case "skipped":
                ET.SubElement(element, "skipped", {"message": _clean(case.message)})
            case kind:
                told = ET.SubElement(element, kind, {"message": _clean(case.message), "type": kind})
                told.text = _clean(case.message)
    data: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _clean(text: str) -> str:
    """One line with nothing hidden and nothing that XML forbids."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", visible(text, limit=_LONGEST))


def write_junit(path: Path, cases: Sequence[Case], *, suite: str, timestamp: str) -> None:
    """Write the document, whole or not at all.

    Raises
    ------
    StoreError
        It can't be written.
    """
    write_bytes_atomically(path, junit_xml(cases, suite=suite, timestamp=timestamp))
