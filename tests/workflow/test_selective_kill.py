"""SIGKILL during a selective audit: one design, on the disk before any of its pairs is asked, and nothing lost."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl

import evenhand
from evenhand.workflow import open_run
from workflow.capturing_judge import CapturingDouble, pairs
from workflow.selective_examples import make_probe, settings, telling

CHILD = Path(__file__).with_name("selective_child.py")
PAIRS = 40
KILLS = 5


def test_killed_at_random_moments_it_asks_the_pairs_of_its_one_design(tmp_path):
    probe = make_probe(tmp_path / "made.json")
    directory, notes = tmp_path / "run", tmp_path / "notes"
    notes.touch()
    chance = random.Random(20261130)  # noqa: S311 - moments, not secrets
    command = [sys.executable, str(CHILD), str(directory), str(probe), str(notes), str(PAIRS)]
    design = directory / "swap.parquet"
    seen, kills = [], 0
    while True:
        asked_before = notes.read_text().count("BA")
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout.readline() == b"begun\n"
            if kills < KILLS:
                time.sleep(chance.uniform(0.1, 0.5))
                child.kill()
                kills += child.wait() == -signal.SIGKILL
            code = child.wait()
        assert code in (0, -signal.SIGKILL)
        if notes.read_text().count("BA") > asked_before:
            assert design.exists()
        if design.exists():
            seen.append(design.read_bytes())
        if code == 0:
            break
    assert len(set(seen)) == 1
    run = open_run(directory)
    assert run.complete
    whole = evenhand.audit(CapturingDouble(telling), pairs(PAIRS), out=tmp_path / "whole", settings=settings(probe))
    assert run.swap == whole.swap
    assert pl.read_parquet(design)["drawn"].sum() + PAIRS == run.counts.planned == whole.counts.planned
    lines = notes.read_text().splitlines()
    # Each was asked once, but for the one that was in the judge's hands at each kill.
    assert len(set(lines)) == run.counts.planned
    assert len(lines) <= run.counts.planned + kills
    assert [m.estimate for m in run.findings[-1].measures] == [m.estimate for m in whole.findings[-1].measures]
