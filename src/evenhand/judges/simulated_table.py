"""Whole audits' worth of simulated verdicts at once, with the values that the audit must recover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError
from evenhand.judges.simulated_rows import (
    FIRST,
    REFUSED,
    SECOND,
    TIE,
    TRUNCATED,
    UNPARSED,
    Prefilled,
    Presentations,
    verdict_rows,
)
from evenhand.judges.simulated_truth import AuditParameters, Subset, TrueValue, true_values
from evenhand.records import Order, Readout

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SimulatedTable", "simulate_audit_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedTable:
    """Simulated verdicts and the truth behind them.

    Attributes
    ----------
    table
        Columns of :func:`evenhand.records.verdict_table`, one row for each pair, order, readout and repeat.
    parameters
        What the judge was like.
    truth
        Exact expectations of the measures.
    """

    table: pl.DataFrame
    parameters: AuditParameters
    truth: tuple[TrueValue, ...]

    def true(self, measure: str, *, readout: Readout | str, subset: Subset = "all") -> float:
        """The exact value of a measure; KeyError where it has none."""
        for value in self.truth:
            if (value.measure, value.readout, value.subset) == (measure, Readout(readout), subset):
                return value.value
        raise KeyError(f"no true value for {measure!r}, {readout}, {subset}")


def simulate_audit_table(
    *,
    n_pairs: int,
    n_groups: int,
    rng: np.random.Generator,
    position: float = 0.0,
    generated_position: float | None = None,
    quality: float = 0.7,
    quality_sd: float = 1.0,
    group_sd: float = 0.0,
    noise: float = 0.5,
    group_position_sd: float = 0.0,
    compliance: float = 1.0,
    lead_change: float = 0.0,
    refusal: float = 0.0,
    unparsed: float = 0.0,
    truncated: float = 0.0,
    tie: float = 0.0,
    prefilled_compliance: float = 0.95,
    prefilled_position: float | None = None,
    repeats: int = 0,
    readouts: Sequence[Readout] = (Readout.FIRST_TOKEN, Readout.GENERATED),
    condition: str = "simulated, A/B",
) -> SimulatedTable:
    """Simulate an audit: every pair in both orders, read in the given ways.

    The model is :class:`AuditParameters`. Groups are of (nearly) equal size; all their pairs share the group's
    effects. The hybrid readout takes the first token where compliant and the generated verdict elsewhere.

    Parameters
    ----------
    n_pairs, n_groups
        How many; ``n_groups`` at most ``n_pairs``.
    rng
        Source of all randomness.
    position, generated_position, quality, quality_sd, group_sd, noise, group_position_sd, compliance, lead_change,
    refusal, unparsed, truncated, tie, prefilled_compliance, prefilled_position
        See :class:`AuditParameters`.
    repeats
        The first ``repeats`` pairs are asked in order AB once more (``repeat`` 1).
    readouts
        Which readouts to make rows of.
    condition
        The condition's id.

    Raises
    ------
    ConfigError
        A parameter is out of range.

    Examples
    --------
    >>> made = simulate_audit_table(n_pairs=40, n_groups=20, rng=np.random.default_rng(1), position=2.0)
    >>> made.table.height, round(made.true("first_slot_rate", readout="first-token"), 3)
    (160, 0.935)
    """
    if not 1 <= n_groups <= n_pairs:
        raise ConfigError(f"n_groups={n_groups}, n_pairs={n_pairs}: expected 1 <= n_groups <= n_pairs")
    if not 0 <= repeats <= n_pairs:
        raise ConfigError(f"repeats={repeats}: expected 0 … n_pairs={n_pairs}")
    parameters = AuditParameters(
        position=position,
        generated_position=generated_position,
        quality=quality,
        quality_sd=quality_sd,
        group_sd=group_sd,
        noise=noise,
        group_position_sd=group_position_sd,
        compliance=compliance,
        lead_change=lead_change,
        refusal=refusal,
        unparsed=unparsed,
        truncated=truncated,
        tie=tie,
        prefilled_compliance=prefilled_compliance,
        prefilled_position=prefilled_position,
    )
    group = np.sort(np.arange(n_pairs) % n_groups)
    gold = np.where(rng.random(n_pairs) < 0.5, 1.0, -1.0)
    spread = rng.normal(0.0, quality_sd, n_pairs) + rng.normal(0.0, group_sd, n_groups)[group]
    signed_quality = gold * (quality + spread)
    shift = rng.normal(0.0, group_position_sd, n_groups)[group]
    prefilled = Readout.PREFILLED in readouts
    asked = [
        _ask(
            parameters, order=order, repeat=0, quality=sign * signed_quality, shift=shift, prefilled=prefilled, rng=rng
        )
        for order, sign in ((Order.AB, 1.0), (Order.BA, -1.0))
    ]
    if repeats:
        again, its_shift = signed_quality[:repeats], shift[:repeats]
        asked.append(
            _ask(parameters, order=Order.AB, repeat=1, quality=again, shift=its_shift, prefilled=prefilled, rng=rng)
        )
    table = verdict_rows(asked, group=group, gold=gold, readouts=readouts, condition=condition)
    return SimulatedTable(table=table, parameters=parameters, truth=true_values(parameters))


def _ask(
    p: AuditParameters,
    *,
    order: Order,
    repeat: int,
    quality: NDArray[np.float64],
    shift: NDArray[np.float64],
    prefilled: bool,
    rng: np.random.Generator,
) -> Presentations:
    n = len(quality)
    log_odds = quality + p.position + shift + rng.normal(0.0, p.noise, n)
    compliant = rng.random(n) < p.compliance
    concluded_first = log_odds > 0
    if p.generated_position is not None:
        anew = quality + p.generated_position + shift + rng.normal(0.0, p.noise, n)
        concluded_first = np.where(compliant, concluded_first, anew > 0)
    concluded_first ^= compliant & (rng.random(n) < p.lead_change)
    outcome = np.where(concluded_first, FIRST, SECOND)
    draw = rng.random(n)
    threshold = 0.0
    for state, rate in (
        (TIE, p.tie),
        (REFUSED, p.refusal),
        (UNPARSED, p.unparsed),
        (TRUNCATED, p.truncated),
    ):
        outcome = np.where((draw >= threshold) & (draw < threshold + rate), state, outcome)
        threshold += rate
    after = None
    if prefilled:
        after = Prefilled(
            log_odds=quality + p.position_after_prefill + shift + rng.normal(0.0, p.noise, n),
            compliant=rng.random(n) < p.prefilled_compliance,
        )
    return Presentations(
        order=order, repeat=repeat, log_odds=log_odds, compliant=compliant, generated=outcome, prefilled=after
    )
