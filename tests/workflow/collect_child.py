"""The process that test_collect_kill.py kills: it collects, and notes what it asks and what was recorded."""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from evenhand.probes import activation_files
from evenhand.runner import SilentProgress
from evenhand.workflow.collect import collect
from workflow.capturing_judge import CapturingDouble, flipping, pairs


def main(directory, notes_path, count):
    notes = os.open(notes_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(text):
        os.write(notes, f"{text}\n".encode())

    class Noting(SilentProgress):
        def advance(self, presentation, completion):  # noqa: ARG002 - the key is enough
            note(f"recorded {presentation.key}")

    def slowly(number, ab):
        note(f"asked {number} {ab}")
        time.sleep(0.002)
        return flipping(3)(number, ab)

    print("begun", flush=True)
    collect(CapturingDouble(slowly), pairs(count), out=directory, progress=Noting())


if __name__ == "__main__":
    activation_files._PACK = 7  # so that kills fall into packing too; not at import: pytest imports every module here
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
