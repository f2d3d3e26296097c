"""Do the paired tests of flips keep their level where the pairs of a question flip together, and McNemar's not?"""

from collections import Counter

import numpy as np
import pytest

from audits.tables import verdicts
from evenhand.analysis.paired_tests import MCNEMAR
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import WideTable
from evenhand.analysis.wide import widen
from evenhand.audits.contrasts import condition_contrasts
from evenhand.audits.pooled import pooled_findings
from evenhand.audits.readout_pairs import forced_minus_generated
from evenhand.records import Readout, verdict_table
from evenhand.stats.sign_flip import SIGN_FLIP

pytestmark = pytest.mark.simulation

RUNS = 500
GROUPS, EACH = 25, 4
LEVEL = 0.05
MOST = LEVEL + 2.5 * (LEVEL * (1 - LEVEL) / RUNS) ** 0.5
"""2.5 standard errors above: .074."""


def drawn(rng: np.random.Generator) -> WideTable:
    """25 questions of four pairs, judged in two ways under two conditions: all four of them flip alike on average.

    A question's chance to flip is its own under each of the four, so that its pairs flip together.
    """
    groups = {f"p{i}": f"g{i // EACH}" for i in range(GROUPS * EACH)}
    rows = []
    for condition in "xy":
        for readout in (Readout.FIRST_TOKEN, Readout.GENERATED):
            chance = np.repeat(rng.beta(0.6, 1.4, GROUPS), EACH)
            flips = rng.random(chance.size) < chance
            codes = {pair: "FF" if flip else "FS" for pair, flip in zip(groups, flips, strict=True)}
            rows += verdicts(codes, condition=condition, readout=readout, group=groups)
    return widen(verdict_table(rows))


@pytest.fixture(scope="module")
def rejected() -> dict[str, float]:
    """How often each test has p < .05 where there is no effect."""
    counts: Counter[str] = Counter()
    for rng in np.random.default_rng(20261130).spawn(RUNS):
        wide = drawn(rng)
        sampler = Sampler(clusters=wide.facts.group, seed=0, resamples=100, level=0.95, method="robust")
        first, written = wide.find("x", Readout.FIRST_TOKEN), wide.find("x", Readout.GENERATED)
        found = {
            "conditions": condition_contrasts(wide.of(Readout.GENERATED), sampler=sampler)[0],
            "readouts": next(iter(forced_minus_generated(first, written, sampler=sampler))),
            "pooled": next(f for f in pooled_findings(wide, sampler=sampler) if f.subset == "all" and f.tests),
        }
        for name, finding in found.items():
            for test in finding.tests:
                kind = next((k for k in (SIGN_FLIP, MCNEMAR) if test.name.startswith(k)), None)
                if kind is not None and "Holm" not in test.name:
                    counts[f"{name}, {kind}"] += test.p_value < LEVEL
    return {name: count / RUNS for name, count in counts.items()}


@pytest.mark.parametrize("comparison", ["conditions", "readouts", "pooled"])
def test_tests_over_clusters_keep_their_level(rejected, comparison):
    assert 0.02 < rejected[f"{comparison}, {SIGN_FLIP}"] <= MOST


@pytest.mark.parametrize("comparison", ["readouts", "pooled"])
def test_mcnemar_s_does_not_and_its_name_says_why(rejected, comparison):
    assert rejected[f"{comparison}, {MCNEMAR}"] > MOST


def test_conditions_are_not_tested_pair_by_pair(rejected):
    assert f"conditions, {MCNEMAR}" not in rejected
