"""Human labels from files: read strictly, and what isn't a label is counted."""

import json
from datetime import date

import polars as pl
import pytest

from evenhand.datasets.labels import last_labels, read_labels
from evenhand.errors import DataError
from evenhand.records import Preference, file_sha256

IDS = ("p1", "p2", "p3", "7")


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


ROWS = [
    {"pair_id": "p1", "preference": "A", "annotator": "ann", "date": "2026-11-30"},
    {"pair_id": "p1", "preference": " b ", "annotator": "bob"},
    {"pair_id": "p1", "preference": "a", "annotator": "cy", "note": "not read"},
    {"pair_id": "p2", "preference": "tie", "annotator": "ann"},
    {"pair_id": "p2", "preference": "A", "annotator": "bob"},
    {"pair_id": "p3", "preference": "", "annotator": "ann"},
    {"pair_id": "else", "preference": "B", "annotator": "ann"},
    {"pair_id": 7, "preference": "B"},
]


def test_labels_annotators_and_what_is_left_out(tmp_path):
    path = write(tmp_path / "l.jsonl", ROWS)
    found = read_labels(path, IDS)
    assert [(each.pair_id, each.preference, each.annotator, each.row) for each in found.labels] == [
        ("p1", Preference.A, "ann", 1),
        ("p1", Preference.B, "bob", 2),
        ("p1", Preference.A, "cy", 3),
        ("p2", Preference.TIE, "ann", 4),
        ("p2", Preference.A, "bob", 5),
        ("7", Preference.B, None, 8),
    ]
    assert (found.empty, found.elsewhere, found.annotators) == (1, 1, ("ann", "bob", "cy"))
    assert found.labels[0].date == "2026-11-30"
    assert found.sha256 == file_sha256(path)
    # Most for A; a draw between a tie and A is a tie.
    assert found.consensus() == {"p1": Preference.A, "p2": Preference.TIE, "7": Preference.B}


def test_who_labels_a_pair_again_is_one_person(tmp_path):
    # ann chose A, and later B: with bob's A that is a draw, not two votes of three for A.
    rows = [
        {"pair_id": "p1", "preference": "B", "annotator": "ann", "date": "2026-11-30T01:00:00+02:00"},
        {"pair_id": "p1", "preference": "A", "annotator": "ann", "date": "2026-11-29T22:00"},
        {"pair_id": "p1", "preference": "A", "annotator": "ann"},
        {"pair_id": "p1", "preference": "A", "annotator": "bob"},
        {"pair_id": "p2", "preference": "A", "annotator": "ann"},
    ]
    found = read_labels(write(tmp_path / "l.jsonl", rows), IDS)
    assert [(label.pair_id, label.annotator, label.row) for label in last_labels(found.labels)] == [
        ("p1", "ann", 1),
        ("p1", "bob", 4),
        ("p2", "ann", 5),
    ]
    assert found.consensus() == {"p1": Preference.TIE, "p2": Preference.A}


def test_csv_and_parquet_say_the_same(tmp_path):
    frame = pl.DataFrame([{"pair_id": str(r["pair_id"]), "preference": r["preference"]} for r in (ROWS[0], ROWS[3])])
    frame.write_csv(tmp_path / "l.csv")
    frame.with_columns(date=pl.lit(date(2026, 11, 30))).write_parquet(tmp_path / "l.parquet")
    found = [read_labels(tmp_path / name, IDS) for name in ("l.csv", "l.parquet")]
    assert [each.consensus() for each in found] == [{"p1": Preference.A, "p2": Preference.TIE}] * 2
    assert found[0].labels[0].row == 2
    assert found[1].labels[0].date == "2026-11-30"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"pair_id": "p1", "preference": "C"}], r"row 1, field 'preference': is 'C', expected A, B, tie or empty"),
        ([{"pair_id": "p1", "preference": 1}], "is 1, expected"),
        ([{"pair_id": "", "preference": "A"}], "field 'pair_id'"),
        ([{"preference": "A"}], "missing field pair_id"),
        ([{"pair_id": "p1"}], "missing field preference"),
        ([{"pair_id": "p1", "preference": "A", "date": "yesterday"}], "a date such as"),
        ([ROWS[0], ROWS[0]], "row 2, field 'pair_id': annotator 'ann' labelled pair 'p1' in row 1 already"),
        ([{"pair_id": "p1", "preference": "A"}] * 2, "an annotator without a name"),
        ([{"pair_id": "x", "preference": "A"}], "none of its 1 labels is of a pair that was judged"),
        ([{"pair_id": "p1", "preference": None}], "holds no label"),
        (
            [{"pair_id": "p1", "preference": "A", "Annotator": "ann"}],
            "there is no field annotator, but Annotator, which",
        ),
        ([{"pair_id": "p1", "preference": "A", "date ": "2026-01-01"}], "there is no field date, but 'date '"),
        ([], "holds no row"),
    ],
)
def test_what_can_t_be_read_is_named(tmp_path, rows, words):
    with pytest.raises(DataError, match=words):
        read_labels(write(tmp_path / "l.jsonl", rows), IDS)


def test_an_annotator_may_label_again_on_another_date(tmp_path):
    dates = (("A", "2026-01-01"), ("B", "2026-02-01"))
    rows = [{"pair_id": "p1", "preference": p, "annotator": "ann", "date": day} for p, day in dates]
    assert len(read_labels(write(tmp_path / "l.jsonl", rows), IDS).labels) == 2


def test_an_id_that_was_kept_from_being_a_formula_is_read_as_it_is(tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("pair_id,preference\n'=1+1,A\n'-x,B\n'known,tie\n'plain,A\n", encoding="utf-8")
    found = read_labels(path, ["=1+1", "-x", "'known", "plain"])
    assert [label.pair_id for label in found.labels] == ["=1+1", "-x", "'known"]
    assert found.elsewhere == 1  # an apostrophe before anything else belongs to the id
    # An id that has the apostrophe itself is taken as it stands.
    path.write_text("pair_id,preference\n'=1+1,A\n", encoding="utf-8")
    assert read_labels(path, ["'=1+1", "=1+1"]).labels[0].pair_id == "'=1+1"
