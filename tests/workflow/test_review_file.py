"""The review queue's file: blind, safe to open, and readable as labels once filled in."""

import csv
import json

import pytest

from evenhand.datasets.labels import read_labels
from evenhand.errors import ConfigError
from evenhand.mitigation.review_queue import ReviewItem
from evenhand.records import Pair, Preference
from evenhand.workflow.review_file import write_review


def item(pair_id, priority):
    votes = (("j", "A"),)
    return ReviewItem(
        pair_id=pair_id, priority=priority, split=1.0, flips=0.5, votes=votes, verdict="A", reason="judges split 1 to 1"
    )


PAIRS = {
    "p1": Pair(id="p1", instruction='=HYPERLINK("x")', response_a="+1\nsecond line", response_b="@me"),
    "p2": Pair(id="p2", instruction="Why?", response_a='a "quoted", part', response_b="\ttab"),
}


def test_csv_opens_as_text_and_comes_back_as_labels(tmp_path):
    path = tmp_path / "q.csv"
    write_review(path, [item("p2", 1.5), item("p1", 0.25)], PAIRS)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["pair_id"] for row in rows] == ["p2", "p1"]
    assert rows[1]["instruction"] == '\'=HYPERLINK("x")'
    assert rows[1]["response_a"] == "'+1\nsecond line"
    assert rows[1]["response_b"] == "'@me"
    assert rows[0]["response_b"] == "'\ttab"
    assert (rows[0]["preference"], rows[0]["annotator"]) == ("", "")
    # No vote of a judge is in it.
    shown = {"instruction", "response_a", "response_b"}
    assert set(rows[0]) == {"pair_id", "preference", "annotator", "reason", "priority"} | shown
    rows[0] |= {"preference": "B", "annotator": "ann"}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    found = read_labels(path, PAIRS)
    assert (found.consensus(), found.empty) == ({"p2": Preference.B}, 1)


def test_json_lines_keep_texts_as_they_are(tmp_path):
    path = tmp_path / "q.jsonl"
    write_review(path, [item("p1", 2.0)], PAIRS)
    [row] = map(json.loads, path.read_text().splitlines())
    assert (row["instruction"], row["response_a"], row["priority"]) == ('=HYPERLINK("x")', "+1\nsecond line", 2.0)


def test_other_formats_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"\.csv or \.jsonl"):
        write_review(tmp_path / "q.xlsx", [], PAIRS)
    assert not list(tmp_path.iterdir())
