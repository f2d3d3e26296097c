"""SIGKILL at random moments: nothing recorded is lost, nothing recorded is asked again."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from evenhand.errors import StoreError
from evenhand.store import Journal
from store.examples import presentations

CHILD = Path(__file__).with_name("kill_child.py")
PAIRS = 150
KILLS = 25


def finished(directory):
    """Keys that the journal holds as finished, as far as there is a journal yet."""
    try:
        with Journal.open(directory, read_only=True) as journal:
            return journal.finished_keys()
    except StoreError as error:
        if any(text in str(error) for text in ("not a run directory", "before it began")):
            return frozenset()
        raise


def test_killed_at_random_moments_it_asks_nothing_finished_and_loses_nothing(tmp_path):
    directory, notes = tmp_path / "run", tmp_path / "notes"
    notes.touch()
    chance = random.Random(20260101)  # noqa: S311 - moments, not secrets
    command = [sys.executable, str(CHILD), str(directory), str(notes), str(PAIRS)]
    key_of = {presentation.messages[0].content: presentation.key for presentation in presentations(PAIRS)}
    held = frozenset()
    kills = asked_after_restart = 0
    while True:
        already = len(notes.read_text().splitlines())
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout.readline() == b"begun\n"
            if kills < KILLS:
                if chance.random() < 0.75:  # else while it still opens the journal and sets the plan
                    assert child.stdout.readline() == b"planned\n"
                time.sleep(chance.uniform(0, 0.06))
                child.kill()
                kills += child.wait() == -signal.SIGKILL
            assert child.wait() in (0, -signal.SIGKILL)
        lines = notes.read_text().splitlines()
        asked = {key_of[line.removeprefix("asked ")] for line in lines[already:] if line.startswith("asked ")}
        assert not asked & held, "a finished presentation was asked again"
        asked_after_restart += bool(asked) and bool(held)
        now = finished(directory)
        assert held <= now, "a finished presentation was lost"
        noted = {key_of[line.removeprefix("recorded ")] for line in lines if line.startswith("recorded ")}
        assert noted <= now, "an answer was counted before it was durable"
        held = now
        if len(held) == 2 * PAIRS and kills >= KILLS:
            break
    assert asked_after_restart >= KILLS // 2  # the kills did fall into the work
    with Journal.open(directory) as journal:
        assert all(len(journal.attempts(key)) == 1 for key in key_of.values())
    # Each presentation was asked once, but for the one that was in the judge's hands at each kill.
    assert sum(line.startswith("asked ") for line in notes.read_text().splitlines()) <= 2 * PAIRS + kills
