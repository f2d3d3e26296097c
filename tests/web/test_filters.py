from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from evenhand.web.facets import STATIC
from evenhand.web.filters import ListState, facets_of, parse_state
from evenhand.web.index import Cursor
from hostile import every_text
from web.made_runs import served, small_run

SLUGS = {facet.name: [value.slug for value in facet.values] for facet in STATIC}
chosen = st.fixed_dictionaries(
    {},
    optional={
        name: st.lists(st.sampled_from(slugs), min_size=1, unique=True).map(tuple) for name, slugs in SLUGS.items()
    },
)
cursors = st.builds(Cursor, key=st.floats(allow_nan=False, allow_infinity=False), rid=st.integers(-(2**61), 2**61))
states = st.builds(
    ListState,
    chosen=chosen,
    search=st.sampled_from(["", "two words", "a&b=c?#%", "比较"]),
    sort=st.sampled_from(["order", "id", "pull", "close"]),
    after=st.none() | cursors,
)


@given(states)
def test_the_address_is_the_whole_state(state: ListState) -> None:
    parts = urlsplit(state.url("/r/0/"))
    assert parts.path == "/r/0/"
    assert parse_state(QueryParams(parts.query), STATIC) == state


def test_a_state_with_a_beginning_and_an_end_keeps_one() -> None:
    state = parse_state(QueryParams("after=1.0:2&before=3.0:4"), STATIC)
    assert (state.after, state.before) == (Cursor(key=1.0, rid=2), None)


@pytest.mark.parametrize(
    "query",
    [
        "after=x",
        "after=1",
        "after=nan:1",
        "after=inf:1",
        "after=1:1e9",
        "before=1.0:99999999999999999999999",
        "sort=rid;drop",
        "ab=nothing",
        "unknown=1",
    ],
)
def test_what_no_page_of_ours_wrote_is_left_out(query: str) -> None:
    assert parse_state(QueryParams(query), STATIC) == ListState()


@pytest.mark.parametrize("name", every_text())
def test_a_search_of_any_text_is_clean_and_bounded(name: str) -> None:
    search = parse_state(QueryParams([("q", every_text()[name])]), STATIC).search
    assert len(search) <= 200 * len("[U+10FFFF]")
    assert search == " ".join(search.split())
    search.encode("utf-8")


def test_a_filter_is_added_and_taken_away_from_the_first_page() -> None:
    state = ListState(chosen={"ab": ("first", "tie")}, after=Cursor(key=1.0, rid=1))
    assert state.without("ab", "tie") == ListState(chosen={"ab": ("first",)})
    assert state.only("ba", ["error"]) == ListState(chosen={"ab": ("first", "tie"), "ba": ("error",)})
    assert state.filtered
    assert not ListState(chosen={"ab": ()}).filtered


def test_a_run_brings_its_own_readouts_conditions_and_sources(tmp_path: Path) -> None:
    facets = {facet.name: facet for facet in facets_of(served(small_run(tmp_path / "run"), tmp_path / "cache").index)}
    assert [value.label for value in facets["source"].values] == ["numbers", "words"]
    assert [value.slug for value in facets["source"].values] == ["0", "1"]
    assert facets["condition"].values[1].label == "plain, A/B; endorsement=user:B"
    assert facets["readout"].code("generated") == 1


def test_codes_and_words_reach_the_index(tmp_path: Path) -> None:
    index = served(small_run(tmp_path / "run"), tmp_path / "cache").index
    state = ListState(chosen={"ab": ("tie",), "readout": ("generated",)}, search="a b c d e f g h i j", sort="pull")
    query = state.query(facets_of(index), index)
    assert query.chosen["ab"] == [2]
    assert query.chosen["readout"] == [1]
    assert query.chosen["ba"] == []
    assert len(query.words) == 8
    assert query.sort.name == "pull"
