"""From the findings of bias audits, of one run or of several, to a study that every report can print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from evenhand.analysis import AuditResult
from evenhand.analysis.study import Forest, ForestRow, Study, StudyHeadline, Unit
from evenhand.report.format import how_many, integer
from evenhand.report.methods import interval_methods
from evenhand.report.numbering import claims as tied
from evenhand.report.studies.bias_claims import TOLERANCE, BiasedRun, Claim, claims_of, run_names
from evenhand.report.studies.bias_headline import bias_headline
from evenhand.report.studies.bias_tables import bias_tables, left_out_table

__all__ = ["KIND", "TOLERANCE", "BiasedRun", "bias_study"]

KIND = "biases"
_FORESTS: Final[tuple[tuple[str, Unit, str, str], ...]] = (
    ("effects", "difference", "Effects on verdicts", "Turned toward minus turned away, or as the table says"),
    ("coefficients", "number", "Coefficients", "Coefficient of a model, or as the table says"),
)
"""Id, unit, title and axis of each figure."""


def bias_study(
    runs: Sequence[BiasedRun],
    *,
    across: AuditResult | None = None,
    refused: Sequence[tuple[str, str]] = (),
    tolerance: float = TOLERANCE,
) -> Study:
    """Compose the study.

    Parameters
    ----------
    runs
        At least one. The tests of each run are a family of their own.
    across
        What only several runs together can show, such as self-preference; None where that was not looked at.
    refused
        (audit, reason) of audits that these runs can't be asked at all.
    tolerance
        An effect whose whole interval lies within it, in shares of the verdicts, is next to nothing.

    Raises
    ------
    ValueError
        No run.
    """
    if not runs:
        raise ValueError("a study of biases is of at least one run")
    names = run_names(runs)
    by_name = dict(zip(names, runs, strict=True))
    claims = [
        claim
        for name, run in by_name.items()
        for claim in claims_of(
            run.audit,
            tolerance=tolerance,
            run=name,
            conditions=[c.id for c in run.manifest.conditions if not c.changes],
        )
    ]
    if across is not None:
        claims += claims_of(across, tolerance=tolerance)
    left_out = left_out_table(by_name)
    return Study(
        kind=KIND,
        title="; ".join(dict.fromkeys(run.manifest.judge.model or run.manifest.judge.spec for run in runs)),
        subtitle=_subtitle(runs),
        headline=_of_what_is_there(bias_headline(claims, tolerance=tolerance, refused=refused), by_name),
        tables=(
            *bias_tables(claims, by_name, tolerance=tolerance),
            *(() if left_out is None else (left_out,)),
        ),
        figures=tuple(_figures(claims)),
        notes=tuple(dict.fromkeys(_notes(by_name, claims, across))),
        facts=tuple(_facts(by_name)),
    )


def _of_what_is_there(headline: StudyHeadline, runs: Mapping[str, BiasedRun]) -> StudyHeadline:
    """The headline with what is still missing of each run; nothing is ruled out while something is."""
    missing = tied(
        f"{f'{name}: ' if name else ''}{integer(run.counts.planned - run.counts.finished)} of "
        f"{integer(run.counts.planned)} presentations have no answer yet; the figures are of the others."
        for name, run in runs.items()
        if run.counts is not None and run.counts.finished < run.counts.planned
    )
    if not missing:
        return headline
    status = "undecided" if headline.status == "good" else headline.status
    return replace(headline, status=status, more=(*missing, *headline.more))


def _subtitle(runs: Sequence[BiasedRun]) -> str:
    if len(runs) > 1:
        return f"Bias audits of {integer(len(runs))} runs"
    [run] = runs
    answered = (
        ""
        if run.counts is None
        else f" · {integer(run.counts.finished)} of {integer(run.counts.planned)} presentations answered"
    )
    return f"Bias audits · {how_many(run.manifest.data.pairs, 'pair')} of {run.manifest.data.spec}{answered}"


def _figures(claims: Sequence[Claim]) -> Iterator[Forest]:
    """Differences and coefficients; a hybrid readout's rows follow from two others."""
    drawn = [claim for claim in claims if claim.state not in ("derived", "described", "no data")]
    for figure_id, unit, title, label in _FORESTS:
        rows = tuple(
            ForestRow(label=_label(claim), estimate=claim.effect, group=claim.audit)
            for claim in drawn
            if claim.unit == unit
        )
        if rows:
            yield Forest(id=figure_id, title=title, x_label=label, rows=rows, unit=unit, reference=0.0)


def _label(claim: Claim) -> str:
    parts = (claim.run, claim.subset, claim.readout if claim.finding.readout is not None else "")
    return ", ".join(part for part in parts if part)


def _notes(runs: Mapping[str, BiasedRun], claims: Sequence[Claim], across: AuditResult | None) -> Iterator[str]:
    yield (
        "Effects are positive where verdicts turn toward the target, the response that a change favours or is made to. "
        "The p-values of a run's findings are adjusted together after Holm; intervals are not."
    )
    for name, run in runs.items():
        before = f"{name}: " if name else ""
        yield from (f"{before}{note}" for note in run.audit.notes)
    yield from () if across is None else across.notes
    same: dict[str, list[Claim]] = {}
    for claim in claims:
        for note in claim.finding.notes:
            same.setdefault(note, []).append(claim)
    for note, own in same.items():
        yield f"{_of(own, claims)}: {note}"


def _of(own: Sequence[Claim], claims: Sequence[Claim]) -> str:
    """Whose note it is: one comparison, or so many of an audit's."""
    audits = dict.fromkeys(claim.audit for claim in own)
    if len(own) == 1:
        [claim] = own
        return f"{claim.audit}, {_label(claim)}"
    every = [claim for claim in claims if claim.audit in audits]
    share = "" if len(own) == len(every) else f" ({integer(len(own))} of {integer(len(every))} comparisons)"
    return f"{', '.join(audits)}{share}"


def _facts(runs: Mapping[str, BiasedRun]) -> Iterator[tuple[str, str]]:
    for name, run in runs.items():
        manifest, audit = run.manifest, run.audit
        before = f"{name}: " if name else ""
        controls = [condition for condition in manifest.conditions if not condition.changes]
        yield f"{before}judge", manifest.judge.spec
        yield (
            f"{before}data",
            f"{manifest.data.spec}, {integer(manifest.data.pairs)} pairs, sha256:{manifest.data.sha256}",
        )
        yield f"{before}conditions", "; ".join(condition.id for condition in controls)
        if run.counts is not None:
            counts = run.counts
            yield f"{before}answered", f"{integer(counts.finished)} of {integer(counts.planned)} presentations"
        changed = len(manifest.conditions) - len(controls)
        if changed:
            yield f"{before}changed conditions", integer(changed)
        if manifest.variants is not None:
            variants = manifest.variants
            rewrites = f"{integer(variants.rewrites)} rewrites, sha256:{variants.sha256}"
            yield f"{before}variants", f"{variants.spec}, {rewrites}"
        yield f"{before}repeated pairs", integer(manifest.repeat) if manifest.repeat else "none"
        methods = "; ".join(interval_methods(audit))
        yield (
            f"{before}intervals",
            f"{audit.level * 100:g} %; {methods}; clusters are {audit.resampled_by}s; seed {audit.seed}",
        )
