"""From a probe report to what is shown: the one place that decides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from evenhand.probes import PredictorKind, ProbeReport
from evenhand.report.format import date_text, estimate_text, integer, is_shown, percent
from evenhand.report.numbering import number_report, with_bases
from evenhand.report.probes.figures import figures_of
from evenhand.report.probes.headline import build_headline
from evenhand.report.probes.lines import auroc_points, calibration_lines, gain_lines, learning_lines
from evenhand.report.probes.methods import methods_note
from evenhand.report.probes.model import ProbeView
from evenhand.report.probes.roles import label, within_folds
from evenhand.report.probes.tables import METRIC_NAMES, build_tables, usable_text
from evenhand.report.text import shortened, visible
from evenhand.stats import Estimate, Refusal

if TYPE_CHECKING:
    import polars as pl

__all__ = ["build_probe_view", "evenhand_version"]

_SPEC_LIMIT, _TEXT_LIMIT, _NOTE_LIMIT, _COMMAND_LIMIT = 60, 400, 600, 1000
_FOLDS_NOTE = (
    "Predictions of all folds are ranked together. The folds’ fits differ in level, and the more flips a fold has, the "
    "lower its training folds’ rate: a predictor that knows little then falls below 0.5. Where that moves an AUROC, "
    "the table’s notes give the one within folds."
)
_GLOSSARY = (
    ("flip", "The preferences in orders AB and BA are both decided and differ."),
    ("residual stream", "The vector that a model’s blocks add to, one for each token: what the next block reads."),
    ("probe", "A logistic regression on the residual stream of one layer at one token."),
    ("AUROC", "Chance that a flip gets a higher prediction than a pair that keeps its preference; 0.5 is chance."),
    ("choice-matched AUROC", "The same among pairs with the same choice in AB: it can’t be had from the choice alone."),
    ("no-signal", "Predicts the flip rate of the training folds for every pair."),
    ("shuffled-label control", "The whole procedure on flips that were shuffled: what nothing looks like."),
)


def build_probe_view(
    report: ProbeReport,
    predictions: pl.DataFrame | None = None,
    *,
    command: str | None = None,
    created: str | None = None,
) -> ProbeView:
    """Decide everything a probe report shows.

    Parameters
    ----------
    report
        The figures.
    predictions
        Of each pair, for the curve of flips found; None leaves that out.
    command, created
        How and when (ISO 8601) the report was made.
    """
    view = ProbeView(
        title=visible(report.subject.model),
        subtitle=_subtitle(report, created),
        headline=build_headline(report),
        tables=build_tables(report),
        notes=_notes(report),
        aurocs=auroc_points(report),
        calibration=calibration_lines(report),
        learning=learning_lines(report),
        gains=() if predictions is None else gain_lines(report, predictions),
        flip_share=report.flip_rate.value
        if isinstance(report.flip_rate, Estimate) and is_shown(report.flip_rate)
        else None,
        facts=_facts(report, created),
        methods=methods_note(report),
        glossary=(*_GLOSSARY[:1], ("usable pair", _sentence(usable_text(report.subject.readout))), *_GLOSSARY[1:]),
        command=visible(command or "", limit=_COMMAND_LIMIT),
        version=evenhand_version(),
    )
    numbers = number_report(
        (figure.name for figure in figures_of(view)), view.tables, sections=("methods", "notes", "reproduce")
    )
    return replace(view, numbers=numbers, headline=with_bases(view.headline, numbers))


def evenhand_version() -> str:
    """The installed version, or that there is none."""
    try:
        return version("evenhand")
    except PackageNotFoundError:
        return "not installed as a package"


def _subtitle(report: ProbeReport, created: str | None) -> str:
    kept = report.retention
    parts = (
        "Frozen predictors, transferred" if report.task == "transfer" else "Nested cross-validation",
        f"usable {integer(kept.usable)} of {integer(kept.planned)} pairs ({percent(kept.rate)}) of "
        f"{shortened(report.data, _SPEC_LIMIT)}",
        date_text(visible(created)) if created else "",
    )
    return " · ".join(part for part in parts if part)


def _facts(report: ProbeReport, created: str | None) -> tuple[tuple[str, str], ...]:
    subject, kept = report.subject, report.retention
    rows = (
        ("predicted", "whether a pair’s preference differs between orders AB and BA, from order AB alone"),
        ("judge", subject.model),
        ("revision", subject.revision or "nothing pins the weights"),
        ("dtype", subject.dtype),
        ("blocks and width", f"{integer(subject.blocks)} blocks, residual stream of {integer(subject.size)}"),
        ("prompt", f"{subject.prompt}, sha256:{subject.prompt_hash}"),
        ("labels", subject.labels),
        ("readout that flips", str(subject.readout)),
        *((f"setting {name}", text) for name, text in subject.settings),
        ("data", f"{report.data}, sha256:{report.sha256}"),
        *_trained(report),
        ("retention", f"{integer(kept.usable)} of {integer(kept.planned)} pairs usable ({percent(kept.rate)})"),
        ("evaluated", f"{integer(report.pairs)} pairs in {integer(report.groups)} question groups"),
        ("flip rate", estimate_text(report.flip_rate)),
        *_compliance(report),
        *_folds(report),
        (
            "intervals",
            f"{report.level * 100:g} %, percentile, {integer(report.resamples)} resamples of question groups",
        ),
        *((("time", f"{sum(seconds for _, seconds in report.seconds):,.1f} s"),) if report.seconds else ()),
        *((("created", date_text(visible(created))),) if created else ()),
        ("Evenhand", evenhand_version()),
    )
    return tuple((visible(name), visible(text, limit=_TEXT_LIMIT)) for name, text in rows)


def _compliance(report: ProbeReport) -> tuple[tuple[str, str], ...]:
    if report.compliance is None:
        return ()
    return (("led with a label in both orders", f"{estimate_text(report.compliance)} of the pairs evaluated"),)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _folds(report: ProbeReport) -> tuple[tuple[str, str], ...]:
    if report.task == "transfer":
        return ()
    return (("folds", f"{integer(report.outer_folds)} outer, {integer(report.inner_folds)} inner, seed {report.seed}"),)


def _trained(report: ProbeReport) -> tuple[tuple[str, str], ...]:
    if report.trained_on is None:
        return ()
    spec, pairs = report.trained_on
    return (("trained on", f"{spec}, {integer(pairs)} pairs"), ("applied to", f"{report.data}, nothing fitted there"))


def _notes(report: ProbeReport) -> tuple[str, ...]:
    refused: dict[str, dict[str, list[str]]] = {}
    for p in (p for p in report.predictors if p.kind is not PredictorKind.CONTROL):
        figures = [*((METRIC_NAMES[metric], e) for metric, e in p.metrics), ("calibration", p.calibration)]
        for what, figure in figures:
            if isinstance(figure, Refusal):
                of = refused.setdefault(visible(figure.reason, limit=300), {})
                of.setdefault(label(p.name), []).append(what)
    notes = (
        *(visible(note, limit=_NOTE_LIMIT) for note in report.notes),
        *([_FOLDS_NOTE] if any(within_folds(p) is not None for p in report.predictors) else []),
        *(f"Not computed for {_whose(of)}: {reason}." for reason, of in refused.items()),
        "What is predicted belongs to this model, prompt and task together; it speaks of usable pairs only.",
    )
    return tuple(dict.fromkeys(notes))


def _whose(refused: Mapping[str, Sequence[str]]) -> str:
    """Predictors that lack the same figures together: ``confidence, margin (AUROC, AUPRC); combined (calibration)``."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, figures in refused.items():
        alike.setdefault(tuple(figures), []).append(name)
    return "; ".join(f"{', '.join(names)} ({', '.join(figures)})" for figures, names in alike.items())
