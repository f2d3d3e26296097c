import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.records import Pair, Preference, columnar_hash, pairs_hash
from evenhand.records.columnar_hash import columns_hash

text = st.text(st.characters(codec="utf-8"), max_size=6)
pairs = st.lists(
    st.builds(
        Pair,
        id=text,
        instruction=text,
        response_a=text,
        response_b=st.just(""),
        gold=st.none() | st.sampled_from(Preference),
        source=text,
        group=text.filter(bool),
    ),
    unique_by=lambda pair: pair.id,
    min_size=1,
)
FIELDS = ("id", "source", "group", "gold", "instruction", "response_a", "response_b")


def frame(records, names=FIELDS):
    schema = dict.fromkeys(names, pl.String)
    return pl.DataFrame([{name: getattr(pair, name) for name in names} for pair in records], schema=schema)


@settings(deadline=None)
@given(pairs)
def test_columns_hash_as_records_do(records):
    assert columns_hash(frame(records)) == pairs_hash(records)


def test_texts_that_a_log_has_not_are_empty():
    records = [Pair(id=name, instruction="", response_a="", response_b="", group="g") for name in ("p", '"', "\x7f")]
    assert columns_hash(frame(records, ("id", "source", "group", "gold"))) == pairs_hash(records)


@pytest.mark.parametrize("at_once", [1, 2, 3, 250_000])
def test_the_size_of_parts_changes_nothing(monkeypatch, at_once):
    records = [Pair(id=f"p{i}", instruction="é", response_a="", response_b="", group="g") for i in range(5)]
    monkeypatch.setattr(columnar_hash, "_AT_ONCE", at_once)
    assert columns_hash(frame(records)) == pairs_hash(records)


def test_equal_beginnings_of_hashes_are_sorted_to_the_end():
    import numpy as np

    digests = np.zeros((3, 32), dtype=np.uint8)
    digests[:, 31] = [3, 1, 2]
    assert columnar_hash._ascending(digests)[:, 31].tolist() == [1, 2, 3]
