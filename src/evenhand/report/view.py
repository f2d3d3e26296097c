"""From a manifest and an audit to the view model: the one place that decides what a report shows."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.audits import AuditResult
from evenhand.records import RunManifest
from evenhand.report.card import build_card
from evenhand.report.cells import info_of, measure_names
from evenhand.report.format import DASH, date_text, integer
from evenhand.report.headline import build_headline
from evenhand.report.methods import interval_methods, resampled
from evenhand.report.model import PairExample, PlanCounts, ReportView, RunCounts
from evenhand.report.notes import build_notes
from evenhand.report.points import build_differences, build_locks, build_outcomes, build_rates
from evenhand.report.scope import in_order, renamed, scopes_of, short_names, without_position
from evenhand.report.sections import build_tables
from evenhand.report.text import shortened, visible

__all__ = ["PairExample", "PlanCounts", "ReportView", "RunCounts", "build_view"]

_SPEC_LIMIT = 60


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
    ordered = in_order(audit, manifest)
    shown = renamed(without_position(ordered) if single else ordered, names)
    scopes = scopes_of(shown)
    plain = RunCounts(planned=counts.planned, finished=counts.finished, errors=counts.errors, pending=counts.pending)
    return ReportView(
        title=visible(manifest.judge.model or manifest.judge.spec),
        subtitle=_subtitle(manifest, plain),
        headline=build_headline(shown, counts=plain, single_order=single, from_log=manifest.kind == "log"),
        counts=plain,
        single_order=single,
        tables=build_tables(shown, single_order=single, examples=pairs_examples),
        rates=build_rates(scopes, single_order=single),
        differences=() if single else build_differences(shown),
        locks=() if single else build_locks(scopes),
        outcomes=build_outcomes(scopes),
        notes=build_notes(manifest, shown, single=single),
        setup=_setup(manifest, plain, execution),
        reproduce=_reproduce(manifest, shown),
        glossary=_glossary(shown),
        card=build_card(manifest, ordered, counts=plain),
    )


def _subtitle(manifest: RunManifest, counts: RunCounts) -> str:
    kind = "Imported log" if manifest.kind == "log" else "Live audit"
    created = date_text(visible(manifest.created)) if manifest.created else ""
    parts = (
        f"{kind}{', one order' if manifest.orders == 'single' else ''}",
        f"{integer(manifest.data.pairs)} pairs of {shortened(manifest.data.spec, _SPEC_LIMIT)}",
        f"{integer(counts.finished)} of {integer(counts.planned)} presentations answered",
        created,
    )
    return " · ".join(part for part in parts if part)


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
        ("intervals", _intervals(audit)),
        ("data", f"sha256:{manifest.data.sha256}"),
        *((f"prompt {c.id}", f"sha256:{c.prompt_hash}") for c in manifest.conditions),
        ("versions", ", ".join(f"{name} {version}" for name, version in manifest.versions) or DASH),
        ("created", date_text(manifest.created) if manifest.created else DASH),
    )
    return tuple((visible(name), visible(text, limit=1000)) for name, text in rows)


def _intervals(audit: AuditResult) -> str:
    """How the report's intervals were made; resamples and their seed only where there was a bootstrap."""
    methods = interval_methods(audit)
    seed = (f"seed {audit.seed}",) if resampled(methods) else ()
    return "; ".join((f"{audit.level * 100:g} %", *methods, f"clusters are {audit.resampled_by}s", *seed))


def _glossary(audit: AuditResult) -> tuple[tuple[str, str], ...]:
    names = measure_names(audit.findings)
    return tuple((info_of(n).label, info_of(n).definition) for n in names if info_of(n).definition)
