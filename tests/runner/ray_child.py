"""The process that test_ray_judge.py interrupts and kills: a run on a Ray cluster of its own."""

import os
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from evenhand.judges.base import JudgeRequest
from evenhand.records import LabelSet
from evenhand.runner import SilentProgress, execute
from evenhand.runner.ray_judge import RayJudge
from evenhand.store import Journal
from runner.ray_judges import Temperamental
from store.examples import manifest, pairs, presentations


class Noting(SilentProgress):
    def advance(self, presentation, completion):  # noqa: ARG002 - that it comes is enough
        print("recorded", flush=True)


def request_for(presentation):
    return JudgeRequest(messages=presentation.messages, labels=LabelSet.parse("A/B"))


def main(directory, log):
    os.environ["PYTHONPATH"] = sys.path[0]  # workers inherit it
    factory = partial(Temperamental, pause=0.05, log=log)
    with (
        Journal.create(Path(directory), manifest(), pairs(100)) as journal,
        RayJudge(factory=factory, workers=2, num_cpus=0.5) as judge,
    ):
        journal.set_plan(presentations(100))
        print(*judge.worker_pids(), flush=True)
        done = execute(judge, journal, request_for=request_for, progress=Noting())
    print("interrupted", done.interrupted, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
