from __future__ import annotations

import pytest
from starlette.datastructures import QueryParams

from evenhand.web import list_view as module
from evenhand.web.filters import ListState, facets_of, parse_state
from evenhand.web.list_view import ListView, build_list_view, neighbours
from evenhand.web.served import ServedRun
from web.made_runs import served, small_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ServedRun:
    folder = tmp_path_factory.mktemp("list")
    return served(small_run(folder / "run"), folder / "cache")


def listed(run: ServedRun, url: str) -> ListView:
    facets = facets_of(run.index)
    return build_list_view(run, facets, parse_state(QueryParams(url.partition("?")[2]), facets))


def test_rows_say_what_each_order_prefers(run: ServedRun) -> None:
    view = listed(run, "?readout=generated&condition=0")
    rows = {row.row.pair_id: row for row in view.rows}
    assert view.total == len(rows) == 7
    assert (rows["same"].ab.preference, rows["same"].ba.preference) == ("A", "A")
    assert (rows["lock-first"].ab.preference, rows["lock-first"].ba.preference) == ("A", "B")
    assert rows["lock-first"].relation == "flip-first"
    assert rows["lock-second"].relation == "flip-second"
    assert rows["tie-and-choice"].relation == "tie-decided"
    assert rows["two-ties"].relation == "both-tie"
    assert rows["nothing"].relation == rows["broken"].relation == "no-verdict"
    assert (rows["broken"].ab.slug, rows["broken"].ab.preference) == ("error", "")
    assert rows["lock-second"].lead == "diverged"
    assert rows["lock-first"].lead == "agreed"


def test_following_a_facet_value_gives_the_count_it_told(run: ServedRun) -> None:
    for start in ("?", "?relation=flip-first&relation=same", "?readout=generated&ab=first", "?q=lock"):
        view = listed(run, start)
        for facet in view.facets:
            for value in (*facet.values, *facet.folded):
                following = listed(run, value.url)
                if value.chosen:
                    assert all(not v.chosen or v.label != value.label for f in following.facets for v in f.values)
                else:
                    chosen_now = [v for f in following.facets if f.name == facet.name for v in f.values if v.chosen]
                    assert value.label in [v.label for v in chosen_now]
                    others = sum(v.count for v in facet.values if v.chosen)
                    assert following.total == value.count + others


def test_chips_take_away_one_filter_each(run: ServedRun) -> None:
    view = listed(run, "?relation=flip-first&relation=flip-second&readout=generated&q=lock")
    assert len(view.chips) == 3
    assert view.total == 4
    totals = [listed(run, chip.url).total for chip in view.chips]
    assert all(total >= 1 for total in totals)
    assert listed(run, view.unsearched_url).search == ""
    assert listed(run, view.clear_url).total == view.every


def test_pages_lead_forth_and_back(run: ServedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 5)
    for query in ("?", "?sort=id", "?sort=pull&readout=first-token", "?q=case&sort=close"):
        pages = [listed(run, query)]
        assert pages[0].previous_url is None
        assert pages[0].first_url is None
        while pages[-1].next_url is not None:
            pages.append(listed(run, pages[-1].next_url))
        shown = [row.row.rid for page in pages for row in page.rows]
        assert len(shown) == len(set(shown)) == pages[0].total
        back = pages[-1]
        for page in reversed(pages[:-1]):
            assert back.previous_url is not None
            back = listed(run, back.previous_url)
            assert [row.row.rid for row in back.rows] == [row.row.rid for row in page.rows]
        assert back.previous_url is None


def test_a_rows_neighbours_are_those_of_its_list(run: ServedRun) -> None:
    facets = facets_of(run.index)
    state = ListState(chosen={"readout": ("generated",), "condition": ("0",)}, sort="id")
    rows = build_list_view(run, facets, state).rows
    found = [neighbours(run, facets, state, row.row) for row in rows]
    assert [each.before and each.before.row.rid for each in found] == [None, *(row.row.rid for row in rows[:-1])]
    assert [each.after and each.after.row.rid for each in found] == [*(row.row.rid for row in rows[1:]), None]
    assert "sort=id" in rows[0].url
    assert "readout=generated" in rows[0].url


def test_facets_with_one_value_are_not_offered(run: ServedRun) -> None:
    names = {facet.name for facet in listed(run, "?condition=0").facets}
    assert "condition" in names  # it is chosen, and can be taken away
    small = {facet.name for facet in listed(run, "?q=two-ties&readout=generated&condition=0").facets}
    assert "ab" not in small
