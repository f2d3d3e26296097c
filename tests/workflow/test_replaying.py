import json

import pytest

from evenhand.errors import ConfigError
from evenhand.records import JudgeIdentity, Readout
from evenhand.runner import SilentProgress
from evenhand.workflow.collect import collect
from evenhand.workflow.collect_settings import CollectSettings
from evenhand.workflow.replaying import verify_replay
from workflow.capturing_judge import CapturingDouble, pairs, three_lines


@pytest.fixture
def double(tmp_path):
    made = CapturingDouble(lambda number, ab: "no A" if number == 3 else three_lines("A"))
    collect(made, pairs(5), out=tmp_path, settings=CollectSettings(repeat=1))
    return made


def test_every_presentation_with_a_verdict_is_replayed_and_agrees(double, tmp_path):
    check = verify_replay(double, tmp_path)
    assert check.passed
    assert (check.replayed, check.of, check.wrong_verdicts, check.wrong_vectors, check.largest) == (9, 9, 0, 0, 0.0)
    assert check.first is None
    written = json.loads((tmp_path / "activations" / "replay.json").read_text())
    assert written["replayed"] == 9
    assert written["first"] is None


def test_another_next_token_fails_and_is_named(double, tmp_path):
    double.wrong_replays = {4, 6}
    check = verify_replay(double, tmp_path)
    assert not check.passed
    assert check.wrong_verdicts == 2
    assert check.wrong_vectors == 0
    assert check.first.startswith("pair 'p1', order BA: token ")
    assert json.loads((tmp_path / "activations" / "replay.json").read_text())["wrong_verdicts"] == 2


def test_vectors_beyond_the_tolerance_fail(double, tmp_path):
    double.noise = 1e-6
    close = verify_replay(double, tmp_path)
    assert close.passed
    assert 0 < close.largest < 1e-5
    double.noise = 0.1
    far = verify_replay(double, tmp_path)
    assert not far.passed
    assert far.wrong_vectors == 9
    assert far.largest > far.tolerance == 1e-3
    assert "of its length away" in far.first


def test_half_precision_is_allowed_more(tmp_path):
    class Half(CapturingDouble):
        @property
        def identity(self):
            return JudgeIdentity(spec="double:x", model="x", settings=(("dtype", "bfloat16"),))

    half = Half()
    collect(half, pairs(2), out=tmp_path)
    half.noise = 0.01
    check = verify_replay(half, tmp_path)
    assert check.tolerance == 0.1
    assert check.passed
    half.noise = 2.0
    assert not verify_replay(half, tmp_path).passed


def test_a_limit_takes_the_same_few_each_time(double, tmp_path):
    chosen = []
    for seed in (0, 0, 1):
        double.replayed.clear()
        assert verify_replay(double, tmp_path, limit=3, seed=seed).replayed == 3
        chosen.append(list(double.replayed))
    assert chosen[0] == chosen[1] != chosen[2]
    assert verify_replay(double, tmp_path, limit=99).replayed == 9
    with pytest.raises(ConfigError, match="replay limit is 0"):
        verify_replay(double, tmp_path, limit=0)


def test_a_first_token_is_held_against_the_recorded_argmax(tmp_path):
    double = CapturingDouble()
    collect(double, pairs(2), out=tmp_path, settings=CollectSettings(readout=Readout.FIRST_TOKEN))
    assert verify_replay(double, tmp_path).passed
    double.replayed.clear()
    double.wrong_replays = {1}
    assert verify_replay(double, tmp_path).wrong_verdicts == 1


def test_progress_is_told_of_each(double, tmp_path):
    told = []

    class Noting(SilentProgress):
        def start(self, total, done):
            told.append((total, done))

        def advance(self, presentation, completion):  # noqa: ARG002 - the interface is given
            told.append(presentation.key)

        def finish(self):
            told.append("end")

    verify_replay(double, tmp_path, progress=Noting())
    assert told[0] == (9, 0)
    assert told[-1] == "end"
    assert len(told) == 11


def test_another_judge_is_refused(double, tmp_path):
    class Other(CapturingDouble):
        @property
        def identity(self):
            return JudgeIdentity(spec="double:y", model="y")

    with pytest.raises(ConfigError, match="was judged by double:x, not by double:y"):
        verify_replay(Other(), tmp_path)
