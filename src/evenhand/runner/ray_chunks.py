"""Which requests go to which worker next, and what becomes of those that a dead worker leaves behind."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

__all__ = ["ALONE_DEATHS", "SMALLEST_AT_ONCE", "ChunkQueue"]

ALONE_DEATHS = 2
"""A request that was a worker's only one at so many deaths is given up: chance seldom kills it twice."""
SMALLEST_AT_ONCE = 64
"""The smallest chunk for judges that work on many requests at once: fewer would leave their engine half empty."""
_SMALLEST, _LARGEST = 4, 256
"""Bounds of a chunk whose size is left to us: a hand-over costs a millisecond, a death loses what is in hand."""


class ChunkQueue:
    """Indices of a batch in chunks, large ones first and small ones last, so that all workers end together.

    Chunks have an even length, so that the two orders of a pair, side by side in a batch, meet in one worker and share
    their common beginning there.

    Parameters
    ----------
    count
        Requests of the batch.
    workers
        How many take from here.
    chunk
        A fixed length; None: half of what is left, shared among the workers.
    smallest
        No chunk is smaller while there is enough left.
    deaths
        Of requests of earlier batches that were alone with a worker when it died, by index: they come last, each alone.

    Examples
    --------
    >>> queue = ChunkQueue(6, workers=1, chunk=4)
    >>> first = queue.take()
    >>> queue.give_back(first[1:])  # answered: 0; the worker died
    ()
    >>> [queue.take() for _ in range(4)]
    [[2], [3], [4, 5], [1]]
    """

    def __init__(
        self,
        count: int,
        *,
        workers: int,
        chunk: int | None = None,
        smallest: int = _SMALLEST,
        deaths: Mapping[int, int] | None = None,
    ) -> None:
        self._smallest = smallest
        self._workers = workers
        self._chunk = chunk
        self._deaths = dict(deaths or {})
        self._fresh = deque(index for index in range(count) if not self._deaths.get(index))
        self._returned: deque[list[int]] = deque()
        self._suspects = deque(index for index in range(count) if self._deaths.get(index))

    @property
    def empty(self) -> bool:
        """Whether there is nothing left to give out."""
        return not (self._fresh or self._returned or self._suspects)

    def deaths(self, index: int) -> int:
        """How often a worker died with this request alone in its hands."""
        return self._deaths.get(index, 0)

    def take(self) -> list[int]:
        """The next chunk; empty where nothing is left. Suspects come last: what can be answered is answered first."""
        if self._returned:
            return self._returned.popleft()
        if self._fresh:
            return [self._fresh.popleft() for _ in range(min(self._length(), len(self._fresh)))]
        return [self._suspects.popleft()] if self._suspects else []

    def give_back(self, unanswered: Sequence[int]) -> tuple[int, ...]:
        """Take back what a dead worker had not answered.

        One of these may be what kills. A judge that works on one request at a time died on the first, one that works
        on many on any of them: the first waits alone, the others are split in two, until the culprit is alone.

        Returns
        -------
        tuple of int
            The request to give up, where it was alone for the last time it may be.
        """
        if len(unanswered) == 1:
            [index] = unanswered
            self._deaths[index] = self.deaths(index) + 1
            if self._deaths[index] >= ALONE_DEATHS:
                return (index,)
            self._suspects.append(index)
            return ()
        if unanswered:
            self._suspects.append(unanswered[0])
            others = list(unanswered[1:])
            half = len(others) // 2
            self._returned.extend(part for part in (others[:half], others[half:]) if part)
        return ()

    def _length(self) -> int:
        if self._chunk is not None:
            return self._chunk
        share = len(self._fresh) // (2 * self._workers)
        return min(_LARGEST, max(self._smallest, share + share % 2))
