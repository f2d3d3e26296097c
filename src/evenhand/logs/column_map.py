"""Which place of a foreign record says what: named by the user, else guessed from the name alone, never from values."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import ConfigError, DataError
from evenhand.logs.chosen import listed
from evenhand.logs.documents import short
from evenhand.logs.table_row import COLUMNS

__all__ = ["TARGETS", "ColumnMap", "guess_columns", "parse_map"]

TARGETS = (*COLUMNS, "swapped", "first", "second", "author_a", "author_b", "correct", "error")
"""What a place may be mapped to: the columns of the ``table`` format, and

- ``swapped``: true where B was shown first (in place of ``order``),
- ``first``, ``second``: the texts by the slot they were shown in (in place of ``response_a``, ``response_b``),
- ``author_a``, ``author_b``: who wrote the two responses,
- ``correct``: the label of the slot that holds the right response (in place of ``gold``),
- ``error``: what the provider said where there is no answer.
"""

_NAMES: Mapping[str, tuple[str, ...]] = {
    "pair_id": ("pair_id", "pair", "example_id", "question_id", "item_id"),
    "order": ("order", "presentation_order", "shown_order"),
    "swapped": ("swapped", "is_swapped", "flipped", "is_flipped", "is_shuffled", "reversed"),
    "text": ("text", "judgment", "judgement", "judge_output", "judge_response", "output", "completion"),
    "outcome": ("outcome",),
    "preference": ("preference", "preferred"),
    "condition": ("condition",),
    "repeat": ("repeat", "repetition", "trial"),
    "gold": ("gold", "gold_preference"),
    "correct": ("correct_label", "correct_slot"),
    "source": ("source", "subset", "category"),
    "group": ("group", "group_id", "question_group"),
    "instruction": ("instruction", "question", "query"),
    "response_a": ("response_a", "answer_a", "output_a"),
    "response_b": ("response_b", "answer_b", "output_b"),
    "author_a": ("author_a", "model_a"),
    "author_b": ("author_b", "model_b"),
    "first": ("first_response", "response_first"),
    "second": ("second_response", "response_second"),
    "finish_reason": ("finish_reason",),
    "logprobs": ("logprobs",),
    "labels": ("labels",),
    "judge": ("judge", "judge_name"),
    "model": ("judge_model",),
    "error": ("error",),
}
"""Last parts of a place that name a target, best first. Who won is never guessed from ``winner`` or ``verdict``: such a
column may speak of a slot or of an identity, and only its owner knows."""

_PREFIXES = (
    "",
    "inputs.",
    "input.",
    "outputs.",
    "output.",
    "reference_outputs.",
    "metadata.",
    "extra.metadata.",
    "additionalMetadata.",
    "vars.",
    "doc.",
    "feedback.",
    "attributes.metadata.",
)
"""Where tools keep what a user put into a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMap:
    """Places by target.

    Attributes
    ----------
    places
        (target, place) pairs, each target once.
    guessed
        The targets that were found by a place's name alone; the others were named by the user or are the tool's own.
    """

    places: tuple[tuple[str, str], ...]
    guessed: frozenset[str] = frozenset()

    def place(self, target: str) -> str | None:
        """Where a target stands; None where nowhere."""
        return dict(self.places).get(target)

    def without(self, place: str) -> ColumnMap:
        """The same map without what stands at a place."""
        return ColumnMap(places=tuple(pair for pair in self.places if pair[1] != place), guessed=self.guessed)

    def completed(self, fixed: Mapping[str, str]) -> ColumnMap:
        """The same map with a format's own places for targets that have none."""
        return ColumnMap(places=tuple({**fixed, **dict(self.places)}.items()), guessed=self.guessed)

    @property
    def described(self) -> str:
        """The guessed part in words, for a log's notes; empty where nothing was guessed."""
        return ", ".join(f"{target}={place}" for target, place in self.places if target in self.guessed)


def parse_map(text: str | None) -> dict[str, str]:
    """Read a user's mapping, ``TARGET=PLACE`` separated by commas.

    Raises
    ------
    ConfigError
        A part is no such pair, or the target is unknown or named twice.

    Examples
    --------
    >>> parse_map("pair_id=inputs.id, order=metadata.order")
    {'pair_id': 'inputs.id', 'order': 'metadata.order'}
    """
    found: dict[str, str] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        target, equals, place = (piece.strip() for piece in part.partition("="))
        if not equals or not place:
            raise ConfigError(f"map {part.strip()!r}: expected TARGET=COLUMN, such as pair_id=inputs.id")
        if target not in TARGETS:
            close = difflib.get_close_matches(target, TARGETS, n=1)
            hint = f"; was {close[0]!r} meant?" if close else ""
            raise ConfigError(f"map: nothing is called {target!r}{hint} (known: {', '.join(TARGETS)})")
        if target in found:
            raise ConfigError(f"map: {target!r} is named twice")
        found[target] = place
    return found


def guess_columns(
    places: Sequence[str], *, given: Mapping[str, str], path: Path, fixed: Mapping[str, str] | None = None
) -> ColumnMap:
    """Complete a user's mapping by what the places' names say.

    Parameters
    ----------
    places
        Every place that the records have.
    given
        The user's mapping; a place that it uses is not guessed for anything else.
    fixed
        Places that the format's tool itself writes, by target; they come before guesses by name, if they are there.

    Raises
    ------
    DataError
        A named place is nowhere in the file, or two places claim one target with equal right.

    Examples
    --------
    >>> guess_columns(["inputs.pair_id", "metadata.order", "x"], given={}, path=Path("runs.csv")).described
    'pair_id=inputs.pair_id, order=metadata.order'
    """
    for target, place in given.items():
        if not any(_related(place, other) for other in places):
            close = difflib.get_close_matches(place, places, n=1)
            remedy = f"was {close[0]!r} meant?" if close else f"it has {listed(places)}"
            raise DataError(f"no record has {short(place)}, which {target} is mapped to", path=path, remedy=remedy)
    found = dict(given)
    taken = set(given.values())
    guessed: set[str] = set()
    for target, place in (fixed or {}).items():
        if target not in found and place not in taken and place in places:
            found[target] = place
            taken.add(place)
    for target, names in _NAMES.items():
        if target not in found:
            guess = _guess(target, names, [place for place in places if place not in taken], path)
            if guess is not None:
                guessed.add(target)
                found[target] = guess
                taken.add(guess)
    return ColumnMap(places=tuple(found.items()), guessed=frozenset(guessed))


def _related(place: str, other: str) -> bool:
    """Whether a place is a listed one, lies above it (an object), or below it (an element of a list)."""
    return place == other or other.startswith(f"{place}.") or place.startswith(f"{other}.")


def _guess(target: str, names: Sequence[str], free: Sequence[str], path: Path) -> str | None:
    for name in names:
        called = {f"{prefix}{name}".casefold() for prefix in _PREFIXES}
        claims = [place for place in free if place.casefold() in called]
        if len(claims) > 1:
            both = " and ".join(map(short, claims[:3]))
            raise DataError(
                f"{both} may both be the {target}", path=path, remedy=f"say which: --map {target}={claims[0]}"
            )
        if claims:
            return claims[0]
    return None
