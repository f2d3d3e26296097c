"""Ctrl-C, SIGTERM, a closed terminal while a judge works: prompt, but never in the middle of writing an answer down."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

__all__ = ["Interrupts"]


def _usual() -> tuple[tuple[signal.Signals, Callable[[int, FrameType | None], object] | signal.Handlers], ...]:
    """The signals that end the work, with what Python does at each where nobody changed it."""
    endings = ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL))
    hang_up = getattr(signal, "SIGHUP", None)  # Windows has none
    return endings if hang_up is None else (*endings, (hang_up, signal.SIG_DFL))


class Interrupts:
    """While entered, SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread, outside :meth:`held_back`.

    Handlers that the host program installed itself, or signals it ignores, are left alone; in another thread nothing
    is installed. What was there before is restored on leaving.

    Examples
    --------
    >>> with Interrupts() as interrupts:
    ...     try:
    ...         with interrupts.held_back():
    ...             signal.raise_signal(signal.SIGTERM)
    ...             print("the answer is written first")
    ...     except KeyboardInterrupt:
    ...         print("then the work stops")
    the answer is written first
    then the work stops
    """

    def __init__(self) -> None:
        self._holding = False
        self._waiting = False
        self._softly: Callable[[], None] | None = None
        self._before: list[signal.Signals] = []

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number, usual in _usual():
                if signal.getsignal(number) == usual:
                    signal.signal(number, self._handle)
                    self._before.append(number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        usual = dict(_usual())
        for number in self._before:
            signal.signal(number, usual[number])
        self._before.clear()

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Let a signal that comes now take effect only when the block is left."""
        self._holding = True
        try:
            yield
        finally:
            self._holding = False
        if self._waiting:
            self._waiting = False
            self._act()

    @contextmanager
    def softened(self, action: Callable[[], None]) -> Iterator[None]:
        """Let the first signal that comes in the block call ``action`` instead; the next one raises as usual.

        Examples
        --------
        >>> with Interrupts() as interrupts, interrupts.softened(lambda: print("winding down")):
        ...     signal.raise_signal(signal.SIGTERM)
        winding down
        """
        self._softly = action
        try:
            yield
        finally:
            self._softly = None

    def _handle(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the signature is given
        if self._holding:
            self._waiting = True
        else:
            self._act()

    def _act(self) -> None:
        if self._softly is None:
            raise KeyboardInterrupt
        action, self._softly = self._softly, None
        action()
