"""What a user may choose for a selective swap, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evenhand.audits.swap_design import FEWEST_FLOOR, FLOOR_SHARE, check_floor
from evenhand.errors import ConfigError

__all__ = ["SelectiveSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectiveSettings:
    """Order BA is asked where a saved probe says that a flip is likely, and of a random floor of the other pairs.

    Attributes
    ----------
    probe
        A saved probe (:func:`evenhand.probes.saved.load_probe`).
    policy
        A policy of ``evenhand triage`` made for this probe; or
    budget
        the share of the pairs with the highest risks, above 0, at most 1. Give one of the two.
    floor
        Share of the other pairs, above 0, at most 1; None takes the policy's, else .1.
    floor_pairs
        Pairs of the floor at least, where there are as many.
    """

    probe: str | Path
    policy: str | Path | None = None
    budget: float | None = None
    floor: float | None = None
    floor_pairs: int = FEWEST_FLOOR

    def __post_init__(self) -> None:
        given: dict[str, object] = {"budget": self.budget, "floor": self.floor}
        for name, value in given.items():
            if value is not None and (isinstance(value, bool) or not isinstance(value, float | int)):
                raise ConfigError(f"{name} of a selective swap is {value!r}: expected a share such as .3")
        if (self.policy is None) == (self.budget is None):
            raise ConfigError(
                "a selective swap needs a policy file (evenhand triage makes one) or a swap budget such as .3"
                f"{', not both' if self.policy is not None else ''}"
            )
        if self.budget is not None and not 0 < self.budget <= 1:
            raise ConfigError(f"swap budget is {self.budget}: expected a share of the pairs above 0 and at most 1")
        if self.floor is not None:
            check_floor(self.floor)
        fewest: object = self.floor_pairs
        if not isinstance(fewest, int) or isinstance(fewest, bool) or fewest < 1:
            raise ConfigError(f"floor pairs are {self.floor_pairs!r}: expected at least 1")

    def share_of_floor(self, policy_floor: float = 0.0) -> float:
        """What the user said, else the policy's where it has one, else the usual."""
        return self.floor if self.floor is not None else policy_floor or FLOOR_SHARE
