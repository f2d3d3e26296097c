"""The process that test_selective_kill.py kills: a selective audit, which notes what it asks."""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import evenhand
from workflow.capturing_judge import CapturingDouble, pairs
from workflow.selective_examples import settings, telling


def main(directory, probe, notes_path, count):
    notes = os.open(notes_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def slowly(number, ab):
        os.write(notes, f"{number} {'AB' if ab else 'BA'}\n".encode())
        time.sleep(0.002)
        return telling(number, ab)

    print("begun", flush=True)
    evenhand.audit(CapturingDouble(slowly), pairs(count), out=directory, settings=settings(probe))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
