"""A sealed record is JSON still; one that was changed anywhere is found out or can't be read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import DataError
from evenhand.store.codec import load
from evenhand.store.records_json import completion_to_json
from evenhand.store.sealed import SEAL, seal, unseal
from store.examples import RICH_ANSWER

plain = st.dictionaries(st.text(), st.integers() | st.text() | st.none(), min_size=1).map(
    lambda tree: json.dumps(tree, ensure_ascii=True)
)


@given(plain)
def test_sealing_is_undone_and_leaves_one_object(text: str) -> None:
    sealed = seal(text)
    assert unseal(sealed, what="record") == text
    tree = json.loads(sealed)
    assert len(tree.pop(SEAL)) == 8
    assert SEAL in json.loads(text) or tree == json.loads(text)


def test_no_flipped_bit_of_a_completion_goes_unnoticed() -> None:
    data = completion_to_json(RICH_ANSWER).encode()
    unnoticed = []
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << (bit % 8)
        try:
            text = damaged.decode()
        except UnicodeDecodeError:
            continue  # SQLite's driver refuses it
        try:
            load(type(RICH_ANSWER), unseal(text, what="completion"), what="completion")
        except DataError:
            continue
        unnoticed.append(bit)
    assert unnoticed == []


@pytest.mark.parametrize("value", [b"{}", None, 1])
def test_what_is_no_text_is_no_record(value: object) -> None:
    with pytest.raises(DataError, match=r"^pair: not JSON"):
        unseal(value, what="pair")
