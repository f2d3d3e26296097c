import json

import pytest

from evenhand.errors import DataError
from evenhand.perturbations.variants import FIELDS, load_variants
from evenhand.records import Change, Pair, Preference, VariantsIdentity
from evenhand.records.hashing import file_sha256

PAIRS = [Pair(id=name, instruction=f"{name}?", response_a="7", response_b="9") for name in ("p", "q", "7")]
GOOD = {"pair_id": "p", "factor": "tone", "level": "hedged", "target": "A", "text": "Perhaps 7."}


def write(folder, *rows, name="v.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def hedged(target):
    return Change(factor="tone", level="hedged", target=target)


def test_rewrites_are_found_by_pair_and_change(tmp_path):
    rows = [
        GOOD | {"note": "mine"},
        GOOD | {"pair_id": 7, "target": "b", "text": "\ud800 9"},
        {"text": "Ann likes {label}.", "target": "B", "level": "user", "factor": "endorsement", "pair_id": "q"},
    ]
    path = write(tmp_path, *rows)
    variants = load_variants(path, PAIRS)
    assert variants.text("p", hedged(Preference.A)) == "Perhaps 7."
    assert variants.text("7", hedged(Preference.B)) == "\ud800 9"
    assert variants.text("p", hedged(Preference.B)) is None
    assert variants.text("q", Change(factor="endorsement", level="user", target=Preference.B)) == "Ann likes {label}."
    assert variants.supplied == {("tone", "hedged"), ("endorsement", "user")}
    assert variants.identity == VariantsIdentity(spec=str(path), rewrites=3, sha256=file_sha256(path))


def test_csv_is_read_alike(tmp_path):
    (tmp_path / "v.csv").write_text(
        ",".join(FIELDS) + "\np,padding,supplied,A,Seven\n7,register,non-native,B,Nine are\n"
    )
    variants = load_variants(str(tmp_path / "v.csv"), PAIRS)
    assert variants.supplied == {("padding", "supplied"), ("register", "non-native")}
    assert variants.text("7", Change(factor="register", level="non-native", target=Preference.B)) == "Nine are"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pair_id": "r"}, "field 'pair_id': is 'r', which is the id of none of the 3 pairs"),
        ({"factor": "mood"}, "field 'factor': is 'mood', expected one of authority, endorsement"),
        ({"factor": "recency", "level": "late"}, "field 'factor': is 'recency', expected one of"),
        ({"level": "hedge"}, "field 'level': factor 'tone' has no level 'hedge'; did you mean 'hedged'"),
        ({"target": "C"}, "field 'target': is 'C', expected A or B"),
        ({"target": "tie"}, "field 'target': is 'tie', expected A or B"),
        ({"target": "B", "text": " \n"}, "field 'text': is blank"),
        ({"target": "B", "text": None}, "field 'text': is null, expected text"),
        ({"target": "B", "text": 3}, "field 'text': is of type int, expected text"),
        ({"pair_id": True}, "field 'pair_id': is of type bool, expected text"),
        ({"factor": "endorsement", "level": "user"}, r"field 'text': is 'Perhaps 7\.', which lacks \{label\}"),
        ({}, "supplies tone=hedged:A of pair 'p' again, after row 1"),
    ],
)
def test_a_wrong_row_is_named(tmp_path, change, message):
    path = write(tmp_path, GOOD, GOOD | change)
    with pytest.raises(DataError, match=message) as caught:
        load_variants(path, PAIRS)
    assert str(caught.value).startswith(f"{path}, row 2")
    assert "\n" not in str(caught.value)


def test_a_missing_column_is_named_with_all(tmp_path):
    path = write(tmp_path, {name: value for name, value in GOOD.items() if name != "target"})
    with pytest.raises(DataError, match=r"field 'target': is missing.*pair_id, factor, level, target, text"):
        load_variants(path, PAIRS)


def test_rows_for_pairs_beyond_a_limit_are_kept_where_that_is_said(tmp_path):
    path = write(tmp_path, GOOD, GOOD | {"pair_id": "q"})
    with pytest.raises(DataError, match="is 'q', which is the id of none of the 1 pairs"):
        load_variants(path, PAIRS[:1])
    assert load_variants(path, PAIRS[:1], partial=True).identity.rewrites == 2
    with pytest.raises(DataError, match="no row is for one of the pairs"):
        load_variants(path, PAIRS[2:], partial=True)


def test_an_empty_file_holds_no_rewrites(tmp_path):
    with pytest.raises(DataError, match="holds no rewrites"):
        load_variants(write(tmp_path), PAIRS)
