"""Which conditions a report calls sensitive, where every true flip rate is exactly the 5 % that it is held to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from evenhand.records import Readout
from evenhand.report.scope import scopes_of
from evenhand.report.sensitive import sensitive_of
from evenhand.report.trust import NEGLIGIBLE
from evenhand.stats import Estimate, cluster_rate
from report.findings import audit, finding

pytestmark = pytest.mark.simulation

RUNS = 1000
MOST = 0.025 + 2.1 * (0.025 * 0.975 / RUNS) ** 0.5
"""The nominal error of one side, and 2.1 standard errors of a share of so many runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Question groups whose pairs flip alike (``rho`` is the intraclass correlation), under several conditions."""

    groups: int
    size: int
    rho: float
    conditions: int
    readouts: tuple[Readout, ...] = (Readout.GENERATED,)
    shared: bool = False

    def flips(self, rates: list[float], rng: np.random.Generator) -> list[Estimate]:
        """One flip rate a condition; with ``shared``, the groups lean alike under all of them."""
        names = np.repeat(np.arange(self.groups), self.size)
        quantile = rng.random(self.groups)
        made = []
        for rate in rates:
            a, b = rate * (1 / self.rho - 1), (1 - rate) * (1 / self.rho - 1)
            each = np.quantile(rng.beta(a, b, 4000), quantile) if self.shared else rng.beta(a, b, self.groups)
            flipped = rng.random(names.size) < np.repeat(each, self.size)
            estimate = cluster_rate(flipped, None, names, rng=rng, resamples=100)
            assert isinstance(estimate, Estimate)
            made.append(estimate)
        return made


def shares(design: Design, *, planted: float | None = None, runs: int = RUNS) -> tuple[float, float, float]:
    """Of so many audits: some even condition called sensitive, the same by plain intervals, the planted one found."""
    wrong = plain = found = 0
    places = [(f"c{i}", readout) for i in range(design.conditions) for readout in design.readouts]
    for rng in np.random.default_rng(20261201).spawn(runs):
        rates = [NEGLIGIBLE] * len(places)
        if planted is not None:
            rates[0] = planted
        made = design.flips(rates, rng)
        result = audit(
            *(
                finding(condition=condition, readout=readout, flip_rate=estimate)
                for (condition, readout), estimate in zip(places, made, strict=True)
            )
        )
        shown = {(s.condition, s.readout) for s, _ in sensitive_of(scopes_of(result)).shown}
        even = places if planted is None else places[1:]
        wrong += bool(shown & set(even))
        plain += any(e.interval.low > NEGLIGIBLE for e in made if e.interval is not None)
        found += places[0] in shown
    return wrong / runs, plain / runs, found / runs


TWO = (Readout.FIRST_TOKEN, Readout.GENERATED)
DESIGNS = [
    Design(groups=100, size=2, rho=0.3, conditions=4),
    Design(groups=100, size=2, rho=0.3, conditions=4, readouts=TWO),
    Design(groups=30, size=4, rho=0.3, conditions=4, shared=True),
    Design(groups=200, size=1, rho=0.01, conditions=4),
    Design(groups=12, size=8, rho=0.2, conditions=6),
]


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_at_the_boundary_any_condition_is_called_sensitive_no_oftener_than_the_level(design: Design) -> None:
    wrong, plain, _ = shares(design)
    assert wrong <= MOST
    assert plain > 2 * MOST  # which is what plain intervals do


@pytest.mark.parametrize("design", [DESIGNS[0], DESIGNS[1], DESIGNS[3]], ids=str)
def test_a_planted_sensitivity_is_found_and_no_even_condition_with_it(design: Design) -> None:
    """One condition of four flips a fifth of its pairs; Holm's later steps judge the even ones less strictly."""
    wrong, _, found = shares(design, planted=0.2, runs=400)
    assert found >= 0.95
    assert wrong <= 0.025 + 2.1 * (0.025 * 0.975 / 400) ** 0.5


def test_with_one_condition_nothing_is_adjusted() -> None:
    design = Design(groups=200, size=1, rho=0.01, conditions=1)
    wrong, plain, _ = shares(design)
    assert wrong == plain <= MOST
