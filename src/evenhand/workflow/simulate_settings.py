"""What is asked of ``evenhand simulate power``."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import ConfigError
from evenhand.judges.simulated_calibrated import SHIFTS
from evenhand.report.studies.power_plan import QUESTIONS, PlanQuestion

__all__ = ["PowerSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerSettings:
    """A question about size.

    Attributes
    ----------
    effect
        Smallest effect worth finding, as a share: .05 is five points. Of ``flip-rate``: half the width of the interval.
    power, level
        Chance to find it; confidence level of the test or interval.
    flip_rate, repeat_rate
        Of the judge. None: 20 % or the pilot's; half the flip rate or the pilot's.
    bias
        Of ``shift``: which one is simulated.
    discordance
        Of ``accuracy``: share of pairs on which exactly one of the two judges is right; None assumes 30 %.
    pairs
        Ask what this many pairs can show, beside how many are needed.
    pairs_per_question, icc
        Clustering; None: 1 and 0, or the pilot's.
    tests
        How many tests share the level, as in a family of which one is to be found (Holm's first step).
    simulate
        Audits to simulate at that size; 0 leaves the formula unconfirmed.

    Raises
    ------
    ConfigError
        A number is out of range, or a question is unknown.
    """

    question: PlanQuestion
    effect: float
    power: float = 0.8
    level: float = 0.95
    flip_rate: float | None = None
    repeat_rate: float | None = None
    bias: str = "sycophancy"
    discordance: float | None = None
    pairs: int | None = None
    pairs_per_question: float | None = None
    icc: float | None = None
    tests: int = 1
    simulate: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.question not in QUESTIONS:
            raise ConfigError(f"question {self.question!r}: expected one of {', '.join(QUESTIONS)}")
        for name, value in (("effect", self.effect), ("power", self.power), ("level", self.level)):
            if not 0 < value < 1:
                raise ConfigError(f"{name} is {value:g}: expected a share between 0 and 1")
        for name in ("flip_rate", "repeat_rate", "discordance"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise ConfigError(f"{name} is {value:g}: expected a share between 0 and 1")
        if self.bias not in SHIFTS:
            raise ConfigError(f"bias {self.bias!r}: a simulated judge shows {', '.join(SHIFTS)}")
        if self.pairs is not None and self.pairs < 1:
            raise ConfigError(f"pairs is {self.pairs}: expected at least 1")
        if self.pairs_per_question is not None and not self.pairs_per_question >= 1:
            raise ConfigError(f"pairs_per_question is {self.pairs_per_question:g}: expected at least 1")
        if self.icc is not None and not 0 <= self.icc <= 1:
            raise ConfigError(f"icc is {self.icc:g}: expected a correlation in 0 … 1")
        if self.tests < 1:
            raise ConfigError(f"tests is {self.tests}: expected at least 1")
        if self.simulate and self.simulate < 20:
            raise ConfigError(f"simulate is {self.simulate}: expected 0, or at least 20 audits")
