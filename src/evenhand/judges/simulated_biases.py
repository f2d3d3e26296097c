"""The simulated judge's biases: how strongly each pulls, and how the pulls add up or compound."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from evenhand.errors import ConfigError
from evenhand.judges.parameters import parameter

__all__ = ["BiasStrengths", "Cues"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """What of a question could sway a judge: each the first slot's minus the second's.

    Attributes
    ----------
    length
        Logarithm of the ratio of the responses' lengths.
    endorsed
        Endorsements of the first slot's label minus those of the second's, outside the responses.
    authority, injected
        1 where only the first response cites an authority, or tells the judge whom to choose; -1 where only the second.
    own
        1 where only the first is by an author of the judge's family, -1 where only the second.
    tone
        1 for an assertive first response and -1 for a hedged one, minus the same of the second: -2 … 2.
    formatting
        Share of the lines that carry markup.
    informal
        1 where only the first has contractions, -1 where only the second.
    late
        1 where the first slot's last answer of a conversation is the better one, -1 where the second's is.
    """

    length: float = 0.0
    endorsed: float = 0.0
    authority: float = 0.0
    injected: float = 0.0
    own: float = 0.0
    tone: float = 0.0
    formatting: float = 0.0
    informal: float = 0.0
    late: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasStrengths:
    """How strongly a simulated judge is swayed by what should not count: log-odds for a cue of 1, 0 for not at all.

    Each parameter says of itself what it is; ``evenhand judges simulated`` lists them. (``noise`` of
    :class:`~evenhand.judges.simulated_truth.AuditParameters` is the question's, unlike ``repeat_noise``: the same
    whenever it is asked.)

    Examples
    --------
    >>> judge = BiasStrengths(verbosity=1.0, sycophancy=0.5, compound=1.0)
    >>> judge.pull(Cues(length=0.5), position=0.0), judge.pull(Cues(length=0.5, endorsed=1), position=0.0)
    (0.5, 2.0)
    """

    verbosity: float = parameter(0.0, "per unit of log length ratio: .69 times this for twice the length")
    sycophancy: float = parameter(0.0, "toward the slot that a user, an expert or a majority is said to prefer")
    authority: float = parameter(0.0, "toward the response that cites a source or a credential")
    injection: float = parameter(0.0, "toward the response that tells the judge to choose it")
    self_preference: float = parameter(0.0, "toward the response whose author is of the judge's own family")
    tone: float = parameter(0.0, "toward an assertive response, and as much away from a hedged one")
    formatting: float = parameter(0.0, "toward the response with more markup, per share of its lines")
    register: float = parameter(0.0, "away from a response with contractions")
    recency: float = parameter(0.0, "toward the side whose last answer of a conversation is better")
    repeat_noise: float = parameter(0.0, "spread of what is drawn anew each time a question is asked, repeats included")
    compound: float = parameter(
        0.0, "where two or more biases, position among them, pull to one slot, their sum is multiplied by 1 + this"
    )
    family: str = parameter("", "whose authors count as its own: those whose name begins so, in any case")

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name != "family"):
            if not math.isfinite(getattr(self, name)):
                raise ConfigError(f"{name}={getattr(self, name)}: expected a finite number")
        if self.repeat_noise < 0:
            raise ConfigError(f"repeat_noise={self.repeat_noise}: a spread must not be negative")
        if self.compound < -1:
            raise ConfigError(f"compound={self.compound}: below -1 agreeing biases would pull the other way")
        if self.self_preference and not self.family:
            raise ConfigError(f"self_preference={self.self_preference} without a family: add family=NAME")

    def pull(self, cues: Cues, *, position: float) -> float:
        """Log-odds toward the first slot of all biases together.

        Parameters
        ----------
        position
            Pull of the slot itself; it compounds with the others.
        """
        pulls = (
            position,
            self.verbosity * cues.length,
            self.sycophancy * cues.endorsed,
            self.authority * cues.authority,
            self.injection * cues.injected,
            self.self_preference * cues.own,
            self.tone * cues.tone,
            self.formatting * cues.formatting,
            -self.register * cues.informal,
            self.recency * cues.late,
        )
        total = 0.0
        for same in ([p for p in pulls if p > 0], [p for p in pulls if p < 0]):
            total += sum(same) * (1 + self.compound if len(same) > 1 else 1.0)
        return total
