from dataclasses import replace

from evenhand.probes import Retention
from evenhand.report.probes.encode import encode_retention, encode_subject
from report.probes.examples import make_report


def test_the_subject_is_told_by_name():
    subject = replace(make_report().subject, revision=None)
    tree = encode_subject(subject)
    assert (tree["model"], tree["revision"], tree["readout"]) == (subject.model, None, "generated")
    assert tree["prompt_sha256"] == subject.prompt_hash
    assert tree["settings"] == [{"name": "thinking", "value": "off"}]
    assert len(tree) == len(subject.__slots__)


def test_lost_pairs_are_told_by_reason_in_their_order():
    lost = (("AB: no verdict", 2), ("BA: no verdict", 1))
    tree = encode_retention(Retention(planned=9, usable=6, lost=lost))
    assert tree == {
        "planned": 9,
        "usable": 6,
        "lost": [{"why": "AB: no verdict", "pairs": 2}, {"why": "BA: no verdict", "pairs": 1}],
    }
