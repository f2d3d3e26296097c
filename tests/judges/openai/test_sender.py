"""Backoff, gate, budget and what is learned, without a network."""

import asyncio

import numpy as np
import pytest

from evenhand.judges.openai.dialect import Dialect
from evenhand.judges.openai.faults import ApiFault, Fault, FaultKind
from evenhand.judges.openai.patience import Backoff, RetryBudget, Slots
from evenhand.judges.openai.sender import JudgeFailed, NotSent, Sender, Unanswered
from evenhand.judges.openai.settings import read_settings
from judges.openai.faulty import FakeClock

AGAIN = Fault(kind=FaultKind.AGAIN, status=503, text="HTTP 503")
NOBODY = Fault(kind=FaultKind.UNREACHABLE, text="nobody there")
SETTINGS = read_settings(
    "m", spec="openai:m", options={"base_url": "http://127.0.0.1:1/v1"}, environment={"OPENAI_API_KEY": "k"}
)


def busy(wait=None):
    return Fault(kind=FaultKind.AGAIN, status=429, text="HTTP 429", wait=wait, slow_down=True)


class Scripted:
    """Answers by what the script says to a call's number: a fault, or an answer."""

    def __init__(self, *script, clock=None):
        self._script = iter(script)
        self._clock = clock
        self.bodies, self.times = [], []

    async def chat(self, body):
        self.bodies.append(body)
        self.times.append(self._clock.now() if self._clock else 0.0)
        await asyncio.sleep(0)
        said = next(self._script)
        if isinstance(said, Fault):
            raise ApiFault(said)
        return said


def sender(client, *, clock=None, most=4, requests=100, share=0.5, retries=6):
    return Sender(
        client,
        Dialect(SETTINGS),
        clock=clock or FakeClock(),
        slots=Slots(most),
        backoff=Backoff(random=np.random.default_rng(0)),
        budget=RetryBudget(requests=requests, share=share),
        retries=retries,
    )


def send(made, make=lambda: {"x": 1}):
    return asyncio.run(made.send(make))


def test_it_is_asked_again_until_it_is_answered():
    clock = FakeClock()
    client = Scripted(AGAIN, AGAIN, NOBODY, {"ok": 1})
    assert send(sender(client, clock=clock)) == {"ok": 1}
    assert len(clock.waits) == 3
    assert all(0 <= wait <= 0.5 * 2**k for k, wait in enumerate(clock.waits))


def test_what_the_endpoint_asks_to_wait_is_waited():
    clock = FakeClock()
    client = Scripted(busy(7.0), {"ok": 1}, clock=clock)
    send(sender(client, clock=clock))
    assert 7.0 <= client.times[1] <= 8.0


def test_too_many_requests_without_a_wait_are_waited_out_longer():
    waited = []
    for fault in (AGAIN, busy()):
        clock = FakeClock()
        assert send(sender(Scripted(*[fault] * 6, {"ok": 1}), clock=clock)) == {"ok": 1}
        waited.append(sum(clock.waits))
    usual, longer = waited
    assert longer > 3 * usual
    assert longer <= sum(min(60, 0.5 * 2 ** (k + 3)) for k in range(6))


def test_the_gate_is_shared():
    clock = FakeClock()
    client = Scripted(busy(9.0), *[{"ok": 1}] * 5, clock=clock)
    made = sender(client, clock=clock, most=1)

    async def all_of_them():
        await asyncio.gather(*(made.send(dict) for _ in range(5)))

    asyncio.run(all_of_them())
    assert client.times[0] == 0
    assert min(client.times[1:]) >= 9.0


def test_one_request_is_given_up_after_its_retries():
    client = Scripted(*[AGAIN] * 4)
    with pytest.raises(Unanswered, match="HTTP 503; given up after 4 attempts") as caught:
        send(sender(client, retries=3))
    assert caught.value.retryable
    assert len(client.bodies) == 4


def test_the_batch_is_given_up_after_its_budget():
    client = Scripted(*[AGAIN] * 1000)
    made = sender(client, requests=50, share=0.5)

    async def all_of_them():
        return await asyncio.gather(*(made.send(dict) for _ in range(50)), return_exceptions=True)

    ended = asyncio.run(all_of_them())
    assert all(isinstance(end, Unanswered) and end.retryable for end in ended)
    assert any("25 retries are spent" in end.text for end in ended)
    assert len(client.bodies) == 50 + 25


def test_waves_of_refusals_halve_the_calls_at_a_time_once():
    client = Scripted(*[busy()] * 8, *[{"ok": 1}] * 100)
    made = sender(client, most=8)

    async def all_of_them():
        await asyncio.gather(*(made.send(dict) for _ in range(8)))

    asyncio.run(all_of_them())
    # One halving, then eight answers; halving for each of the eight refusals would end below.
    assert 5.0 < made._slots.limit < 8.0


def test_nobody_there_from_the_start_is_the_judge_s_failure():
    with pytest.raises(JudgeFailed, match="nobody there; given up after 3 attempts") as caught:
        send(sender(Scripted(*[NOBODY] * 3), retries=2))
    assert caught.value.retryable


def test_nobody_there_any_more_is_the_judge_s_failure_after_a_few():
    client = Scripted({"ok": 1}, *[NOBODY] * 100)
    made = sender(client, most=2, retries=0)

    async def one_by_one():
        await made.send(dict)
        ends = []
        for _ in range(3):
            try:
                await made.send(dict)
            except (Unanswered, JudgeFailed) as end:
                ends.append(type(end))
        return ends

    assert asyncio.run(one_by_one()) == [Unanswered, Unanswered, JudgeFailed]


def test_a_wait_beyond_all_patience_ends_the_call():
    with pytest.raises(JudgeFailed, match="asks to wait 3600 s") as caught:
        send(sender(Scripted(busy(3600.0))))
    assert caught.value.retryable


def test_refusals_teach_or_are_the_request_s_own_error():
    capped = Fault(kind=FaultKind.REFUSED, status=400, text="HTTP 400: top_logprobs must be at most 5")
    made = sender(Scripted(capped, {"ok": 1}))
    send(made, lambda: made._dialect.body([], max_tokens=1, logprobs=True, more={}))
    assert [body["top_logprobs"] for body in made._client.bodies] == [20, 5]
    long = Fault(kind=FaultKind.REFUSED, status=400, text="HTTP 400: maximum context length is 8192 tokens")
    with pytest.raises(Unanswered, match="8192") as caught:
        send(sender(Scripted(long)))
    assert not caught.value.retryable


def test_wrong_key_is_the_judge_s_failure():
    with pytest.raises(JudgeFailed, match="HTTP 401: no; is the key right") as caught:
        send(sender(Scripted(Fault(kind=FaultKind.JUDGE, status=401, text="HTTP 401: no"))))
    assert not caught.value.retryable


class Patient(FakeClock):
    """A clock whose waits never end."""

    async def sleep(self, seconds):  # noqa: ARG002
        await asyncio.Event().wait()


def test_no_greedy_decoding_is_the_judge_s_failure_with_what_to_do():
    said = "HTTP 400: Unsupported value: 'temperature' does not support 0 with this model."
    fault = Fault(kind=FaultKind.REFUSED, status=400, text=said)
    with pytest.raises(JudgeFailed, match="temperature=omit"):
        send(sender(Scripted(fault)), lambda: {"temperature": 0})
    with pytest.raises(Unanswered):
        send(sender(Scripted(fault)))
    about = Fault(kind=FaultKind.REFUSED, status=400, text="HTTP 400: bad text: the temperature of water")
    with pytest.raises(Unanswered):
        send(sender(Scripted(about)), lambda: {"temperature": 0})


@pytest.mark.parametrize("fault", [AGAIN, busy(100.0)])
def test_winding_down_ends_waits_and_sends_nothing_more(fault):
    client = Scripted(fault, {"ok": 1})
    made = sender(client, clock=Patient())

    async def work():
        task = asyncio.create_task(made.send(dict))
        other = asyncio.create_task(made.send(dict))
        for _ in range(5):
            await asyncio.sleep(0)
        made.wind_down()
        return await asyncio.gather(task, other, made.send(dict), return_exceptions=True)

    first, second, third = asyncio.run(work())
    assert isinstance(first, NotSent)
    assert second == {"ok": 1}
    assert isinstance(third, NotSent)
    assert len(client.bodies) == 2
    assert made.in_flight == 0


def test_a_wait_that_was_asked_for_holds_for_the_others_though_no_retry_is_left():
    clock = FakeClock()
    client = Scripted(busy(wait=20.0), {"ok": 1}, clock=clock)
    made = sender(client, clock=clock, share=0)

    async def both():
        with pytest.raises(Unanswered):
            await made.send(lambda: {"x": 1})
        return await made.send(lambda: {"x": 1})

    assert asyncio.run(both()) == {"ok": 1}
    assert client.times[1] >= 20.0


def test_an_endpoint_that_puts_off_for_ever_is_left():
    clock = FakeClock()
    client = Scripted(*[busy(wait=20.0)] * 30, {"ok": 1}, *[busy(wait=20.0)] * 100, clock=clock)
    made = sender(client, clock=clock, most=4, requests=1000, retries=60)

    async def two():
        # An answer in between begins the count anew.
        assert await made.send(lambda: {"x": 1}) == {"ok": 1}
        with pytest.raises(JudgeFailed, match="45 times in a row the endpoint asked to wait"):
            await made.send(lambda: {"x": 1})

    asyncio.run(two())
    assert len(client.bodies) == 30 + 1 + 45
