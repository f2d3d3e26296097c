"""How long to wait and how much to send: clock, backoff, shared gate, retry budget and adaptive concurrency."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

__all__ = ["Backoff", "Clock", "RetryBudget", "Slots", "SystemClock"]

BUDGET_FLOOR = 20
"""Retries that even a small batch may spend."""


class Clock(Protocol):
    """Time, so that tests need not wait."""

    def now(self) -> float:
        """Seconds from some beginning, never backwards."""
        ...

    def wall(self) -> float:
        """Unix time, for HTTP dates."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Monotonic seconds."""
        return time.monotonic()

    def wall(self) -> float:
        """Unix time."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff with full jitter: uniform from 0 to ``first · 2^attempt``, but ``most``.

    Reference: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.

    Examples
    --------
    >>> backoff = Backoff(random=np.random.default_rng(0))
    >>> all(0 <= backoff.seconds(3) <= 4.0 for _ in range(100))
    True
    """

    random: np.random.Generator
    first: float = 0.5
    most: float = 60.0

    def seconds(self, attempt: int) -> float:
        """Wait before retry number ``attempt``, from 0."""
        return float(self.random.uniform(0.0, min(self.most, self.first * 2.0 ** min(attempt, 30))))


class RetryBudget:
    """Retries that a whole batch may spend, so that an endpoint that is down isn't asked over and over.

    Examples
    --------
    >>> budget = RetryBudget(requests=100, share=0.5)
    >>> budget.size, sum(budget.spend() for _ in range(70))
    (50, 50)
    """

    def __init__(self, *, requests: int, share: float) -> None:
        self.size = max(BUDGET_FLOOR, int(min(share * requests, 1e9))) if share > 0 else 0
        self._left = self.size

    def spend(self) -> bool:
        """Take one retry; False where none is left."""
        if self._left <= 0:
            return False
        self._left -= 1
        return True


class Slots:
    """Calls at a time: halved when the endpoint says that there are too many, then slowly back up (AIMD)."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.active = 0
        self._waiting: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Hold one slot while in the block."""
        while self.active >= max(1, int(self.limit)):
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            try:
                await future
            finally:
                if future in self._waiting:
                    self._waiting.remove(future)
        self.active += 1
        try:
            yield
        finally:
            self.active -= 1
            self.wake()

    def slower(self) -> None:
        """Too many: half as many at a time."""
        self.limit = max(1.0, self.limit / 2)

    def faster(self) -> None:
        """One answered: one more at a time once as many as there are slots were."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)

    def wake(self) -> None:
        """Let those who wait look again."""
        for future in self._waiting:
            if not future.done():
                future.set_result(None)
        self._waiting.clear()
