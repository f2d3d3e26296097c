"""From a manifest and an audit to the view model: the one place that decides what a report shows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from evenhand.audits import AuditResult, FindingKind, sentences
from evenhand.records import RunManifest
from evenhand.report.card import build_card, excluded_by_reason
from evenhand.report.cells import info_of, measure_names
from evenhand.report.format import DASH, date_text, integer
from evenhand.report.headline import build_headline
from evenhand.report.model import PairExample, PlanCounts, ReportView, RunCounts
from evenhand.report.points import build_differences, build_locks, build_outcomes, build_rates
from evenhand.report.scope import renamed, scopes_of, short_names, without_position
from evenhand.report.sections import NOT_REPEATED, build_tables, scope_text
from evenhand.report.text import visible

__all__ = ["PairExample", "PlanCounts", "ReportView", "RunCounts", "build_view"]

SINGLE_ORDER = "Single order: each pair was judged in one order only, so no position figure is claimed."
NO_RANKING = (
    "Intervals of the conditions overlap: these data don't rank them, and another sample may order them otherwise."
)


def build_view(
    manifest: RunManifest,
    audit: AuditResult,
    *,
    counts: PlanCounts,
    execution: Sequence[tuple[str, str]] = (),
    pairs_examples: Sequence[PairExample] = (),
) -> ReportView:
    """Decide everything a report shows.

    Parameters
    ----------
    manifest
        The run.
    audit
        Its findings.
    counts
        Presentations planned, finished, failed and pending. A failed call is an ``error``; it is never a verdict.
    execution
        Further facts of the run for people, as (name, text): time, tokens, calls.
    pairs_examples
        Pairs to show with their verdicts in both orders.

    Returns
    -------
    ReportView
        With strings formatted and cleaned, and the plain numbers beside them.
    """
    single = manifest.orders == "single"
    names = short_names(manifest)
    shown = renamed(without_position(audit) if single else audit, names)
    scopes = scopes_of(shown)
    plain = RunCounts(planned=counts.planned, finished=counts.finished, errors=counts.errors, pending=counts.pending)
    return ReportView(
        title=visible(manifest.judge.model or manifest.judge.spec),
        subtitle=_subtitle(manifest, plain),
        headline=build_headline(shown, counts=plain, single_order=single),
        counts=plain,
        single_order=single,
        tables=build_tables(shown, single_order=single, examples=pairs_examples),
        rates=build_rates(scopes, single_order=single),
        differences=() if single else build_differences(shown),
        locks=() if single else build_locks(scopes),
        outcomes=build_outcomes(scopes),
        notes=_notes(manifest, shown, single=single),
        setup=_setup(manifest, plain, execution),
        reproduce=_reproduce(manifest, shown),
        glossary=_glossary(shown),
        card=build_card(manifest, audit, counts=plain),
    )


def _subtitle(manifest: RunManifest, counts: RunCounts) -> str:
    kind = "Imported log" if manifest.kind == "log" else "Live audit"
    created = date_text(visible(manifest.created)) if manifest.created else ""
    parts = (
        f"{kind}{', one order' if manifest.orders == 'single' else ''}",
        f"{integer(manifest.data.pairs)} pairs of {visible(manifest.data.spec, limit=80)}",
        f"{integer(counts.finished)} of {integer(counts.planned)} presentations answered",
        created,
    )
    return " · ".join(part for part in parts if part)


def _notes(manifest: RunManifest, audit: AuditResult, *, single: bool) -> tuple[str, ...]:
    notes = [SINGLE_ORDER] if single else []
    if manifest.log_rules:
        notes.append(f"The log's own rule: {visible(manifest.log_rules, limit=600)}")
    notes += [visible(note, limit=600) for note in manifest.notes]
    notes += [f"Excluded, {integer(len(what))}: {why}." for why, what in excluded_by_reason(manifest)]
    if not manifest.excluded:
        notes.append("No pair was excluded before judging.")
    notes += [visible(note, limit=600) for note in audit.notes if not (single and note == sentences.SINGLE_ORDER)]
    by_note: dict[str, list[str]] = {}
    for finding in audit.findings:
        for note in finding.notes:
            by_note.setdefault(visible(note, limit=600), []).append(scope_text(finding))
    everywhere = len(audit.findings)
    for note, places in by_note.items():
        where = "" if len(places) == everywhere else f" ({_places(places)})"
        notes.append(f"{note}{where}")
    if not single and not audit.select(FindingKind.REPEAT):
        notes.append(NOT_REPEATED)
    if not single and _overlap(audit):
        notes.append(NO_RANKING)
    return tuple(dict.fromkeys(notes))


def _places(places: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(places))
    rest = len(distinct) - 3
    return "; ".join(distinct[:3]) + (f"; and {rest} more" if rest > 0 else "")


def _overlap(audit: AuditResult) -> bool:
    """Whether any two conditions' flip-rate intervals overlap under the same readout."""
    by_readout: dict[str, list[tuple[float, float]]] = {}
    for scope in scopes_of(audit):
        interval = getattr(scope.flips, "interval", None)
        if interval is not None:
            by_readout.setdefault(scope.readout.value, []).append((interval.low, interval.high))
    ordered = (sorted(bounds) for bounds in by_readout.values())
    return any(after[0] <= before[1] for bounds in ordered for before, after in pairwise(bounds))


def _setup(
    manifest: RunManifest, counts: RunCounts, execution: Sequence[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    sampling = manifest.sampling
    decoding = (
        "the log does not say"
        if sampling is None
        else f"{'greedy' if sampling.temperature == 0 else f'temperature {sampling.temperature:g}'}, "
        f"up to {' then '.join(integer(b) for b in sampling.budgets)} tokens"
    )
    rows = (
        ("judge", manifest.judge.spec),
        ("revision", manifest.judge.revision or "unknown"),
        ("engine", manifest.judge.engine or "unknown"),
        ("data", f"{manifest.data.spec}, {integer(manifest.data.pairs)} pairs"),
        ("prompt", "; ".join(dict.fromkeys(visible(c.prompt, limit=60) for c in manifest.conditions)) or "unknown"),
        ("labels", "; ".join(dict.fromkeys(visible(c.labels.name, limit=60) for c in manifest.conditions))),
        ("readouts", ", ".join(manifest.readouts)),
        ("decoding", decoding),
        (
            "presentations",
            f"{integer(counts.planned)} planned, {integer(counts.finished)} finished, "
            f"{integer(counts.errors)} failed, {integer(counts.pending)} pending",
        ),
        ("repeated pairs", integer(manifest.repeat) if manifest.repeat else "none"),
        *execution,
    )
    return tuple((visible(name), visible(text, limit=400)) for name, text in rows)


def _reproduce(manifest: RunManifest, audit: AuditResult) -> tuple[tuple[str, str], ...]:
    rows = (
        ("command", manifest.command or DASH),
        ("seed", str(manifest.seed)),
        (
            "intervals",
            f"{audit.level * 100:g} %, {integer(audit.resamples)} resamples by {audit.resampled_by}, seed {audit.seed}",
        ),
        ("data", f"sha256:{manifest.data.sha256}"),
        *((f"prompt {c.id}", f"sha256:{c.prompt_hash}") for c in manifest.conditions),
        ("versions", ", ".join(f"{name} {version}" for name, version in manifest.versions) or DASH),
        ("created", date_text(manifest.created) if manifest.created else DASH),
    )
    return tuple((visible(name), visible(text, limit=1000)) for name, text in rows)


def _glossary(audit: AuditResult) -> tuple[tuple[str, str], ...]:
    names = measure_names(audit.findings)
    return tuple((info_of(n).label, info_of(n).definition) for n in names if info_of(n).definition)
