"""By what the pair browser filters: each facet's values, as they stand in a URL and as a page names them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from evenhand.records import Order, Outcome, Preference, preference_of

__all__ = [
    "ALONE",
    "COMPLIANCE",
    "DYNAMIC",
    "GOLD",
    "LEAD",
    "NONE",
    "NOT_ASKED",
    "OF_ORDERS",
    "OUTCOMES",
    "RELATION",
    "REPEAT",
    "STATIC",
    "Facet",
    "Value",
    "preferred",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value of a facet: ``slug`` stands in a URL, ``label`` on a page."""

    slug: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A property of a row (a pair under one condition and readout) with its closed list of values.

    A value's code, in the index, is its place in the list.
    """

    name: str
    title: str
    values: tuple[Value, ...]
    help: str = ""

    def code(self, slug: str) -> int | None:
        """The code of a slug; None for one that the facet hasn't got."""
        return next((code for code, value in enumerate(self.values) if value.slug == slug), None)


def _values(*pairs: tuple[str, str]) -> tuple[Value, ...]:
    return tuple(Value(slug=slug, label=label) for slug, label in pairs)


NOT_ASKED: Final = len(Outcome)
"""Code of an order that has no reading: not asked, not answered yet, or not in the log."""

NONE: Final = "none"
"""The slug of such an order."""

_OUTCOME_LABELS: Final = {
    Outcome.FIRST: "First slot",
    Outcome.SECOND: "Second slot",
    Outcome.TIE: "Tie",
    Outcome.REFUSED: "Refused",
    Outcome.UNPARSED: "Unparsed",
    Outcome.TRUNCATED: "Truncated",
    Outcome.ERROR: "Error",
}
OUTCOMES: Final = (
    *(Value(slug=outcome.value, label=_OUTCOME_LABELS[outcome]) for outcome in Outcome),
    Value(slug=NONE, label="Not asked or not answered"),
)
"""Codes 0 to 6 are :class:`evenhand.records.Outcome` in its order; 7 is :data:`NOT_ASKED`."""

RELATION: Final = Facet(
    name="relation",
    title="Both orders together",
    values=_values(
        ("flip-first", "Flip: first slot in both orders"),
        ("flip-second", "Flip: second slot in both orders"),
        ("same", "Same response in both orders"),
        ("both-tie", "Tie in both orders"),
        ("tie-decided", "Tie in one order, a choice in the other"),
        ("no-verdict", "No verdict in an order"),
        ("one-order", "One order only"),
    ),
    help="A flip chooses the same slot in both orders, so another response: it is locked to that slot.",
)
LEAD: Final = Facet(
    name="lead",
    title="Lead and conclusion",
    values=_values(
        ("diverged", "Led with one label, concluded with the other"),
        ("agreed", "Concluded as it led"),
        ("unknown", "Not defined here"),
    ),
    help="Of compliant presentations whose generated text chose a slot.",
)
COMPLIANCE: Final = Facet(
    name="compliance",
    title="Compliance",
    values=_values(
        ("both", "Compliant in every order asked"),
        ("one", "In one of both"),
        ("neither", "In none"),
        ("unknown", "Unknown"),
    ),
    help="Whether the most probable first token was one of the verdict tokens.",
)
GOLD: Final = Facet(
    name="gold",
    title="Gold preference",
    values=_values(
        ("right", "Right in every order asked"),
        ("half", "Right in one of both"),
        ("wrong", "Wrong"),
        ("no-verdict", "A verdict is missing"),
        ("no-gold", "No gold preference"),
    ),
)
REPEAT: Final = Facet(
    name="repeat",
    title="Asked again in the same order",
    values=_values(
        ("none", "Not repeated"), ("same", "Same outcome every time"), ("differs", "Another outcome at least once")
    ),
)
STATIC: Final = (
    RELATION,
    Facet(name="ab", title="Outcome in order AB", values=OUTCOMES),
    Facet(name="ba", title="Outcome in order BA", values=OUTCOMES),
    GOLD,
    LEAD,
    COMPLIANCE,
    REPEAT,
)
"""Facets that every run has, in the order of the page."""

_RESPONSES: Final = (Preference.A, Preference.B)


def preferred(value: Value, order: Order) -> Preference | None:
    """The response, or the tie, that a value of :data:`OUTCOMES` means in an order; None where it is no verdict."""
    return None if value.slug == NONE else preference_of(Outcome(value.slug), order)


def _alone(value: Value, order: Order) -> Value:
    preference = preferred(value, order)
    return replace(value, label=f"Preferred response {preference}") if preference in _RESPONSES else value


_ORDERS: Final = {"ab": Order.AB, "ba": Order.BA}
ALONE: Final = tuple(
    replace(facet, title="Verdict", values=tuple(_alone(each, _ORDERS[facet.name]) for each in facet.values))
    if facet.name in _ORDERS
    else facet
    for facet in STATIC
)
"""The same of a log whose judge saw each response by itself: the order that its rows carry was shown to nobody."""
OF_ORDERS: Final = frozenset({RELATION.name, *_ORDERS})
"""Names of the facets that such a log's page leaves out."""

DYNAMIC: Final = (("readout", "Readout"), ("condition", "Condition"), ("source", "Source"))
"""Name and title of the facets whose values a run brings; they stand before the others."""
