from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.datasets.base import require_path, sources_in_turn, unique_ids
from evenhand.errors import ConfigError, DataError
from evenhand.records import Pair


def pair(identity, source=""):
    return Pair(id=identity, instruction="x", response_a="", response_b="", source=source)


@given(st.lists(st.sampled_from("abc"), max_size=12), st.integers(0, 12))
def test_sources_in_turn_keeps_every_pair_and_spreads_every_prefix(sources, cut):
    pairs = [pair(str(i), source) for i, source in enumerate(sources)]
    ordered = sources_in_turn(pairs)
    assert sorted(ordered, key=lambda p: int(p.id)) == pairs
    for source in set(sources):
        assert [p for p in ordered if p.source == source] == [p for p in pairs if p.source == source]
    prefix = [p.source for p in ordered[:cut]]
    counts = {source: prefix.count(source) for source in set(sources)}
    for source, count in counts.items():
        # A source that lags by more than one has been used up.
        assert count >= max(counts.values()) - 1 or count == sources.count(source)


def test_a_home_directory_is_expanded(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    assert require_path("llmbar", "~/pairs") == Path("/home/me/pairs")
    with pytest.raises(ConfigError, match="no_such_user_here"):
        require_path("llmbar", "~no_such_user_here/pairs")


def test_repeated_ids_in_two_files_name_both():
    places = [(Path("one.jsonl"), 3, pair("x")), (Path("two.jsonl"), 5, pair("x"))]
    with pytest.raises(DataError, match=r"^two\.jsonl, row 5, field 'id': 'x' is already the id of one\.jsonl, row 3"):
        unique_ids(places)
