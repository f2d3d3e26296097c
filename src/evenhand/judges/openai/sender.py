"""Getting one call answered: gate, slots, backoff, retry budget, and what the endpoint turned out to take."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from evenhand.judges.openai.dialect import Dialect
from evenhand.judges.openai.faults import ApiFault, Fault, FaultKind
from evenhand.judges.openai.patience import Backoff, Clock, RetryBudget, Slots

__all__ = ["ChatApi", "JudgeFailed", "NotSent", "Sender", "Unanswered"]

_SLOWER = 3
"""Doublings by which waits are longer where the endpoint says "too many requests" but not for how long: then six waits
last a minute and a half on average."""
_LONGEST_WAIT = 300.0
"""Seconds: an endpoint that asks for more is left, for the user to come back to."""
_PUT_OFF = 40
"""So often beyond the requests at a time an endpoint may say when to come back, and then answer nobody."""
_LESSONS = 10
"""How often one request is worded anew after a refusal; there are fewer things to learn."""

_HINTS = {
    401: "; is the key right that api_key_env names?",
    402: "; is there credit on the account?",
    403: "; may this key use this model?",
    404: "; is the model named as the endpoint names it, and is base_url right (most end in /v1)?",
}
_NOT_GREEDY = (
    "greedy decoding is not to be had there; temperature=omit leaves it to the endpoint, and is recorded with the run"
)
_TEMPERATURE = re.compile(r"[\"'`]temperature[\"'`]|temperature (?:is|does|must|not|value)", re.IGNORECASE)


def _names_temperature(fault: Fault) -> bool:
    return fault.param == "temperature" or (fault.status in (400, 422) and _TEMPERATURE.search(fault.text) is not None)


class ChatApi(Protocol):
    """What this needs of a client."""

    async def chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """See :class:`evenhand.judges.openai.client.ApiClient`."""
        ...


class Unanswered(Exception):  # noqa: N818 - becomes a recorded error of one request
    """One request got no answer; the others go on."""

    def __init__(self, text: str, *, retryable: bool) -> None:
        super().__init__(text)
        self.text = text
        self.retryable = retryable


class JudgeFailed(Exception):  # noqa: N818 - becomes a JudgeError
    """No request would be answered."""

    def __init__(self, text: str, *, retryable: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.retryable = retryable


class NotSent(Exception):  # noqa: N818 - nobody's fault
    """The work is being wound down: nothing more is sent."""


class Sender:
    """Sends the calls of one batch. Everything here runs in one event loop.

    Attributes
    ----------
    in_flight
        Calls sent and not yet answered.
    """

    def __init__(
        self,
        client: ChatApi,
        dialect: Dialect,
        *,
        clock: Clock,
        slots: Slots,
        backoff: Backoff,
        budget: RetryBudget,
        retries: int,
    ) -> None:
        self._client = client
        self._dialect = dialect
        self._clock = clock
        self._slots = slots
        self._backoff = backoff
        self._budget = budget
        self._retries = retries
        self._stop = asyncio.Event()
        self._stopping = False
        self._closed_until = -1.0
        self._reached = False
        self._unreachable = 0
        self._wave = 0
        self._put_off = 0
        self.in_flight = 0

    def stop_sending(self) -> None:
        """Send nothing more; may be called from any thread."""
        self._stopping = True

    def wind_down(self) -> None:
        """Send nothing more, and end waits at once; in the loop."""
        self._stopping = True
        self._stop.set()
        self._slots.wake()

    async def send(self, make: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Get one call answered.

        Parameters
        ----------
        make
            Words the request, anew each time: what was learned in the meantime counts.

        Raises
        ------
        Unanswered, JudgeFailed, NotSent
            There is no answer.
        """
        retried = lessons = 0
        while True:
            body, fault, answer = await self._once(make)
            if fault is None:
                return answer
            match fault.kind:
                case FaultKind.REFUSED:
                    if lessons < _LESSONS and self._dialect.learn(fault, body):
                        lessons += 1
                        continue
                    if "temperature" in body and _names_temperature(fault):
                        raise JudgeFailed(f"{fault.text}; {_NOT_GREEDY}")
                    raise Unanswered(fault.text, retryable=False)
                case FaultKind.JUDGE:
                    raise JudgeFailed(fault.text + _HINTS.get(fault.status or 0, ""))
                case _:
                    wait = self._wait(fault, retried)
                    self._again(fault, retried)
                    await self._pause(wait)
                    retried += 1

    async def _once(
        self, make: Callable[[], Mapping[str, Any]]
    ) -> tuple[Mapping[str, Any], Fault | None, dict[str, Any]]:
        """One call, when the gate is open and a slot is free."""
        while True:
            await self._gate()
            async with self._slots.one():
                if self._stopping:
                    raise NotSent
                if self._clock.now() < self._closed_until:
                    continue
                body, wave = make(), self._wave
                self.in_flight += 1
                try:
                    answer = await self._client.chat(body)
                except ApiFault as error:
                    self._heard(error.fault, wave)
                    return body, error.fault, {}
                finally:
                    self.in_flight -= 1
                self._reached, self._unreachable, self._put_off = True, 0, 0
                self._slots.faster()
                return body, None, answer

    def _heard(self, fault: Fault, wave: int) -> None:
        if fault.kind is not FaultKind.UNREACHABLE:
            self._reached, self._unreachable = True, 0
        if fault.slow_down and wave == self._wave:
            # Refusals of calls that were sent before the slowing down are of the same wave, which counts once.
            self._wave += 1
            self._slots.slower()

    def _again(self, fault: Fault, retried: int) -> None:
        """Whether the request may be sent again; raises where not."""
        if fault.wait is not None and fault.wait > _LONGEST_WAIT:
            raise JudgeFailed(f"{fault.text}; the endpoint asks to wait {fault.wait:.0f} s", retryable=True)
        if fault.slow_down and fault.wait:
            self._put_off += 1
            if self._put_off > _PUT_OFF + self._slots.most:
                raise JudgeFailed(
                    f"{fault.text}; {self._put_off} times in a row the endpoint asked to wait, and was waited for",
                    retryable=True,
                )
        if retried < self._retries and self._budget.spend():
            return
        spent = (
            f"given up after {retried + 1} attempts"
            if retried >= self._retries
            else f"given up: the batch's {self._budget.size} retries are spent"
        )
        if fault.kind is FaultKind.UNREACHABLE:
            self._unreachable += 1
            if not self._reached or self._unreachable > self._slots.most:
                raise JudgeFailed(f"{fault.text}; {spent}", retryable=True)
        raise Unanswered(f"{fault.text}; {spent}", retryable=True)

    def _wait(self, fault: Fault, retried: int) -> float:
        """Seconds until this request's next attempt; where the endpoint named them, nobody sends before."""
        jitter = self._backoff.seconds(retried)
        if fault.wait is None:
            # Limits are mostly per minute: six waits of the usual length end too soon.
            return self._backoff.seconds(retried + _SLOWER) if fault.slow_down else jitter
        self._closed_until = max(self._closed_until, self._clock.now() + fault.wait)
        return fault.wait + jitter

    async def _gate(self) -> None:
        while (left := self._closed_until - self._clock.now()) > 0:
            await self._pause(left + self._backoff.seconds(0))
        if self._stopping:
            raise NotSent

    async def _pause(self, seconds: float) -> None:
        """Wait, but not longer than there is work to do."""
        if self._stopping:
            raise NotSent
        sleeping = asyncio.ensure_future(self._clock.sleep(seconds))
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait({sleeping, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
            stopping.cancel()
        if self._stopping:
            raise NotSent
