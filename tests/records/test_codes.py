import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.records import codes
from evenhand.records.codes import NO_CODE, code_texts, repeated

texts = st.lists(st.none() | st.text(st.characters(codec="utf-8"), max_size=3))


def decoded(coded):
    values = coded.values.to_list()
    return [None if code == NO_CODE else values[code] for code in coded.codes.tolist()]


@pytest.mark.parametrize("few", [0, 20_000])
@settings(deadline=None)
@given(given_texts=texts)
def test_codes_give_back_the_texts_and_their_order(few, given_texts):
    before, codes._FEW = codes._FEW, few  # both ways of coding
    try:
        coded = code_texts(pl.Series(given_texts, dtype=pl.String))
    finally:
        codes._FEW = before
    assert decoded(coded) == given_texts
    assert coded.values.to_list() == sorted({text for text in given_texts if text is not None})
    assert coded.codes.dtype == np.uint32


def test_two_texts_that_share_a_hash_keep_their_own_codes(monkeypatch):
    monkeypatch.setattr(codes, "_FEW", 0)
    seen = []
    real = pl.Series.hash

    def colliding(series, seed=0):
        seen.append(seed)
        return pl.Series([7] * len(series), dtype=pl.UInt64) if seed == 0 else real(series, seed)

    monkeypatch.setattr(pl.Series, "hash", colliding)
    assert decoded(code_texts(pl.Series(["b", "a", "b"]))) == ["b", "a", "b"]
    assert list(dict.fromkeys(seen)) == [0, 1]  # polars may come by here more than once a call


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2))))
def test_repeated_finds_equal_rows(rows):
    columns = [np.array([row[place] for row in rows], dtype=np.uint32) for place in range(3)]
    assert repeated(*columns) == (len(set(rows)) < len(rows))


def test_more_places_than_numbers_are_told_apart():
    big = np.array([2**32 - 2, 2**32 - 2, 2**32 - 2], dtype=np.uint32)
    last = np.array([0, 1, 2**32 - 2], dtype=np.uint32)
    assert not repeated(big, big, big, last)
    assert repeated(big, big, big, np.array([5, 1, 5], dtype=np.uint32))
