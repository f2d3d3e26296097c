"""The prompt-design audit on simulated grids: a planted effect is found, and nothing else is accused."""

from itertools import product

import numpy as np
import polars as pl
import pytest

from evenhand.analysis import FindingKind
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import widen
from evenhand.audits.design import MOVES, design_findings
from evenhand.records import Order, Outcome, Readout, verdict_table

pytestmark = pytest.mark.simulation

RUNS = 300
PAIRS, GROUPS = 100, 25
AXES = {"labels": ("A/B", "1/2", "X/Y"), "framing": ("neutral", "ordinal"), "system": ("none", "role")}
DESIGNS = {", ".join(levels): tuple(zip(AXES, levels, strict=True)) for levels in product(*AXES.values())}
EMPTY = verdict_table([])


def grid(rng: np.random.Generator, *, flips: float, compliance: float) -> pl.DataFrame:
    """One grid. The level 1/2 adds to the log-odds of a flip and of a compliant answer; nothing else matters.

    Groups and pairs differ in how prone they are to both, under every design alike: rows are far from independent.
    """
    group = np.repeat(np.arange(GROUPS), PAIRS // GROUPS)
    prone = rng.normal(0, 1.0, GROUPS)[group] + rng.normal(0, 0.5, PAIRS)
    frames = []
    for condition, settings in DESIGNS.items():
        planted = dict(settings)["labels"] == "1/2"
        # A lean of the group's own under this design: the cells of a group err together.
        lean = rng.normal(0, 1.0, GROUPS)[group]
        flip = rng.random(PAIRS) < 1 / (1 + np.exp(-(prone + lean - 0.5 + flips * planted)))
        obeys = rng.random(PAIRS) < 1 / (1 + np.exp(-(prone + lean + 0.5 + compliance * planted)))
        second = np.where(flip, str(Outcome.FIRST), str(Outcome.SECOND))
        for order in Order:
            ab = order is Order.AB
            frames.append(
                pl.DataFrame(
                    {
                        "pair_id": [f"p{i}" for i in range(PAIRS)],
                        "group": [f"g{i}" for i in group],
                        "source": "s",
                        "gold": None,
                        "condition": condition,
                        "readout": str(Readout.FIRST_TOKEN),
                        "order": str(order),
                        "repeat": 0,
                        "outcome": [str(Outcome.FIRST)] * PAIRS if ab else second,
                        "preference": ["A"] * PAIRS if ab else np.where(flip, "B", "A"),
                        "compliant": obeys,
                    }
                )
            )
    made = pl.concat(frames)
    missing = [pl.lit(None).alias(name) for name in EMPTY.columns if name not in made.columns]
    return made.with_columns(missing).select(EMPTY.columns).cast(dict(EMPTY.schema))


def movers(rng: np.random.Generator, **effects: float) -> set[tuple[str, str]]:
    """The (level, quantity) that are called movers in one grid."""
    wide = widen(grid(rng, **effects))
    sampler = Sampler(clusters=wide.facts.group, seed=1, resamples=100, level=0.95)
    return {
        (finding.condition, "compliant" if "compliant" in test.name else "flips")
        for finding in design_findings(wide, designs=DESIGNS, sampler=sampler)
        for test in finding.tests
        if finding.kind is FindingKind.DESIGN and "Holm" in test.name and test.p_value < MOVES
    }


def test_without_any_effect_one_grid_in_twenty_at_most_accuses_a_level() -> None:
    """Eight tests in each grid; 7.5 % is two standard errors above the level in 300 grids."""
    runs = [movers(rng, flips=0.0, compliance=0.0) for rng in np.random.default_rng(20261130).spawn(RUNS)]
    assert sum(map(bool, runs)) / RUNS <= 0.05 + 2 * (0.05 * 0.95 / RUNS) ** 0.5


def test_a_planted_effect_is_found_and_the_other_axes_are_not_accused() -> None:
    planted = {("labels=1/2", "flips"), ("labels=1/2", "compliant")}
    runs = [movers(rng, flips=1.2, compliance=-1.4) for rng in np.random.default_rng(5).spawn(RUNS)]
    assert all(np.mean([effect in found for found in runs]) >= 0.9 for effect in planted)
    accused = np.mean([bool(found - planted) for found in runs])
    assert accused <= 0.05 + 2 * (0.05 * 0.95 / RUNS) ** 0.5
