from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from evenhand.records import Order, Outcome, Readout, Verdict, verdict_table
from evenhand.web import index_rows as module
from evenhand.web.facets import REPEAT, STATIC
from evenhand.web.index_rows import IndexRows, PairFacts, compacted, index_rows

CONDITIONS = ("plain", "other")


def verdict(
    pair: str, order: str, outcome: str, *, condition: str = "plain", readout: str = "generated", **more: object
) -> Verdict:
    fields = {"group": "g", "source": "s", "gold": None, "repeat": 0, **more}
    return Verdict(
        pair_id=pair,
        condition=condition,
        readout=Readout(readout),
        order=Order(order),
        outcome=Outcome(outcome),
        **fields,
    )


def facts(*ids: str, sources: tuple[str, ...] = ("s",)) -> PairFacts:
    count = len(ids)
    return PairFacts(
        ids=ids,
        gold=np.full(count, -1, dtype=np.int64),
        source=np.arange(count, dtype=np.int64) % len(sources),
        sources=sources,
    )


def rows_of(verdicts: list[Verdict], known: PairFacts) -> IndexRows:
    ids = pl.DataFrame(
        {"pair_id": list(known.ids), "pair": range(len(known.ids))}, schema={"pair_id": pl.String, "pair": pl.Int32}
    )
    return index_rows(compacted(verdict_table(verdicts), ids, CONDITIONS), known)


def slugs(made: IndexRows, name: str) -> list[str]:
    facet = next(facet for facet in STATIC if facet.name == name)
    return [facet.values[code].slug for code in made.cube.values[name][made.columns["cell"]]]


def test_both_orders_become_one_row_in_the_order_of_the_run() -> None:
    made = rows_of(
        [
            verdict("second", "BA", "first", log_odds=2.0),
            verdict("first", "AB", "second", log_odds=1.0),
            verdict("second", "AB", "first", log_odds=-1.0),
            verdict("first", "AB", "tie", condition="other"),
            verdict("first", "AB", "first", readout="first-token"),
        ],
        facts("first", "second"),
    )
    assert made.columns["pair"].tolist() == [0, 0, 0, 1]
    assert slugs(made, "ab") == ["first", "second", "tie", "first"]
    assert slugs(made, "ba") == ["none", "none", "none", "first"]
    assert slugs(made, "relation") == ["one-order", "one-order", "one-order", "flip-first"]
    assert made.columns["ab"][3] == -1.0
    assert made.columns["ba"][3] == 2.0
    assert made.columns["pull"][3] == -0.5
    assert made.columns["close"][3] == 1.5
    assert made.cube.counts.sum() == 4
    rows = list(made.tuples())
    assert rows[0][2:4] == (None, None)
    assert rows[3][2:4] == (-1.0, 2.0)


def test_a_repeat_is_compared_with_its_own_order_and_is_no_row() -> None:
    made = rows_of(
        [
            verdict("steady", "AB", "first"),
            verdict("steady", "BA", "second"),
            verdict("steady", "AB", "first", repeat=1),
            verdict("steady", "AB", "first", repeat=2),
            verdict("wavers", "AB", "first"),
            verdict("wavers", "AB", "first", repeat=1),
            verdict("wavers", "AB", "unparsed", repeat=2),
            verdict("once", "AB", "first"),
        ],
        facts("steady", "wavers", "once"),
    )
    assert slugs(made, "repeat") == ["same", "differs", "none"]
    assert [value.slug for value in REPEAT.values] == ["none", "same", "differs"]


def test_what_the_run_does_not_name_is_left_out() -> None:
    made = rows_of(
        [
            verdict("known", "AB", "first"),
            verdict("unknown", "AB", "first"),
            verdict("known", "AB", "tie", condition="gone"),
        ],
        facts("known"),
    )
    assert made.columns["pair"].tolist() == [0]


def test_the_same_place_twice_counts_once() -> None:
    made = rows_of([verdict("p", "AB", "first"), verdict("p", "AB", "second"), verdict("p", "BA", "first")], facts("p"))
    assert len(made.columns["pair"]) == 1


def test_many_sources_are_told_apart_as_far_as_a_page_can(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [f"p{n}" for n in range(50)]
    sources = tuple(f"s{n}" for n in range(50))
    verdicts = [verdict(name, "AB", "first") for name in ids]
    monkeypatch.setattr(module, "MOST_CELLS", 45)

    made = rows_of(verdicts, facts(*ids, sources=sources))
    assert made.sources == sources[:40]
    assert made.cube.values["source"].max() == 40
    assert made.cube.counts.tolist()[-1] == 10

    monkeypatch.setattr(module, "MOST_CELLS", 5)
    few = rows_of(verdicts, facts(*ids, sources=sources))
    assert few.sources == ()
    assert few.cube.counts.tolist() == [50]


def test_log_odds_are_known_or_not() -> None:
    assert not rows_of([verdict("p", "AB", "first")], facts("p")).log_odds
    assert rows_of([verdict("p", "AB", "first", log_odds=0.0)], facts("p")).log_odds


def test_a_run_without_verdicts_has_no_rows() -> None:
    made = rows_of([], facts("p"))
    assert list(made.tuples()) == []
    assert len(made.cube.counts) == 0


def test_ids_are_ranked_whatever_the_order_of_the_run() -> None:
    made = rows_of([verdict(name, "AB", "first") for name in ("b", "c", "a")], facts("b", "c", "a"))
    assert made.columns["name"].tolist() == [1, 2, 0]
