"""What a user may choose for ``probe fit``, checked once."""

from __future__ import annotations

from dataclasses import dataclass, fields

from evenhand.errors import ConfigError
from evenhand.probes.nested_cv import PENALTIES
from evenhand.probes.predictors import NO_SIGNAL, PROBE, SHUFFLED, check_predictors

__all__ = ["FitSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSettings:
    """The choices of one fit.

    Attributes
    ----------
    outer_folds, inner_folds
        5 and 3 after "Will the Judge Flip?" (2026).
    penalties
        λ of the logistic regressions.
    without
        Names of predictors to leave out, of :data:`evenhand.probes.predictors.PREDICTORS`.
    shuffles
        How many times the probe is fitted anew on shuffled labels.
    learning_curve
        Whether the probe and the combined features are fitted on fewer question groups too.
    resamples, level
        Of the group bootstrap, and of every interval.
    """

    seed: int = 0
    outer_folds: int = 5
    inner_folds: int = 3
    penalties: tuple[float, ...] = PENALTIES
    without: tuple[str, ...] = ()
    shuffles: int = 10
    learning_curve: bool = True
    resamples: int = 2000
    level: float = 0.95

    def __post_init__(self) -> None:
        given: dict[str, object] = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("seed", "outer_folds", "inner_folds", "shuffles", "resamples"):
            if isinstance(given[name], bool) or not isinstance(given[name], int):
                raise ConfigError(f"{name} is {given[name]!r}: expected a whole number")
        for name, least in (("seed", 0), ("outer_folds", 2), ("inner_folds", 2), ("shuffles", 1), ("resamples", 100)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} is {getattr(self, name)}: expected at least {least}")
        if not 0.5 <= self.level < 1:
            raise ConfigError(f"level is {self.level}: expected from .5 up to below 1, such as .95")
        if not self.penalties or any(not 0 < each < float("inf") for each in self.penalties):
            raise ConfigError(f"penalties are {self.penalties}: expected at least one, each above 0")
        check_predictors(self.without, option="without")
        for name, why in ((PROBE, "it is what the others are compared with"), (NO_SIGNAL, "it is what all must beat")):
            if name in self.without:
                raise ConfigError(f"without {name}: {why}")

    @property
    def shuffled(self) -> bool:
        """Whether the control on shuffled labels is wanted."""
        return SHUFFLED not in self.without
