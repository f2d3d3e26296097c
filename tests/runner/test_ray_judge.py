"""On a real Ray cluster on this machine: one for all tests here, with room for two workers at a time."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from evenhand.errors import ConfigError, JudgeError
from evenhand.judges import Judge, JudgeRequest, WindsDown, load_judge
from evenhand.judges.simulated import SimulatedJudge
from evenhand.readouts.watcher import DecisionWatcher
from evenhand.records import FinishReason, LabelSet, Message
from evenhand.runner import execute
from evenhand.runner.ray_cluster import RayCluster
from evenhand.runner.ray_judge import RayJudge
from evenhand.store import Journal
from runner.ray_judges import Concurrent, Refuses, Temperamental, Various
from store.examples import presentations

TESTS = Path(__file__).parents[1]
CHILD = Path(__file__).with_name("ray_child.py")
LABELS = LabelSet.parse("A/B")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(TESTS))  # workers inherit it: the judges above are not installed
        made = RayCluster(address=None)
    yield made
    made.close()


def ask(text, **settings):
    return JudgeRequest(
        messages=(Message(role="user", content=text),), labels=LABELS, watcher=DecisionWatcher.of(LABELS), **settings
    )


def ray_judge(made=Temperamental, *, workers=1, **settings):
    return RayJudge(factory=made, workers=workers, num_cpus=0.5, **settings)


def in_order(answers, count):
    given = sorted(answers, key=lambda answer: answer.index)
    assert [answer.index for answer in given] == list(range(count))
    return [answer.completion for answer in given]


def test_two_workers_answer_as_the_plain_judge_does():
    spec = "simulated:noise=1,compliance=0.6,lead_change=0.2"
    requests = [ask(f"q{i}", budgets=(4, 8)) for i in range(60)]
    plain = load_judge(spec)
    with RayJudge(spec=spec, workers=2, num_cpus=0.5) as judge:
        assert isinstance(judge, Judge)
        assert isinstance(judge, WindsDown)
        assert judge.identity == plain.identity
        assert judge.label_tokens(LABELS) == plain.label_tokens(LABELS)
        assert in_order(judge.answer(requests), 60) == in_order(plain.answer(requests), 60)
        assert in_order(judge.answer(requests[:3]), 3) == in_order(plain.answer(requests[:3]), 3)
        assert list(judge.answer([])) == []
        cost, one = judge.estimate(requests), plain.estimate(requests)
        assert (cost.prompt_tokens, cost.completion_tokens_high) == (one.prompt_tokens, one.completion_tokens_high)
        assert "2 workers" in cost.basis
        with pytest.raises(ConfigError, match="single token"):
            judge.label_tokens(LabelSet.parse("incomprehensibilities unlimited/B"))
        with pytest.raises(ConfigError, match="temperature"):
            list(judge.answer([ask("q", temperature=1.0)]))
        assert judge.in_flight == 0
        assert len(list(judge.answer(requests))) == 60
    with pytest.raises(ConfigError, match="closed"):
        judge.label_tokens(LABELS)
    judge.close()


def test_both_workers_work_and_a_killed_one_is_replaced_with_every_request_answered_once(tmp_path):
    log = tmp_path / "log"
    requests = [ask(f"q{i}") for i in range(60)]
    with ray_judge(partial(Temperamental, pause=0.02, log=str(log)), workers=2) as judge:
        before = judge.worker_pids()
        given = []
        for answer in judge.answer(requests):
            given.append(answer)
            if len(given) == 10:
                os.kill(before[0], signal.SIGKILL)
        after = judge.worker_pids()
    assert in_order(given, 60) == in_order(Temperamental().answer(requests), 60)
    asked = [line.split() for line in log.read_text().splitlines()]
    by_worker = {pid: sum(int(who) == pid for who, _ in asked) for pid in {*before, *after}}
    assert len(by_worker) == 3
    assert all(by_worker.values())
    # What was answered and on its way is not asked again; only what the dead worker was at is.
    assert len(asked) <= len(requests) + 2


def test_a_request_that_kills_is_an_error_and_costs_no_other_its_answer():
    requests = [ask("die" if i == 13 else f"q{i}") for i in range(30)]
    with ray_judge(workers=2, chunk=6) as judge:
        given = in_order(judge.answer(requests), 30)
        assert given[13].finish_reason is FinishReason.ERROR
        assert given[13].retryable
        assert "died 2 times with this request alone" in given[13].error
        assert all(c.error is None for i, c in enumerate(given) if i != 13)
        # Asked again it is known: one death more, not three.
        [again] = in_order(judge.answer([requests[13]]), 1)
        assert "died 3 times" in again.error


def test_a_request_that_killed_once_is_answered(tmp_path):
    with ray_judge() as judge:
        [given] = in_order(judge.answer([ask(f"die once {tmp_path / 'mark'}")]), 1)
    assert given.error is None


def test_one_death_too_many_ends_it_after_what_was_answered(tmp_path):
    # What a worker has answered but not yet sent dies with it, so it dies only once both answers are here.
    here = tmp_path / "here"
    with ray_judge(max_restarts=0) as judge:
        answers = judge.answer([ask("q0"), ask("q1"), ask(f"die after {here}"), ask("q3")])
        assert [next(answers).index, next(answers).index] == [0, 1]
        here.touch()
        with pytest.raises(JudgeError, match=r"1 worker died.*max_restarts"):
            next(answers)


def test_a_failing_judge_is_a_judge_error():
    with ray_judge() as judge:
        answers = judge.answer([ask("q0"), ask("fail"), ask("q2")])
        assert next(answers).index == 0
        with pytest.raises(JudgeError, match="the engine broke") as caught:
            list(answers)
        assert caught.value.retryable
        with pytest.raises(JudgeError, match="ZeroDivisionError"):
            list(judge.answer([ask("raise")]))
        assert len(list(judge.answer([ask("q0")]))) == 1


def test_what_cannot_be_loaded_is_said_once():
    for made, text in (
        (partial(RayJudge, spec="simulated:nonsense", workers=2, num_cpus=0.5), "NAME=VALUE"),
        (partial(RayJudge, spec="simulated:fair", options={"no": 1}, workers=1), "takes no options"),
        (partial(ray_judge, Refuses, workers=2), "no such model"),
    ):
        with pytest.raises(ConfigError, match=text):
            made()


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"spec": "nobody:x"}, "unknown judge"),
        ({}, "spec or a factory"),
        ({"spec": "simulated:fair", "factory": Temperamental}, "not both"),
        ({"spec": "simulated:fair", "workers": 0}, "workers 0"),
        ({"spec": "simulated:fair", "chunk": 0}, "chunk 0"),
        ({"spec": "simulated:fair", "max_restarts": -1}, "max_restarts -1"),
        ({"spec": "simulated:fair", "address": "ray://x:10001"}, "address auto"),
        ({"spec": "simulated:fair", "options": {"f": threading.Lock()}}, "can't be sent"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, text):
    with pytest.raises(ConfigError, match=text):
        RayJudge(**{"workers": 1} | settings)


def test_workers_must_be_the_same_judge():
    with pytest.raises(JudgeError, match="different judges"):
        ray_judge(Various, workers=2)


def test_workers_that_find_no_room_are_not_waited_for_for_ever():
    with pytest.raises(JudgeError, match="1 of 1 workers have not loaded"):
        RayJudge(factory=Temperamental, workers=1, num_cpus=10_000, start_timeout=0.5)


def test_closing_the_iterator_stops_and_the_judge_goes_on(tmp_path):
    log = tmp_path / "log"
    with ray_judge(partial(Temperamental, pause=0.02, log=str(log))) as judge:
        answers = judge.answer([ask(f"q{i}") for i in range(50)])
        next(answers)
        answers.close()
        assert judge.in_flight == 0
        assert len(in_order(judge.answer([ask("again")]), 1)) == 1
    assert len(log.read_text().splitlines()) < 30


@pytest.mark.parametrize(("made", "most"), [(Temperamental, 6), (Concurrent, 12)])
def test_winding_down_lets_what_is_in_flight_come(made, most):
    requests = [ask(f"q{i}") for i in range(40)]
    with ray_judge(partial(made, pause=0.05)) as judge:
        answers = judge.answer(requests)
        given = [next(answers)]
        assert judge.in_flight == 1 if made is Temperamental else 1 < judge.in_flight < 40
        threading.Thread(target=judge.wind_down).start()
        given += answers
        assert len({answer.index for answer in given}) == len(given)
        assert len(given) <= most
        assert len(list(judge.answer(requests[:4]))) == 4


@pytest.mark.engine
def test_the_embedded_model_answers_alike_on_two_workers():
    options = {"n_ctx": 512, "threads": 1}
    requests = [ask(f"A: {i}. B: 4. What is 2+2, A or B?", budgets=(4,)) for i in range(4)]
    with load_judge("llamacpp:smollm2-135m", **options) as plain:
        expected, identity = in_order(plain.answer(requests), 4), plain.identity
    with RayJudge(spec="llamacpp:smollm2-135m", options=options, workers=2, num_cpus=0.5, chunk=2) as judge:
        assert judge.identity == identity
        given = in_order(judge.answer(requests), 4)
    assert [(c.text, c.first_token) for c in given] == [(c.text, c.first_token) for c in expected]


def gone(pids):
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False


def run_child(tmp_path, sign, *, wait_for):
    """A run with a Ray cluster of its own, in a process group of its own; signalled once it has recorded some."""
    command = [sys.executable, str(CHILD), str(tmp_path / "run"), str(tmp_path / "log")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with (
        tempfile.TemporaryDirectory(prefix="eh-", ignore_cleanup_errors=True) as short,
        subprocess.Popen(command, **pipes, env={**os.environ, "TMPDIR": short}, start_new_session=True) as child,
    ):
        pids = [int(pid) for pid in child.stdout.readline().split()]
        for _ in range(wait_for):
            assert child.stdout.readline() == b"recorded\n"
        os.killpg(child.pid, sign)
        out, err = child.communicate(timeout=60)
        assert gone(pids)
    return child.returncode, out.decode(), err.decode()


def test_ctrl_c_in_the_terminal_ends_cleanly(tmp_path):
    """The terminal sends it to every process of the group, Ray's among them."""
    code, out, err = run_child(tmp_path, signal.SIGINT, wait_for=8)
    assert (code, err) == (0, "")
    last = out.splitlines()[-1]
    assert last.startswith("interrupted True")
    recorded = 8 + out.count("recorded\n")
    with Journal.open(tmp_path / "run", read_only=True) as journal:
        assert recorded == len(journal.finished_keys()) < 200


def test_a_run_killed_as_a_whole_goes_on_where_it_ended(tmp_path):
    code, *_ = run_child(tmp_path, signal.SIGKILL, wait_for=12)
    assert code == -signal.SIGKILL
    log = tmp_path / "log"
    first = log.read_text().splitlines()
    with Journal.open(tmp_path / "run") as journal:
        recorded = journal.finished_keys()
        assert 12 <= len(recorded) < 200
        with ray_judge(partial(Temperamental, log=str(log)), workers=2) as judge:
            done = execute(judge, journal, request_for=lambda p: ask(p.messages[0].content))
        assert (done.reused, done.finished, done.errors) == (len(recorded), 200 - len(recorded), 0)
        assert all(len(journal.attempts(p.key)) == 1 for p in presentations(100))
    second = [line.partition(" ")[2] for line in log.read_text().splitlines()[len(first) :]]
    asked_again = {p.key for p in presentations(100) if p.messages[0].content in second}
    assert len(second) == len(set(second)) == done.finished
    assert not asked_again & recorded


def test_the_judge_it_was_begun_without():
    """A run begun without Ray goes on with it: keys are made from the identity, which is the plain judge's."""
    with RayJudge(spec="simulated:fair", workers=1, num_cpus=0.5) as judge:
        assert judge.identity == SimulatedJudge().identity
