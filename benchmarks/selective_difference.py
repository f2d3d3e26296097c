"""How often the interval of *flips, high risk minus floor* holds the true difference, and shows one that isn't there.

80 pairs of high risk flip with one chance, a random floor of 120 others with another; questions have two pairs, which
flip alike in half of the questions. ``mixed`` questions have pairs on both sides.

    python benchmarks/selective_difference.py --runs 1500
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.stats import Estimate, cluster_difference

HIGH, OTHERS = 80, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One setting: the floor's flip rate, what high risks add to it, and how many pairs the floor draws."""

    floor_rate: float
    more: float
    floor_pairs: int
    mixed: bool = False


CELLS = (
    Cell(floor_rate=0.3, more=0.0, floor_pairs=24),
    Cell(floor_rate=0.3, more=0.25, floor_pairs=24),
    Cell(floor_rate=0.1, more=0.0, floor_pairs=24),
    Cell(floor_rate=0.03, more=0.0, floor_pairs=20),
    Cell(floor_rate=0.03, more=0.3, floor_pairs=20),
    Cell(floor_rate=0.3, more=0.0, floor_pairs=24, mixed=True),
    Cell(floor_rate=0.3, more=0.0, floor_pairs=100),
)


def one(cell: Cell, rng: np.random.Generator) -> NDArray[np.float64]:
    """Whether the interval covers, whether it lies above 0, and its width; shape (3,)."""
    pairs = HIGH + OTHERS
    high = np.arange(pairs) < HIGH
    if cell.mixed:
        high = rng.permutation(high)
    alike = np.repeat(rng.random(pairs // 2), 2)
    drawn = np.where(np.repeat(rng.random(pairs // 2) < 0.5, 2), alike, rng.random(pairs))
    flips = drawn < cell.floor_rate + cell.more * high
    floor = np.zeros(pairs, bool)
    floor[rng.choice(np.flatnonzero(~high), cell.floor_pairs, replace=False)] = True
    seen = high | floor
    found = cluster_difference(
        (flips & high)[seen] * 1.0,
        high[seen] * 1.0,
        (flips & floor)[seen] * 1.0,
        floor[seen] * 1.0,
        (np.arange(pairs) // 2)[seen].tolist(),
        rng=rng,
    )
    assert isinstance(found, Estimate)
    assert found.interval is not None
    low, top = found.interval.low, found.interval.high
    return np.array([low <= cell.more <= top, low > 0, top - low], dtype=np.float64)


def main() -> None:
    """Print a row for each cell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=11)
    given = parser.parse_args()
    print("| floor's flip rate | more | floor pairs | questions | coverage | interval above 0 | width |")
    print("|--:|--:|--:|---|--:|--:|--:|")
    for cell in CELLS:
        rng = np.random.default_rng(given.seed)
        covered, above, width = np.mean([one(cell, rng) for _ in range(given.runs)], axis=0)
        sides = "on both sides" if cell.mixed else "on one side"
        print(
            f"| {cell.floor_rate} | {cell.more} | {cell.floor_pairs} | {sides} | {covered:.3f} | {above:.3f} "
            f"| {width:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
