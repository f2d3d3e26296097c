"""Self-preference: whether a judge takes its own family's responses more often than others do on the same pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.family import FEWEST_TRIALS, holm_adjusted
from evenhand.analysis.finding import AuditResult, Finding, FindingKind, Measure
from evenhand.analysis.sampler import MethodChoice, Sampler
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.audits.bias.judges_compared import ComparedJudges, JudgeVerdicts, compare_judges
from evenhand.audits.bias.self_model import SelfFit, fit_self, own_term
from evenhand.audits.readout import outcome_counts
from evenhand.errors import ConfigError
from evenhand.stats import Estimate, Refusal, Regression, TestResult, sign_flip_test

__all__ = ["BLIND", "NO_GOLD", "NO_NEUTRAL", "ONE_JUDGE", "self_preference"]

ONE_JUDGE: Final = (
    "needs the verdicts of at least 2 judges on the same pairs, has 1: alone, a judge that takes its own family's "
    "responses may take them because they are better"
)
NO_NEUTRAL: Final = (
    "needs a judge of neither family on the same pairs: two families that judge only each other show the sum of their "
    "self-preferences and not each"
)
BLIND: Final = (
    "The judge is not told who wrote a response, but may know its own manner: what is measured is a preference for the "
    "family's responses, not for its name."
)
_AUDIT: Final = "self-preference"
_FAMILY: Final = "judges' own-family terms"
NO_GOLD: Final = (
    "Not tested: without gold preferences, a judge that sees quality better than the others do, and whose family "
    "writes better responses, can't be told from one that prefers its own."
)
_NO_LENGTH: Final = (
    "Without the texts of all pairs, a judge that likes length more than the others do, and whose family writes longer "
    "responses, can't be told from one that prefers its own."
)


def self_preference(
    judges: Sequence[JudgeVerdicts],
    *,
    families: Mapping[str, str] | None = None,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
    method: MethodChoice = "auto",
) -> AuditResult:
    """Compare judges on the same pairs, whose authors are known, and find who prefers its own family's responses.

    Parameters
    ----------
    judges
        Several; what one alone can't show is refused with the reason.
    families
        Model name to family, for judges and authors; else by :func:`evenhand.audits.bias.families.family_of`.
    seed, resamples, level, cluster, method
        As in :func:`evenhand.audits.position.audit_position`.

    Returns
    -------
    AuditResult
        A finding of kind BIAS for each judge (``subset``: its name). Its primary test is that of the judge's own-family
        term in one fit of all judges, Holm-adjusted over the judges; the second, over clusters, that of the plain
        difference in differences. Neither is made where no pair has a gold preference.

    Raises
    ------
    ConfigError, DataError
        See :func:`evenhand.audits.bias.judges_compared.compare_judges`.

    References
    ----------
    Panickssery, Bowman and Feng (2024), arXiv:2404.13076; docs/methods/self-preference.md has the formulas.
    """
    if seed < 0:
        raise ConfigError(f"seed is {seed}: expected 0 or a positive whole number")
    compared = compare_judges(judges, families=families)
    unit = resampling_unit(compared.facts, cluster)
    sampler = Sampler(clusters=unit.clusters, seed=seed, resamples=resamples, level=level, method=method)
    fit = fit_self(compared, unit.clusters, level=level)
    found = [_finding(compared, fit, j, sampler) for j in range(len(compared.judges))]
    notes = [unit.sentence(compared.facts), BLIND]
    if compared.unknown:
        notes.append(f"Left out: {compared.unknown:,} pairs with a response whose author is not known.")
    return AuditResult(
        audit=_AUDIT,
        findings=_adjusted(found),
        resamples=resamples,
        level=level,
        seed=seed,
        resampled_by=unit.name,
        notes=tuple(notes),
    )


def _adjusted(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    primary = [f.tests[0] if f.tests and f.tests[0].n >= FEWEST_TRIALS else None for f in findings]
    adjusted = iter(holm_adjusted([test for test in primary if test is not None], family=_FAMILY))
    return tuple(
        finding if test is None else replace(finding, tests=(*finding.tests, next(adjusted)))
        for finding, test in zip(findings, primary, strict=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _OwnChoices:
    """Presentations in which a judge chose between its own family's response and another's. Shape (pairs, 2).

    Attributes
    ----------
    own
        Whether it chose its own family's.
    counted
        Whether it chose at all.
    others
        Share of the judges of neither family who chose it, among those who chose; 0 where none did.
    both
        Whether such a judge chose too.
    """

    own: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    others: NDArray[np.float64]
    both: NDArray[np.bool_]


def _own_choices(compared: ComparedJudges, j: int) -> _OwnChoices:
    side = compared.own[j][:, None]
    counted = (compared.chose[j] != 0) & (side != 0)
    strangers = compared.neutral[:, :, None] & (compared.chose != 0)
    with_own = (strangers & (compared.chose == side)).sum(axis=0)
    number = strangers.sum(axis=0)
    return _OwnChoices(
        own=counted & (compared.chose[j] == side),
        counted=counted,
        others=np.divide(with_own, number, out=np.zeros(number.shape), where=number > 0),
        both=counted & (number > 0),
    )


def _finding(compared: ComparedJudges, fit: SelfFit, j: int, sampler: Sampler) -> Finding:
    judge = compared.judges[j]
    own = sampler.within(FindingKind.BIAS, _AUDIT, judge.name)
    choices = _own_choices(compared, j)
    scope = judge.wide.find(judge.condition, judge.readout)
    return Finding(
        kind=FindingKind.BIAS,
        audit=_AUDIT,
        condition=judge.condition,
        readout=judge.readout,
        subset=judge.name,
        pairs=int(np.count_nonzero(choices.counted.any(axis=1))),
        presentations=int(np.count_nonzero(choices.counted)),
        outcomes=() if scope is None else outcome_counts(scope),
        measures=tuple(_measures(compared, fit, j, choices, own)),
        tests=tuple(_tests(compared, fit, j, choices, own)),
        table=(
            ("pairs of own family and another", int(np.count_nonzero(compared.own[j]))),
            ("presentations that chose between them", int(np.count_nonzero(choices.counted))),
            ("of these, chosen by a judge of neither family too", int(np.count_nonzero(choices.both))),
            ("judges compared", len(compared.judges)),
        ),
        notes=tuple(_notes(compared, fit, j)),
    )


def _why_not(compared: ComparedJudges, j: int, choices: _OwnChoices) -> str | None:
    """Why a judge's self-preference can't be told; None where it can."""
    if len(compared.judges) < 2:
        return ONE_JUDGE
    if not compared.own[j].any():
        return _no_own(compared, j)
    if not choices.both.any():
        return NO_NEUTRAL
    return None


def _no_own(compared: ComparedJudges, j: int) -> str:
    family = compared.families[j]
    return f"no pair sets a response of {family} against another family's (families go by names, unless they are given)"


def _measures(
    compared: ComparedJudges, fit: SelfFit, j: int, choices: _OwnChoices, sampler: Sampler
) -> Iterator[Measure]:
    why = _why_not(compared, j, choices)
    term = own_term(compared.judges[j].name)
    for name, regression in (("self_preference", fit.linear), ("self_preference_odds", fit.odds)):
        if why is not None:
            yield Measure(name=name, estimate=Refusal(reason=why))
        else:
            yield Measure(name=name, estimate=_estimate(regression, term))
    pairs = np.arange(len(compared.length))
    nothing = why or NO_NEUTRAL
    share = np.where(choices.both, choices.others, 0.0)
    both = choices.both.sum(axis=1)
    yield sampler.net(
        "self_preference_difference",
        np.where(choices.both & choices.own, 1 - share, 0.0).sum(axis=1),
        np.where(choices.both & ~choices.own, share, 0.0).sum(axis=1),
        both,
        pairs=pairs,
        nothing=nothing,
    )
    none = _no_own(compared, j)
    yield sampler.rate("own_share", choices.own.sum(axis=1), choices.counted.sum(axis=1), pairs=pairs, nothing=none)
    yield sampler.rate("own_share_others", share.sum(axis=1), both, pairs=pairs, nothing=nothing)


def _estimate(regression: Regression | Refusal, term: str) -> Estimate | Refusal:
    if isinstance(regression, Refusal):
        return regression
    if term not in [each.name for each in regression.terms]:
        return Refusal(reason="no pair of its own family and another has the length and gold side that others have")
    return regression.term(term).estimate


def _tests(
    compared: ComparedJudges, fit: SelfFit, j: int, choices: _OwnChoices, sampler: Sampler
) -> Iterator[TestResult]:
    """The own-family term's, then the plain difference's; none without gold, where neither would mean anything."""
    term = own_term(compared.judges[j].name)
    if _why_not(compared, j, choices) is not None or "gold" not in fit.adjusted:
        return
    if isinstance(fit.linear, Refusal) or isinstance(_estimate(fit.linear, term), Refusal):
        return
    test = fit.linear.term(term).test
    yield test if "length" in fit.adjusted else replace(test, caveat=_NO_LENGTH)
    row, order = np.nonzero(choices.both)
    apart = choices.own[row, order] - choices.others[row, order]
    if np.any(apart):
        test = sign_flip_test(apart, sampler.clusters[row], rng=sampler.stream("difference"))
        yield replace(test, name=f"{test.name}, own family's share")


def _notes(compared: ComparedJudges, fit: SelfFit, j: int) -> Iterator[str]:
    others = ", ".join(judge.name for k, judge in enumerate(compared.judges) if k != j)
    yield f"{compared.judges[j].name} is of family {compared.families[j]}; compared with {others or 'no other judge'}."
    if not others:
        return
    yield f"Each judge has a term of its own for: {', '.join(('slot', *fit.adjusted))}."
    if "gold" not in fit.adjusted:
        yield NO_GOLD
    if "length" not in fit.adjusted:
        yield _NO_LENGTH
    if fit.left_out:
        yield f"Not in the fit, for want of a length or gold side that other pairs have: {fit.left_out:,} pairs."
