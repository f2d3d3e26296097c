"""Bias audits together: what they ask for beside the control, and one family of tests over all that they find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from evenhand.analysis.family import FEWEST_TRIALS, holm_adjusted
from evenhand.analysis.finding import AuditResult, Finding, FindingKind
from evenhand.analysis.sampler import MethodChoice, Sampler
from evenhand.analysis.scope import WideTable
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.registry import BIAS_AUDITS, bias_names
from evenhand.errors import ConfigError
from evenhand.records import Readout
from evenhand.stats import TestResult

__all__ = ["FAMILY", "adjust_family", "audit_biases", "plan_changes"]

FAMILY = "findings of the bias audits"
"""What the tests that are adjusted together are, in the plural."""


def plan_changes(names: Iterable[str], supplied: frozenset[tuple[str, str]] = frozenset()) -> tuple[Changes, ...]:
    """Everything that the audits ask for beside the control: each set of changes once, in the order of the audits.

    Parameters
    ----------
    names
        Of the audits, in any order.
    supplied
        (factor, level) of which the user brought rewrites.

    Raises
    ------
    ConfigError
        A name is unknown.
    """
    planned = chain.from_iterable(BIAS_AUDITS[name].plan(supplied) for name in bias_names(names))
    return tuple(changes for changes in dict.fromkeys(planned) if changes)


def audit_biases(
    data: BiasData,
    names: Iterable[str],
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
    method: MethodChoice = "auto",
) -> AuditResult:
    """Ask each audit what the verdicts say, and adjust their primary tests together.

    Parameters
    ----------
    data
        The run.
    names
        Of the audits.
    seed
        Of the resampling. Every figure has its own random stream, so that leaving an audit out changes no interval.
    resamples, level, cluster, method
        As in :func:`evenhand.audits.position.audit_position`.

    Returns
    -------
    AuditResult
        Findings of kind BIAS in the order of the audits. Where a finding's primary test (the first of its tests)
        entered the family, the last of its tests is that one, Holm-adjusted over all of them.

    Raises
    ------
    ConfigError
        A name or setting is unknown.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scand. J. Stat. 6, 65-70.
    """
    if seed < 0:
        raise ConfigError(f"seed is {seed}: expected 0 or a positive whole number")
    unit = resampling_unit(data.wide.facts, cluster)
    sampler = Sampler(clusters=unit.clusters, seed=seed, resamples=resamples, level=level, method=method)
    found = [finding for name in bias_names(names) for finding in _of(name, data, sampler)]
    findings = adjust_family(found, wide=data.wide)
    return AuditResult(
        audit="bias",
        findings=findings,
        resamples=resamples,
        level=level,
        seed=seed,
        resampled_by=unit.name,
        notes=(unit.sentence(data.wide.facts),),
    )


def adjust_family(findings: Sequence[Finding], *, wide: WideTable) -> tuple[Finding, ...]:
    """The findings, each with its primary test once more, Holm-adjusted over those of all.

    Outside of the family stay tests that could not reject whatever they found (Tarone 1990,
    https://doi.org/10.2307/2531456), and those of a hybrid readout beside the two that it is made of.
    """
    family = [None if _derived(finding, wide) else _primary(finding) for finding in findings]
    adjusted = iter(holm_adjusted([test for test in family if test is not None], family=FAMILY))
    return tuple(
        finding if test is None else replace(finding, tests=(*finding.tests, next(adjusted)))
        for finding, test in zip(findings, family, strict=True)
    )


def _of(name: str, data: BiasData, sampler: Sampler) -> Iterator[Finding]:
    """An audit's findings under its own name; one that says so where it had nothing to say."""
    found = BIAS_AUDITS[name].analyse(data, sampler.within(FindingKind.BIAS, name))
    if not found:
        yield Finding(kind=FindingKind.BIAS, audit=name, notes=("The audit found nothing to look at in this run.",))
    for finding in found:
        yield replace(finding, kind=FindingKind.BIAS, audit=name)


def _primary(finding: Finding) -> TestResult | None:
    return finding.tests[0] if finding.tests and finding.tests[0].n >= FEWEST_TRIALS else None


def _derived(finding: Finding, wide: WideTable) -> bool:
    """Whether the finding is of a hybrid readout whose two readouts are there too."""
    if finding.readout is not Readout.HYBRID or finding.condition is None:
        return False
    parts = (Readout.FIRST_TOKEN, Readout.GENERATED)
    return all(wide.find(finding.condition, readout) is not None for readout in parts)
