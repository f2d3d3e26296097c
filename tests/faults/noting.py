"""The command ``evenhand`` in a process that notes what its judge is asked and what was written down, each in time.

``python noting.py NOTES SECONDS COMMAND…``: a line ``asked TEXT-HASH`` goes to NOTES before the simulated judge works
on a presentation (for SECONDS more than it would), ``given`` after it, and ``recorded KEY`` as soon as the journal has
said that an answer is safe. Notes are appended by the operating system, so a kill can't take them back.
"""

from __future__ import annotations

import os
import select
import signal
import sys


def main() -> None:
    notes_path, seconds, *arguments = sys.argv[1:]
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup would have us ignore it
    notes = os.open(notes_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(text: str) -> None:
        os.write(notes, f"{text}\n".encode())

    from evenhand.judges.simulated import SimulatedJudge
    from evenhand.records import content_hash
    from evenhand.store import Journal

    answer, record = SimulatedJudge.answer, Journal.record

    def noting_answer(judge, requests):
        for index, request in enumerate(requests):
            name = content_hash(request.messages[-1].content)
            note(f"asked {name}")
            select.select([], [], [], float(seconds))  # not time.sleep: libfaketime breaks it
            [given] = answer(judge, [request])
            note(f"given {name}")
            yield type(given)(index=index, completion=given.completion)

    def noting_record(journal, key, completion):
        record(journal, key, completion)
        note(f"recorded {key}")

    SimulatedJudge.answer, Journal.record = noting_answer, noting_record
    sys.argv = ["evenhand", *arguments]
    from evenhand.cli.main import run

    run()


if __name__ == "__main__":
    main()
