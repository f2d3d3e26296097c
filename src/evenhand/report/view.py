"""From a manifest and an audit to the view model: the one place that decides what a report shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evenhand.analysis import AuditResult
from evenhand.analysis.study import Study
from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.records import RunManifest
from evenhand.report.answers import answer_rows, changed_model
from evenhand.report.card import build_card
from evenhand.report.cells import info_of, measure_names
from evenhand.report.design import design_points
from evenhand.report.draw_humans import human_points
from evenhand.report.format import DASH, date_text, how_many, integer, percent
from evenhand.report.grid import MANY_CONDITIONS, grid_of
from evenhand.report.headline import build_headline
from evenhand.report.humans_found import SECTION, humans_found, on_report
from evenhand.report.humans_section import beside_study
from evenhand.report.methods import interval_methods, resampled
from evenhand.report.model import Answers, Claim, ReportView, StudySection
from evenhand.report.notes import build_notes
from evenhand.report.numbering import PAIRS, number_report, with_bases
from evenhand.report.pair_example import PairExample
from evenhand.report.panel_model import Panels
from evenhand.report.panels import bias_points, build_panels
from evenhand.report.points import build_differences, build_locks, build_outcomes, build_rates
from evenhand.report.scope import in_order, of_controls, renamed, scopes_of, short_names, without_position
from evenhand.report.sections import build_tables
from evenhand.report.selective import swap_rows
from evenhand.report.text import shortened, visible
from evenhand.store import PlanCounts

__all__ = ["PairExample", "PlanCounts", "ReportView", "build_view"]

_SPEC_LIMIT = 60


def build_view(
    manifest: RunManifest,
    audit: AuditResult,
    *,
    counts: PlanCounts,
    execution: Sequence[tuple[str, str]] = (),
    pairs_examples: Sequence[PairExample] = (),
    answers: Answers | None = None,
    biases: AuditResult | None = None,
    study: Study | None = None,
    humans: RunBesidePeople | None = None,
) -> ReportView:
    """Decide everything a report shows.

    Parameters
    ----------
    manifest
        The run. Its conditions that change pairs are left to the study of its biases.
    audit
        Its findings.
    counts
        Presentations planned, finished, failed and pending. A failed call is an ``error``; it is never a verdict.
    execution
        Further facts of the run for people, as (name, text): time, tokens, calls.
    pairs_examples
        Pairs worth reading, with their verdicts in both orders.
    answers
        Remarks of the answers, counted, and which models an endpoint served; None where nobody counted.
    biases
        What bias audits found, for the headline and the card; None where the run has none.
    study
        The same as a study, for a section of the report.
    humans
        What people make of the run, for the headline and a section; None where it has no labels.

    Returns
    -------
    ReportView
        With strings formatted and cleaned, and the plain numbers beside them.
    """
    whole, manifest = manifest, of_controls(manifest)
    single = manifest.orders == "single"
    names = short_names(manifest)
    ordered = in_order(audit, manifest)
    shown = renamed(without_position(ordered) if single else ordered, names)
    scopes = scopes_of(shown)
    grid = grid_of(manifest)
    # A figure with a row for each of many designs can't be read, and takes a minute to draw.
    drawn = () if grid is not None and grid.designs > MANY_CONDITIONS else scopes
    view = ReportView(
        title=visible(manifest.judge.model or manifest.judge.spec),
        subtitle=_subtitle(manifest, counts),
        headline=build_headline(
            shown,
            counts=counts,
            single_order=single,
            from_log=manifest.kind == "log",
            grid=grid,
            warnings=changed_model(answers),
            biases=biases,
            conditions=tuple(condition.id for condition in manifest.conditions),
            humans=None if humans is None else on_report(humans_found(humans, names=names)),
        ),
        counts=counts,
        single_order=single,
        tables=build_tables(shown, single_order=single, examples=pairs_examples, grid=grid),
        rates=build_rates(drawn, single_order=single),
        differences=() if single or not drawn else build_differences(shown),
        effects=() if grid is None else design_points(shown, grid),
        locks=() if single else build_locks(drawn),
        outcomes=build_outcomes(drawn),
        panels=build_panels(shown) if drawn else Panels(),
        biases=() if biases is None or single else bias_points(drawn, biases, conditions=_ids(manifest)),
        people=() if humans is None or not drawn else human_points(humans, names=names),
        notes=build_notes(manifest, shown, single=single, answers=answers),
        setup=_setup(manifest, counts, (*answer_rows(answers), *execution)),
        reproduce=_reproduce(manifest, shown),
        glossary=_glossary(shown),
        card=build_card(whole, ordered, counts=counts, answers=answers, biases=biases, humans=humans),
        pairs=tuple(pairs_examples),
        study=None if study is None else _section(study),
        humans=None if humans is None else _section(beside_study(manifest, humans, counts=counts)),
    )
    return _numbered(view)


def _numbered(view: ReportView) -> ReportView:
    """The view with its figures and tables numbered, and its headlines' sentences tied to them."""
    from evenhand.report.figures import figures_of

    numbers = number_report(
        [figure.name for figure in figures_of(view)],
        view.tables,
        section_tables=() if view.study is None else view.study.tables,
        human_tables=() if view.humans is None else view.humans.tables,
        sections=(
            *(["biases"] if view.study else []),
            *([SECTION] if view.humans else []),
            *([PAIRS] if view.pairs else []),
            "notes",
            "reproduce",
        ),
    )
    sections = [
        section and replace(section, headline=with_bases(section.headline, numbers))
        for section in (view.study, view.humans)
    ]
    return replace(
        view, numbers=numbers, headline=with_bases(view.headline, numbers), study=sections[0], humans=sections[1]
    )


def _section(study: Study) -> StudySection:
    """The study with ids of tables that the audit's own tables have not got; its sentences rest on those."""
    from evenhand.report.study.view import build_study_view

    view = build_study_view(study)

    def moved(claim: Claim) -> Claim:
        return replace(claim, rests_on=_in_section(claim.rests_on, view.kind))

    return StudySection(
        kind=view.kind,
        sign=view.sign,
        headline=replace(
            view.headline,
            rests_on=_in_section(view.headline.rests_on, view.kind),
            more=tuple(map(moved, view.headline.more)),
            steps=tuple(map(moved, view.headline.steps)),
        ),
        tables=tuple(replace(table, id=f"{view.kind}-{table.id}") for table in view.tables),
    )


def _in_section(rests_on: Sequence[str], kind: str) -> tuple[str, ...]:
    """The anchors of a study's tables in its section; its figures and notes stay on its own page."""
    mark = "table-"
    return tuple(f"{mark}{kind}-{anchor.removeprefix(mark)}" for anchor in rests_on if anchor.startswith(mark))


def _ids(manifest: RunManifest) -> list[str]:
    return [condition.id for condition in manifest.conditions]


def _subtitle(manifest: RunManifest, counts: PlanCounts) -> str:
    kind = "Imported log" if manifest.kind == "log" else "Live audit"
    created = date_text(visible(manifest.created)) if manifest.created else ""
    parts = (
        f"{kind}{_orders(manifest)}",
        f"{how_many(manifest.data.pairs, 'pair')} of {shortened(manifest.data.spec, _SPEC_LIMIT)}",
        f"{integer(counts.finished)} of {integer(counts.planned)} presentations answered",
        created,
    )
    return " · ".join(part for part in parts if part)


def _orders(manifest: RunManifest) -> str:
    if not manifest.slots_seen:
        return ", responses judged alone"
    return ", one order" if manifest.orders == "single" else ""


def _setup(
    manifest: RunManifest, counts: PlanCounts, execution: Sequence[tuple[str, str]]
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
        ("data", f"{manifest.data.spec}, {how_many(manifest.data.pairs, 'pair')}"),
        *_prompts(manifest),
        ("labels", "; ".join(dict.fromkeys(visible(c.labels.name, limit=60) for c in manifest.conditions))),
        ("readouts", ", ".join(manifest.readouts)),
        *_remedies(manifest),
        ("decoding", decoding),
        (
            "presentations",
            f"{integer(counts.planned)} planned, {integer(counts.finished)} finished, "
            f"{integer(counts.errors)} failed, {integer(counts.pending)} pending",
        ),
        ("repeated pairs", integer(manifest.repeat) if manifest.repeat else "none"),
        *((("bias audits", ", ".join(manifest.biases)),) if manifest.biases else ()),
        *execution,
    )
    return tuple((visible(name), visible(text, limit=400)) for name, text in rows)


def _prompts(manifest: RunManifest) -> tuple[tuple[str, str], ...]:
    grid = grid_of(manifest)
    if grid is not None:
        return (("prompt", f"{integer(grid.designs)} designs; baseline {grid.baseline_text}"),)
    names = dict.fromkeys(visible(c.prompt, limit=60) for c in manifest.conditions)
    return (("prompt", "; ".join(names) or "unknown"),)


def _remedies(manifest: RunManifest) -> tuple[tuple[str, str], ...]:
    """What was put in the judge's mouth, and of how many pairs its text was asked."""
    prefills = dict.fromkeys(c.prefill for c in manifest.conditions if c.prefill)
    fraction = manifest.generated_fraction
    return (
        *((("prefill", "; ".join(f"“{visible(text)}”" for text in prefills)),) if prefills else ()),
        *((("text asked of", f"{percent(fraction)} of the pairs, drawn at random"),) if fraction is not None else ()),
        *swap_rows(manifest),
    )


def _reproduce(manifest: RunManifest, audit: AuditResult) -> tuple[tuple[str, str], ...]:
    rows = (
        ("command", manifest.command or DASH),
        ("seed", str(manifest.seed)),
        ("intervals", _intervals(audit)),
        ("data", f"sha256:{manifest.data.sha256}"),
        *((f"prompt {c.id}", f"sha256:{c.prompt_hash}") for c in manifest.conditions[:MANY_CONDITIONS]),
        *_more_prompts(manifest),
        ("versions", ", ".join(f"{name} {version}" for name, version in manifest.versions) or DASH),
        ("created", date_text(manifest.created) if manifest.created else DASH),
    )
    return tuple((visible(name), visible(text, limit=1000)) for name, text in rows)


def _more_prompts(manifest: RunManifest) -> tuple[tuple[str, str], ...]:
    rest = len(manifest.conditions) - MANY_CONDITIONS
    return (("more prompts", f"{integer(rest)} more hashes are in card.json and run.json"),) if rest > 0 else ()


def _intervals(audit: AuditResult) -> str:
    """How the report's intervals were made; resamples and their seed only where there was a bootstrap."""
    methods = interval_methods(audit)
    seed = (f"seed {audit.seed}",) if resampled(methods) else ()
    return "; ".join((f"{audit.level * 100:g} %", *methods, f"clusters are {audit.resampled_by}s", *seed))


def _glossary(audit: AuditResult) -> tuple[tuple[str, str], ...]:
    names = measure_names(audit.findings)
    return tuple((info_of(n).label, info_of(n).definition) for n in names if info_of(n).definition)
