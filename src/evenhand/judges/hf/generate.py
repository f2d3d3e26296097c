"""The greedy loop: prompts in batches of like length, rows that write together, and rows that leave when they are done.

Prompts are computed until the batch that writes is half full; rows that are finished leave it, and the room is filled
with the next prompts. So a hybrid run, in which few rows write, still writes in company.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from evenhand.errors import JudgeError
from evenhand.judges.base import Generate
from evenhand.judges.hf.batches import Limits, families, take_batch
from evenhand.judges.hf.cache import RowCache, joined, select
from evenhand.judges.hf.capture import Recorder
from evenhand.judges.hf.forward import Forward
from evenhand.judges.hf.memory import free_memory, is_out_of_memory
from evenhand.judges.hf.rows import Row, failed, read_logits
from evenhand.records import Completion, FinishReason

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["generate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unit:
    """Rows that stay together because they share their first tokens."""

    rows: tuple[Row, ...]
    shared: int

    @property
    def lengths(self) -> list[int]:
        return [len(row.prompt) + len(row.written) for row in self.rows]


def generate(
    forward: Forward, rows: Sequence[Row], *, limits: Limits, recorder: Recorder | None = None
) -> Iterator[tuple[Row, Completion]]:
    """Answer every row, yielding as they finish.

    Parameters
    ----------
    forward
        The model.
    rows
        In the caller's order: neighbours may share their beginning.
    limits
        How much at once; lowered, for good, where memory runs out.
    recorder
        Keeps the residual stream and the labels' logits, if they are wanted.
    """
    return _Run(forward, rows, limits, recorder).answers()


class _Run:
    """One call of :func:`generate`."""

    def __init__(self, forward: Forward, rows: Sequence[Row], limits: Limits, recorder: Recorder | None) -> None:
        self._forward = forward
        self._limits = limits
        self._recorder = recorder
        if recorder is not None:
            recorder.forget()
        self._queue = deque(self._units(rows))
        self._active: list[Row] = []
        self._held: RowCache | None = None

    def answers(self) -> Iterator[tuple[Row, Completion]]:
        while self._queue or self._active:
            done = self._prefill() if self._has_room() else self._write()
            for row, completion in done:
                if self._recorder is not None:
                    self._recorder.deliver(row, answered=completion.finish_reason is not FinishReason.ERROR)
                yield row, completion

    def _units(self, rows: Sequence[Row]) -> list[_Unit]:
        if self._forward.can_share:
            found = families([row.prompt for row in rows])
            units = [_Unit(rows=tuple(rows[i] for i in f.members), shared=f.shared) for f in found]
        else:
            units = [_Unit(rows=(row,), shared=0) for row in rows]
        return sorted(units, key=self._turn)

    def _turn(self, unit: _Unit) -> tuple[bool, bool, int]:
        """Families first: a row by itself in their batch would have nothing to share, and so lengthen the rest of all.

        Then the longest rest first: what doesn't fit memory shows at once, and rests of like length share best.
        """
        return self._side(unit), not unit.shared, unit.shared - max(unit.lengths)

    def _side(self, unit: _Unit) -> bool:
        """Rows on the two sides of where a model changes its rotary scaling are never computed together."""
        return any(self._forward.is_long(length) for length in unit.lengths)

    def _has_room(self) -> bool:
        if not self._queue:
            return False
        if self._held is None:
            return True
        joinable = self._forward.can_pad and self._side(self._queue[0]) == self._forward.is_long(self._held.columns)
        rows = len(self._active)
        return joinable and 2 * rows <= self._limits.rows and 2 * rows * self._held.columns <= self._limits.held

    def _prefill(self) -> list[tuple[Row, Completion]]:
        units = self._next_units()
        rows = [row for unit in units for row in unit.rows]
        lengths = [length for unit in units for length in unit.lengths]
        began = time.perf_counter()
        try:
            logits, held = self._compute_prompts(rows, units)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise JudgeError(f"the model failed: {_line(error)}") from error
        else:
            share = (time.perf_counter() - began) / sum(lengths)
            for row, length in zip(rows, lengths, strict=True):
                row.seconds += share * length
            return self._read(rows, logits, held, more=True)
        # Outside of the handler: the traceback that held the batch's tensors is gone.
        free_memory()
        return self._prompts_did_not_fit(units, rows, lengths)

    def _prompts_did_not_fit(
        self, units: Sequence[_Unit], rows: Sequence[Row], lengths: Sequence[int]
    ) -> list[tuple[Row, Completion]]:
        if self._limits.halve(tokens=max(lengths) * len(rows), rows=len(rows)):
            self._queue.extendleft(reversed(units))
            return []
        if self._active:
            self._queue.extendleft(reversed(units))
            self._put_back()
            return []
        alone = JudgeError(f"prompt of {lengths[0]} tokens: not enough memory even by itself")
        return [(row, failed(row, alone)) for row in rows]

    def _next_units(self) -> list[_Unit]:
        first = self._queue[0]
        size = len(first.rows)
        while size > 1 and (size > self._limits.rows or size * max(first.lengths) > self._limits.tokens):
            # Too large a family for one batch: its halves share the same beginning.
            half = size // 2
            self._queue[0] = _Unit(rows=first.rows[half:], shared=first.shared if size - half > 1 else 0)
            self._queue.appendleft(_Unit(rows=first.rows[:half], shared=first.shared if half > 1 else 0))
            first, size = self._queue[0], half
        kind = self._turn(first)[:2]
        alike = [unit.lengths for unit in takewhile(lambda unit: self._turn(unit)[:2] == kind, self._queue)]
        count = take_batch(alike, self._limits, equal=not self._forward.can_pad)
        return [self._queue.popleft() for _ in range(count)]

    def _compute_prompts(self, rows: Sequence[Row], units: Sequence[_Unit]) -> tuple[Tensor, RowCache | None]:
        places, start = [], 0
        for unit in units:
            places.append(range(start, start + len(unit.rows)))
            start += len(unit.rows)
        goes_on = any(row.request.generate is not Generate.NEVER or row.constraint is not None for row in rows)
        got = self._forward.prompts(
            [row.tokens for row in rows], units=places, shared=[unit.shared for unit in units], keep=goes_on
        )
        for row, cached in zip(rows, got.cached, strict=True):
            row.cached = cached
            row.calls += got.passes
        return got.logits, got.held

    def _write(self) -> list[tuple[Row, Completion]]:
        held, rows = self._held, self._active
        if held is None:
            raise JudgeError("rows write without a cache: this is a fault of the judge's code")
        began = time.perf_counter()
        try:
            logits, held = self._forward.step([row.written[-1] for row in rows], held)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise JudgeError(f"the model failed: {_line(error)}") from error
        else:
            share = (time.perf_counter() - began) / len(rows)
            for row in rows:
                row.seconds += share
                row.calls += 1
            self._active, self._held = [], None
            return self._read(rows, logits, held, more=False)
        held = None
        free_memory()
        if self._limits.halve(tokens=self._limits.tokens, rows=len(rows)):
            self._put_back()
            return []
        self._active, self._held = [], None
        alone = JudgeError(f"not enough memory to go on after {len(rows[0].tokens)} tokens")
        return [(row, failed(row, alone)) for row in rows]

    def _put_back(self) -> None:
        """Rows that were writing leave the cache: what they have written is read again as part of their prompt."""
        again = [_Unit(rows=(row,), shared=0) for row in self._active]
        self._active, self._held = [], None
        self._queue = deque(sorted([*self._queue, *again], key=self._turn))
        free_memory()

    def _hold(self, held: RowCache, going: Sequence[int], *, whole: bool, more: bool) -> bool:
        """Keep the cache of the rows that go on, beside what is kept already; False where memory is too short."""
        try:
            kept = held if whole else self._forward.reading(select, held, going)
            self._held = kept if not more or self._held is None else self._forward.reading(joined, self._held, kept)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            return False
        return True

    def _read(
        self, rows: Sequence[Row], logits: Tensor, held: RowCache | None, *, more: bool
    ) -> list[tuple[Row, Completion]]:
        """Read the last position of the rows; those that go on are kept for writing."""
        if self._recorder is not None:
            self._recorder.keep(rows, logits)
        completions = self._forward.reading(read_logits, rows, logits)
        going = [place for place, completion in enumerate(completions) if completion is None]
        if going and held is not None:
            self._active = [*self._active, *(rows[place] for place in going)]
            if not self._hold(held, going, whole=len(going) == len(rows), more=more):
                self._limits.halve(tokens=self._limits.tokens, rows=len(self._active))
                self._put_back()
        return [(row, done) for row, done in zip(rows, completions, strict=True) if done is not None]


def _line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0][:300] or type(error).__name__
