"""Which pairs can be labelled, and their texts on demand."""

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.errors import DataError, StoreError
from evenhand.records import Pair
from evenhand.store.label_store_pairs import LabelPairs
from evenhand.store.label_store_records import stored_id, text_sha256
from workflow.labelled_runs import plain_pairs, unjudged_run

HOSTILE = ["a\ud800", "nul\x00in", 'quote"\\', "=1+1", "é\u202e", "x" * 5000]


def test_ids_and_texts_are_the_run_s(tmp_path: Path) -> None:
    pairs = [replace(pair, id=name) for pair, name in zip(plain_pairs(6), HOSTILE, strict=True)]
    found = LabelPairs([unjudged_run(tmp_path / "run", pairs)])
    assert found.ids == tuple(map(stored_id, HOSTILE))
    for pair in pairs:
        assert found.pair(stored_id(pair.id)) == pair
        assert found.text_sha256(stored_id(pair.id)) == text_sha256(pair)
    assert "x" not in found
    assert found.text_sha256("x") is None


def test_pairs_without_texts_cannot_be_labelled_and_an_empty_response_can(tmp_path: Path) -> None:
    looks = 'it says "response_a":"","response_b":"" itself'
    pairs = [
        Pair(id="none", instruction="i", response_a="", response_b=""),
        Pair(id="half", instruction="i", response_a="", response_b="x"),
        Pair(id="looks", instruction=looks, response_a=looks, response_b="x"),
    ]
    found = LabelPairs([unjudged_run(tmp_path / "run", pairs)])
    assert found.ids == ("half", "looks")
    assert found.without_text == 1


def test_runs_share_pairs_and_those_with_other_texts_are_left_out(tmp_path: Path) -> None:
    pairs = plain_pairs(4)
    other = [replace(pairs[1], response_b="else"), replace(pairs[2], source="else"), replace(pairs[3], id="new")]
    found = LabelPairs([unjudged_run(tmp_path / "one", pairs), unjudged_run(tmp_path / "two", other)])
    assert found.conflicting == ("id-of-1",)
    assert found.ids == ("id-of-0", "id-of-2", "id-of-3", "new")


def test_a_run_planned_anew_is_told(tmp_path: Path) -> None:
    directory = unjudged_run(tmp_path / "run", plain_pairs(4))
    found = LabelPairs([directory])
    for path in directory.iterdir():
        path.unlink()
    unjudged_run(directory, plain_pairs(4)[2:])
    with pytest.raises(DataError, match="other pairs"):
        found.pair("id-of-0")
    with pytest.raises(DataError, match="no pair 4 any more"):
        found.pair("id-of-3")


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a run directory"):
        LabelPairs([tmp_path])
