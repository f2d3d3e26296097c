"""The actors as the driver sees them: who is loading, who works on what, who died."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from evenhand.errors import ConfigError, JudgeError
from evenhand.judges.base import Answer, JudgeRequest
from evenhand.records import JudgeIdentity
from evenhand.runner.ray_cluster import RayCluster
from evenhand.runner.ray_worker import Failure, JudgeWorker, Loaded

__all__ = ["Crew", "WorkerState"]

_CLOSE_SECONDS = 5.0
"""How long workers may take to free their judges before they are killed."""


@dataclass(slots=True, kw_only=True, eq=False)
class WorkerState:
    """One actor.

    Attributes
    ----------
    actor
        Ray's handle.
    loading
        The reference of its ``load`` call while that runs, and since when.
    stream
        The stream of its answers while it has a chunk.
    number
        The chunk's number: chunks are numbered through the crew's life.
    chunk, unanswered
        Indices of the chunk, and those of them without an answer, in order.
    died
        Why it is dead, as far as Ray tells.
    """

    actor: Any
    loading: Any = None
    since: float = 0.0
    pid: int | None = None
    stream: Any = None
    number: int = -1
    chunk: list[int] = field(default_factory=list)
    unanswered: dict[int, None] = field(default_factory=dict)
    died: str | None = None
    told_to_stop: bool = False


class Crew:
    """The workers of one :class:`evenhand.runner.ray_judge.RayJudge`."""

    def __init__(
        self,
        cluster: RayCluster,
        *,
        load: tuple[Any, ...],
        needs: Mapping[str, object],
        workers: int,
        max_restarts: int,
        start_timeout: float,
    ) -> None:
        self._cluster = cluster
        self._ray = cluster.ray
        self._load = load
        self._needs = dict(needs)
        self._workers = workers
        self._max_restarts = max_restarts
        self._start_timeout = start_timeout
        self._identity: JudgeIdentity | None = None
        self._numbers = 0
        self.deaths = 0
        self.at_once = False
        self.members: list[WorkerState] = []

    def start(self) -> JudgeIdentity:
        """Start all workers at once and wait until each has its judge."""
        for _ in range(self._workers):
            self.members.append(self._hire())
        while loading := [worker for worker in self.members if worker.loading is not None]:
            self._check_patience(loading)
            for worker in self.wait(1.0):
                if worker.died is not None:
                    self.replace(worker)
        if self._identity is None:
            raise JudgeError("no worker reported its judge")
        return self._identity

    def idle(self) -> list[WorkerState]:
        """Workers that can take a chunk."""
        return [worker for worker in self.members if worker.loading is None and worker.stream is None]

    def busy(self) -> list[WorkerState]:
        """Workers that have one."""
        return [worker for worker in self.members if worker.stream is not None]

    def give(self, worker: WorkerState, chunk: Sequence[int], requests: Sequence[JudgeRequest]) -> None:
        """Hand a chunk over; ``chunk`` has the requests' indices in the batch."""
        self._numbers += 1
        worker.number, worker.chunk, worker.unanswered = self._numbers, list(chunk), dict.fromkeys(chunk)
        worker.told_to_stop = False
        worker.stream = worker.actor.answer.options(num_returns="streaming").remote(self._numbers, list(requests))

    def wait(self, seconds: float) -> list[WorkerState]:
        """Workers that have something to tell. What a worker that was loading has to tell is dealt with here."""
        by_thing = {id(thing): (thing, worker) for worker in self.members if (thing := worker.stream or worker.loading)}
        if not by_thing:
            return []
        if not self.busy():
            self._check_patience([worker for _, worker in by_thing.values()])
        ready, _ = self._ray.wait([thing for thing, _ in by_thing.values()], num_returns=1, timeout=seconds)
        found = []
        for thing in ready:
            worker = by_thing[id(thing)][1]
            if worker.loading is not None:
                self._finish_loading(worker)
            if worker.loading is None or worker.died is not None:
                found.append(worker)
        return found

    def read(self, worker: WorkerState) -> Iterator[Answer | Failure]:
        """What a worker's stream has now, with the batch's indices; sets ``died``, and ends the chunk where it ends."""
        errors = self._ray.exceptions
        while worker.stream is not None and worker.died is None:
            try:
                item = self._ray.get(next(worker.stream))
            except StopIteration:
                worker.stream = None
                return
            except errors.RayTaskError as error:
                worker.stream = None
                yield Failure(error=JudgeError(f"an answer could not be sent: {_last_line(error)}"))
                return
            except errors.RayError as error:
                # Dead, unreachable, or its answer is lost with its machine: for us one and the same.
                worker.died, worker.stream = _reason(error), None
                return
            if isinstance(item, Answer):
                item = _renumbered(item, worker)
            yield item
            if not worker.stream.next_ready():
                return

    def replace(self, worker: WorkerState) -> None:
        """Put a fresh actor in a dead one's place.

        Raises
        ------
        JudgeError
            That was one death too many.
        """
        self.deaths += 1
        self._kill(worker)
        if self.deaths > self._max_restarts:
            logs = f"; their output is in {self._cluster.logs}" if self._cluster.logs is not None else ""
            died = "1 worker died" if self.deaths == 1 else f"{self.deaths} workers died"
            raise JudgeError(
                f"{died}, more than the {self._max_restarts} that max_restarts allows; the last: {worker.died}{logs}"
            )
        self.members[self.members.index(worker)] = self._hire()

    def stop_busy(self) -> None:
        """Tell workers to begin no further request."""
        for worker in self.busy():
            if not worker.told_to_stop:
                worker.told_to_stop = True
                worker.actor.stop.options(concurrency_group="control").remote(worker.number)

    def abandon(self) -> None:
        """Forget the chunks in hand: a worker comes to its next one when it has stopped."""
        for worker in self.busy():
            worker.stream = None
            worker.unanswered = {}

    def ask_one(self, method: str, argument: object) -> Any:  # noqa: ANN401 - what the method gives
        """Call one worker's method; another's where that one is dead."""
        last = "no worker is loaded"
        for worker in [*self.idle(), *self.busy()]:
            try:
                got = self._ray.get(getattr(worker.actor, method).remote(argument))
            except self._ray.exceptions.RayError as error:
                last = _reason(error)
                continue
            if isinstance(got, Failure):
                raise got.error
            return got
        raise JudgeError(f"no worker answered {method}: {last}", retryable=True)

    def close(self) -> None:
        """Let workers free their judges, then end them."""
        try:
            with suppress(self._ray.exceptions.RayError):
                self.stop_busy()
                closing = [worker.actor.close.remote() for worker in self.members if worker.loading is None]
                if closing:
                    self._ray.wait(closing, num_returns=len(closing), timeout=_CLOSE_SECONDS)
        finally:
            for worker in self.members:
                self._kill(worker)
            self.members = []

    def _hire(self) -> WorkerState:
        actor_class = self._ray.remote(
            max_restarts=0, max_task_retries=0, concurrency_groups={"control": 1}, **self._needs
        )(JudgeWorker)
        actor = actor_class.remote()
        try:
            loading = actor.load.remote(*self._load)
        except TypeError as error:
            raise ConfigError(f"the judge's options can't be sent to a worker: {_one_line(error)}") from error
        return WorkerState(actor=actor, loading=loading, since=time.monotonic())

    def _finish_loading(self, worker: WorkerState) -> None:
        try:
            got: Loaded | Failure = self._ray.get(worker.loading)
        except self._ray.exceptions.RayTaskError as error:
            raise ConfigError(f"a worker could not load the judge: {_last_line(error)}") from error
        except self._ray.exceptions.RayError as error:
            worker.died = _reason(error)
            return
        if isinstance(got, Failure):
            raise got.error
        if got.version != version("evenhand"):
            raise ConfigError(f"a worker has evenhand {got.version}, this is {version('evenhand')}: install the same")
        if self._identity is None:
            self._identity = got.identity
        elif got.identity != self._identity:
            raise JudgeError(
                f"workers report different judges: {self._identity} and {got.identity}; they need the same model file, "
                "engine version and settings"
            )
        self.at_once = got.at_once
        worker.pid, worker.loading = got.pid, None

    def _check_patience(self, loading: Sequence[WorkerState]) -> None:
        waited = time.monotonic() - min(worker.since for worker in loading)
        if waited > self._start_timeout:
            raise JudgeError(
                f"{len(loading)} of {self._workers} workers have not loaded their judge within "
                f"{self._start_timeout:g} s: the cluster may lack room (each needs {self._needs}), or the model loads "
                "slowly; raise start_timeout"
            )

    def _kill(self, worker: WorkerState) -> None:
        # It may be dead already, or the cluster.
        with suppress(self._ray.exceptions.RayError, ValueError, RuntimeError):
            self._ray.kill(worker.actor)


def _renumbered(answer: Answer, worker: WorkerState) -> Answer:
    if not 0 <= answer.index < len(worker.chunk):
        raise JudgeError(
            f"a worker answered index {answer.index} of a chunk of {len(worker.chunk)}: a fault of the judge's code"
        )
    index = worker.chunk[answer.index]
    worker.unanswered.pop(index, None)
    return Answer(index=index, completion=answer.completion)


def _reason(error: BaseException) -> str:
    """Ray's explanation in one line, without the handles and addresses that come before it."""
    text = _one_line(error).partition(" Some common causes")[0]
    for start in ("The actor is dead because", "Worker exit detail:"):
        if start in text:
            return text[text.index(start) :][:300]
    return text[:300]


def _last_line(error: BaseException) -> str:
    """What a traceback from over there ends with."""
    lines = str(error).strip().splitlines()
    return lines[-1][:500] if lines else type(error).__name__


def _one_line(error: BaseException) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:1000]
