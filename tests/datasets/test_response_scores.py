"""Scores of single responses from files."""

import json

import pytest

from evenhand.datasets.response_scores import PairScores, read_response_scores
from evenhand.errors import DataError


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_numbers_blanks_and_other_pairs(tmp_path):
    rows = [
        {"pair_id": "p1", "score_a": 7, "score_b": "6.5", "tokens": 120},
        {"pair_id": "p2", "score_a": None, "score_b": ""},
        {"pair_id": "else", "score_a": 1, "score_b": 2},
    ]
    found = read_response_scores(write(tmp_path / "s.jsonl", rows), ("p1", "p2", "p3"))
    assert found.scores == {"p1": PairScores(a=7.0, b=6.5, tokens=120.0), "p2": PairScores(a=None, b=None)}
    assert found.elsewhere == 1


def test_csv_cells_are_numbers_too(tmp_path):
    (tmp_path / "s.csv").write_text("pair_id,score_a,score_b\np1,3,-1e1\n")
    assert read_response_scores(tmp_path / "s.csv", ("p1",)).scores["p1"] == PairScores(a=3.0, b=-10.0)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"pair_id": "p1", "score_a": "good", "score_b": 1}], "row 1, field 'score_a': is 'good', expected a number"),
        ([{"pair_id": "p1", "score_a": True, "score_b": 1}], "expected a number"),
        ([{"pair_id": "p1", "score_a": 1, "score_b": "inf"}], "finite"),
        ([{"pair_id": "p1", "score_a": 10**400, "score_b": 1}], "expected a number"),
        ([{"pair_id": "p1", "score_a": 1}], "missing field score_b"),
        ([{"pair_id": "p1", "score_a": 1, "score_b": 1}] * 2, "stands in row 1 already"),
        ([{"pair_id": "x", "score_a": 1, "score_b": 1}], "no row is of a pair"),
        ([{"pair_id": "p1", "score_a": 1, "score_b": 1, "tokens": -5}], "field 'tokens': is -5, expected a number of"),
        ([{"pair_id": "p1", "score_a": 1, "score_b": 1, "Tokens": 9}], "there is no field tokens, but Tokens"),
    ],
)
def test_what_can_t_be_read_is_named(tmp_path, rows, words):
    with pytest.raises(DataError, match=words):
        read_response_scores(write(tmp_path / "s.jsonl", rows), ("p1",))
