"""A collected run with planted flips, for tests of triage: activations and confidence see them, authors and gold known.

The judge is the capturing double of the collect tests; its vectors get a direction that the pair's risk moves along.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from evenhand.probes import ProbeData
from evenhand.records import Pair, Preference
from evenhand.workflow.collect import collect
from evenhand.workflow.probe_data import load_probe_data
from workflow.capturing_judge import CapturingDouble, three_lines

AUTHORS = ("ada", "bob", "cyd")


def planted_risk(number: int) -> float:
    """How likely the pair is to flip, on a scale of its own."""
    return float(np.random.default_rng([7, number]).normal())


def flips(number: int) -> bool:
    """Whether the pair flips: mostly where the risk is high."""
    return planted_risk(number) + 0.4 * float(np.random.default_rng([8, number]).normal()) > 0.4


def triage_pairs(count: int, *, authors: bool = True) -> list[Pair]:
    """Two pairs a question, with authors and gold."""
    return [
        Pair(
            id=f"p{n}",
            instruction=f"question {n}",
            response_a=f"alpha {n} of some length",
            response_b=f"beta {n}",
            group=f"g{n // 2}",
            gold=Preference.A if n % 3 else Preference.B,
            author_a=AUTHORS[n % 3] if authors else None,
            author_b=AUTHORS[(n + 1) % 3] if authors else None,
        )
        for n in range(count)
    ]


def write(number: int, ab: bool) -> str:
    """Order AB decides for A in two of three pairs; flips lock to a slot; every 25th breaks the format."""
    if number % 25 == 24:
        return "no idea"
    prefers_a = number % 3 != 0
    first = prefers_a if flips(number) else prefers_a == ab
    confidence = int(np.clip(70 - 8 * planted_risk(number) + 6 * np.random.default_rng([9, number]).normal(), 0, 100))
    return three_lines("A" if first else "B", confidence=confidence)


class PlantedDouble(CapturingDouble):
    """The double, whose vectors at every position also tell the pair's risk, and whose answers tell their seconds."""

    def __init__(self, *, seconds: float | None = 2.0) -> None:
        super().__init__(write)
        self._seconds = seconds

    def _completion(self, text, request):
        made = super()._completion(text, request)
        return replace(made, usage=replace(made.usage, seconds=self._seconds))

    def _captured(self, index, request, completion):
        captured = super()._captured(index, request, completion)
        number = int(re.search(r"question (\d+)", request.messages[-1].content)[1])
        vectors = captured.vectors.copy()
        vectors[..., 0] = 2 * planted_risk(number) + 0.3 * vectors[..., 0]
        return replace(captured, vectors=vectors.astype(np.float32))


def triage_directory(folder: Path, *, count: int = 240, authors: bool = True, seconds: float | None = 2.0) -> Path:
    """A collected run in that folder."""
    collect(PlantedDouble(seconds=seconds), triage_pairs(count, authors=authors), out=folder)
    return folder


def triage_data(folder: Path) -> ProbeData:
    """Its usable pairs."""
    return load_probe_data(folder)
