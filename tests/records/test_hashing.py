import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.records import content_hash, file_sha256

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(plain)
def test_equal_values_hash_equal(value: object) -> None:
    assert content_hash(value) == content_hash(value)


@given(st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_the_order_of_a_list_counts(texts: list[str]) -> None:
    assert content_hash(texts) != content_hash(texts[::-1])


def test_not_a_number_has_no_hash() -> None:
    with pytest.raises(ValueError, match="JSON"):
        content_hash(float("nan"))


def test_a_file_is_hashed_in_chunks_that_are_reported(tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000
    path = tmp_path / "weights"
    path.write_bytes(data)
    seen: list[int] = []
    assert file_sha256(path, progress=seen.append) == hashlib.sha256(data).hexdigest()
    assert sum(seen) == len(data)
    assert len(seen) > 1
