"""Its own cluster runs in a process of its own: what it prints and leaves behind is what is tested."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.errors import ConfigError, JudgeError
from evenhand.runner.ray_cluster import RayCluster, import_ray

TESTS = Path(__file__).parents[1]
SCRIPT = """
import os, signal, sys, warnings
from evenhand.judges.base import JudgeRequest
from evenhand.records import LabelSet, Message
from evenhand.runner.ray_cluster import RayCluster
from evenhand.runner.ray_judge import RayJudge
from runner.ray_judges import Temperamental

key, terminate = os.environ["SOME_API_KEY"], signal.getsignal(signal.SIGTERM)
request = JudgeRequest(messages=(Message(role="user", content="die"),), labels=LabelSet.parse("A/B"))
outer = RayCluster(address=None)
assert "RAY_USAGE_STATS_ENABLED" not in os.environ
assert signal.getsignal(signal.SIGTERM) == terminate
assert outer.started_by_us
inner = RayCluster(address=None)  # connected already: used, and left as it is
assert not inner.started_by_us
inner.close()
inner.check_room(1000, {"CPU": 1000})  # not ours to know
for needs in ({"CPU": 10_000}, {"CPU": 0.1, "GPU": 1}, {"lamp": 1}):
    try:
        outer.check_room(1, needs)
    except Exception as error:
        assert "1 workers need" in str(error), error
    else:
        raise AssertionError(needs)
outer.check_room(1, {"CPU": 1, "GPU": 0})
with RayJudge(factory=Temperamental, workers=1, num_cpus=0.5) as judge:
    assert "died 2 times" in next(judge.answer([request])).completion.error
logs = outer.logs
files = [path for path in logs.parent.parent.rglob("*") if path.is_file()]
assert len(files) > 10
holding = [path for path in files if key.encode() in path.read_bytes()]
assert not holding, holding
assert key not in str(outer.ray._private.state.jobs())
assert outer.ray.get(outer.ray.remote(os.getenv).remote("SOME_API_KEY")) == key
outer.close()
outer.close()
assert not logs.exists()
"""


def test_it_starts_quietly_and_leaves_nothing_behind():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": str(TESTS), "SOME_API_KEY": "key-of-an-api"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert [done.stdout.decode(), done.stderr.decode(), done.returncode] == ["", "", 0]


def test_without_ray_the_command_to_install_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r'pip install "evenhand\[ray\]"'):
        import_ray()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "auto"])
def test_a_cluster_that_cannot_be_reached(address, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(JudgeError, match=f"the Ray cluster at {address}"):
        RayCluster(address=address)
