"""Tolerances: how far a measure may move for the worse between two runs, and whether it did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evenhand.audits.drift.bias_drift import BiasChange
from evenhand.audits.drift.bounds import Limits, Standing, pairs_to_decide, standing
from evenhand.audits.drift.comparison import Comparison, ConditionPair, MeasureChange
from evenhand.audits.drift.measures import NET_SHIFT, Worse, drift_measure
from evenhand.audits.drift.numbers import plain_number
from evenhand.errors import ConfigError
from evenhand.records import Readout
from evenhand.stats import Estimate, Refusal

__all__ = ["Tolerance", "ToleranceDecision", "decide_tolerances", "parse_tolerance", "tolerances_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """The largest change for the worse that is tolerated.

    Attributes
    ----------
    measure
        Key of DRIFT_MEASURES.
    most
        Such as .05: five percentage points.
    """

    measure: str
    most: float

    @property
    def worse(self) -> Worse:
        """In which direction a change is for the worse."""
        return drift_measure(self.measure).worse

    @property
    def limits(self) -> Limits:
        """Limits of the difference new minus old."""
        match self.worse:
            case "up":
                return Limits(high=self.most)
            case "down":
                return Limits(low=-self.most)
            case _:
                return Limits(low=-self.most, high=self.most)

    @property
    def text(self) -> str:
        """Such as ``flip rate up by at most 5 points``."""
        how = {"up": "up by at most", "down": "down by at most", "both": "moved by at most"}[self.worse]
        return f"{drift_measure(self.measure).info.label} {how} {self.most * 100:.3g} points"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToleranceDecision:
    """What became of a tolerance in one scope.

    Attributes
    ----------
    estimate
        The difference that decides.
    subset
        Of a net shift: which change.
    pairs, pairs_needed
        That entered; about how many would decide if the difference stays where it is (None: no number would, or it is
        decided).
    """

    tolerance: Tolerance
    conditions: ConditionPair | None
    readout: Readout | None
    standing: Standing
    estimate: Estimate | Refusal
    pairs: int = 0
    pairs_needed: int | None = None
    subset: str | None = None


def parse_tolerance(text: str) -> Tolerance:
    """Read ``flip_rate=.05``.

    Raises
    ------
    ConfigError
        Another form, an unknown measure, or no number between 0 and 1.

    Examples
    --------
    >>> parse_tolerance("compliance=.02")
    Tolerance(measure='compliance_pairs', most=0.02)
    """
    name, sign, number = text.partition("=")
    if not sign:
        raise ConfigError(f"tolerance {text!r}: expected MEASURE=CHANGE, such as flip_rate=.05")
    measure = drift_measure(name).name
    most = plain_number(number)
    if most is None or not 0.0 <= most <= 1.0:
        raise ConfigError(f"tolerance {text!r}: {number!r} is no share between 0 and 1, such as .05 for 5 points")
    return Tolerance(measure=measure, most=most)


def tolerances_of(given: Mapping[str, float] | Iterable[str | Tolerance]) -> tuple[Tolerance, ...]:
    """From what a caller has: a mapping, texts or tolerances; two of one measure are refused.

    Raises
    ------
    ConfigError
        See :func:`parse_tolerance`.
    """
    texts = [f"{name}={float(most)!r}" for name, most in given.items()] if isinstance(given, Mapping) else list(given)
    made = tuple(each if isinstance(each, Tolerance) else parse_tolerance(each) for each in texts)
    names = [each.measure for each in made]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"tolerance of {twice} is given twice")
    return made


def decide_tolerances(comparison: Comparison, tolerances: Sequence[Tolerance]) -> tuple[ToleranceDecision, ...]:
    """Decide each tolerance in each scope; one without any scope is not measured."""
    return tuple(
        decision
        for tolerance in tolerances
        for decision in (_decisions(comparison, tolerance) or (_unmeasured(tolerance),))
    )


def _decisions(comparison: Comparison, tolerance: Tolerance) -> tuple[ToleranceDecision, ...]:
    of_scopes = (
        _decision(tolerance, change, conditions=scope.conditions, readout=scope.readout)
        for scope in comparison.scopes
        for change in scope.measures
        if change.name == tolerance.measure
    )
    of_biases = (
        _decision(
            tolerance,
            bias,
            conditions=ConditionPair(old=bias.control, new=bias.control),
            readout=bias.readout,
            subset=bias.subset,
        )
        for bias in comparison.biases
        if tolerance.measure == NET_SHIFT.name
    )
    return (*of_scopes, *of_biases)


def _decision(
    tolerance: Tolerance,
    change: MeasureChange | BiasChange,
    *,
    conditions: ConditionPair,
    readout: Readout,
    subset: str | None = None,
) -> ToleranceDecision:
    stands = standing(change.difference, tolerance.limits, strict=change.surer)
    undecided = stands == "undecided"
    return ToleranceDecision(
        tolerance=tolerance,
        conditions=conditions,
        readout=readout,
        subset=subset,
        standing=stands,
        estimate=change.difference,
        pairs=change.pairs,
        pairs_needed=pairs_to_decide(change.difference, tolerance.limits, pairs=change.pairs, strict=change.surer)
        if undecided
        else None,
    )


def _unmeasured(tolerance: Tolerance) -> ToleranceDecision:
    return ToleranceDecision(
        tolerance=tolerance,
        conditions=None,
        readout=None,
        standing="not measured",
        estimate=Refusal(reason="nothing could be compared", n=0),
    )
