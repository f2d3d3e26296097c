"""Several presentations at a time in one event loop, their answers handed to another thread as they come."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress

from evenhand.judges.base import Answer, JudgeRequest
from evenhand.judges.openai.sender import JudgeFailed, NotSent, Sender
from evenhand.records import Completion

__all__ = ["Batch"]

_POLL_SECONDS = 0.2
"""How often the waiting thread looks up on systems where a signal does not wake it by itself."""


class Batch:
    """One call of a judge's ``answer``.

    Every request ends in exactly one way: answered (a completion, which may be a recorded error), or not sent because
    the work was wound down or the judge as a whole failed.

    Parameters
    ----------
    ask
        Puts one presentation to the endpoint.
    sender
        Whose calls these are.
    workers
        Presentations at a time.
    """

    def __init__(
        self,
        requests: Sequence[JudgeRequest],
        *,
        ask: Callable[[JudgeRequest, Sender], Awaitable[Completion]],
        sender: Sender,
        workers: int,
    ) -> None:
        self._requests = requests
        self._ask = ask
        self._sender = sender
        self._workers = min(workers, len(requests))
        self._left = iter(enumerate(requests))
        self._answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._finished = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        # So many may be asked or answered without the caller having come back for more: what is paid for is written
        # down soon, and a limit on cost is noticed in time.
        self._room = asyncio.Semaphore(2 * self._workers)
        self.failure: JudgeFailed | None = None
        self._stopping = False
        self.began = False

    @property
    def in_flight(self) -> int:
        """Calls sent and not yet answered, and answers that the caller has not taken yet."""
        # Behind the last answer lies the mark of the end.
        waiting = max(0, self._answers.qsize() - self._finished.is_set())
        return self._sender.in_flight + waiting

    def stop_sending(self) -> None:
        """Send nothing more; may be called from any thread."""
        self._stopping = True
        self._sender.stop_sending()

    def wind_down(self) -> None:
        """Send nothing more, and end waits at once; in the loop."""
        self._stopping = True
        self._sender.wind_down()

    async def run(self) -> None:
        """Do the work; in the loop. Cancelling it cancels what is outstanding."""
        self.began = True
        self._loop = asyncio.get_running_loop()
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._workers):
                    group.create_task(self._work())
        finally:
            self._answers.put(None)
            self._finished.set()

    async def _work(self) -> None:
        while True:
            await self._room.acquire()
            index, request = next(self._left, (-1, None))
            if self._stopping or request is None:
                # The next who waits for room is to see it too.
                self._room.release()
                return
            try:
                completion = await self._ask(request, self._sender)
            except NotSent:
                return
            except JudgeFailed as failure:
                # What is in flight is paid for: it is waited for, and only then the judge has failed.
                self.failure = self.failure or failure
                self.wind_down()
                return
            self._answers.put(Answer(index=index, completion=completion))

    def answers(self) -> Iterator[Answer]:
        """The answers as they come; in another thread."""
        while True:
            try:
                answer = self._answers.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if answer is None:
                return
            yield answer
            if self._loop is not None:
                # Closed: the work is over.
                with suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._room.release)

    def wait(self, seconds: float) -> bool:
        """Wait, in another thread, until nothing runs any more."""
        return self._finished.wait(seconds)
