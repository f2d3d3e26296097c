"""Verdict labels: the two tokens a judge is asked for, and their declared variants."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import ConfigError
from evenhand.records.outcome import Outcome

__all__ = ["LabelSet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """The labels of the first and the second slot, and of a tie where the prompt allows one.

    Labels name *slots*, not identities. A label's *variants* are the token texts that count as it at the
    first generated position; their probabilities are summed. Comparison is exact (case matters).

    Labels that differ only by case, such as ``m/M``, are refused: a judge that capitalises would be misread.
    ``case_sensitive=True`` permits them, for a log whose prompt asked for such a pair.

    Examples
    --------
    >>> LabelSet.parse("A/B").variants("first")
    ('A', ' A')
    >>> LabelSet.parse("X/Y/tie").tie
    'tie'
    """

    first: str
    second: str
    tie: str | None = None
    case_sensitive: bool = False

    def __post_init__(self) -> None:
        labels = [label for label in (self.first, self.second, self.tie) if label is not None]
        if any(not label.strip() or label != label.strip() for label in labels):
            raise ConfigError(f"labels {labels!r}: a label must not be empty nor begin or end with white space")
        if len({label if self.case_sensitive else label.casefold() for label in labels}) != len(labels):
            more = "" if self.case_sensitive else " by more than case"
            raise ConfigError(f"labels {'/'.join(labels)}: they must differ{more}")

    @classmethod
    def parse(cls, text: str) -> LabelSet:
        """Read ``A/B`` or ``A/B/tie``."""
        parts = text.split("/")
        if len(parts) not in (2, 3):
            raise ConfigError(f"labels {text!r}: expected FIRST/SECOND or FIRST/SECOND/TIE, such as A/B")
        return cls(first=parts[0], second=parts[1], tie=parts[2] if len(parts) == 3 else None)

    @property
    def name(self) -> str:
        """The form that :meth:`parse` reads."""
        return "/".join(label for label in (self.first, self.second, self.tie) if label is not None)

    @property
    def by_outcome(self) -> dict[Outcome, str]:
        """Label of each verdict that the prompt offers."""
        labels = {Outcome.FIRST: self.first, Outcome.SECOND: self.second}
        return labels if self.tie is None else {**labels, Outcome.TIE: self.tie}

    def variants(self, outcome: Outcome | str) -> tuple[str, ...]:
        """Token texts that count as the label of a verdict: the label itself, and with one space before it."""
        label = self.by_outcome[Outcome(outcome)]
        return (label, f" {label}")
