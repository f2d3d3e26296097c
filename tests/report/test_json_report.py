import json
import math
from dataclasses import replace

from evenhand.analysis import Measure
from evenhand.report.encode_humans import encode_humans
from evenhand.report.json_report import REPORT_SCHEMA_VERSION, audit_json
from evenhand.report.model import Answers
from evenhand.report.write import json_text
from evenhand.stats import Estimate, Interval, TestResult
from report.humans_examples import BELOW, beside, scope


def test_every_finding_measure_and_test_is_there(manifest, audit, counts):
    tree = audit_json(manifest, audit, counts=counts)
    assert tree["schema_version"] == REPORT_SCHEMA_VERSION
    assert len(tree["findings"]) == len(audit.findings)
    for encoded, finding in zip(tree["findings"], audit.findings, strict=True):
        assert [m["name"] for m in encoded["measures"]] == [m.name for m in finding.measures]
        assert all(("value" in m) != ("refused" in m) for m in encoded["measures"])
        assert [t["log10_p"] for t in encoded["tests"]] == [t.log10_p for t in finding.tests]
        assert encoded["notes"] == list(finding.notes)
        assert encoded["table"] == dict(finding.table)
    assert tree["findings"][1]["outcomes"]["AB"]["truncated"] == 1
    assert tree["counts"] == {"planned": 250, "finished": 250, "errors": 0, "pending": 0}


def test_round_trip_and_stable_order(manifest, audit, counts):
    text = json_text(audit_json(manifest, audit, counts=counts))
    assert json_text(json.loads(text)) == text
    assert text == json_text(audit_json(manifest, audit, counts=counts))


def test_no_nan_and_no_infinity(manifest, audit, counts):
    odd = Estimate(value=0.5, interval=Interval(low=-math.inf, high=math.inf), n=2, count=math.nan)
    test = TestResult(name="t", p_value=0.0, log10_p=-math.inf, n=2, statistic=math.inf)
    finding = replace(audit.findings[0], measures=(Measure(name="flip_rate", estimate=odd),), tests=(test,))
    tree = audit_json(manifest, replace(audit, findings=(finding,)), counts=counts)
    text = json_text(tree)
    assert "NaN" not in text
    assert "Infinity" not in text
    assert tree["findings"][0]["measures"][0]["interval"] is None


def test_hostile_text_is_utf8_and_visible(hostile_audit, counts):
    manifest, audit = hostile_audit
    text = json_text(audit_json(manifest, audit, counts=counts))
    text.encode("utf-8")
    json.loads(text)
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_what_answers_say_is_there_and_harmless(manifest, audit, counts):
    assert audit_json(manifest, audit, counts=counts)["answers"] is None
    answers = Answers(answered=3, notes=(("odd\u202e", 2),), served=(("m-1", 3),))
    assert audit_json(manifest, audit, counts=counts, answers=answers)["answers"] == {
        "answered": 3,
        "notes": [{"text": "odd[U+202E]", "count": 2}],
        "served": [{"text": "m-1", "count": 3}],
    }


def test_the_headline_is_there_with_what_each_sentence_rests_on(manifest, audit, counts, view):
    found = audit_json(manifest, audit, counts=counts, headline=view.headline, pairs=view.pairs)
    head = found["headline"]
    assert (head["status"], head["verdict"], head["lead"]) == (
        view.headline.status,
        view.headline.verdict,
        view.headline.lead,
    )
    assert head["basis"] == {"name": "Figure 1", "anchor": "figure-rates"}
    for kind, claims in (("trust", "trust"), ("doubt", "doubt"), ("next", "steps"), ("more", "more")):
        assert [claim["text"] for claim in head[kind]] == [claim.text for claim in getattr(view.headline, claims)]
        assert all(claim["basis"]["anchor"] for claim in head[kind])
    assert found["pairs"][0]["verdicts"][1] == {"readout": "generated", "AB": "first (A)", "BA": "first (B)"}
    assert "instruction" not in found["pairs"][0]
    assert audit_json(manifest, audit, counts=counts)["headline"] is None


def test_people_are_a_key_of_their_own_and_null_without_labels(manifest, audit, counts):
    made = beside(scope(gap=BELOW))
    assert audit_json(manifest, audit, counts=counts)["humans"] is None
    assert audit_json(manifest, audit, counts=counts, humans=made)["humans"] == encode_humans(made)
