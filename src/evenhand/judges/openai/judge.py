"""The ``openai:MODEL`` judge: any OpenAI-compatible endpoint, asynchronous inside, one synchronous iterator outside."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from evenhand.errors import ConfigError, JudgeError
from evenhand.judges.base import Answer, CostEstimate, JudgeRequest
from evenhand.judges.openai.ask import Asker, begun_with, messages_of
from evenhand.judges.openai.batch import Batch
from evenhand.judges.openai.client import ApiClient
from evenhand.judges.openai.constraint import Constraint, constraint_for, method_for
from evenhand.judges.openai.dialect import Dialect
from evenhand.judges.openai.estimate import estimate_cost
from evenhand.judges.openai.faults import ApiFault, FaultKind
from evenhand.judges.openai.loop import LoopThread
from evenhand.judges.openai.patience import Backoff, Clock, RetryBudget, Slots, SystemClock
from evenhand.judges.openai.presumed import presumed_of
from evenhand.judges.openai.sender import Sender
from evenhand.judges.openai.server import Server, count_prompt, find_server, token_ids
from evenhand.judges.openai.settings import OPTIONS, ApiSettings, read_settings
from evenhand.judges.options import Option
from evenhand.judges.writing import check_requests
from evenhand.records import JudgeIdentity, LabelSet, LabelTokens

__all__ = ["OpenAIJudge"]

_JITTER_SEED = 0
"""Jitter spreads requests; it changes no answer."""
_FINDING_RETRIES = 4
_CLOSING_SECONDS = 10.0
_LOOK_UP_SECONDS = 20.0
"""For an estimate, which does without."""


class _Start:
    """A call of ``answer`` that has no batch yet, which winding down must not miss."""

    def __init__(self) -> None:
        self.preparing: Future[None] | None = None
        self.stopped = False

    def stop(self) -> None:
        """Don't begin, and ask the server nothing more about itself."""
        self.stopped = True
        if self.preparing is not None:
            self.preparing.cancel()


class OpenAIJudge:
    """A judge behind a chat-completions endpoint. Greedy only.

    Parameters
    ----------
    settings
        See :data:`evenhand.judges.openai.settings.OPTIONS`.
    clock
        Time, for tests.

    Raises
    ------
    ConfigError
        The ``openai`` package is missing.
    """

    SPEC: ClassVar[str] = "the model as the endpoint calls it"
    OPTIONS: ClassVar[Mapping[str, Option]] = OPTIONS
    """What :meth:`from_spec` takes; ``evenhand judges openai`` lists them."""

    def __init__(self, settings: ApiSettings, *, clock: Clock | None = None) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()
        self._dialect = Dialect(settings)
        self._server: Server | None = None
        self._constraints: dict[object, Constraint] = {}
        self._batches: dict[Batch, Future[None]] = {}
        self._starts: set[_Start] = set()
        self._lock = threading.Lock()
        self._loop: LoopThread | None = LoopThread(name="evenhand-openai")
        try:
            self._client = self._loop.start(self._connect()).result()
        except BaseException:
            self._loop.close()
            raise

    @classmethod
    def from_spec(cls, rest: str, *, spec: str, **options: object) -> Self:
        """Read ``openai:MODEL`` with the options of :data:`evenhand.judges.openai.settings.OPTIONS`."""
        return cls(read_settings(rest, spec=spec, options=options))

    @classmethod
    def for_estimate(cls, rest: str, *, spec: str, **options: object) -> Self:
        """Read the same for :meth:`estimate` alone: without a key too, and then nothing at all is sent."""
        return cls(read_settings(rest, spec=spec, options=options, asking=False))

    def __repr__(self) -> str:
        return f"OpenAIJudge({self._settings.model!r} at {self._settings.endpoint.url!r})"

    @property
    def identity(self) -> JudgeIdentity:
        """Model, endpoint, and the settings that can change an answer; known without asking anybody."""
        return self._settings.identity

    @property
    def in_flight(self) -> int:
        """Calls sent and not yet answered, and answers that the caller has not taken yet."""
        with self._lock:
            return sum(batch.in_flight for batch in self._batches)

    def wind_down(self) -> None:
        """Send nothing more: answers in flight still come, waits end, the running iterator ends early.

        A presentation of which one call was answered and a further one is needed has no answer then.
        """
        with self._lock:
            for start in self._starts:
                start.stop()
            for batch in self._batches:
                batch.stop_sending()
                if self._loop is not None:
                    self._loop.soon(batch.wind_down)

    def label_tokens(self, labels: LabelSet) -> tuple[LabelTokens, ...]:
        """Every declared variant, without an id: the API tells none."""
        return tuple(
            LabelTokens(label=label, variant=variant, token_id=None)
            for outcome, label in labels.by_outcome.items()
            for variant in labels.variants(outcome)
        )

    def estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate:
        """Prompt tokens as the server counts them, where it does so for free; see :mod:`.estimate`.

        Nothing that costs is sent, and an endpoint that can't be reached doesn't hinder: what is then taken for granted
        is said (``presumed``).

        Raises
        ------
        ConfigError
            A begun turn, and a server that is known not to go on with one.
        """
        check_requests(requests, judge="openai")
        return self._alive().start(self._estimate(requests)).result()

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        """Answer several at a time, yielding each as it comes.

        Ctrl-C is noticed at once; closing the iterator cancels what is outstanding.

        Raises
        ------
        ConfigError
            A request that this endpoint can't be asked: sampling, a begun turn or a constraint that it hasn't.
        JudgeError
            No request would be answered (key, model, address, quota, or nobody there). What was answered is yielded
            before.
        """
        check_requests(requests, judge="openai")
        loop = self._alive()
        if not requests:
            return
        if self._settings.no_key_in is not None:
            raise ConfigError(
                f"{self!r} was opened for estimates: the environment variable {self._settings.no_key_in} holds no key"
            )
        start = _Start()
        with self._lock:
            self._starts.add(start)
        try:
            if not self._prepared(loop, requests, start):
                return
            batch = self._batch(requests)
            with self._lock:
                if start.stopped:
                    return
                running = self._batches[batch] = loop.start(batch.run())
        finally:
            with self._lock:
                self._starts.discard(start)
        try:
            yield from batch.answers()
            running.result()
        except CancelledError:
            raise self._error("closed while it was answering", retryable=True) from None
        finally:
            with self._lock:
                self._batches.pop(batch, None)
            if not running.done() and running.cancel():
                # Two turns of the loop: by then the work has either begun, and is being cancelled, or never will.
                with suppress(RuntimeError, CancelledError, TimeoutError):
                    loop.start(asyncio.sleep(0)).result(timeout=_CLOSING_SECONDS)
                if batch.began:
                    batch.wait(_CLOSING_SECONDS)
        if batch.failure is not None:
            raise self._error(batch.failure.text, retryable=batch.failure.retryable)

    def close(self) -> None:
        """Cancel what runs and close the connections. Closing twice is harmless."""
        loop, self._loop = self._loop, None
        if loop is not None:
            with self._lock:
                for running in self._batches.values():
                    running.cancel()
            try:
                loop.start(self._client.close()).result(timeout=_CLOSING_SECONDS)
            finally:
                loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _alive(self) -> LoopThread:
        if self._loop is None:
            raise ConfigError("the judge is closed")
        return self._loop

    def _error(self, text: str, *, retryable: bool) -> JudgeError:
        return JudgeError(f"judge {self._settings.spec}: {text}", retryable=retryable)

    async def _connect(self) -> ApiClient:
        return ApiClient(self._settings, wall=self._clock.wall)

    def _prepared(self, loop: LoopThread, requests: Sequence[JudgeRequest], start: _Start) -> bool:
        """Whether asking may begin; False where it was wound down meanwhile."""
        with self._lock:
            if start.stopped:
                return False
            start.preparing = loop.start(self._prepare(requests))
        try:
            start.preparing.result()
        except CancelledError:
            if not start.stopped:
                raise self._error("closed while it asked which server this is", retryable=True) from None
        return not start.stopped

    def _batch(self, requests: Sequence[JudgeRequest]) -> Batch:
        settings = self._settings
        sender = Sender(
            self._client,
            self._dialect,
            clock=self._clock,
            slots=Slots(settings.concurrency),
            backoff=Backoff(random=np.random.default_rng(_JITTER_SEED)),
            budget=RetryBudget(requests=len(requests), share=settings.retry_budget),
            retries=settings.retries_per_request,
        )
        asker = Asker(self._dialect, server=self._server, constraints=self._constraints)
        return Batch(requests, ask=asker.ask, sender=sender, workers=settings.concurrency)

    async def _prepare(self, requests: Sequence[JudgeRequest]) -> None:
        """Find out what must be known of the server, with free requests, and refuse what it can't do."""
        begun = any(begun_with(request) for request in requests)
        bound = {request.labels for request in requests if request.constrained} - self._constraints.keys()
        wanted = self._settings.constrain
        if (begun or bound) and self._server is None:
            self._server = await self._find()
        server = self._server
        if server is None:
            return
        if begun:
            self._check_goes_on(server)
        for labels in bound:
            method, ids = method_for(server, wanted), []
            if method == "logit_bias":
                ids = [
                    await token_ids(self._client, server, model=self._settings.model, text=text)
                    for text in labels.by_outcome.values()
                ]
            self._constraints[labels] = constraint_for(method, labels, ids=ids)

    def _check_goes_on(self, server: Server) -> None:
        if not server.continues and self._settings.prefill != "on":
            raise ConfigError(
                f"{self._settings.endpoint.host} is not known to go on with an answer begun for it (llama.cpp's server "
                "and vLLM do, OpenAI doesn't): leave out the prefilled readout, or try it with prefill=on"
            )

    async def _find(self) -> Server:
        backoff = Backoff(random=np.random.default_rng(_JITTER_SEED))
        for attempt in range(_FINDING_RETRIES + 1):
            try:
                return await find_server(self._client, self._settings)
            except ApiFault as error:
                fault = error.fault
            if fault.kind is FaultKind.JUDGE or attempt == _FINDING_RETRIES:
                break
            await self._clock.sleep(fault.wait if fault.wait is not None else backoff.seconds(attempt))
        raise self._error(
            f"which server this is can't be told: {fault.text}", retryable=fault.kind is not FaultKind.JUDGE
        )

    async def _estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate:
        silent = await self._look_up()
        server = self._server
        if server is not None and any(map(begun_with, requests)):
            self._check_goes_on(server)
        if silent is not None or server is None:
            why = silent or "it was not asked"
            cost = await estimate_cost(requests, None, why=f"{self._settings.endpoint.host} told nothing")
            return replace(cost, presumed=presumed_of(self._settings, requests, why=why))

        async def count(request: JudgeRequest) -> int | None:
            wire = self._dialect.body(messages_of(request), max_tokens=1, logprobs=False, more={})["messages"]
            return await count_prompt(
                self._client, server, model=self._settings.model, messages=wire, begun=bool(begun_with(request))
            )

        return await estimate_cost(requests, count)

    async def _look_up(self) -> str | None:
        """Find out which server this is; why it told nothing, where it didn't."""
        settings = self._settings
        lacks = settings.no_key_in
        if settings.endpoint.is_openai:
            self._server = await find_server(self._client, settings)  # known by its address: nothing is sent
            return f"it was not asked: {f'{lacks} holds no key' if lacks else 'it counts no tokens beforehand'}"
        if lacks is not None:
            return f"it was not asked: {lacks} holds no key"
        if self._server is None:
            try:
                async with asyncio.timeout(_LOOK_UP_SECONDS):
                    self._server = await find_server(self._client, settings)
            except ApiFault as error:
                return f"asked which server it is, it told nothing: {error.fault.text}"
            except TimeoutError:
                return f"asked which server it is, it told nothing within {_LOOK_UP_SECONDS:g} s"
        return None
