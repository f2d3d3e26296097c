"""The exact values that an audit of simulated verdicts must recover, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from evenhand.errors import ConfigError
from evenhand.judges.parameters import parameter
from evenhand.records import Readout

__all__ = ["AuditParameters", "Subset", "TrueValue", "true_values"]

Subset = str
"""``all``, ``compliant`` (pairs) or ``non-compliant`` (pairs)."""

_READOUTS = (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID, Readout.PREFILLED, Readout.CONSTRAINED)
"""What a simulated judge can be read by: it leaves no log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditParameters:
    """What a simulated judge is like. All scales are log-odds, all rates are shares of presentations.

    The log-odds of the first slot in a presentation of pair i, group g, are ``±q + b + e``: plus in order AB, minus
    in BA. ``q = ±(quality + N(0, group_sd) + N(0, quality_sd))``, its sign that of the gold preference (even odds);
    ``b = position + N(0, group_position_sd)``; ``e ~ N(0, noise)``, drawn anew for each presentation.

    Each parameter says of itself what it is; ``evenhand judges simulated`` lists them.
    """

    position: float = parameter(0.0, "bias toward the first slot; 0 is a fair judge")
    generated_position: float | None = parameter(
        None,
        "the same for what is written on non-compliant presentations, where the judge decides anew",
        unset="none: it concludes as the first-token readout says",
    )
    quality: float = parameter(
        0.7, "mean log-odds of the better response (of simulated tables: a judge that is asked reads texts)"
    )
    quality_sd: float = parameter(1.0, "spread of the quality between pairs")
    group_sd: float = parameter(0.0, "spread of the quality between question groups (of simulated tables)")
    noise: float = parameter(0.5, "spread between presentations of a pair; a judge that is asked again says the same")
    group_position_sd: float = parameter(
        0.0, "spread of the position bias between question groups, which makes flips cluster (of simulated tables)"
    )
    compliance: float = parameter(1.0, "chance that a presentation leads with a label")
    lead_change: float = parameter(0.0, "chance to conclude with the other label than it led with")
    refusal: float = parameter(0.0, "chance that the text is a refusal")
    unparsed: float = parameter(0.0, "chance that the text names no label")
    truncated: float = parameter(0.0, "chance that the text doesn't end within the budget")
    tie: float = parameter(0.0, "chance that the text is a tie")
    prefilled_compliance: float = parameter(0.95, "chance that a prefilled presentation goes on with a label")
    prefilled_position: float | None = parameter(
        None,
        "bias toward the first slot of the prefilled readout, which has noise of its own",
        unset="as generated_position, and else as position",
    )

    def __post_init__(self) -> None:
        for name in ("quality_sd", "group_sd", "noise", "group_position_sd"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name}={getattr(self, name)}: a spread must not be negative")
        for name in ("compliance", "lead_change", "refusal", "unparsed", "truncated", "tie", "prefilled_compliance"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name}={getattr(self, name)}: a rate must lie in 0 … 1")
        if self.missing + self.tie > 1:
            raise ConfigError(f"refusal + unparsed + truncated + tie = {self.missing + self.tie}: more than 1")
        if self.spread == 0:
            raise ConfigError("quality_sd, group_sd, noise and group_position_sd are all 0: nothing would vary")

    @property
    def missing(self) -> float:
        """Chance that the generated readout has no verdict."""
        return self.refusal + self.unparsed + self.truncated

    @property
    def written_position(self) -> float:
        """Position bias of what is written on non-compliant presentations."""
        return self.position if self.generated_position is None else self.generated_position

    @property
    def position_after_prefill(self) -> float:
        """Position bias of the prefilled readout."""
        return self.written_position if self.prefilled_position is None else self.prefilled_position

    def compliance_under(self, readout: Readout) -> float:
        """Chance that a presentation asked for this readout is compliant: a prefill makes it another question."""
        return self.prefilled_compliance if readout is Readout.PREFILLED else self.compliance

    @property
    def spread(self) -> float:
        """Standard deviation of one presentation's log-odds, given gold."""
        return sqrt(self.quality_sd**2 + self.group_sd**2 + self.noise**2 + self.group_position_sd**2)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueValue:
    """One measure's exact expectation. ``measure`` is a name from :mod:`evenhand.analysis.measures`."""

    measure: str
    readout: Readout
    subset: Subset
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quadrants:
    """Chances of the four (AB preference, BA preference) combinations when gold is A."""

    aa: float
    ab: float
    ba: float
    bb: float

    def mixed(self, other: _Quadrants, weight: float) -> _Quadrants:
        """``self`` with ``weight``, ``other`` with the rest."""
        return _Quadrants(
            aa=weight * self.aa + (1 - weight) * other.aa,
            ab=weight * self.ab + (1 - weight) * other.ab,
            ba=weight * self.ba + (1 - weight) * other.ba,
            bb=weight * self.bb + (1 - weight) * other.bb,
        )

    def changed(self, *, ab: float, ba: float) -> _Quadrants:
        """Each order's conclusion turned round with its own chance."""
        first = _Quadrants(aa=self.ba, ab=self.bb, ba=self.aa, bb=self.ab).mixed(self, ab)
        return _Quadrants(aa=first.ab, ab=first.aa, ba=first.bb, bb=first.ba).mixed(first, ba)


@dataclass(frozen=True, slots=True, kw_only=True)
class _States:
    """Chances that one presentation ends in a chosen slot and in a tie; the rest has no verdict."""

    decided: float = 1.0
    tie: float = 0.0

    @property
    def verdict(self) -> float:
        return self.decided + self.tie


@dataclass(frozen=True, slots=True, kw_only=True)
class _Class:
    """The pairs that are compliant in certain orders, under one readout.

    States are drawn independently of everything else, so that a class's chances are products.

    Attributes
    ----------
    weight
        Chance that a pair is of this class.
    quadrants
        What the pair's two presentations prefer where both choose a slot.
    ab, ba
        How each presentation ends.
    """

    weight: float
    quadrants: _Quadrants
    ab: _States
    ba: _States

    @property
    def decided(self) -> float:
        """Chance of this class and of a chosen slot in both orders."""
        return self.weight * self.ab.decided * self.ba.decided


def true_values(parameters: AuditParameters) -> tuple[TrueValue, ...]:
    """Exact expectations of the audit's measures.

    Ratios (such as the first-position bias rate) are ratios of expectations: what their estimates tend to.

    Examples
    --------
    >>> fair = {(v.measure, v.readout.value, v.subset): v.value for v in true_values(AuditParameters())}
    >>> round(fair["first_slot_rate", "first-token", "all"], 6)
    0.5
    >>> round(abs(fair["position_bias_strength", "generated", "all"]), 6)
    0.0
    """
    values: list[TrueValue] = []
    for subset in ("compliant", "non-compliant", "all"):
        by_readout = {readout: _classes(parameters, readout, subset) for readout in _READOUTS}
        for readout, classes in by_readout.items():
            if not sum(part.weight for part in classes):
                continue
            named = {**_pair_measures(classes), **_verdict_measures(classes)}
            named |= _state_measures(parameters, readout, subset)
            if subset == "all" and readout in (Readout.FIRST_TOKEN, Readout.PREFILLED):
                position = parameters.position_after_prefill if readout is Readout.PREFILLED else parameters.position
                named["probability_shift"] = _probability_shift(parameters, position)
            if readout is Readout.FIRST_TOKEN:
                written = _pair_measures(by_readout[Readout.GENERATED])
                if "flip_rate" in written:
                    named["flip_difference"] = named["flip_rate"] - written["flip_rate"]
                if subset == "all":
                    named["repeat_flip_rate"] = _repeat_flips(parameters)
            values.extend(
                TrueValue(measure=measure, readout=readout, subset=subset, value=value)
                for measure, value in named.items()
            )
    return tuple(values)


def _classes(p: AuditParameters, readout: Readout, subset: Subset) -> tuple[_Class, ...]:
    """The kinds of pairs in a subset: compliant in both orders, in AB only, in BA only, in neither."""
    c = p.compliance_under(readout)
    kinds = [
        (ab, ba)
        for ab in (True, False)
        for ba in (True, False)
        if subset == "all" or (subset == "compliant") == (ab and ba)
    ]
    return tuple(
        _Class(
            weight=(c if ab else 1 - c) * (c if ba else 1 - c),
            quadrants=_read_quadrants(p, readout, ab=ab, ba=ba),
            ab=_states(p, readout, compliant=ab),
            ba=_states(p, readout, compliant=ba),
        )
        for ab, ba in kinds
    )


def _read_quadrants(p: AuditParameters, readout: Readout, *, ab: bool, ba: bool) -> _Quadrants:
    """What a readout finds preferred, given in which orders the pair is compliant."""
    if readout in (Readout.FIRST_TOKEN, Readout.CONSTRAINED):
        return _quadrants(p, p.position, p.position)
    if readout is Readout.PREFILLED:
        return _quadrants(p, p.position_after_prefill, p.position_after_prefill)
    written = p.written_position
    read = _quadrants(p, p.position if ab else written, p.position if ba else written)
    if readout is Readout.HYBRID:
        return read
    return read.changed(ab=p.lead_change if ab else 0.0, ba=p.lead_change if ba else 0.0)


def _states(p: AuditParameters, readout: Readout, *, compliant: bool) -> _States:
    """A first token and a constrained text always choose a slot; a free text may end in a tie or in no verdict."""
    chosen = (Readout.FIRST_TOKEN, Readout.PREFILLED, Readout.CONSTRAINED)
    if readout in chosen or (readout is Readout.HYBRID and compliant):
        return _States()
    return _States(decided=max(0.0, 1 - p.missing - p.tie), tie=p.tie)


def _pair_measures(classes: tuple[_Class, ...]) -> dict[str, float]:
    """Measures of pairs decided in both orders: each class counts by how many of its pairs are.

    Gold B mirrors gold A with the orders exchanged, so its chances add nothing new here or below.
    """
    decided = sum(part.decided for part in classes)
    if decided <= 0:
        return {}
    first_locks = sum(part.decided * part.quadrants.ab for part in classes) / decided
    second_locks = sum(part.decided * part.quadrants.ba for part in classes) / decided
    flips = first_locks + second_locks
    measures = {
        "flip_rate": flips,
        "slot_lock_rate": flips,
        "position_bias_strength": first_locks - second_locks,
    }
    if flips > 0:
        measures["first_position_bias_rate"] = first_locks / flips
    return measures


def _verdict_measures(classes: tuple[_Class, ...]) -> dict[str, float]:
    """Measures in which a tie is a verdict: one that is never right, since gold is always decided here.

    Over both golds each order's accuracy is the mean of what gold A gives in AB and in BA.
    """
    decided = verdicts = first = right = 0.0
    both = same = one_tie = right_twice = 0.0
    for part in classes:
        q, ab, ba = part.quadrants, part.ab, part.ba
        decided += part.weight * (ab.decided + ba.decided)
        verdicts += part.weight * (ab.verdict + ba.verdict)
        first += part.weight * (ab.decided * (q.aa + q.ab) + ba.decided * (q.ab + q.bb))
        right += part.weight * (ab.decided * (q.aa + q.ab) + ba.decided * (q.aa + q.ba))
        both += part.weight * ab.verdict * ba.verdict
        one_tie += part.weight * (ab.decided * ba.tie + ab.tie * ba.decided)
        same += part.decided * (q.aa + q.bb) + part.weight * ab.tie * ba.tie
        right_twice += part.decided * q.aa
    measures: dict[str, float] = {}
    if decided > 0:
        measures["first_slot_rate"] = first / decided
    if verdicts > 0:
        measures |= {"accuracy_ab": right / verdicts, "accuracy_ba": right / verdicts}
    if both > 0:
        measures |= {"swap_consistency": same / both, "inconsistency_rate": one_tie / both}
    if same > 0:
        measures["accuracy_consistent"] = right_twice / same
    return measures


def _state_measures(p: AuditParameters, readout: Readout, subset: Subset) -> dict[str, float]:
    if subset != "all":
        return {}
    written = {Readout.GENERATED: 1.0, Readout.HYBRID: 1 - p.compliance}.get(readout, 0.0)
    compliance = p.compliance_under(readout)
    measures = {
        "verdict_rate": 1 - written * p.missing,
        "compliance_presentations": compliance,
        "compliance_pairs": compliance**2,
    }
    if readout is Readout.GENERATED and p.compliance > 0:
        measures["lead_conclusion_divergence"] = p.lead_change
    if readout is Readout.HYBRID:
        measures["share_generated"] = written
        measures["generation_saved"] = 1 - written
        if p.missing < 1:
            # Both have a verdict on 1 - missing of all; a generated tie never equals a first-token verdict.
            decided = 1 - p.tie / (1 - p.missing)
            measures["hybrid_fidelity"] = (1 - p.compliance) + p.compliance * decided * (1 - p.lead_change)
    return measures


def _quadrants(p: AuditParameters, position_ab: float, position_ba: float) -> _Quadrants:
    """Chances when gold is A: log-odds of the first slot are q + b + e in AB and -q + b + e' in BA."""
    covariance = p.group_position_sd**2 - p.quality_sd**2 - p.group_sd**2
    both_first = _both_positive(p.quality + position_ab, -p.quality + position_ba, p.spread, covariance)
    ab_first = _positive(p.quality + position_ab, p.spread)
    ba_first = _positive(-p.quality + position_ba, p.spread)
    return _Quadrants(
        aa=ab_first - both_first,
        ab=both_first,
        ba=1 - ab_first - ba_first + both_first,
        bb=ba_first - both_first,
    )


def _repeat_flips(p: AuditParameters) -> float:
    """Order AB twice: everything but ``e`` is shared. Averaged over gold."""
    covariance = p.group_position_sd**2 + p.quality_sd**2 + p.group_sd**2
    total = 0.0
    for quality in (p.quality, -p.quality):
        mean = quality + p.position
        total += 2 * (_positive(mean, p.spread) - _both_positive(mean, mean, p.spread, covariance))
    return total / 2


def _probability_shift(p: AuditParameters, position: float) -> float:
    """p(A) in order AB minus that in BA, p the logistic function of the log-odds: the same for either gold."""
    return _logistic_mean(p.quality + position, p.spread) + _logistic_mean(position - p.quality, p.spread) - 1


def _logistic_mean(mean: float, sd: float) -> float:
    """Mean of the logistic function of a normal variable, by the trapezoidal rule out to ten standard deviations."""
    import numpy as np

    z = np.linspace(-10.0, 10.0, 4001)
    weights = np.exp(-(z**2) / 2)
    values = np.exp(-np.logaddexp(0.0, -(mean + sd * z)))
    return float((values @ weights) / weights.sum())


def _positive(mean: float, sd: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(mean / sd))


def _both_positive(first: float, second: float, sd: float, covariance: float) -> float:
    """P(X > 0 and Y > 0) for normal X, Y of equal variance; exact also where they are wholly dependent."""
    from scipy.stats import multivariate_normal

    correlation = covariance / sd**2
    if correlation > 1 - 1e-12:
        return min(_positive(first, sd), _positive(second, sd))
    if correlation < -1 + 1e-12:
        return max(0.0, _positive(first, sd) + _positive(second, sd) - 1)
    scaled = [first / sd, second / sd]
    return float(multivariate_normal.cdf(scaled, mean=[0, 0], cov=[[1, correlation], [correlation, 1]]))
