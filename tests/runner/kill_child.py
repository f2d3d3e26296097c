"""The process that test_kill.py kills: it notes what it asks and what was recorded, each before going on."""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from evenhand.judges.base import Answer
from evenhand.runner import SilentProgress, execute
from evenhand.store import Journal
from runner.scripted_judge import ScriptedJudge, answer_to, request_for
from store.examples import manifest, pairs, presentations


def main(directory, notes_path, count):
    notes = os.open(notes_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(text):
        os.write(notes, f"{text}\n".encode())

    class Noting(SilentProgress):
        def advance(self, presentation, completion):  # noqa: ARG002 - the key is enough
            note(f"recorded {presentation.messages[0].content}")

    def slowly(number, requests):
        for index, request in enumerate(requests):
            note(f"asked {request.messages[0].content}")
            time.sleep(0.002)
            yield Answer(index=index, completion=answer_to(request))

    print("begun", flush=True)
    with Journal.create(Path(directory), manifest(), pairs(count)) as journal:
        journal.set_plan(presentations(count))
        print("planned", flush=True)
        execute(ScriptedJudge(slowly), journal, request_for=request_for, progress=Noting(), batch_size=32)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
