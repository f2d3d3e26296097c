"""Pairs, presentations and completions as sealed JSON text: what the journal's tables hold."""

from __future__ import annotations

from evenhand.records import Completion, Pair, Presentation
from evenhand.store.codec import dump, load
from evenhand.store.sealed import seal, unseal

__all__ = [
    "completion_from_json",
    "completion_to_json",
    "pair_from_json",
    "pair_to_json",
    "presentation_from_json",
    "presentation_to_json",
]


def pair_to_json(pair: Pair) -> str:
    """A pair as one line of JSON.

    Examples
    --------
    >>> pair = Pair(id="p1", instruction="2+2?", response_a="4", response_b="5")
    >>> pair_from_json(pair_to_json(pair)) == pair
    True
    """
    return seal(dump(pair))


def pair_from_json(text: str) -> Pair:
    """Read :func:`pair_to_json`'s text; DataError names an unknown, missing or ill-typed field, or damage."""
    return load(Pair, unseal(text, what="pair"), what="pair")


def presentation_to_json(presentation: Presentation) -> str:
    """A presentation, with its messages, as one line of JSON."""
    return seal(dump(presentation))


def presentation_from_json(text: str) -> Presentation:
    """Read :func:`presentation_to_json`'s text; DataError names an unknown, missing or ill-typed field, or damage."""
    return load(Presentation, unseal(text, what="presentation"), what="presentation")


def completion_to_json(completion: Completion) -> str:
    """A completion as one line of JSON; infinite log probabilities become the texts ``inf`` and ``-inf``."""
    return seal(dump(completion))


def completion_from_json(text: str) -> Completion:
    """Read :func:`completion_to_json`'s text; DataError names an unknown, missing or ill-typed field, or damage."""
    return load(Completion, unseal(text, what="completion"), what="completion")
