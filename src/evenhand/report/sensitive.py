"""Where swapping is shown to change verdicts: the one rule by which a report calls a condition sensitive to order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.records import Readout
from evenhand.report.phrases import told_readouts
from evenhand.report.scope import Scope
from evenhand.report.several import above
from evenhand.report.trust import NEGLIGIBLE
from evenhand.stats import Estimate, Interval

__all__ = ["Sensitive", "judged_readouts", "sensitive_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitive:
    """Flip rates above :data:`evenhand.report.trust.NEGLIGIBLE`.

    Attributes
    ----------
    shown
        Above it after Holm's adjustment over all conditions and readouts that are judged.
    alone
        Above it by their own interval alone: of so many, some are by luck.
    looks
        Flip rates that were judged.
    """

    shown: tuple[tuple[Scope, Estimate], ...]
    alone: tuple[tuple[Scope, Estimate], ...]
    looks: int

    def of(self, readouts: Sequence[Readout]) -> tuple[tuple[Scope, Estimate], ...]:
        """Those that are shown under some of the readouts."""
        return tuple((scope, estimate) for scope, estimate in self.shown if scope.readout in readouts)


def judged_readouts(scopes: Sequence[Scope]) -> list[Readout]:
    """The readouts whose flips a report judges: all but the hybrid one, which is made of two others."""
    readouts: list[Readout] = [r for r in Readout if r is not Readout.HYBRID and any(s.readout is r for s in scopes)]
    return readouts or told_readouts(scopes)


def sensitive_of(scopes: Sequence[Scope]) -> Sensitive:
    """Judge every flip rate together: with true rates of exactly the limit, any is called sensitive in at most 2.5 %.

    The intervals that tables show are not adjusted.
    """
    judged = judged_readouts(scopes)
    known = [
        (scope, flips, flips.interval)
        for scope in scopes
        if scope.readout in judged and isinstance(flips := scope.flips, Estimate) and flips.interval is not None
    ]
    shown = above([(scope, flips) for scope, flips, _ in known], NEGLIGIBLE)
    named = {id(scope) for scope, _ in shown}
    return Sensitive(
        shown=tuple(shown),
        alone=tuple((s, e) for s, e, interval in known if _above(interval) and id(s) not in named),
        looks=len(known),
    )


def _above(interval: Interval) -> bool:
    return interval.low > NEGLIGIBLE
