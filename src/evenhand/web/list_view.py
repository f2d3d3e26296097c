"""The list of a run's pairs as a page shows it: rows, facets with their counts, and where every step leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.records import Order
from evenhand.web.facets import NONE, OF_ORDERS, Facet, Value, preferred
from evenhand.web.filters import ListState
from evenhand.web.index import FOUND, PAGE, IndexRow
from evenhand.web.served import ServedRun

__all__ = ["Chip", "FacetView", "ListView", "RowView", "ValueView", "build_list_view", "neighbours", "row_view"]

_SHOWN_VALUES = 12
"""Of a facet; more are folded."""

_SHORT = {
    "flip-first": "Flip (first slot)",
    "flip-second": "Flip (second slot)",
    "same": "Same response",
    "both-tie": "Tie twice",
    "tie-decided": "Tie and choice",
    "no-verdict": "No verdict",
    "one-order": "One order",
}


_GOLD_SHORT = {"right": "Right", "half": "Half right", "wrong": "Wrong", "no-verdict": "Missing", "no-gold": "–"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueView:
    """A value of a facet that can be chosen or taken away by following ``url``."""

    label: str
    count: int
    chosen: bool
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetView:
    """A facet with the values that occur under the other filters; ``folded`` ones come after the first few."""

    name: str
    title: str
    help: str
    values: tuple[ValueView, ...]
    folded: tuple[ValueView, ...]
    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A filter that is on, and the address without it."""

    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """A row in words.

    ``ab`` and ``ba`` are (slug, label, preference) of each order: the outcome, and the response that it means.
    """

    row: IndexRow
    url: str
    readout: str
    condition: str
    source: str
    ab: OutcomeView
    ba: OutcomeView
    relation: str
    relation_short: str
    gold: str
    gold_label: str
    gold_short: str
    lead: str
    compliance: str

    @property
    def alone_order(self) -> str:
        """The order that stands in the row where the judge saw each response by itself, and no order."""
        return "AB" if self.ba.slug == NONE else "BA"

    @property
    def alone(self) -> OutcomeView:
        """The one verdict of such a row."""
        return self.ab if self.alone_order == "AB" else self.ba


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeView:
    """The outcome of one order: slug, words, the response that it prefers (empty: none), and the log-odds."""

    slug: str
    label: str
    preference: str
    log_odds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """A page of the list."""

    rows: tuple[RowView, ...]
    total: int
    every: int
    facets: tuple[FacetView, ...]
    chips: tuple[Chip, ...]
    sorts: tuple[tuple[str, str, bool], ...]
    first_url: str | None
    previous_url: str | None
    next_url: str | None
    clear_url: str
    unsearched_url: str
    search: str
    search_fields: tuple[tuple[str, str], ...]
    cut_search: int
    several_conditions: bool
    several_readouts: bool
    log_odds: bool


def build_list_view(run: ServedRun, facets: Sequence[Facet], state: ListState) -> ListView:
    """One page of a run's list under a state."""
    index, path = run.index, f"/r/{run.number}/"
    query = state.query(facets, index)
    cube = index.counted(query)
    total = cube.total(query.chosen)
    found = index.rows(query, after=state.after, before=state.before, limit=PAGE + 1)
    more = len(found) > PAGE
    found = (found[1:] if state.before is not None else found[:PAGE]) if more else found
    has_previous = more if state.before is not None else state.after is not None
    has_next = state.before is not None or more
    place = replace(state, after=None, before=None)
    counted = [(facet, cube.facet_counts(facet.name, query.chosen, size=len(facet.values))) for facet in facets]
    return ListView(
        rows=tuple(row_view(run, facets, row, state=state) for row in found),
        total=total,
        every=int(index.meta["rows"]),
        facets=tuple(
            _facet(facet, state, counts, path)
            for facet, counts in counted
            if (sum(1 for count in counts if count) > 1 or state.chosen.get(facet.name))
            and (run.manifest.slots_seen or facet.name not in OF_ORDERS)
        ),
        chips=tuple(
            Chip(
                text=f"{facet.title}: {facet.values[facet.code(slug) or 0].label}",
                url=state.without(facet.name, slug).url(path),
            )
            for facet in facets
            for slug in state.chosen.get(facet.name, ())
        ),
        sorts=tuple((sort.title, replace(place, sort=sort.name).url(path), sort == query.sort) for sort in index.sorts),
        first_url=place.url(path) if has_previous else None,
        previous_url=replace(place, before=found[0].cursor).url(path) if has_previous and found else None,
        next_url=replace(place, after=found[-1].cursor).url(path) if has_next and found else None,
        clear_url=ListState(sort=state.sort).url(path),
        unsearched_url=replace(place, search="").url(path),
        search=state.search,
        search_fields=tuple(
            [(name, slug) for name, slugs in state.chosen.items() for slug in slugs]
            + ([("sort", state.sort)] if state.sort != "order" else [])
        ),
        cut_search=0 if index.found_all(query) else FOUND,
        several_conditions=len(index.meta["conditions"]) > 1,
        several_readouts=len(run.manifest.readouts) > 1,
        log_odds=bool(index.meta["log_odds"]),
    )


def _facet(facet: Facet, state: ListState, counts: Sequence[int], path: str) -> FacetView:
    chosen = set(state.chosen.get(facet.name, ()))
    values = []
    for value, count in zip(facet.values, counts, strict=True):
        on = value.slug in chosen
        if count or on:
            others = [each for each in state.chosen.get(facet.name, ()) if each != value.slug]
            slugs = others if on else [*others, value.slug]
            values.append(
                ValueView(label=value.label, count=count, chosen=on, url=state.only(facet.name, slugs).url(path))
            )
    shown = [each for n, each in enumerate(values) if n < _SHOWN_VALUES or each.chosen]
    return FacetView(
        name=facet.name,
        title=facet.title,
        help=facet.help,
        values=tuple(shown),
        folded=tuple(each for each in values if each not in shown),
        open=bool(chosen) or facet.name in ("readout", "relation", "ab", "ba"),
    )


def row_view(run: ServedRun, facets: Sequence[Facet], row: IndexRow, *, state: ListState) -> RowView:
    """A row in words, with the address of its page."""
    values = {facet.name: facet.values[row.codes[facet.name]] for facet in facets}
    url = replace(state, after=None, before=None).url(
        f"/r/{run.number}/pair/{row.pair}", c=values["condition"].slug, o=values["readout"].slug
    )
    return RowView(
        row=row,
        url=url,
        readout=values["readout"].label,
        condition=values["condition"].label,
        source=values["source"].label,
        ab=_outcome(values["ab"], Order.AB, row.ab),
        ba=_outcome(values["ba"], Order.BA, row.ba),
        relation=values["relation"].slug,
        relation_short=_SHORT[values["relation"].slug],
        gold=values["gold"].slug,
        gold_label=values["gold"].label,
        gold_short=_GOLD_SHORT[values["gold"].slug],
        lead=values["lead"].slug,
        compliance=values["compliance"].label,
    )


def _outcome(value: Value, order: Order, log_odds: float | None) -> OutcomeView:
    preference = preferred(value, order)
    return OutcomeView(
        slug=value.slug,
        label=value.label,
        preference="" if preference is None else preference.value,
        log_odds=log_odds,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The rows before and after one in its list; None at either end."""

    before: RowView | None
    after: RowView | None


def neighbours(run: ServedRun, facets: Sequence[Facet], state: ListState, row: IndexRow) -> Neighbours:
    """What stands next to a row in the list that its page was opened from."""
    query = state.query(facets, run.index)
    place = run.index.place(row.rid, query.sort)
    found = [
        run.index.rows(query, before=place, limit=1),
        run.index.rows(query, after=place, limit=1),
    ]
    views = [row_view(run, facets, each[0], state=state) if each else None for each in found]
    return Neighbours(before=views[0], after=views[1])
