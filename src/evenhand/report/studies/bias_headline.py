"""What a study of biases says first: which are shown, which are ruled out, which stay open, each with its number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from evenhand.analysis.study import StudyHeadline, StudyStatus
from evenhand.report.format import difference, estimate_text, integer, p_text
from evenhand.report.numbering import claims as tied
from evenhand.report.studies.bias_claims import Claim, ClaimState
from evenhand.stats import Refusal

__all__ = ["bias_headline", "listed_subjects", "said", "strongest", "subjects_by_state", "within_by_half"]

_MOST = 6  # claims that a sentence lists; the table has all

_COMPARISONS: Final = "table-comparisons"
"""Every comparison is a row of one table, which says of one without data why there is none."""

_WEIGHT: Final[tuple[ClaimState, ...]] = ("shown", "undecided", "within", "no data")
"""What a change comes to under several readouts: the first of these that holds under any."""

_REMEDIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "verbosity": "Length: report a length-controlled preference beside the raw one, or compare responses of like "
        "length.",
        "sycophancy": "Endorsements: keep who prefers what, credentials and citations out of what the judge sees, and "
        "take instructions out of responses before they are judged.",
        "self-preference": "Authorship: let a judge of another family decide, or a panel across families.",
        "tone": "Tone: ask the prompt to judge content alone, and audit that prompt again with the same command.",
        "formatting": "Formatting: strip it from both responses before they are judged.",
        "register": "Register: ask the prompt to judge content alone, and have people check pairs that differ in it.",
        "recency": "Turns: judge turns apart, or show both responses' turns in either order and take the agreement.",
        "rationale": "Rationales: take a pair whose two rationales say the same and choose differently as undecided.",
        "interaction": "Compounding: measure mitigation on pairs where the biases meet, not one bias at a time.",
    }
)


def bias_headline(
    claims: Sequence[Claim], *, tolerance: float, refused: Sequence[tuple[str, str]] = ()
) -> StudyHeadline:
    """Say what the claims come to.

    Parameters
    ----------
    refused
        (audit, reason) of what could not be looked at in these runs at all.
    """
    by_state = subjects_by_state(claims)
    status = _status(by_state, claims)
    return StudyHeadline(
        status=status,
        verdict=_verdict(by_state, claims, tolerance=tolerance),
        lead=_lead(by_state, claims, tolerance=tolerance),
        more=(
            *tied(_meaning(by_state, claims, tolerance=tolerance), _COMPARISONS),
            *tied(f"Not looked at: {audit} ({reason})." for audit, reason in refused),
        ),
        steps=tied(_next_steps(by_state, tolerance=tolerance), _COMPARISONS),
    )


def subjects_by_state(claims: Sequence[Claim]) -> Mapping[ClaimState, tuple[tuple[Claim, ...], ...]]:
    """Per state: the subjects in it, each with its claims of that state, one a readout."""
    subjects: dict[tuple[str, str, str], list[Claim]] = {}
    for claim in claims:
        if claim.state in _WEIGHT:
            subjects.setdefault((claim.run, claim.audit, claim.subset), []).append(claim)
    found: dict[ClaimState, list[tuple[Claim, ...]]] = {state: [] for state in _WEIGHT}
    for own in subjects.values():
        state = next(state for state in _WEIGHT if any(claim.state == state for claim in own))
        found[state].append(tuple(claim for claim in own if claim.state == state))
    return {state: tuple(own) for state, own in found.items()}


def within_by_half(claims: Sequence[Claim]) -> tuple[str, ...]:
    """Sentences on changes that stay within the tolerance under one readout and have no data under another."""
    within = {(each.run, each.audit, each.subset) for own in subjects_by_state(claims)["within"] for each in own}
    lacking = [
        f"{_name(claim)} ({claim.readout}: "
        f"{claim.effect.reason if isinstance(claim.effect, Refusal) else 'not a finite number'})"
        for claim in claims
        if claim.state == "no data" and (claim.run, claim.audit, claim.subset) in within
    ]
    more = f"; {integer(len(lacking) - _MOST)} more in the tables" if len(lacking) > _MOST else ""
    return (
        (f"Within under one readout, without data under another: {'; '.join(lacking[:_MOST])}{more}.",)
        if lacking
        else ()
    )


_Subjects = Mapping[ClaimState, tuple[tuple[Claim, ...], ...]]


def _status(by_state: _Subjects, claims: Sequence[Claim]) -> StudyStatus:
    if by_state["shown"]:
        return "bad"
    if by_state["undecided"]:
        return "undecided"
    if by_state["within"]:
        return "good"
    return "described" if any(claim.state == "described" for claim in claims) else "failed"


def _verdict(by_state: _Subjects, claims: Sequence[Claim], *, tolerance: float) -> str:
    shown, undecided, within, lacking = (len(by_state[state]) for state in _WEIGHT)
    decidable = shown + undecided + within
    without = f"; {integer(lacking)} without data" if lacking else ""
    if shown:
        names = _gathered([own[0] for own in by_state["shown"][:_MOST]])
        more = f" and {integer(shown - _MOST)} more" if shown > _MOST else ""
        return f"Bias is shown in {integer(shown)} of {integer(decidable)} comparisons: {names}{more}{without}"
    if undecided:
        stay = "stays" if undecided == 1 else "stay"
        of = "the only comparison" if decidable == 1 else f"{integer(undecided)} of {integer(decidable)} comparisons"
        return f"No bias is shown, and {of} {stay} open{without}"
    if within:
        all_of = "The only comparison stays" if within == 1 else f"All {integer(within)} comparisons stay"
        return f"{all_of} within {_within(tolerance)}{without}"
    if any(claim.state == "described" for claim in claims):
        return f"Described only: nothing here tests for a bias{without}"
    lack = "lacks" if lacking == 1 else "lack"
    return f"No bias can be judged: {_comparisons(lacking)} {lack} data" if lacking else "No bias was looked at"


def _comparisons(count: int) -> str:
    return "1 comparison" if count == 1 else f"{integer(count)} comparisons"


def _lead(by_state: _Subjects, claims: Sequence[Claim], *, tolerance: float) -> str:
    if by_state["shown"]:
        return f"Shown: {listed_subjects(by_state['shown'])}."
    if by_state["undecided"]:
        return f"Open: {listed_subjects(by_state['undecided'])}."
    if by_state["within"]:
        return f"Within {_within(tolerance)}: {listed_subjects(by_state['within'])}."
    described = [claim for claim in claims if claim.state == "described"]
    if described:
        return f"{'; '.join(said(claim) for claim in described[:_MOST])}."
    lacking = by_state["no data"]
    return f"{_reasons(lacking)}." if lacking else "The runs have no verdicts that a bias audit looks at."


def _meaning(by_state: _Subjects, claims: Sequence[Claim], *, tolerance: float) -> Iterator[str]:
    leading = by_state["shown"] or by_state["undecided"] or by_state["within"]
    if by_state["within"] and leading is not by_state["within"]:
        yield f"Within {_within(tolerance)}: {listed_subjects(by_state['within'])}."
    if by_state["undecided"] and leading is not by_state["undecided"]:
        yield f"Not decided by these data: {listed_subjects(by_state['undecided'])}."
    described = [claim for claim in claims if claim.state == "described"]
    if described and leading:
        yield f"Described: {'; '.join(said(claim) for claim in described[:_MOST])}."
    if by_state["no data"] and leading:
        yield f"Without data: {_reasons(by_state['no data'])}."
    yield from within_by_half(claims)


def _next_steps(by_state: _Subjects, *, tolerance: float) -> Iterator[str]:
    if by_state["no data"] and not any(by_state[state] for state in ("shown", "undecided", "within")):
        yield "Bring what the audits need: evenhand biases --list says what each asks for."
    audits = dict.fromkeys(own[0].audit for own in by_state["shown"])
    yield from (_REMEDIES[audit] for audit in audits if audit in _REMEDIES)
    undecided = [claim for own in by_state["undecided"] for claim in own]
    if any(claim.by_length_alone for claim in undecided):
        yield (
            "Length: more pairs won't tell it from quality. Audit with --bias verbosity, which pads responses and "
            "changes nothing else, or give every pair quality_a and quality_b."
        )
    undecided = [claim for claim in undecided if not claim.by_length_alone]
    needed = [(pairs, claim) for claim in undecided if (pairs := _pairs_needed(claim, tolerance))]
    if needed:
        # A change is named factor=level; what is only looked at, such as length, needs no pairs of any kind.
        which = " that the change can be made to" if any("=" in claim.subset for _, claim in needed) else ""
        yield (
            f"Open comparisons: judge about {integer(max(pairs for pairs, _ in needed))} pairs{which}, and intervals "
            f"as wide as these shrink to {_within(tolerance)} around their estimates."
        )


def _pairs_needed(claim: Claim, tolerance: float) -> int | None:
    """Pairs at which half the interval's width is the tolerance, as it falls with their root; None where it is now."""
    interval = claim.interval
    if interval is None or claim.unit != "difference":
        return None
    half = (interval.high - interval.low) / 2
    return round(claim.finding.pairs * (half / tolerance) ** 2) if half > tolerance else None


def listed_subjects(subjects: Sequence[tuple[Claim, ...]]) -> str:
    """Each subject with its strongest readout's figure; those beyond a few are counted."""
    first = strongest(subjects)
    more = f"; {integer(len(subjects) - _MOST)} more in the tables" if len(subjects) > _MOST else ""
    return "; ".join(said(claim) for claim in first[:_MOST]) + more


def strongest(subjects: Sequence[tuple[Claim, ...]]) -> list[Claim]:
    """Each subject's claim under the readout where its effect is largest, the largest first."""
    return sorted((max(own, key=_by_strength) for own in subjects), key=_by_strength, reverse=True)


def _by_strength(claim: Claim) -> float:
    return claim.strength


def said(claim: Claim) -> str:
    """``sycophancy endorsement=user +12.0 pp [8.1, 15.9] (generated; Holm-adjusted p = 0.002)``."""
    readout = () if claim.finding.readout is None else (claim.readout,)
    test = () if claim.adjusted is None else (f"Holm-adjusted {p_text(claim.adjusted)}",)
    quality = ("not told from quality, of which the side alone is known",) if claim.by_length_alone else ()
    aside = "; ".join((*readout, *test, *quality))
    return f"{_name(claim)} {estimate_text(claim.effect, claim.unit)}{f' ({aside})' if aside else ''}"


def _gathered(claims: Sequence[Claim]) -> str:
    """``sycophancy (endorsement=user, endorsement=expert), tone (tone=assertive)``."""
    by_audit: dict[str, list[str]] = {}
    for claim in claims:
        by_audit.setdefault(f"{claim.run}, {claim.audit}" if claim.run else claim.audit, []).append(claim.subset)
    return ", ".join(f"{audit} ({', '.join(subsets)})" for audit, subsets in by_audit.items())


def _name(claim: Claim) -> str:
    run = f"{claim.run}, " if claim.run else ""
    # "tone=hedged" and "rationale similarity" name their audit themselves.
    return f"{run}{claim.subset if claim.subset.startswith(claim.audit) else f'{claim.audit} {claim.subset}'}"


def _reasons(subjects: Sequence[tuple[Claim, ...]]) -> str:
    """Why there are no figures, each audit's reasons once."""
    said = dict.fromkeys(
        f"{_name(claim)} ({claim.effect.reason if isinstance(claim.effect, Refusal) else 'not a finite number'})"
        for own in subjects
        for claim in own[:1]
    )
    listed = list(said)
    more = f"; {integer(len(listed) - _MOST)} more in the tables" if len(listed) > _MOST else ""
    return "; ".join(listed[:_MOST]) + more


def _within(tolerance: float) -> str:
    return f"±{difference(tolerance).removeprefix('+')}"
