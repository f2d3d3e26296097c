from hypothesis import given
from hypothesis import strategies as st

from evenhand.logs.places import look_up, places_of

KEYS = st.text(alphabet="abc", min_size=1, max_size=3)
RECORDS = st.dictionaries(
    KEYS, st.recursive(st.integers() | st.text(max_size=3), lambda inner: st.dictionaries(KEYS, inner, max_size=3))
)


def test_nested_literal_and_indexed_places_are_found():
    record = {"a": {"b": 1, "c.d": 2}, "a.b": 3, "list": [[4]]}
    assert look_up(record, "a.b") == 3
    assert look_up(record, "a.c.d") == 2
    assert look_up(record, "list.0.0") == 4
    assert [look_up(record, place) for place in ("list.1", "list.x", "a.z", "z", "a.b.c", "list.²")] == [None] * 6


@given(RECORDS)
def test_every_listed_place_is_found(record):
    for place in places_of(record):
        assert look_up(record, place) is not None


def test_listing_is_bounded_in_width_and_depth():
    deep: dict[str, object] = {"x": 1}
    for _ in range(5000):
        deep = {"k": deep}
    assert places_of(deep) == (".".join("k" * 6),)
    assert len(places_of({str(number): number for number in range(5000)})) == 400
