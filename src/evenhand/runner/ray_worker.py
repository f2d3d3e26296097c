"""What runs inside a Ray actor: one judge, loaded there, whose answers stream back."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, TypeVar

from evenhand.errors import EvenhandError, JudgeError
from evenhand.judges.base import Answer, CostEstimate, Judge, JudgeRequest, WindsDown
from evenhand.judges.load import load_judge
from evenhand.records import JudgeIdentity, LabelSet, LabelTokens

__all__ = ["Failure", "JudgeWorker", "Loaded"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error as a value: Ray would wrap one that is raised, and lose which of ours it was."""

    error: EvenhandError


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a worker says once its judge can answer; ``at_once``: whether that works on several requests at a time."""

    identity: JudgeIdentity
    version: str
    pid: int
    at_once: bool


class JudgeWorker:
    """The body of an actor. Everything it says is a value or a :class:`Failure`; only its death is an exception.

    ``answer`` runs in one thread and ``stop`` in another (the actor's concurrency group ``control``), so that a worker
    can be told to stop while it works.

    Examples
    --------
    >>> worker = JudgeWorker()
    >>> worker.load("simulated:fair", {}, None).identity.model
    'simulated'
    >>> worker.load("simulated:nonsense", {}, None).error.__class__.__name__
    'ConfigError'
    """

    def __init__(self) -> None:
        self._judge: Judge | None = None
        self._winds_down: WindsDown | None = None
        self._lock = threading.Lock()
        self._running = self._stopped = -1

    def load(
        self, spec: str | None, options: Mapping[str, object], factory: Callable[[], Judge] | None
    ) -> Loaded | Failure:
        """Load the judge that ``spec`` names, or that ``factory`` makes."""

        def work() -> Loaded:
            self.close()
            self._judge = judge = factory() if factory is not None else load_judge(spec or "", **options)
            self._winds_down = judge if isinstance(judge, WindsDown) else None
            return Loaded(
                identity=judge.identity,
                version=version("evenhand"),
                pid=os.getpid(),
                at_once=self._winds_down is not None,
            )

        return _guarded(work)

    def label_tokens(self, labels: LabelSet) -> tuple[LabelTokens, ...] | Failure:
        """See :class:`evenhand.judges.Judge`."""
        return _guarded(lambda: self._loaded.label_tokens(labels))

    def estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate | Failure:
        """See :class:`evenhand.judges.Judge`."""
        return _guarded(lambda: self._loaded.estimate(requests))

    def answer(self, chunk: int, requests: Sequence[JudgeRequest]) -> Iterator[Answer | Failure]:
        """Answer a chunk; what :meth:`stop` was told of before or meanwhile ends early."""
        with self._lock:
            if chunk <= self._stopped:
                return
            self._running = chunk
        answers: Iterator[Answer] = iter(())
        try:
            answers = self._loaded.answer(requests)
            for answer in answers:
                yield answer
                if chunk <= self._stopped and self._winds_down is None:
                    return
        except EvenhandError as error:
            yield Failure(error=error)
        except Exception as error:
            yield Failure(error=_unexpected(error))
        finally:
            with self._lock:
                self._running = -1
            _close(answers)

    def stop(self, chunk: int) -> None:
        """End the chunks up to this number: what is being answered still comes, nothing else is begun."""
        with self._lock:
            self._stopped = max(self._stopped, chunk)
            running = 0 <= self._running <= chunk
        if running and self._winds_down is not None:
            self._winds_down.wind_down()

    def close(self) -> None:
        """Free the judge."""
        if self._judge is not None:
            self._judge.close()
            self._judge = None

    @property
    def _loaded(self) -> Judge:
        if self._judge is None:
            raise JudgeError("the worker has no judge loaded")
        return self._judge


def _guarded(work: Callable[[], _T]) -> _T | Failure:
    try:
        return work()
    except EvenhandError as error:
        return Failure(error=error)
    except Exception as error:
        return Failure(error=_unexpected(error))


def _unexpected(error: Exception) -> JudgeError:
    return JudgeError(f"the judge failed on its worker: {type(error).__name__}: {' '.join(str(error).split())[:500]}")


def _close(answers: Any) -> None:  # noqa: ANN401 - an iterator need not have it
    close = getattr(answers, "close", None)
    if close is not None:
        close()
