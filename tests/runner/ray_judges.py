"""Judges for Ray's workers: slow, deadly or failing, as the request says."""

import os
import signal
import time
from pathlib import Path

from evenhand.errors import ConfigError, JudgeError
from evenhand.judges.base import Answer
from evenhand.judges.simulated import SimulatedJudge
from evenhand.records import JudgeIdentity


def wait_for(path, seconds=60.0):
    """Until another process has made the file at ``path``."""
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"nobody made {path}"
        time.sleep(0.01)


class Temperamental(SimulatedJudge):
    """Does what a message says: ``die``, ``die once FILE``, ``die after FILE``, ``fail``, ``raise``.

    What it is asked is noted in ``log``.
    """

    def __init__(self, *, pause=0.0, log=None, **settings):
        super().__init__(**settings)
        self._pause, self._log = pause, log

    def _ask(self, request):
        text = request.messages[-1].content
        time.sleep(self._pause)
        if self._log is not None:
            handle = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(handle, f"{os.getpid()} {text}\n".encode())
            os.close(handle)
        if text.startswith("die once "):
            try:
                os.close(os.open(text.removeprefix("die once "), os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return super()._ask(request)
        if text.startswith("die after "):
            wait_for(Path(text.removeprefix("die after ")))
        if text.startswith("die"):
            os.kill(os.getpid(), signal.SIGKILL)
        if text == "fail":
            raise JudgeError("the engine broke", retryable=True)
        if text == "raise":
            raise ZeroDivisionError("by zero")
        return super()._ask(request)


class Various(Temperamental):
    """Another one in each process."""

    @property
    def identity(self):
        return JudgeIdentity(spec="various", model=str(os.getpid()))


class Concurrent(Temperamental):
    """Works on several requests at once: winding down lets four more answers come."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self._left = None

    @property
    def in_flight(self):
        return 4

    def wind_down(self):
        self._left = 4

    def answer(self, requests):
        self._left = None
        for index, request in enumerate(requests):
            if self._left == 0:
                return
            if self._left is not None:
                self._left -= 1
            yield Answer(index=index, completion=self._ask(request))


class Refuses(Temperamental):
    def __init__(self):
        raise ConfigError("no such model")
