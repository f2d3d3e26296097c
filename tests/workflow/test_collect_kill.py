"""SIGKILL while activations are collected: no answer without its activation, none asked twice, all of it readable."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from evenhand.errors import StoreError
from evenhand.probes.activation_files import ActivationStore
from evenhand.store import Journal
from evenhand.workflow.probe_data import load_probe_data

CHILD = Path(__file__).with_name("collect_child.py")
PAIRS = 40
KILLS = 6


def answered(directory):
    try:
        with Journal.open(directory, read_only=True) as journal:
            return journal.answered_keys()
    except StoreError as error:
        if any(text in str(error) for text in ("not a run directory", "before it began")):
            return frozenset()
        raise


def wait_for(notes, *, more, child):
    """Until so many more lines were noted, or the process has ended."""
    lines = len(notes.read_text().splitlines()) + more
    while child.poll() is None and len(notes.read_text().splitlines()) < lines:
        time.sleep(0.002)


def test_killed_at_random_moments_every_answer_has_its_activation(tmp_path):
    directory, notes = tmp_path / "run", tmp_path / "notes"
    notes.touch()
    chance = random.Random(20260302)  # noqa: S311 - moments, not secrets
    command = [sys.executable, str(CHILD), str(directory), str(notes), str(PAIRS)]
    kills = 0
    grown = set()
    while True:
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout.readline() == b"begun\n"
            if kills < KILLS:
                wait_for(notes, more=chance.randint(1, 12), child=child)
                time.sleep(chance.uniform(0, 0.02))
                child.kill()
                kills += child.wait() == -signal.SIGKILL
            assert child.wait() in (0, -signal.SIGKILL)
        held = answered(directory)
        grown.add(len(held))
        lines = notes.read_text().splitlines()
        assert {line.removeprefix("recorded ") for line in lines if line.startswith("recorded")} <= held
        if held:
            store = ActivationStore(directory)
            assert held <= store.keys()
            assert len(list(store.records(sorted(held)))) == len(held)
        if len(held) == 2 * PAIRS:
            break
    assert len(grown) >= 4  # the kills did fall into the work
    asked = [line for line in lines if line.startswith("asked")]
    # Each was asked once, but for the one that was in the judge's hands at each kill.
    assert len(set(asked)) == 2 * PAIRS
    assert len(asked) <= 2 * PAIRS + kills
    data = load_probe_data(directory)
    assert len(data) == PAIRS
    assert data.flips.sum() == len(range(0, PAIRS, 3))
