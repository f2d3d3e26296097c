"""What is asked of a triage: a budget, a largest share of missed flips, or the whole trade-off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.errors import ConfigError
from evenhand.probes.predictors import PROBE

__all__ = ["ALPHAS", "BUDGETS", "TriageQuestion"]

BUDGETS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Shares of the pairs that are swapped, where none was asked for."""
ALPHAS: Final = (0.05, 0.1, 0.2)
"""Shares of the flips that may be missed, likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageQuestion:
    """What is asked of the scores.

    Attributes
    ----------
    score
        Whose policy is looked at closely; the others are compared with it. ``probe`` is the saved probe, whatever its
        name, or the one fitted on this run.
    budget, max_missed
        At most one; neither asks for the whole trade-off.
    delta
        None for promises in expectation; else the chance that a calibration misleads.
    splits
        Of the questions, into calibration and test.
    """

    score: str = PROBE
    budget: float | None = None
    max_missed: float | None = None
    delta: float | None = None
    splits: int = 50
    seed: int = 0
    level: float = 0.95
    resamples: int = 2000

    def __post_init__(self) -> None:
        if self.budget is not None and self.max_missed is not None:
            raise ConfigError("a budget and a largest share of missed flips are two policies: give one")
        if self.budget is not None and not 0.0 < self.budget <= 1.0:
            raise ConfigError(f"budget is {self.budget}: expected a share of the pairs above 0 and at most 1")
        for name, value in (("max-missed", self.max_missed), ("delta", self.delta)):
            if value is not None and not 0.0 < value < 1.0:
                raise ConfigError(f"{name} is {value}: expected a share between 0 and 1")
        if self.splits < 1:
            raise ConfigError(f"splits is {self.splits}: expected at least 1")
        if self.seed < 0:
            raise ConfigError(f"seed is {self.seed}: expected 0 or more")

    @property
    def budgets(self) -> tuple[float, ...]:
        """Budgets to tabulate."""
        return BUDGETS if self.budget is None else (self.budget,)

    @property
    def alphas(self) -> tuple[float, ...]:
        """Promises to tabulate."""
        if self.max_missed is not None:
            return (self.max_missed,)
        return ALPHAS if self.budget is None else ()
