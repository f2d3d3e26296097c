"""What generating for a sample will save, and how much it is expected to tell: numbers for before the run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from evenhand.analysis.scope import Scope
from evenhand.audits.sample import SamplePlan, SampleStratum, check_fraction, strata_codes
from evenhand.errors import ConfigError

__all__ = ["DISAGREEMENT", "FEW_SAMPLED", "CallCost", "PlannedSaving", "expected_effective_pairs", "planned_saving"]

FEW_SAMPLED = 25
"""Fewer sampled pairs than this were not simulated (docs/methods/prediction-powered.md)."""

DISAGREEMENT: Mapping[SampleStratum, float] = MappingProxyType(
    {
        SampleStratum.COMPLIANT: 0.06,
        SampleStratum.NON_COMPLIANT: 420 / 924,
        SampleStratum.UNKNOWN: 0.5,
    }
)
"""Share of pairs that flip under one readout and not under the other. "The First Token Is Not the Verdict" (2026): 420
of 924 non-compliant pairs; of compliant presentations 0 to 5.5 % conclude otherwise than they led, here 3 % of each of
two. Unknown pairs: nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCost:
    """Calls and tokens. ``prompt_tokens`` is None where the prompts' length wasn't given."""

    calls: int
    completion_tokens: int
    prompt_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSaving:
    """What a budgeted run costs beside one that generates for every pair.

    Attributes
    ----------
    pairs, sampled
        Per condition.
    budgeted, full
        Over all conditions. A full run reads both readouts from one call; a budgeted one asks sampled pairs twice.
    """

    pairs: int
    sampled: int
    budgeted: CallCost
    full: CallCost

    @property
    def completion_tokens_saved(self) -> float:
        """Share of the full run's completion tokens that are not generated; negative where nothing is saved."""
        return 1 - self.budgeted.completion_tokens / self.full.completion_tokens

    @property
    def few(self) -> bool:
        """Whether so few pairs are sampled that only a wide interval can be expected."""
        return self.sampled < FEW_SAMPLED


def planned_saving(
    pairs: int,
    *,
    fraction: float,
    completion_tokens: float,
    prompt_tokens: float | None = None,
    conditions: int = 1,
) -> PlannedSaving:
    """Cost of a budgeted run, before anything is asked.

    Parameters
    ----------
    completion_tokens, prompt_tokens
        Mean per presentation whose text is generated.

    Raises
    ------
    ConfigError
        A fraction outside of 0 to 1, or no pairs.

    Examples
    --------
    >>> saving = planned_saving(500, fraction=0.1, completion_tokens=80)
    >>> saving.budgeted.calls, saving.full.calls, saving.budgeted.completion_tokens, saving.full.completion_tokens
    (1100, 1000, 9000, 80000)
    """
    check_fraction(fraction)
    if pairs < 1:
        raise ConfigError("no pairs to plan for")
    sampled = math.ceil(round(fraction * pairs, 9))
    first, written = 2 * pairs * conditions, 2 * sampled * conditions

    def cost(*, first: int, written: int) -> CallCost:
        return CallCost(
            calls=first + written,
            completion_tokens=first + round(written * completion_tokens),
            prompt_tokens=None if prompt_tokens is None else round((first + written) * prompt_tokens),
        )

    return PlannedSaving(
        pairs=pairs, sampled=sampled, budgeted=cost(first=first, written=written), full=cost(first=0, written=first)
    )


def expected_effective_pairs(
    first: Scope, plan: SamplePlan, *, disagreement: Mapping[SampleStratum, float] = DISAGREEMENT
) -> float:
    """How many pairs, generated for at random, would tell as much of the flip rate as the plan's sample is expected to.

    Flip rates are taken to be the first token's, and ``disagreement`` says how far the two readouts flip on different
    pairs. A forecast for deciding on a budget; the finding has the figure that the sample gave.

    Parameters
    ----------
    first
        The condition under the first-token readout that the plan was made from.

    Returns
    -------
    float
        At most the number of pairs; NaN where the first token never, or always, flips.
    """
    codes = strata_codes(first, first.pairs)
    decided = first.decided_both
    rates = {
        name: float(first.flips[inside].mean()) if (inside := (codes == code) & decided).any() else math.nan
        for code, name in enumerate(SampleStratum)
    }
    known = [(s.pairs, rates[s.stratum]) for s in plan.strata if not math.isnan(rates[s.stratum])]
    if not known:
        return math.nan
    overall = float(np.average([rate for _, rate in known], weights=[size for size, _ in known]))
    spread = overall * (1 - overall)
    if spread == 0:
        return math.nan
    total = sum(s.pairs for s in plan.strata)
    design = sum(
        # A yes or no can't vary by more than 1/4.
        (s.pairs / total) ** 2 * (1 / s.drawn - 1 / s.pairs) * min(disagreement[s.stratum], 0.25)
        for s in plan.strata
        if s.drawn
    )
    return 1 / (1 / total + design / spread)
