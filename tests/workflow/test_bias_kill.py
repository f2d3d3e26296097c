"""SIGKILL during an audit of changed pairs: nothing lost, nothing asked twice, and the same findings."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import evenhand
from evenhand.workflow import AuditSettings, open_run
from workflow.bias_child import BIASES, JUDGE, PAIRS

CHILD = Path(__file__).with_name("bias_child.py")
KILLS = 3


def test_killed_at_random_moments_it_goes_on_with_control_and_changes(tmp_path):
    directory, notes = tmp_path / "run", tmp_path / "notes"
    notes.touch()
    chance = random.Random(20261130)  # noqa: S311 - moments, not secrets
    command = [sys.executable, str(CHILD), str(directory), str(notes)]
    kills = 0
    while True:
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout.readline() == b"begun\n"
            if kills < KILLS:
                time.sleep(chance.uniform(0.3, 0.8))
                child.kill()
                kills += child.wait() == -signal.SIGKILL
            code = child.wait()
        assert code in (0, -signal.SIGKILL)
        if code == 0:
            break
    run = open_run(directory)
    whole = evenhand.audit(
        JUDGE, "starter", limit=PAIRS, out=tmp_path / "whole", settings=AuditSettings(biases=BIASES, resamples=100)
    )
    assert run.complete
    assert run.counts == whole.counts
    assert run.left_out == whole.left_out
    assert run.biases is not None
    assert whole.biases is not None
    assert [f.measures for f in run.biases.findings] == [f.measures for f in whole.biases.findings]
    # Each was asked once, but for the one that was in the judge's hands at each kill.
    assert run.counts.planned <= len(notes.read_text().splitlines()) <= run.counts.planned + kills
