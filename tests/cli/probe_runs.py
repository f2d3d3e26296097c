"""Collected runs for the commands that learn from them: a scripted judge, the real store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evenhand.records import Pair
from evenhand.workflow.collect import collect
from evenhand.workflow.collect_settings import CollectSettings
from workflow.capturing_judge import CapturingDouble, pairs, three_lines


def some_pairs(start: int, count: int) -> list[Pair]:
    return [replace(each, group=f"g{start + i // 2}") for i, each in enumerate(pairs(start + count)[start:])]


def collected(folder: Path, *, start: int = 0, count: int = 36, lost: int | None = None) -> Path:
    """A run of pairs ``start`` to ``start + count``; every third flips, and pair ``lost`` kept no format."""

    def write(number: int, ab: bool) -> str:
        if number == lost:
            return "no idea"
        return three_lines("A" if ab or number % 3 == 0 else "B", confidence=number * 7 % 101)

    collect(CapturingDouble(write), some_pairs(start, count), out=folder, settings=CollectSettings())
    return folder
