"""What a reader can trust: claims in the judge's favour, each made only where a whole interval decides it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evenhand.analysis import AuditResult, FindingKind
from evenhand.records import Outcome, Readout
from evenhand.report.first_token import COMPLIANT_ENOUGH, forced
from evenhand.report.format import estimate_text, integer
from evenhand.report.model import Claim
from evenhand.report.numbering import claims
from evenhand.report.phrases import PHRASES, by_condition, range_text, verdict_share, where
from evenhand.report.scope import Scope
from evenhand.report.several import decided
from evenhand.report.text import visible
from evenhand.stats import Estimate, Interval, Refusal

__all__ = ["NEGLIGIBLE", "NOTHING_YET", "measures_of", "readouts_agree", "ties_come_and_go", "trust_claims"]

NEGLIGIBLE = 0.05
"""Flip rate below which we speak of no order effect worth the name.

"Will the Judge Flip?" (2026) holds flips too rare to study below .05, and the sycophancy rate that
"Position Bias in LLM Judges: Measurement and Mitigation" calls good is below 5 %.
"""

NOTHING_YET = "Nothing yet: no interval here decides anything in the judge's favour."
_RATES = ("figure-rates", "table-summary")


def trust_claims(audit: AuditResult, scopes: Sequence[Scope], told: Sequence[Readout]) -> tuple[Claim, ...]:
    """Everything that the intervals decide in the judge's favour; one sentence where that is nothing.

    Steadiness, repeats and a lean are held against :data:`NEGLIGIBLE`, compliance and readable answers against
    :data:`COMPLIANT_ENOUGH`: the interval must lie beyond, not the estimate alone.
    """
    found = (
        *_steady(scopes, told),
        *_no_lean(scopes, told),
        *_leads(scopes),
        *_readable(scopes),
        *_repeats(scopes, told),
        *readouts_agree(audit),
        *_right(scopes, told),
        *_remedies(audit),
        *_averaging(audit),
    )
    return found or claims([NOTHING_YET], *_RATES)


def _below(limit: float) -> Callable[[Interval], bool]:
    return lambda interval: interval.high < limit


def _above(limit: float) -> Callable[[Interval], bool]:
    return lambda interval: interval.low >= limit


def _where(
    own: Sequence[Scope], measure: Callable[[Scope], object], holds: Callable[[Interval], bool]
) -> tuple[list[Scope], list[Estimate]]:
    """The scopes in which it holds, with their estimates; see :func:`evenhand.report.several.decided`."""
    kept = decided([(scope, measure(scope)) for scope in own], holds)
    return [scope for scope, _ in kept], [estimate for _, estimate in kept]


def _part(kept: Sequence[Scope], own: Sequence[Scope]) -> str:
    """Of how many conditions it holds, where that isn't all of them."""
    return "" if len(kept) == len(own) else f" in {integer(len(kept))} of {integer(len(own))} conditions"


def ties_come_and_go(scope: Scope) -> bool:
    """Whether pairs with a tie in one order may be more than negligible; flip rates know nothing of them.

    A selective run has no such rate. If ties were as many in order BA as in AB, and none of them on the same pair, it
    would be twice the share of ties.
    """
    ties = scope.finding.measure("inconsistency_rate")
    if scope.selective:
        counts = scope.finding.outcomes
        tied, every = (sum(c.count for c in own) for own in ([c for c in counts if c.outcome is Outcome.TIE], counts))
        return 2 * tied >= NEGLIGIBLE * every > 0
    return isinstance(ties, Estimate) and ties.value > 0 and (ties.interval is None or ties.interval.high >= NEGLIGIBLE)


def _unsteady(scope: Scope) -> bool:
    """Whether the order may change more than flip rates tell: ties that come and go, or answers without a verdict.

    A judge that refuses every pair in one order has no flips at all.
    """
    return ties_come_and_go(scope) or 1 - verdict_share(scope) > NEGLIGIBLE


def _steady(scopes: Sequence[Scope], told: Sequence[Readout]) -> tuple[Claim, ...]:
    made: list[str] = []
    for readout in told:
        own = [s for s in scopes if s.readout is readout]
        kept, rates = _where(own, lambda s: None if _unsteady(s) else s.flips, _below(NEGLIGIBLE))
        if kept:
            made.append(
                f"{PHRASES[readout].opening}, the order hardly matters{_part(kept, own)}: swapping changed the "
                f"preference on {range_text(kept, rates, scopes=scopes)} of the pairs decided in both, below "
                f"{NEGLIGIBLE * 100:g} %."
            )
    return claims(made, *_RATES)


def _no_lean(scopes: Sequence[Scope], told: Sequence[Readout]) -> tuple[Claim, ...]:
    """Where flips are more than negligible and yet lean to no slot: they cancel over many pairs.

    A lean that is shown is one, however small: then the flips do favour a slot.
    """
    made = []
    for readout in told:
        own = [s for s in scopes if s.readout is readout]
        for scope, strength in decided([(s, _strength(s)) for s in own], _balanced):
            flips = scope.flips
            if not (isinstance(flips, Estimate) and flips.interval is not None and flips.interval.high >= NEGLIGIBLE):
                continue
            place = where(scope, scopes, readout=len(told) > 1)
            made.append(
                f"Flips favour neither slot{f' ({place})' if place else ''}: position bias strength is "
                f"{estimate_text(strength, 'number')}, within ±{NEGLIGIBLE:g}."
            )
    return claims(made[:1], measures_of(scopes[0], scopes), "figure-locks") if made else ()


def _strength(scope: Scope) -> Estimate | Refusal | None:
    """Position bias strength over all pairs; None where the flips are shown to lean."""
    share = scope.finding.measure("first_position_bias_rate") if scope.estimated is None else None
    interval = share.interval if isinstance(share, Estimate) else None
    if scope.flagged or (interval is not None and not interval.low <= 0.5 <= interval.high):
        return None
    name = "position_bias_strength"
    return scope.finding.measure(name) if scope.estimated is None else scope.for_all(name)


def _balanced(interval: Interval) -> bool:
    """Within what is negligible, and with 0 in it."""
    return -NEGLIGIBLE < interval.low <= 0.0 <= interval.high < NEGLIGIBLE


def _leads(scopes: Sequence[Scope]) -> tuple[Claim, ...]:
    own = by_condition([s for s in scopes if s.readout in (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID)])
    kept, rates = _where(own, lambda s: s.compliance, _above(COMPLIANT_ENOUGH))
    if not kept:
        return ()
    return claims(
        [
            f"The first token is a verdict{_part(kept, own)}: in both orders on "
            f"{range_text(kept, rates, scopes=scopes)} of pairs, above {COMPLIANT_ENOUGH * 100:g} %."
        ],
        *_RATES,
    )


def _readable(scopes: Sequence[Scope]) -> tuple[Claim, ...]:
    own = [s for s in scopes if s.readout is Readout.GENERATED]
    kept, rates = _where(own, lambda s: s.finding.measure("verdict_rate"), _above(COMPLIANT_ENOUGH))
    if not kept:
        return ()
    return claims(
        [
            f"What the judge writes can be read{_part(kept, own)}: {range_text(kept, rates, scopes=scopes)} of "
            "presentations ended in a verdict."
        ],
        measures_of(kept[0], scopes),
        "table-outcomes",
    )


def measures_of(scope: Scope, scopes: Sequence[Scope]) -> str:
    """Anchor of the table that has every measure of the scope's condition."""
    return f"table-measures-{list(dict.fromkeys(s.condition for s in scopes)).index(scope.condition) + 1}"


def _repeats(scopes: Sequence[Scope], told: Sequence[Readout]) -> tuple[Claim, ...]:
    own = [s for s in scopes if s.repeat is not None and s.readout in told]
    kept, rates = _where(own, lambda s: s.repeat_flips, _below(NEGLIGIBLE))
    if not kept:
        return ()
    text = range_text(kept, rates, scopes=scopes, readouts=len(kept) > 1)
    return claims(
        [f"The judge repeats itself: asked again without a swap, it changed its preference at a rate of {text}."],
        *_RATES,
    )


def readouts_agree(audit: AuditResult) -> tuple[Claim, ...]:
    """Where the flip rates of the two readouts are shown to differ by less than is worth the name."""
    near = decided(
        [(finding, finding.measure("flip_difference")) for finding in forced(audit, "all")],
        lambda interval: -NEGLIGIBLE < interval.low <= interval.high < NEGLIGIBLE,
    )
    if not near:
        return ()
    finding, estimate = max(near, key=lambda pair: abs(pair[1].value))
    several = len(forced(audit, "all")) > 1
    place = f", {visible(finding.condition, limit=60)}" if several else ""
    return claims(
        [
            "Either readout tells of the same flips on pairs decided by both: first-token minus generated "
            f"{estimate_text(estimate, 'difference')}{place}, within ±{NEGLIGIBLE * 100:g} pp."
        ],
        "figure-differences",
        "table-forced-minus-generated",
    )


def _right(scopes: Sequence[Scope], told: Sequence[Readout]) -> tuple[Claim, ...]:
    """Accuracy of the verdicts that both orders share, where it is clear of chance; the best-known readout speaks."""
    for readout in reversed(told):
        own = [s for s in scopes if s.readout is readout]
        kept, rates = _where(own, lambda s: s.finding.measure("accuracy_consistent"), lambda i: i.low > 0.5)
        if kept:
            text = range_text(kept, rates, scopes=scopes)
            return claims(
                [
                    f"Where both orders agree, the preference is the gold one on {text} of pairs: above chance"
                    f"{_part(kept, own)} ({readout.value})."
                ],
                measures_of(kept[0], scopes),
            )
    return ()


def _remedies(audit: AuditResult) -> tuple[Claim, ...]:
    """A remedy whose flips are clearly fewer than those of what the judge writes."""
    found = audit.select(FindingKind.READOUTS)
    made = [
        f"The {'' if readout is None else readout.value} readout flips less than what the judge writes, on the same "
        f"pairs: {estimate_text(fewer, 'difference')} ({visible(finding.condition, limit=60)})."
        for readout in dict.fromkeys(finding.readout for finding in found)
        for finding, fewer in decided(
            [(f, f.measure("flip_readout_contrast")) for f in found if f.readout is readout],
            lambda interval: interval.high < 0,
        )
    ]
    return claims(made[:2], "table-readouts")


def _averaging(audit: AuditResult) -> tuple[Claim, ...]:
    """Where averaging both orders is shown to help; of several conditions the least help that is shown."""
    found = audit.select(FindingKind.PROBABILITY)
    gains = decided([(f, f.measure("averaged_accuracy_gain")) for f in found], lambda interval: interval.low > 0)
    if not gains:
        return ()
    finding, least = min(gains, key=lambda pair: pair[1].value)
    place = ""
    if len(found) > 1:
        readout = "" if finding.readout is None else f", {finding.readout.value}"
        fewest = f"; the least of {integer(len(gains))} of {integer(len(found))} in which it is shown"
        place = f" ({visible(finding.condition, limit=60)}{readout}{fewest if len(gains) > 1 else ''})"
    return claims(
        [
            "Averaging the labels' probabilities over both orders helps: accuracy rises by "
            f"{estimate_text(least, 'difference')}{place}."
        ],
        "table-probability",
    )
