"""The process that test_bias_kill.py kills: an audit with bias audits, which notes what it asks."""

import hashlib
import os
import sys
import time

import evenhand
from evenhand.workflow import AuditSettings

JUDGE = "simulated:position=0.5,sycophancy=1.0"
BIASES = ("sycophancy", "tone")
PAIRS = 6


class Noting:
    """A slow judge that writes a line for each question before it answers."""

    def __init__(self, judge, notes):
        self._judge, self._notes = judge, notes

    def __getattr__(self, name):
        return getattr(self._judge, name)

    def answer(self, requests):
        for index, request in enumerate(requests):
            text = "\n".join(message.content for message in request.messages)
            os.write(self._notes, f"{hashlib.sha256(text.encode()).hexdigest()}\n".encode())
            time.sleep(0.004)
            for answer in self._judge.answer([request]):
                yield type(answer)(index=index, completion=answer.completion)


def main(directory, notes_path):
    notes = os.open(notes_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with evenhand.load_judge(JUDGE) as judge:
        print("begun", flush=True)
        settings = AuditSettings(biases=BIASES, resamples=100)
        evenhand.audit(Noting(judge, notes), "starter", limit=PAIRS, out=directory, settings=settings)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
