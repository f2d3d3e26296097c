"""An event loop in a thread of its own, for asynchronous work behind a synchronous interface."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["LoopThread"]

T = TypeVar("T")


class LoopThread:
    """A running event loop; closing it cancels what still runs in it.

    Examples
    --------
    >>> import asyncio
    >>> loop = LoopThread(name="example")
    >>> loop.start(asyncio.sleep(0, "done")).result()
    'done'
    >>> loop.close()
    """

    def __init__(self, *, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        # A daemon: a process that forgets to close must still be able to end.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start work in the loop.

        Raises
        ------
        RuntimeError
            The loop is closed.
        """
        if self._loop.is_closed():
            work.close()
            raise RuntimeError("the loop is closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def soon(self, call: Callable[[], object]) -> None:
        """Call something in the loop."""
        self._loop.call_soon_threadsafe(call)

    def close(self) -> None:
        """Cancel what runs and end the thread. Closing twice is harmless."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            if tasks:
                self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
