"""Which pairs can be labelled, and their texts on demand."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import pytest

from evenhand.errors import DataError, StoreError
from evenhand.records import Pair
from evenhand.store import Journal
from evenhand.store.label_store_pairs import LabelPairs
from evenhand.store.label_store_records import stored_id, text_sha256
from evenhand.workflow.imported import import_log
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


def imported(directory: Path, pairs: list[tuple[str, str, str]]) -> Path:
    """A run of columns; of each pair its id and the texts of its responses."""
    log = directory.with_suffix(".jsonl")
    rows = [
        {"pair_id": name, "order": order, "outcome": "first", "instruction": "i", "response_a": a, "response_b": b}
        for name, a, b in pairs
        for order in ("AB", "BA")
    ]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_log("table", log, out=directory, resamples=100).directory


def test_pairs_of_a_run_of_columns_are_labelled_like_those_of_a_journal(tmp_path: Path) -> None:
    texts = [(name, f"a of {name}", f"b of {name}") for name in ("z", "é\u202e", "a", "=1+1")]
    run = imported(tmp_path / "run", [*texts, ("none", "", ""), ("half", "", "x")])
    with Journal.open(run, read_only=True) as journal:
        assert journal.columns is not None
        pairs = {pair.id: pair for pair in journal.columns.iter_pairs()}
    found = LabelPairs([run])
    assert found.ids == ("z", "é\u202e", "a", "=1+1", "half")
    assert found.without_text == 1
    for name in found.ids:
        assert found.pair(name) == pairs[name]
        assert found.text_sha256(name) == text_sha256(pairs[name])


def test_a_run_of_columns_and_a_journal_share_pairs(tmp_path: Path) -> None:
    pairs = [replace(pair, instruction="i") for pair in plain_pairs(3)]
    texts = [(pair.id, pair.response_a, pair.response_b) for pair in pairs]
    columns = imported(tmp_path / "columns", [*texts[:2], (texts[2][0], "else", "else")])
    for order in (1, -1):
        found = LabelPairs([unjudged_run(tmp_path / f"run{order}", pairs), columns][::order])
        assert found.ids == (pairs[0].id, pairs[1].id)
        assert found.conflicting == (pairs[2].id,)


def test_a_log_imported_anew_is_told_and_one_without_texts_has_nothing(tmp_path: Path) -> None:
    run = imported(tmp_path / "run", [("p", "a", "b"), ("q", "c", "d")])
    found = LabelPairs([run])
    rmtree(run)
    imported(run, [("other", "a", "b")])
    with pytest.raises(DataError, match="other pairs"):
        found.pair("p")
    with pytest.raises(DataError, match="no pair 2 any more"):
        found.pair("q")
    (tmp_path / "bare.csv").write_text("pair_id,order,outcome\np,AB,first\np,BA,first\n", encoding="utf-8")
    bare = import_log("table", tmp_path / "bare.csv", out=tmp_path / "bare", resamples=100).directory
    assert (LabelPairs([bare]).ids, LabelPairs([bare]).without_text) == ((), 1)
