"""One row of the table of faults: what was done how often, what was checked, and what was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class FaultRow:
    """A fault.

    Attributes
    ----------
    fault
        What was done to it.
    checked
        What had to hold.
    trials
        How often; a kill that came after the process had ended is none.
    lost
        Answers counted and then not in the journal; files that had been whole and are not.
    asked_twice
        Presentations put to the judge again though their answer was in the journal.
    wrong
        Trials whose figures or verdicts differ from those of an undisturbed run without a refusal.
    in_flight
        Calls that the judge had when the process died, and that were made again: their answers can't be known.
    tracebacks
        Trials in which a user would have seen one.
    outcomes
        How the trials ended, in words.
    remark
        What else a reader should know.
    """

    fault: str
    checked: str
    trials: int = 0
    lost: int = 0
    asked_twice: int = 0
    wrong: int = 0
    in_flight: int = 0
    tracebacks: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    remark: str = ""

    @property
    def held(self) -> bool:
        """Whether nothing was lost, asked twice or wrong, and something was tried."""
        return self.trials > 0 and not (self.lost or self.asked_twice or self.wrong or self.tracebacks)

    def told(self) -> str:
        """The remark with how the trials ended."""
        ended = ", ".join(f"{count:,} {name}" for name, count in sorted(self.outcomes.items()))
        flying = f"{self.in_flight:,} calls in flight at a kill were made again" if self.in_flight else ""
        return "; ".join(part for part in (ended, flying, self.remark) if part)
