"""Starting llama.cpp's server so that it can always be stopped again, also where Ctrl-C comes meanwhile."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["interrupt_held_back"]


@contextmanager
def interrupt_held_back() -> Iterator[None]:
    """Let a Ctrl-C that comes now take effect only when the block is left.

    A server that is destroyed before its loop runs waits for that loop for ever (xllamacpp 2026.10: its destructor
    asks the loop to stop, the loop then begins, and the destructor joins its thread). Ctrl-C while a model loads takes
    effect as soon as the constructor returns, which is just then. Only Python's own handler is held back, and only in
    the main thread: no other can raise KeyboardInterrupt.

    Examples
    --------
    >>> try:
    ...     with interrupt_held_back():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("the block ends first")
    ... except KeyboardInterrupt:
    ...     print("then the interrupt comes")
    the block ends first
    then the interrupt comes
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield
        return
    came = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature is given
        came.set()

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came.is_set():
        raise KeyboardInterrupt
