"""What a list shows, as its URL says it: filters, search, sort and place. The URL is the whole state."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from evenhand.report.text import visible
from evenhand.web.cube import COLUMNS
from evenhand.web.facets import ALONE, DYNAMIC, STATIC, Facet, Value
from evenhand.web.index import Cursor, ListQuery, RunIndex

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams

__all__ = ["ListState", "facets_of", "parse_state"]

_LONGEST_SEARCH: Final = 200
_MOST_WORDS: Final = 8


def facets_of(index: RunIndex, *, slots_seen: bool = True) -> tuple[Facet, ...]:
    """Every facet of a run, its own values (readout, condition, source) by number, in the order of the page.

    Parameters
    ----------
    slots_seen
        False of a log whose judge saw each response by itself: no value speaks of a slot then.
    """
    names: Mapping[str, Sequence[str]] = {
        "readout": index.meta["readouts"],
        "condition": index.meta["conditions"],
        "source": [
            *(name or "(no source)" for name in index.meta["sources"]),
            *([f"{index.meta['other_sources']:,} other sources"] if index.meta["other_sources"] else []),
        ],
    }
    dynamic = [
        Facet(
            name=name,
            title=title,
            # A readout's name is short and ours; ids and sources are anybody's texts: their numbers stand for them.
            values=tuple(
                Value(slug=label if name == "readout" else str(code), label=label)
                for code, label in enumerate(names[name])
            ),
        )
        for name, title in DYNAMIC
    ]
    return (*dynamic, *(STATIC if slots_seen else ALONE))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListState:
    """The state of a list.

    Attributes
    ----------
    chosen
        Slugs per facet that is filtered by.
    search
        As the person typed it, cleaned.
    sort
        A sort's name.
    after, before
        Where the page begins or ends; at most one of them.
    """

    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    search: str = ""
    sort: str = "order"
    after: Cursor | None = None
    before: Cursor | None = None

    def query(self, facets: Iterable[Facet], index: RunIndex) -> ListQuery:
        """For the index."""
        codes: dict[str, list[int]] = {}
        for facet in facets:
            found = [facet.code(slug) for slug in self.chosen.get(facet.name, ())]
            codes[facet.name] = [code for code in found if code is not None]
        sort = next((sort for sort in index.sorts if sort.name == self.sort), index.sorts[0])
        return ListQuery(chosen=codes, words=tuple(self.search.split()[:_MOST_WORDS]), sort=sort)

    @property
    def filtered(self) -> bool:
        """Whether it shows less than everything."""
        return bool(self.search) or any(self.chosen.values())

    def only(self, facet: str, slugs: Sequence[str]) -> ListState:
        """The same with other values of one facet, from the first page."""
        return replace(self, chosen={**self.chosen, facet: tuple(slugs)}, after=None, before=None)

    def without(self, facet: str, slug: str) -> ListState:
        """The same without one value."""
        return self.only(facet, [each for each in self.chosen.get(facet, ()) if each != slug])

    def url(self, path: str, *, place: bool = True, **more: str) -> str:
        """The address of the list, or of another page that carries its state.

        Examples
        --------
        >>> ListState(chosen={"ab": ("first", "tie")}, search="two words").url("/r/0/")
        '/r/0/?ab=first&ab=tie&q=two+words'
        """
        # One state has one address, whatever the order in which its filters were chosen.
        pairs = [(facet, slug) for facet in COLUMNS for slug in self.chosen.get(facet, ())]
        if self.search:
            pairs.append(("q", self.search))
        if self.sort != "order":
            pairs.append(("sort", self.sort))
        for name, cursor in (("after", self.after), ("before", self.before)):
            if place and cursor is not None:
                pairs.append((name, f"{cursor.key!r}:{cursor.rid}"))
        pairs += more.items()
        return f"{path}?{urlencode(pairs)}" if pairs else path


def parse_state(params: QueryParams, facets: Iterable[Facet]) -> ListState:
    """Read a URL; what no page of ours would have written is left out."""
    chosen = {}
    for facet in facets:
        given = dict.fromkeys(params.getlist(facet.name))
        known = tuple(slug for slug in given if facet.code(slug) is not None)
        if known:
            chosen[facet.name] = known
    search = " ".join(visible(params.get("q", "")[:_LONGEST_SEARCH], limit=None).split())
    after, before = _cursor(params.get("after")), _cursor(params.get("before"))
    return ListState(
        chosen=chosen,
        search=search,
        sort=params.get("sort", "order") if params.get("sort") in ("id", "pull", "close") else "order",
        after=after,
        before=None if after is not None else before,
    )


def _cursor(text: str | None) -> Cursor | None:
    key, _, rid = (text or "")[:60].partition(":")
    try:
        number, row = float(key), int(rid)
    except ValueError:
        return None
    if not math.isfinite(number) or not -(2**62) < row < 2**62:
        return None
    return Cursor(key=number, rid=row)
