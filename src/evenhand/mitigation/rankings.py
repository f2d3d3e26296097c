"""The leaderboards of several runs, conditions and readouts, and how they were made."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.mitigation.leaderboard import LeaderboardAudit
from evenhand.mitigation.ranking import Model
from evenhand.records import Readout
from evenhand.stats import Refusal

__all__ = ["RankedScope", "Rankings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedScope:
    """One run's condition and readout, and its leaderboards or why there are none."""

    run: str
    judge: str
    condition: str
    readout: Readout
    found: LeaderboardAudit | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Rankings:
    """What was ranked, and how.

    Attributes
    ----------
    resampled_by
        What one cluster is, in words.
    notes
        What is missing of the runs.
    """

    scopes: tuple[RankedScope, ...]
    model: Model
    resamples: int
    level: float
    seed: int
    resampled_by: str
    notes: tuple[str, ...] = ()

    @property
    def ranked(self) -> bool:
        """Whether there is any leaderboard."""
        return any(isinstance(scope.found, LeaderboardAudit) for scope in self.scopes)
