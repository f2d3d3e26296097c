"""What no real cluster does on demand: workers of another version, that hang, that die while they load.

The cluster here is a double of the few calls that a crew makes of Ray; test_ray_judge.py has the real one.
"""

from types import SimpleNamespace

import pytest

from evenhand.errors import ConfigError, JudgeError
from evenhand.records import JudgeIdentity
from evenhand.runner.ray_crew import Crew
from evenhand.runner.ray_worker import Failure, Loaded

ME = JudgeIdentity(spec="simulated:fair", model="simulated")


class RayError(Exception):
    pass


class RayTaskError(RayError):
    pass


DEATH = RayError(
    "The actor died unexpectedly before finishing this task.\n\tpid: 1\nThe actor is dead because its worker process "
    "has died. Worker exit detail: End of file. Some common causes include: (1) …"
)


class Call:
    """A method of an actor; each call gives the next of the answers."""

    def __init__(self, answers):
        self._answers = answers

    def options(self, **_):
        return self

    def remote(self, *_):
        return SimpleNamespace(value=next(self._answers))


class Ray:
    """Loads answer in turn as told; ``None`` never comes."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self, loads, labels=()):
        self._loads = iter(loads)
        self._labels = iter(labels)
        self.killed = 0

    def remote(self, **_):
        actor = SimpleNamespace(
            load=Call(self._loads),
            close=Call(iter(["closed"])),
            stop=Call(iter([None])),
            label_tokens=Call(self._labels),
        )
        return lambda kind: SimpleNamespace(remote=lambda: actor)

    def wait(self, things, *, num_returns, timeout):  # noqa: ARG002 - Ray's signature
        ready = [thing for thing in things if thing.value is not None][:num_returns]
        return ready, [thing for thing in things if thing not in ready]

    def get(self, thing):
        if isinstance(thing.value, Exception):
            raise thing.value
        return thing.value

    def kill(self, _):
        self.killed += 1


def loaded(identity=ME, version=None):
    from importlib.metadata import version as installed

    return Loaded(identity=identity, version=version or installed("evenhand"), pid=7, at_once=True)


def crew(ray, *, workers=1, max_restarts=2, start_timeout=60.0):
    return Crew(
        SimpleNamespace(ray=ray, logs=None),
        load=("simulated:fair", {}, None),
        needs={"num_cpus": 1},
        workers=workers,
        max_restarts=max_restarts,
        start_timeout=start_timeout,
    )


def test_all_load_and_say_who_they_are():
    made = crew(Ray([loaded(), loaded()]), workers=2)
    assert made.start() == ME
    assert [worker.pid for worker in made.members] == [7, 7]
    assert made.idle() == made.members
    assert made.busy() == []
    assert made.wait(0) == []
    assert made.at_once


def test_one_that_dies_while_loading_is_replaced():
    ray = Ray([DEATH, DEATH, loaded()])
    made = crew(ray)
    assert made.start() == ME
    assert (made.deaths, ray.killed) == (2, 2)


def test_one_that_dies_each_time_is_not():
    with pytest.raises(JudgeError, match=r"3 workers died, more than the 2.*End of file\.$") as caught:
        crew(Ray([DEATH] * 9)).start()
    assert "\t" not in str(caught.value)


@pytest.mark.parametrize(
    ("load", "kind", "text"),
    [
        (Failure(error=ConfigError("no such model")), ConfigError, "no such model"),
        (loaded(version="0.0.0"), ConfigError, "a worker has evenhand 0.0.0"),
        (RayTaskError("Traceback …\n  …\nModuleNotFoundError: No module named 'mine'"), ConfigError, "No module named"),
    ],
)
def test_what_ends_the_start(load, kind, text):
    with pytest.raises(kind, match=text):
        crew(Ray([load])).start()


def test_different_judges():
    other = JudgeIdentity(spec="simulated:fair", model="another")
    with pytest.raises(JudgeError, match="different judges"):
        crew(Ray([loaded(), loaded(other)]), workers=2).start()


def test_one_that_never_loads():
    with pytest.raises(JudgeError, match=r"[12] of 2 workers have not loaded"):
        crew(Ray([loaded(), None]), workers=2, start_timeout=0.01).start()


def test_another_worker_is_asked_where_one_is_dead():
    made = crew(Ray([loaded(), loaded()], labels=[DEATH, ("A",)]), workers=2)
    made.start()
    assert made.ask_one("label_tokens", None) == ("A",)


def test_what_every_worker_fails_at():
    made = crew(Ray([loaded()], labels=[DEATH]))
    made.start()
    with pytest.raises(JudgeError, match="no worker answered label_tokens") as caught:
        made.ask_one("label_tokens", None)
    assert caught.value.retryable


def test_closing_ends_every_worker():
    ray = Ray([loaded(), loaded()])
    made = crew(ray, workers=2)
    made.start()
    made.close()
    made.close()
    assert (ray.killed, made.members) == (2, [])
