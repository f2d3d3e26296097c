"""Several at a time, each ending once."""

import asyncio

import pytest

from evenhand.judges.base import JudgeRequest
from evenhand.judges.openai.batch import Batch
from evenhand.judges.openai.loop import LoopThread
from evenhand.judges.openai.sender import JudgeFailed, NotSent
from evenhand.records import Completion, FinishReason, LabelSet, Message

REQUESTS = [
    JudgeRequest(messages=(Message(role="user", content=str(i)),), labels=LabelSet.parse("A/B")) for i in range(20)
]


class NoSender:
    """What a batch asks of a sender."""

    in_flight = 0

    def __init__(self):
        self.wound = False

    def wind_down(self):
        self.wound = True

    stop_sending = wind_down


@pytest.fixture
def loop():
    made = LoopThread(name="batch")
    yield made
    made.close()


def run(loop, ask, *, workers=4, requests=REQUESTS, sender=None):
    batch = Batch(requests, ask=ask, sender=sender or NoSender(), workers=workers)
    running = loop.start(batch.run())
    given = list(batch.answers())
    running.result()
    return batch, given


def said(request):
    return Completion(text=request.messages[0].content, finish_reason=FinishReason.STOP)


def test_each_is_answered_once_by_so_many_at_a_time(loop):
    now, most = [], []

    async def ask(request, sender):
        now.append(request)
        most.append(len(now))
        for _ in range(3):
            await asyncio.sleep(0)
        now.remove(request)
        return said(request)

    _, given = run(loop, ask)
    assert sorted(answer.index for answer in given) == list(range(20))
    assert all(answer.completion.text == str(answer.index) for answer in given)
    assert max(most) == 4


def test_no_more_is_asked_than_is_taken(loop):
    asked = []

    async def ask(request, sender):
        asked.append(request)
        return said(request)

    batch = Batch(REQUESTS, ask=ask, sender=NoSender(), workers=2)
    running = loop.start(batch.run())
    given = batch.answers()
    next(given)
    loop.start(asyncio.sleep(0.05)).result()
    assert len(asked) == 4
    assert batch.in_flight == 3
    assert len(list(given)) == 19
    running.result()
    assert batch.in_flight == 0


def test_winding_down_ends_those_who_wait_for_room(loop):
    async def ask(request, sender):
        return said(request)

    batch = Batch(REQUESTS, ask=ask, sender=NoSender(), workers=2)
    loop.start(batch.run())
    given = batch.answers()
    next(given)
    loop.start(asyncio.sleep(0.05)).result()
    batch.stop_sending()
    assert len(list(given)) == 3
    assert batch.wait(10)


def test_a_failure_of_the_judge_waits_for_what_is_in_flight(loop):
    async def ask(request, sender):
        if request is REQUESTS[1]:
            await asyncio.sleep(0)
            raise JudgeFailed("dead")
        for _ in range(10):
            await asyncio.sleep(0)
        return said(request)

    sender = NoSender()
    batch, given = run(loop, ask, sender=sender)
    assert batch.failure.text == "dead"
    assert sender.wound
    assert sorted(answer.index for answer in given) == [0, 2, 3]


def test_what_was_not_sent_has_no_answer(loop):
    async def ask(request, sender):
        if request is REQUESTS[5]:
            raise NotSent
        return said(request)

    batch, given = run(loop, ask, workers=1)
    assert [answer.index for answer in given] == [0, 1, 2, 3, 4]
    assert batch.failure is None


def test_winding_down_before_the_start(loop):
    async def ask(request, sender):
        return said(request)

    batch = Batch(REQUESTS, ask=ask, sender=NoSender(), workers=2)
    batch.stop_sending()
    loop.start(batch.run()).result()
    assert list(batch.answers()) == []


def test_a_fault_of_the_code_is_not_swallowed(loop):
    async def ask(request, sender):
        raise ZeroDivisionError

    batch = Batch(REQUESTS, ask=ask, sender=NoSender(), workers=2)
    running = loop.start(batch.run())
    assert list(batch.answers()) == []
    with pytest.raises(ExceptionGroup):
        running.result()


def test_cancelling_ends_everything(loop):
    async def ask(request, sender):
        await asyncio.Event().wait()

    batch = Batch(REQUESTS, ask=ask, sender=NoSender(), workers=2)
    running = loop.start(batch.run())
    loop.start(asyncio.sleep(0)).result()
    assert running.cancel()
    assert batch.wait(10)
    assert list(batch.answers()) == []
