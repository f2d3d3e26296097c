"""Many workers behind the one judge interface: each Ray actor holds a judge, the driver's journal stays the journal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Self

from evenhand.errors import ConfigError
from evenhand.judges.base import Answer, CostEstimate, Judge, JudgeRequest
from evenhand.records import Completion, FinishReason, JudgeIdentity, LabelSet, LabelTokens
from evenhand.registry import resolve
from evenhand.runner.ray_chunks import SMALLEST_AT_ONCE, ChunkQueue
from evenhand.runner.ray_cluster import RayCluster, import_ray
from evenhand.runner.ray_crew import Crew, WorkerState
from evenhand.runner.ray_worker import Failure

__all__ = ["RayJudge"]

_POLL_SECONDS = 0.1
"""How often a call that waits for answers looks whether it should wind down."""


class RayJudge:
    """A judge of ``workers`` judges, one per Ray actor, that answers as one of them would.

    Its identity is theirs, so a run that was begun without Ray goes on with it and the other way round. Each answer
    comes back as soon as it is there; when a worker dies, what it had not answered goes to a fresh one. A request that
    is alone with a worker at two deaths gets a retryable error that says so.

    Parameters
    ----------
    spec, options
        Each worker's judge, as for :func:`evenhand.judges.load_judge`. Options travel to other processes.
    factory
        Instead of a spec: makes a worker's judge, over there. It must pickle.
    workers
        How many.
    num_cpus, num_gpus, resources
        What Ray reserves for each worker. With ``num_gpus`` each sees only its own GPUs.
    address
        None: a cluster on this machine, started and stopped with the judge. Else an existing one's, such as ``auto``.
    chunk
        Requests handed over at once; None begins large and ends small.
    max_restarts
        Deaths of workers, altogether, after which the judge gives up.
    start_timeout
        Seconds that workers may take to get their place in the cluster and load the model.

    Raises
    ------
    ConfigError
        A setting that can't be, a judge that its workers can't load, or more workers than this machine has room for.
    JudgeError
        No cluster, workers that don't start, or workers that report different judges.

    Examples
    --------
    Not run as a doctest, for it starts a cluster::

        with RayJudge(spec="simulated:fair", workers=2) as judge:
            execute(judge, journal, request_for=plan.request_for, batch_size=2 * BATCH_SIZE)
    """

    def __init__(
        self,
        *,
        spec: str | None = None,
        options: Mapping[str, object] | None = None,
        factory: Callable[[], Judge] | None = None,
        workers: int,
        num_cpus: float = 1,
        num_gpus: float = 0,
        resources: Mapping[str, float] | None = None,
        address: str | None = None,
        chunk: int | None = None,
        max_restarts: int = 8,
        start_timeout: float = 1800.0,
    ) -> None:
        _check(spec=spec, factory=factory, workers=workers, chunk=chunk, max_restarts=max_restarts, address=address)
        import_ray()
        self._workers = workers
        self._chunk = chunk
        self._winding = threading.Event()
        self._deaths_alone: dict[object, int] = {}
        self._crew: Crew | None = None
        self._cluster = RayCluster(address=address)
        try:
            self._cluster.check_room(workers, {"CPU": num_cpus, "GPU": num_gpus, **(resources or {})})
            self._crew = Crew(
                self._cluster,
                load=(spec, dict(options or {}), factory),
                needs={"num_cpus": num_cpus, "num_gpus": num_gpus, "resources": dict(resources or {})},
                workers=workers,
                max_restarts=max_restarts,
                start_timeout=start_timeout,
            )
            self._identity = self._crew.start()
        except BaseException:
            self.close()
            raise

    @property
    def identity(self) -> JudgeIdentity:
        """Who answers: what every worker reports."""
        return self._identity

    @property
    def in_flight(self) -> int:
        """Requests that workers are at now: one each, or all in hand where the judge works on several at once."""
        crew = self._crew
        if crew is None:
            return 0
        in_hand = [len(worker.unanswered) for worker in crew.busy()]
        return sum(in_hand) if crew.at_once else sum(count > 0 for count in in_hand)

    def worker_pids(self) -> tuple[int, ...]:
        """Process ids of the workers that are loaded, each on its own node."""
        return tuple(worker.pid for worker in self._open().members if worker.pid is not None)

    def label_tokens(self, labels: LabelSet) -> tuple[LabelTokens, ...]:
        """One worker's; see :class:`evenhand.judges.Judge`."""
        found: tuple[LabelTokens, ...] = self._open().ask_one("label_tokens", labels)
        return found

    def estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate:
        """One worker's, its time shared among all; see :class:`evenhand.judges.Judge`."""
        one: CostEstimate = self._open().ask_one("estimate", list(requests))
        return CostEstimate(
            prompt_tokens=one.prompt_tokens,
            completion_tokens_low=one.completion_tokens_low,
            completion_tokens_high=one.completion_tokens_high,
            seconds_low=None if one.seconds_low is None else one.seconds_low / self._workers,
            seconds_high=None if one.seconds_high is None else one.seconds_high / self._workers,
            basis=f"{one.basis}; one worker's time divided by {self._workers} workers",
            presumed=one.presumed,
        )

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        """Answer in the order in which answers come; see :class:`evenhand.judges.Judge`.

        Raises
        ------
        JudgeError
            More workers died than ``max_restarts``, or a judge failed as a whole on its worker.
        """
        crew = self._open()
        self._winding.clear()
        keys = [_key(request) for request in requests]
        deaths = {index: self._deaths_alone[key] for index, key in enumerate(keys) if key in self._deaths_alone}
        smallest = {"smallest": SMALLEST_AT_ONCE} if crew.at_once else {}
        queue = ChunkQueue(len(requests), workers=self._workers, chunk=self._chunk, deaths=deaths, **smallest)
        try:
            while True:
                if self._winding.is_set():
                    crew.stop_busy()
                else:
                    self._hand_out(crew, queue, requests)
                busy = crew.busy()
                if not busy and (queue.empty or self._winding.is_set()):
                    return
                for worker in crew.wait(_POLL_SECONDS):
                    yield from self._take(crew, worker, queue, keys)
        finally:
            crew.stop_busy()
            crew.abandon()

    def wind_down(self) -> None:
        """Send nothing more; see :class:`evenhand.judges.WindsDown`."""
        self._winding.set()

    def close(self) -> None:
        """Free the workers' judges, end the workers, and stop the cluster where it is ours."""
        crew, self._crew = self._crew, None
        died = crew is not None and crew.deaths > 0
        try:
            if crew is not None:
                crew.close()
        finally:
            # Where a worker died its output may say why.
            self._cluster.close(keep_logs=died)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _open(self) -> Crew:
        if self._crew is None:
            raise ConfigError("the judge is closed")
        return self._crew

    def _hand_out(self, crew: Crew, queue: ChunkQueue, requests: Sequence[JudgeRequest]) -> None:
        for worker in crew.idle():
            chunk = queue.take()
            if not chunk:
                return
            crew.give(worker, chunk, [requests[index] for index in chunk])

    def _take(self, crew: Crew, worker: WorkerState, queue: ChunkQueue, keys: Sequence[object]) -> Iterator[Answer]:
        """What one worker has ready: answers, its chunk's end, a failure, or its death."""
        for item in crew.read(worker):
            if isinstance(item, Failure):
                raise item.error
            yield item
        if worker.died is None:
            return
        unanswered = list(worker.unanswered)
        given_up = queue.give_back(unanswered)
        if len(unanswered) == 1:
            self._deaths_alone[keys[unanswered[0]]] = queue.deaths(unanswered[0])
        why = worker.died
        crew.replace(worker)
        for index in given_up:
            text = f"the worker died {queue.deaths(index)} times with this request alone in hand: {why}"
            yield Answer(
                index=index,
                completion=Completion(text=None, finish_reason=FinishReason.ERROR, error=text, retryable=True),
            )


def _key(request: JudgeRequest) -> object:
    """What is the same for a request that is asked again. The watcher is left out: it need not be hashable."""
    return (request.messages, request.labels, request.prefill, request.generate, request.constrained)


def _check(
    *,
    spec: str | None,
    factory: Callable[[], Judge] | None,
    workers: int,
    chunk: int | None,
    max_restarts: int,
    address: str | None,
) -> None:
    if (spec is None) is (factory is None):
        raise ConfigError("the ray executor needs a judge's spec or a factory, and not both")
    if workers < 1 or max_restarts < 0 or (chunk is not None and chunk < 1):
        raise ConfigError(
            f"workers {workers}, chunk {chunk}, max_restarts {max_restarts}: expected at least 1, 1 and 0"
        )
    if address is not None and address.startswith("ray://"):
        raise ConfigError(
            f"address {address!r}: answers can't be streamed through Ray's client; run evenhand on a machine of the "
            "cluster, with the address auto"
        )
    if spec is not None:
        # Before a cluster is started for nothing. Everything else in the spec is the workers' to read.
        resolve("judges", spec.partition(":")[0])
