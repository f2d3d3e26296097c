"""The position and readout audit: a table of verdicts in, findings out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from evenhand.analysis.family import FEWEST_TRIALS, holm_adjusted
from evenhand.analysis.finding import AuditResult, Finding
from evenhand.analysis.sampler import MethodChoice, Sampler
from evenhand.analysis.scope import WideTable
from evenhand.analysis.sentences import NO_SLOTS, SAMPLED, SINGLE_ORDER
from evenhand.analysis.unit import ENOUGH_SOURCES, ClusterBy, ResamplingUnit, resampling_unit
from evenhand.analysis.wide import widen
from evenhand.audits.contrasts import condition_contrasts
from evenhand.audits.design import Settings, design_findings
from evenhand.audits.displays import displays_of
from evenhand.audits.hybrid import hybrid_finding
from evenhand.audits.log_parse import log_findings
from evenhand.audits.order_ab import order_ab, without_swap_figures
from evenhand.audits.pooled import pooled_findings
from evenhand.audits.prediction_powered import prediction_powered_findings
from evenhand.audits.probability import probability_findings
from evenhand.audits.readout import readout_finding
from evenhand.audits.readout_contrasts import readout_contrasts
from evenhand.audits.readout_pairs import forced_minus_generated
from evenhand.audits.repeats import repeat_finding
from evenhand.audits.sample import SampleDesign
from evenhand.audits.selective import selective_findings
from evenhand.audits.swap_design import SwapDesign
from evenhand.errors import ConfigError
from evenhand.records import Readout

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ENOUGH_SOURCES", "ClusterBy", "Orders", "audit_position"]

Orders = Literal["both", "single"]


def audit_position(
    table: pl.DataFrame | WideTable,
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
    orders: Orders = "both",
    slots_seen: bool = True,
    method: MethodChoice = "auto",
    designs: Mapping[str, Settings] | None = None,
    sample: SampleDesign | None = None,
    swap: SwapDesign | None = None,
) -> AuditResult:
    """Audit how far verdicts depend on order and on how they were read.

    Parameters
    ----------
    table
        The columns of :func:`evenhand.records.verdict_table`; one row for each presentation, readout, condition and
        repeat, in any order. Or the arrays that it was already turned into.
    seed
        Of the resampling. Every figure has its own random stream.
    resamples, level
        Of the cluster intervals.
    cluster
        What is resampled: ``source``, ``group`` (question group), or ``auto``: source where there are at least 30.
    orders
        ``single`` says that every pair was shown in one order only: no position figure is made. A condition without
        any pair in both orders is treated so in any case.
    slots_seen
        False where a judge saw each response by itself and pairs were made of its scores: no response stood first, so
        that figures on slots are refused (:data:`evenhand.analysis.sentences.NO_SLOTS`). Only with ``orders="single"``.
    method
        How intervals are made: ``robust`` (cluster-robust score and Wald intervals), ``percentile`` or ``bca`` (cluster
        bootstrap), or ``auto``: percentile for the difference of the two readouts and for pooled figures, else robust.
        Each interval says how it was made.
    designs
        Where the run varies the prompt's design: the ordered (axis, level) of each designed condition, by its id. Such
        conditions are compared level by level (:func:`evenhand.audits.design.design_findings`), not each with each.
    sample
        Where text was asked for of a random sample of the pairs only: how it was drawn. Figures of the generated
        readout over all pairs are then prediction-powered estimates from that sample; those that would take it for all
        pairs are left out.
    swap
        Where order BA was asked of likely flips and a random floor only: which pairs were drawn, and how. Figures that
        need both orders are then estimates for all pairs (:mod:`evenhand.audits.selective`); every other one is of
        order AB alone. Not together with ``sample`` or ``designs``.

    Returns
    -------
    AuditResult
        Findings of all kinds, in the order of :class:`evenhand.audits.FindingKind`.

    Raises
    ------
    DataError
        The table lacks a column, has an unknown value, or has a presentation twice.
    StatisticsError
        The table's outcomes and preferences contradict each other.

    References
    ----------
    "The First Token Is Not the Verdict" (2026); "Will the Judge Flip?" (2026); "Position Bias in LLM Judges:
    Measurement and Mitigation". The formulas are in docs/methods/position.md.

    Examples
    --------
    >>> from evenhand.records import Order, Outcome, Verdict, verdict_table
    >>> rows = [
    ...     Verdict(pair_id=f"p{i}", group=f"g{i}", source="s", gold=None, condition="A/B", readout=Readout.GENERATED,
    ...             order=order, repeat=0, outcome=Outcome.FIRST)
    ...     for i in range(8) for order in Order
    ... ]
    >>> result = audit_position(verdict_table(rows))
    >>> result.findings[0].measure("flip_rate").value, result.resampled_by
    (1.0, 'question group')
    """
    if orders not in ("both", "single"):
        raise ConfigError(f"orders is {orders!r}: expected both or single")
    if not slots_seen and orders != "single":
        raise ConfigError("slots_seen is False with both orders: expected orders='single' where no order was shown")
    if seed < 0:
        raise ConfigError(f"seed is {seed}: expected 0 or a positive whole number")
    if swap is not None and (sample is not None or designs or orders == "single"):
        raise ConfigError("a selective swap is of one prompt in both orders, without a sample of texts")
    wide = table if isinstance(table, WideTable) else widen(table)
    unit = resampling_unit(wide.facts, cluster)
    sampler = Sampler(clusters=unit.clusters, seed=seed, resamples=resamples, level=level, method=method)
    single, varied = orders == "single", dict(designs or {})
    if swap is None:
        findings = _findings(wide, sampler=sampler, single=single, slots_seen=slots_seen, designs=varied, sample=sample)
    else:
        findings = _swapped(wide, swap=swap, sampler=sampler)
    return AuditResult(
        audit="position",
        findings=tuple(findings),
        resamples=resamples,
        level=level,
        seed=seed,
        resampled_by=unit.name,
        notes=tuple(_notes(wide, unit, single=single, slots_seen=slots_seen)),
        displays=tuple(
            displays_of(
                wide if swap is None else order_ab(wide),
                sampler=sampler,
                single=single or swap is not None,
                sampled=sample is not None,
            )
        ),
    )


def _findings(
    wide: WideTable,
    *,
    sampler: Sampler,
    single: bool,
    slots_seen: bool,
    designs: Mapping[str, Settings],
    sample: SampleDesign | None,
) -> Iterator[Finding]:
    sampled = sample is not None
    readouts = _readouts(wide, sampler=sampler, single=single, slots_seen=slots_seen)
    yield from map(_of_sample, readouts) if sampled else readouts
    if not single:
        yield from _compared_readouts(wide, sampler=sampler, sampled=sampled)
    for scope in wide.of(Readout.HYBRID):
        yield hybrid_finding(scope, wide.find(scope.condition, Readout.GENERATED), sampler=sampler)
    if not single:
        yield from _compared_conditions(wide, sampler=sampler, designs=designs, sampled=sampled)
    for scope in wide.scopes:
        finding = repeat_finding(scope, sampler=sampler, single=single or scope.single_order)
        if finding is not None:
            yield finding
    if not single:
        yield from probability_findings(wide, sampler=sampler)
        if sample is not None:
            yield from prediction_powered_findings(wide, sample=sample, sampler=sampler)
    yield from log_findings(wide.scopes, sampler=sampler)


def _swapped(wide: WideTable, *, swap: SwapDesign, sampler: Sampler) -> Iterator[Finding]:
    """What holds of order AB, which every pair was asked in, and the estimates for both."""
    one = order_ab(wide)
    whole = {(scope.condition, scope.readout): scope for scope in wide.scopes}
    for finding in _readouts(one, sampler=sampler, single=True):
        assert finding.condition is not None and finding.readout is not None  # noqa: S101, PT018 - of a scope
        yield without_swap_figures(finding, whole[finding.condition, finding.readout])
    for scope in one.of(Readout.HYBRID):
        yield hybrid_finding(scope, one.find(scope.condition, Readout.GENERATED), sampler=sampler)
    for scope in one.scopes:
        repeat = repeat_finding(scope, sampler=sampler, single=True)
        if repeat is not None:
            yield replace(repeat, notes=tuple(note for note in repeat.notes if note != SINGLE_ORDER))
    yield from selective_findings(wide, swap=swap, sampler=sampler)


def _compared_readouts(wide: WideTable, *, sampler: Sampler, sampled: bool) -> Iterator[Finding]:
    for condition in wide.conditions:
        first, second = wide.find(condition, Readout.FIRST_TOKEN), wide.find(condition, Readout.GENERATED)
        if first is not None and second is not None and not first.single_order and not second.single_order:
            found = forced_minus_generated(first, second, sampler=sampler)
            # Within a stratum of compliance the sample stands for its pairs; over both strata it doesn't.
            yield from (f for f in found if not (sampled and f.subset == "all"))
    if not sampled:
        yield from readout_contrasts(wide, sampler=sampler)


def _compared_conditions(
    wide: WideTable, *, sampler: Sampler, designs: Mapping[str, Settings], sampled: bool
) -> Iterator[Finding]:
    representative = [readout for readout in Readout if not (sampled and readout is Readout.GENERATED)]
    for readout in representative:
        plain = [scope for scope in wide.of(readout) if scope.condition not in designs]
        yield from condition_contrasts(plain, sampler=sampler)
    if not sampled:
        yield from pooled_findings(wide, sampler=sampler)
    if designs:
        scopes = tuple(scope for scope in wide.scopes if scope.readout in representative)
        yield from design_findings(replace(wide, scopes=scopes), designs=designs, sampler=sampler)


def _of_sample(finding: Finding) -> Finding:
    """A finding of the generated readout says that it is of the sample alone."""
    return replace(finding, notes=(SAMPLED, *finding.notes)) if finding.readout is Readout.GENERATED else finding


def _readouts(wide: WideTable, *, sampler: Sampler, single: bool, slots_seen: bool = True) -> Sequence[Finding]:
    """Findings of each scope; their slot-lock tests, one each at most, are adjusted over all scopes.

    Outside of the family stay tests that could not reject whatever they found (Tarone 1990,
    https://doi.org/10.2307/2531456), and those of a hybrid readout beside the two that it is made of.
    """
    found = [
        readout_finding(
            scope, facts=wide.facts, sampler=sampler, single=single or scope.single_order, slots_seen=slots_seen
        )
        for scope in wide.scopes
    ]
    family = [
        [] if _derived(finding, wide) else [test for test in finding.tests if test.n >= FEWEST_TRIALS]
        for finding in found
    ]
    raw = [test for tests in family for test in tests]
    adjusted = iter(holm_adjusted(raw, family="conditions and readouts"))
    return [replace(f, tests=(*f.tests, *(next(adjusted) for _ in own))) for f, own in zip(found, family, strict=True)]


def _derived(finding: Finding, wide: WideTable) -> bool:
    """Whether it is a hybrid readout's, made of the two others that stand beside it."""
    condition = finding.condition
    return (
        finding.readout is Readout.HYBRID
        and condition is not None
        and wide.find(condition, Readout.GENERATED) is not None
    )


def _notes(wide: WideTable, unit: ResamplingUnit, *, single: bool, slots_seen: bool) -> Iterator[str]:
    yield unit.sentence(wide.facts)
    if not slots_seen:
        yield f"No figure on slots: {NO_SLOTS}."
    elif single or (wide.scopes and all(scope.single_order for scope in wide.scopes)):
        yield SINGLE_ORDER
