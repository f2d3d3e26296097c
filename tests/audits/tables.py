"""Small verdict tables written as strings: one character for the outcome in order AB, one for order BA."""

from collections.abc import Mapping

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.records import Order, Outcome, Preference, Readout, Verdict
from evenhand.stats import Estimate, Refusal

OUTCOMES = {
    "F": Outcome.FIRST,
    "S": Outcome.SECOND,
    "T": Outcome.TIE,
    "R": Outcome.REFUSED,
    "U": Outcome.UNPARSED,
    "X": Outcome.TRUNCATED,
    "E": Outcome.ERROR,
}
COMPLIANCE = {"+": True, "-": False, "?": None}
GOLD = {"A": Preference.A, "B": Preference.B, "t": Preference.TIE}


def verdicts(
    pairs: Mapping[str, str],
    *,
    condition: str = "c",
    readout: Readout = Readout.GENERATED,
    compliant: Mapping[str, str] | None = None,
    lead: Mapping[str, str] | None = None,
    gold: Mapping[str, str] | None = None,
    group: Mapping[str, str] | None = None,
    source: Mapping[str, str] | None = None,
    log: Mapping[str, str] | None = None,
    generated: Mapping[str, str] | None = None,
    repeat: int = 0,
) -> list[Verdict]:
    """Verdicts of pairs such as ``{"p": "FS"}``; ``.`` is a presentation that wasn't asked. Each pair is a group."""
    return [
        Verdict(
            pair_id=pair,
            group=(group or {}).get(pair, pair),
            source=(source or {}).get(pair, "s"),
            gold=GOLD.get((gold or {}).get(pair, "")),
            condition=condition,
            readout=readout,
            order=order,
            repeat=repeat,
            outcome=OUTCOMES[codes[column]],
            compliant=COMPLIANCE[(compliant or {}).get(pair, "??")[column]],
            lead=OUTCOMES.get((lead or {}).get(pair, "  ")[column]),
            log_outcome=OUTCOMES.get((log or {}).get(pair, "  ")[column]),
            generated=COMPLIANCE[(generated or {}).get(pair, "??")[column]],
        )
        for pair, codes in pairs.items()
        for column, order in enumerate(Order)
        if codes[column] != "."
    ]


def copies(values: Mapping[str, str], count: int) -> dict[str, str]:
    """Every pair ``count`` times: the same rates with enough clusters for an interval."""
    return {f"{pair}-{i}": value for pair, value in values.items() for i in range(count)}


def many(**counts: int) -> dict[str, str]:
    """``many(FF=3, FS=2)``: pairs of given outcomes, named by them."""
    return {f"{codes}{i}": codes for codes, count in counts.items() for i in range(count)}


def only(result: AuditResult, kind: FindingKind, **scope: object) -> Finding:
    """The one finding of a scope."""
    (finding,) = result.select(kind, **scope)
    return finding


def rate(finding: Finding, name: str) -> tuple[float | None, int]:
    """A rate as (count, n)."""
    estimate = finding.measure(name)
    assert isinstance(estimate, Estimate), f"{name}: {estimate}"
    return estimate.count, estimate.n


def value(finding: Finding, name: str) -> float:
    """The point estimate of a measure that must be there."""
    estimate = finding.measure(name)
    assert isinstance(estimate, Estimate), f"{name}: {estimate}"
    return estimate.value


def reason(finding: Finding, name: str) -> str:
    """Why a measure was refused."""
    estimate = finding.measure(name)
    assert isinstance(estimate, Refusal), f"{name}: {estimate}"
    return estimate.reason
