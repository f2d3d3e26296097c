import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from evenhand.errors import JudgeError, StoreError
from evenhand.judges.base import Answer, Judge, WindsDown
from evenhand.records import Completion, FinishReason, Usage
from evenhand.runner import ExecutionError, execute
from evenhand.runner.spend import SpendLimit
from evenhand.store import Journal, PlanCounts
from runner.scripted_judge import ScriptedJudge, answer_to, failure, request_for
from store.examples import manifest, pairs, presentations


@pytest.fixture
def journal(tmp_path):
    with Journal.create(tmp_path / "run", manifest(), pairs(3)) as journal:
        journal.set_plan(presentations(3))
        yield journal


class Heard:
    """A progress that remembers, and looks into the journal at each step."""

    def __init__(self, journal):
        self.journal = journal
        self.calls = []

    def start(self, total, done):
        self.calls.append(("start", total, done))

    def advance(self, presentation, completion):
        assert self.journal.attempts(presentation.key)[-1] == completion  # recorded before it is counted
        self.calls.append((presentation.key, completion.finish_reason))

    def winding_down(self, in_flight):
        self.calls.append(("winding down", in_flight))

    def finish(self):
        self.calls.append(("finish",))


def contents(count, begin=0):
    return [presentation.messages[0].content for presentation in presentations(count)][begin:]


def test_the_helper_is_a_judge():
    assert isinstance(ScriptedJudge(), Judge)


def test_everything_pending_is_asked_in_plan_order_and_recorded(journal):
    judge, heard = ScriptedJudge(), Heard(journal)
    summary = execute(judge, journal, request_for=request_for, progress=heard)
    assert judge.batches == [contents(3)]
    assert journal.counts() == PlanCounts(planned=6, finished=6, errors=0, pending=0)
    for entry in journal.completions():
        assert entry.completion.text == f"A ({entry.presentation.messages[0].content})"
    assert heard.calls[0] == ("start", 6, 0)
    assert heard.calls[-1] == ("finish",)
    assert len(heard.calls) == 8
    assert (summary.planned, summary.reused, summary.asked, summary.finished) == (6, 0, 6, 6)
    assert (summary.errors, summary.attempts, summary.interrupted) == (0, 6, False)
    assert (summary.prompt_tokens, summary.completion_tokens) == (60, 12)
    assert summary.seconds > 0
    assert summary.first_error is None


def test_nothing_is_asked_twice(journal):
    execute(ScriptedJudge(), journal, request_for=request_for)
    judge = ScriptedJudge()
    summary = execute(judge, journal, request_for=request_for)
    assert judge.batches == []
    assert (summary.reused, summary.asked, summary.attempts) == (6, 0, 0)
    assert (summary.prompt_tokens, summary.completion_tokens) == (None, None)


@pytest.mark.parametrize("batch_size", [1, 2, 4, 100])
def test_batches(journal, batch_size):
    judge = ScriptedJudge()
    execute(judge, journal, request_for=request_for, batch_size=batch_size)
    assert judge.asked == contents(3)
    assert max(map(len, judge.batches)) == min(batch_size, 6)


def test_more_pairs_reuse_those_answered(tmp_path):
    first, second = ScriptedJudge(), ScriptedJudge()
    with Journal.create(tmp_path, manifest(limit=10), pairs(10)) as journal:
        journal.set_plan(presentations(10))
        execute(first, journal, request_for=request_for)
    with Journal.create(tmp_path, manifest(limit=100), pairs(100)) as journal:
        journal.set_plan(presentations(100))
        summary = execute(second, journal, request_for=request_for)
    assert (summary.planned, summary.reused, summary.asked) == (200, 20, 180)
    assert second.asked == contents(100, begin=20)


def test_other_keys_are_asked_anew(tmp_path):
    with Journal.create(tmp_path, manifest(), pairs(2)) as journal:
        journal.set_plan(presentations(2))
        execute(ScriptedJudge(), journal, request_for=request_for)
        journal.set_plan([*presentations(2), *presentations(2, labels="X/Y")])
        summary = execute(ScriptedJudge(), journal, request_for=request_for)
    assert (summary.reused, summary.asked) == (4, 4)


def test_retryable_errors_are_asked_again_and_every_attempt_is_kept(journal):
    def fails_at_first(number, requests):
        for index, request in enumerate(requests):
            wanted = number < 2 and request.messages[0].content == "p1 AB"
            yield Answer(index=index, completion=failure(f"no. {number}") if wanted else answer_to(request))

    judge, heard = ScriptedJudge(fails_at_first), Heard(journal)
    summary = execute(judge, journal, request_for=request_for, retries=2, progress=heard)
    assert judge.batches == [contents(3), ["p1 AB"], ["p1 AB"]]
    texts = [attempt.error for attempt in journal.attempts("A/B-p1-AB")]
    assert texts == ["no. 0", "no. 1", None]
    assert (summary.asked, summary.finished, summary.errors, summary.attempts) == (6, 6, 0, 8)
    assert summary.first_error == "no. 0"
    assert len(heard.calls) == 8  # a presentation counts once, when it is settled


def test_what_still_fails_stays_an_error_and_is_asked_by_the_next_call(journal):
    def all_fail(number, requests):
        for index, request in enumerate(requests):
            retryable = request.messages[0].content != "p0 AB"
            yield Answer(index=index, completion=failure(retryable=retryable))

    judge = ScriptedJudge(all_fail)
    summary = execute(judge, journal, request_for=request_for, retries=1)
    assert judge.batches == [contents(3), contents(3, begin=1)]
    assert (summary.asked, summary.finished, summary.errors, summary.attempts) == (6, 0, 6, 11)
    assert journal.counts() == PlanCounts(planned=6, finished=0, errors=6, pending=0)
    summary = execute(ScriptedJudge(), journal, request_for=request_for)
    assert (summary.reused, summary.finished) == (0, 6)
    assert [attempt.finish_reason for attempt in journal.attempts("A/B-p0-AB")] == ["error", "stop"]


def test_a_judge_that_fails_as_a_whole_leaves_what_was_recorded(journal):
    def breaks(number, requests):
        yield Answer(index=0, completion=answer_to(requests[0]))
        yield Answer(index=3, completion=answer_to(requests[3]))
        raise JudgeError("the server went away", retryable=True)

    heard = Heard(journal)
    with pytest.raises(ExecutionError, match=r"the server went away \(2 of 6 presentations are answered") as caught:
        execute(ScriptedJudge(breaks), journal, request_for=request_for, progress=heard)
    assert caught.value.retryable
    assert caught.value.exit_code == 3
    assert (caught.value.summary.finished, caught.value.summary.interrupted) == (2, False)
    assert journal.counts().finished == 2
    assert heard.calls[-1] == ("finish",)


def wrong(indexes):
    def script(number, requests):
        for index in indexes:
            yield Answer(index=index, completion=answer_to(requests[index % len(requests)]))

    return script


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (wrong([0, 1, 1]), r"scripted:x answered twice: index 1 \(pair 'p0', order BA"),
        (wrong([0, 2, 3, 5]), r"scripted:x never answered 2 of 6; the first is index 1 \(pair 'p0', order BA"),
        (wrong([]), "never answered 6 of 6"),
        (wrong([0, 6]), "answered index 6 of a batch of 6"),
        (wrong([-1]), "answered index -1 of a batch of 6"),
    ],
)
def test_a_judge_that_miscounts_is_named(journal, script, message):
    judge = ScriptedJudge(script)
    with pytest.raises(ExecutionError, match=message):
        execute(judge, journal, request_for=request_for)
    assert judge.closed_iterators == 1
    kept = execute(ScriptedJudge(), journal, request_for=request_for)
    assert kept.reused + kept.finished == 6


@pytest.mark.parametrize(
    "completion",
    [
        Completion(text=None, finish_reason=FinishReason.ERROR),
        Completion(text="A", finish_reason=FinishReason.STOP, error="but"),
    ],
)
def test_an_error_and_its_text_go_together(journal, completion):
    judge = ScriptedJudge(lambda *_: iter([Answer(index=0, completion=completion)]))
    with pytest.raises(ExecutionError, match="an error without its text, or an answer with one"):
        execute(judge, journal, request_for=request_for)
    assert journal.counts().pending == 6


def test_any_other_exception_of_the_judge_passes_unchanged(journal):
    def bug(number, requests):
        yield Answer(index=0, completion=answer_to(requests[0]))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        execute(ScriptedJudge(bug), journal, request_for=request_for)
    assert journal.counts().finished == 1


def test_an_answer_that_cannot_be_written_is_not_counted_and_ends_the_work(journal, monkeypatch):
    heard, judge = Heard(journal), ScriptedJudge()
    journal._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError):
        execute(judge, journal, request_for=request_for, progress=heard)
    assert heard.calls == [("start", 6, 0), ("finish",)]
    assert judge.closed_iterators == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_work_and_keeps_the_answers(journal, number):
    before = signal.getsignal(number)

    def interrupted(batch, requests):
        for index, request in enumerate(requests):
            if index == 2:
                os.kill(os.getpid(), number)
                threading.Event().wait(10)  # the handler ends the wait
                raise AssertionError("the signal did not arrive")
            yield Answer(index=index, completion=answer_to(request))

    judge = ScriptedJudge(interrupted)
    summary = execute(judge, journal, request_for=request_for)
    assert summary.interrupted
    assert (summary.asked, summary.finished) == (2, 2)
    assert judge.closed_iterators == 1
    assert signal.getsignal(number) is before
    rest = execute(ScriptedJudge(), journal, request_for=request_for)
    assert (rest.reused, rest.finished, rest.interrupted) == (2, 4, False)


def test_a_signal_while_an_answer_is_written_waits_until_it_is_counted(journal):
    class Pressing(Heard):
        def advance(self, presentation, completion):
            super().advance(presentation, completion)
            os.kill(os.getpid(), signal.SIGINT)
            self.calls.append("still here")

    heard = Pressing(journal)
    summary = execute(ScriptedJudge(), journal, request_for=request_for, progress=heard)
    assert summary.interrupted
    assert summary.finished == journal.counts().finished == 1
    assert heard.calls[-2:] == ["still here", ("finish",)]


def test_a_second_signal_while_the_judge_winds_up_does_not_lose_the_summary(journal):
    def stubborn(batch, requests):
        try:
            yield Answer(index=0, completion=answer_to(requests[0]))
        finally:
            raise KeyboardInterrupt

    summary = execute(ScriptedJudge(stubborn), journal, request_for=request_for, stop=lambda: journal.counts().finished)
    assert summary.interrupted
    assert summary.finished == 1


def test_stop_ends_the_work_after_an_answer(journal):
    judge = ScriptedJudge()
    summary = execute(judge, journal, request_for=request_for, stop=lambda: journal.counts().finished == 2)
    assert summary.interrupted
    assert summary.finished == 2
    assert judge.closed_iterators == 1


def test_stop_before_the_first_question_asks_nothing(journal):
    judge = ScriptedJudge()
    assert execute(judge, journal, request_for=request_for, stop=lambda: True).interrupted
    assert judge.batches == []


def test_in_another_thread_no_handler_is_installed(tmp_path):
    seen = []

    def script(number, requests):
        seen.append(signal.getsignal(signal.SIGTERM))
        for index, request in enumerate(requests):
            yield Answer(index=index, completion=answer_to(request))

    def work():
        with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
            journal.set_plan(presentations(1))
            seen.append(execute(ScriptedJudge(script), journal, request_for=request_for).finished)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.SIG_DFL, 2]


@pytest.mark.parametrize("options", [{"retries": -1}, {"batch_size": 0}])
def test_options_out_of_range(journal, options):
    with pytest.raises(ValueError, match="expected at least"):
        execute(ScriptedJudge(), journal, request_for=request_for, **options)


class Windable(ScriptedJudge):
    """Has two requests in flight at a time; told to wind down, it still answers those."""

    def __init__(self):
        super().__init__(self._flight)
        self.told = threading.Event()
        self.in_flight = 0
        self.before_answer = lambda number: None

    def _flight(self, batch, requests):  # noqa: ARG002 - the script's signature
        for begin in range(0, len(requests), 2):
            if self.told.is_set():
                return
            for index in range(begin, min(begin + 2, len(requests))):
                self.in_flight = min(begin + 2, len(requests)) - index - 1
                self.before_answer(index)
                yield Answer(index=index, completion=answer_to(requests[index]))

    def wind_down(self):
        self.told.set()


def test_the_helper_winds_down():
    assert isinstance(Windable(), WindsDown)
    assert not isinstance(ScriptedJudge(), WindsDown)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_the_answers_in_flight_come(journal, number):
    judge, heard = Windable(), Heard(journal)

    def press(index):
        if index == 0:
            os.kill(os.getpid(), number)
            assert judge.told.wait(5)

    judge.before_answer = press
    summary = execute(judge, journal, request_for=request_for, progress=heard)
    assert (summary.interrupted, summary.finished, summary.stopped) == (True, 2, None)
    assert ("winding down", 1) in heard.calls
    judge.told.clear()
    judge.before_answer = lambda index: None
    rest = execute(judge, journal, request_for=request_for)
    assert (rest.reused, rest.finished, rest.interrupted) == (2, 4, False)


def test_a_signal_before_the_judge_has_begun_is_not_lost(journal):
    judge, first = Windable(), threading.Event()

    def forgets():
        # As a judge does that has nothing to wind down yet.
        if first.is_set():
            judge.told.set()
        first.set()

    def press(index):
        if index == 0:
            os.kill(os.getpid(), signal.SIGINT)
            assert first.wait(5)

    judge.wind_down, judge.before_answer = forgets, press
    summary = execute(judge, journal, request_for=request_for)
    assert (summary.interrupted, summary.finished) == (True, 2)


def test_a_second_signal_abandons_them(journal):
    judge = Windable()

    def press_twice(index):
        if index == 0:
            os.kill(os.getpid(), signal.SIGINT)
            assert judge.told.wait(5)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)

    judge.before_answer = press_twice
    summary = execute(judge, journal, request_for=request_for)
    assert (summary.interrupted, summary.finished) == (True, 0)
    assert judge.closed_iterators == 1


def test_stop_winds_down_too(journal):
    summary = execute(Windable(), journal, request_for=request_for, stop=lambda: journal.counts().finished > 0)
    assert (summary.interrupted, summary.finished) == (True, 2)


def test_a_limit_ends_the_work_and_counts_what_earlier_calls_spent(journal):
    judge = ScriptedJudge()
    first = execute(judge, journal, request_for=request_for, limit=SpendLimit(max_tokens=24))
    assert (first.interrupted, first.finished) == (True, 2)
    assert "24 tokens" in first.stopped
    again = execute(judge, journal, request_for=request_for, limit=SpendLimit(max_tokens=24))
    assert (again.interrupted, again.asked) == (True, 0)
    rest = execute(judge, journal, request_for=request_for, limit=SpendLimit(max_tokens=1000))
    assert (rest.interrupted, rest.finished, rest.stopped) == (False, 4, None)


def test_a_limit_reached_by_the_last_answer_of_all_stops_nothing(journal):
    summary = execute(ScriptedJudge(), journal, request_for=request_for, limit=SpendLimit(max_tokens=66))
    assert (summary.finished, summary.interrupted, summary.stopped) == (6, False, None)


def test_a_limit_reached_by_the_last_answer_of_the_first_part_stops_the_second(journal):
    journal.set_plan(presentations(3)[:3])

    def extend():
        journal.set_plan(presentations(3))
        return True

    limit = SpendLimit(max_tokens=33)
    summary = execute(ScriptedJudge(), journal, request_for=request_for, limit=limit, extend=extend)
    assert (summary.finished, summary.interrupted) == (3, True)
    assert "33 tokens" in summary.stopped


def test_a_limit_allows_for_what_is_in_flight(journal):
    summary = execute(Windable(), journal, request_for=request_for, limit=SpendLimit(max_tokens=24))
    assert (summary.interrupted, summary.finished, summary.prompt_tokens) == (True, 2, 20)


@pytest.mark.parametrize("usage", [Usage(), Usage(prompt_tokens=1), Usage(completion_tokens=1)])
def test_answers_without_counts_end_a_run_with_a_limit(journal, usage):
    def silent(batch, requests):
        for index in range(len(requests)):
            yield Answer(index=index, completion=replace(answer_to(requests[index]), usage=usage))

    for finished in (1, 0):
        summary = execute(ScriptedJudge(silent), journal, request_for=request_for, limit=SpendLimit(max_tokens=24))
        assert (summary.interrupted, summary.finished) == (True, finished)
        assert "can't be kept" in summary.stopped


def test_a_plan_can_grow_from_its_own_answers(journal):
    short, long = presentations(3)[:3], presentations(3)
    journal.set_plan(short)
    judge, heard = ScriptedJudge(), Heard(journal)

    def extend():
        assert journal.counts().finished == 3
        journal.set_plan(long)
        return True

    summary = execute(judge, journal, request_for=request_for, progress=heard, extend=extend)
    assert judge.asked == contents(3)[:3] + contents(3)[3:]
    assert (summary.planned, summary.reused, summary.asked, summary.finished) == (6, 0, 6, 6)
    assert [call for call in heard.calls if call[0] == "start"] == [("start", 3, 0), ("start", 6, 3)]
    again = execute(judge, journal, request_for=request_for, extend=extend_not)
    assert (again.planned, again.reused, again.asked) == (6, 6, 0)


def extend_not():
    return False


def test_what_failed_in_the_first_part_is_not_asked_again_in_the_second(journal):
    journal.set_plan(presentations(3)[:3])

    def script(batch, requests):
        for index, request in enumerate(requests):
            failed = batch == 0 and index == 1
            yield Answer(index=index, completion=failure("too long", retryable=False) if failed else answer_to(request))

    def extend():
        journal.set_plan(presentations(3))
        return True

    judge = ScriptedJudge(script)
    summary = execute(judge, journal, request_for=request_for, extend=extend)
    assert len(judge.asked) == 6
    assert (summary.planned, summary.reused, summary.finished, summary.errors) == (6, 0, 5, 1)


def test_an_interrupted_first_part_is_not_extended(journal):
    journal.set_plan(presentations(3)[:3])
    summary = execute(
        ScriptedJudge(),
        journal,
        request_for=request_for,
        stop=lambda: journal.counts().finished == 2,
        extend=lambda: pytest.fail("extended"),
    )
    assert (summary.interrupted, summary.finished) == (True, 2)
