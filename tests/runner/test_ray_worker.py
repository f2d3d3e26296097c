import os
import pickle

import pytest

from evenhand.errors import ConfigError, DataError, JudgeError, StoreError
from evenhand.judges.base import Answer, JudgeRequest
from evenhand.judges.simulated import SimulatedJudge
from evenhand.readouts.watcher import DecisionWatcher
from evenhand.records import LabelSet, Message
from evenhand.runner.ray_worker import Failure, JudgeWorker
from runner.ray_judges import Concurrent, Refuses, Temperamental

LABELS = LabelSet.parse("A/B")


def ask(text):
    return JudgeRequest(
        messages=(Message(role="user", content=text),), labels=LABELS, watcher=DecisionWatcher.of(LABELS)
    )


@pytest.fixture
def worker():
    made = JudgeWorker()
    assert made.load(None, {}, Temperamental).pid == os.getpid()
    return made


def test_it_loads_by_spec_and_answers_as_that_judge_would():
    worker = JudgeWorker()
    loaded = worker.load("simulated:noise=2", {}, None)
    plain = SimulatedJudge.from_spec("noise=2", spec="simulated:noise=2")
    requests = [ask(f"q{i}") for i in range(4)]
    assert loaded.identity == plain.identity
    assert not loaded.at_once
    assert list(worker.answer(0, requests)) == list(plain.answer(requests))
    assert worker.label_tokens(LABELS) == plain.label_tokens(LABELS)
    assert worker.estimate(requests) == plain.estimate(requests)


def test_our_errors_come_as_values():
    worker = JudgeWorker()
    for made, kind in (
        (worker.load("simulated:nonsense", {}, None), ConfigError),
        (worker.load("simulated:fair", {"no": 1}, None), ConfigError),
        (worker.load("nobody:x", {}, None), ConfigError),
        (worker.load(None, {}, Refuses), ConfigError),
        (worker.load(None, {}, lambda: 1 / 0), JudgeError),
        (worker.estimate([]), JudgeError),
        *((got, JudgeError) for got in worker.answer(0, [ask("q")])),
    ):
        assert isinstance(made, Failure)
        assert isinstance(made.error, kind)


def test_a_failure_in_the_middle_follows_what_was_answered(worker):
    first, failure = worker.answer(0, [ask("q"), ask("fail"), ask("q")])
    assert isinstance(first, Answer)
    assert (str(failure.error), failure.error.retryable) == ("the engine broke", True)
    first, failure = worker.answer(1, [ask("q"), ask("raise")])
    assert "ZeroDivisionError: by zero" in str(failure.error)


def test_stopped_before_it_begins_a_chunk_is_not_begun(worker):
    worker.stop(3)
    assert list(worker.answer(3, [ask("q")])) == []
    assert len(list(worker.answer(4, [ask("q")]))) == 1


def test_stopped_while_it_works_the_current_answer_is_the_last(worker):
    answers = worker.answer(0, [ask(f"q{i}") for i in range(9)])
    assert next(answers).index == 0
    worker.stop(0)
    assert list(answers) == []
    assert len(list(worker.answer(1, [ask("q")]))) == 1


def test_a_judge_that_winds_down_gives_what_is_in_flight():
    worker = JudgeWorker()
    assert worker.load(None, {}, Concurrent).at_once
    answers = worker.answer(0, [ask(f"q{i}") for i in range(9)])
    next(answers)
    worker.stop(0)
    assert len(list(answers)) == 4


def test_closing_twice_is_harmless(worker):
    worker.close()
    worker.close()
    assert isinstance(worker.label_tokens(LABELS), Failure)


@pytest.mark.parametrize(
    "error",
    [
        ConfigError("c"),
        JudgeError("j", retryable=True),
        StoreError("s"),
        DataError("d", row=3, field="gold", remedy="mend it"),
    ],
)
def test_errors_travel_whole(error):
    got = pickle.loads(pickle.dumps(Failure(error=error))).error  # noqa: S301 - our own bytes
    assert type(got) is type(error)
    assert str(got) == str(error)
    assert vars(got) == vars(error)
