"""Which pair an annotator gets next, and in which order: seeded, and the same whoever asks."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Final

from evenhand.records import Order
from evenhand.store.label_store_records import Annotator, Choice, Drawn, NewShowing, Showing, ShowingState
from evenhand.workflow.labelling_settings import LabelSettings

__all__ = ["GAP", "HOLD", "LabelDesign", "Progress"]

GAP: Final = 10
"""Labels of other pairs between a pair and its repeat: so many that few remember what they said. A convention."""

HOLD: Final = timedelta(hours=1)
"""How long a pair that was shown to one annotator, and isn't labelled yet, is kept from the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where an annotator stands: pairs labelled or skipped, and how many are left, repeats among both."""

    done: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    """One annotator's showings of the texts as they are now."""

    open: Showing | None
    seen: frozenset[str]
    done: tuple[ShowingState, ...]
    repeated: frozenset[str]


class LabelDesign:
    """Draws what comes next.

    Every random choice is a hash of the seed and of what it is about. So two servers of one store agree, a restart
    changes nothing, and a pair that is added leaves the others where they are.

    Parameters
    ----------
    ids
        Of the pairs that can be labelled.
    text_sha256
        Of a pair's texts as they are now; None where there is no such pair.
    seed
        The store's.
    priority
        How informative a pair is, by id, for the order ``informative``; 0 where it isn't named.
    """

    def __init__(
        self,
        ids: Sequence[str],
        *,
        text_sha256: Callable[[str], str | None],
        settings: LabelSettings,
        seed: int,
        priority: Mapping[str, float] | None = None,
    ) -> None:
        self._ids = tuple(ids)
        self._text = text_sha256
        self._settings = settings
        self._seed = seed
        self._priority = priority or {}
        self._overlap = Fraction(str(settings.overlap))
        self._repeats = Fraction(str(settings.repeats))
        self._turns: dict[int, tuple[str, ...]] = {}

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """Pairs that everybody labels, in the order in which everybody gets them."""
        count = math.ceil(self._overlap * len(self._ids))
        return tuple(sorted(self._ids, key=lambda pair_id: self._hash("shared", pair_id))[:count])

    @cached_property
    def _shared_ids(self) -> frozenset[str]:
        return frozenset(self.shared)

    def order(self, annotator: Annotator, pair_id: str) -> Order:
        """Which response an annotator sees first: one toss of a coin for each annotator and pair."""
        return Order.AB if self._hash("order", annotator.id, pair_id) & 1 else Order.BA

    def next(
        self, annotator: Annotator, states: Sequence[ShowingState], *, now: datetime
    ) -> Showing | NewShowing | None:
        """What comes next: the annotator's open showing, or else a new one; None where nothing is left.

        Parameters
        ----------
        states
            Every showing of the store.
        now
            With a zone; decides which pairs are still held by others.
        """
        own = self._own(annotator, states)
        if own.open is not None:
            return own.open
        repeat = self._due_repeat(annotator, own)
        if repeat is not None:
            first = repeat.showing
            return NewShowing(
                pair_id=first.pair_id,
                text_sha256=first.text_sha256,
                shown_order=first.shown_order.swapped,
                repeat=True,
                drawn=Drawn.REPEAT,
            )
        shared = next((pair_id for pair_id in self.shared if pair_id not in own.seen), None)
        shared_seen = sum(pair_id in self._shared_ids for pair_id in own.seen)
        if shared is not None and shared_seen < self._overlap * (len(own.done) + 1):
            return self._new(annotator, shared)
        rest = next(self._rest(annotator, own, states, now), None)
        chosen = rest if rest is not None else shared
        return None if chosen is None else self._new(annotator, chosen)

    def progress(self, annotator: Annotator, states: Sequence[ShowingState], *, now: datetime) -> Progress:
        """How much the annotator has done, and how much is left if the others take no more."""
        own = self._own(annotator, states)
        taken, _ = self._taken(annotator, states, now)
        gone = sum(self._is_current(pair_id) for pair_id in taken - own.seen - self._shared_ids)
        opened = own.open is not None and not own.open.repeat
        left = len(self._ids) - len(own.seen) - gone + opened
        total = len(own.done) + left
        repeats = min(math.floor(self._repeats * total), max(0, total - GAP))
        given = len(own.repeated) - (own.open is not None and own.open.repeat)
        return Progress(done=len(own.done) + given, left=left + max(0, repeats - given))

    def _is_current(self, pair_id: str) -> bool:
        return self._text(pair_id) is not None

    def _own(self, annotator: Annotator, states: Iterable[ShowingState]) -> _Own:
        own = [
            state
            for state in states
            if state.showing.annotator == annotator.id
            and state.showing.text_sha256 == self._text(state.showing.pair_id)
        ]
        done = [state for state in own if state.choice is not None and not state.showing.repeat]
        return _Own(
            open=next((state.showing for state in reversed(own) if state.choice is None), None),
            seen=frozenset(state.showing.pair_id for state in own if not state.showing.repeat),
            done=tuple(sorted(done, key=lambda state: state.first_event or 0)),
            repeated=frozenset(state.showing.pair_id for state in own if state.showing.repeat),
        )

    def _due_repeat(self, annotator: Annotator, own: _Own) -> ShowingState | None:
        if len(own.repeated) >= math.floor(self._repeats * len(own.done)):
            return None
        possible = [
            state
            for state in own.done[: max(0, len(own.done) - GAP)]
            if state.choice is not Choice.SKIP and state.showing.pair_id not in own.repeated
        ]
        return min(possible, key=lambda state: self._hash("repeat", annotator.id, state.showing.pair_id), default=None)

    def _rest(self, annotator: Annotator, own: _Own, states: Sequence[ShowingState], now: datetime) -> Iterator[str]:
        """Pairs that are labelled once and that nobody has; at last those that others could not decide."""
        taken, skipped = self._taken(annotator, states, now)
        turn = self._turn(annotator)
        yield from (each for each in turn if each not in own.seen and each not in taken and each not in skipped)
        yield from (each for each in turn if each not in own.seen and each not in taken and each in skipped)

    def _taken(self, annotator: Annotator, states: Iterable[ShowingState], now: datetime) -> tuple[set[str], set[str]]:
        taken, skipped = set(), set()
        for state in states:
            showing = state.showing
            if showing.annotator == annotator.id or showing.text_sha256 != self._text(showing.pair_id):
                continue
            if state.choice is Choice.SKIP:
                skipped.add(showing.pair_id)
            elif state.choice is not None or now - datetime.fromisoformat(showing.created) < HOLD:
                taken.add(showing.pair_id)
        return taken, skipped

    def _turn(self, annotator: Annotator) -> tuple[str, ...]:
        known = self._turns.get(annotator.id)
        if known is None:
            rest = (pair_id for pair_id in self._ids if pair_id not in self._shared_ids)
            known = tuple(sorted(rest, key=lambda pair_id: self._key(annotator, pair_id)))
            self._turns[annotator.id] = known
        return known

    def _key(self, annotator: Annotator, pair_id: str) -> tuple[float, int]:
        informative = self._priority.get(pair_id, 0.0) if self._settings.order == "informative" else 0.0
        return -informative, self._hash("turn", annotator.id, pair_id)

    def _new(self, annotator: Annotator, pair_id: str) -> NewShowing:
        text = self._text(pair_id)
        if text is None:
            raise KeyError(pair_id)
        if pair_id in self._shared_ids:
            drawn = Drawn.SHARED
        else:
            drawn = Drawn.INFORMATIVE if self._settings.order == "informative" else Drawn.RANDOM
        return NewShowing(
            pair_id=pair_id,
            text_sha256=text,
            shown_order=self.order(annotator, pair_id),
            repeat=False,
            drawn=drawn,
        )

    def _hash(self, *about: object) -> int:
        text = "\x1f".join(map(str, (self._seed, *about)))
        return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
