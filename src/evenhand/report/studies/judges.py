"""Several judges compared, as a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from evenhand.analysis.study import Forest, ForestRow, HeatMap, Study, StudyFigure
from evenhand.audits.judges.comparison import ComparedRun, JudgesComparison
from evenhand.audits.judges.measures import FLIPS, JUDGE_MEASURES
from evenhand.records import RunManifest
from evenhand.report.cells import printed_unit
from evenhand.report.format import integer
from evenhand.report.studies.judges_headline import judges_headline
from evenhand.report.studies.judges_tables import MOST_LISTED, judge_tables, numbered, same_scope
from evenhand.stats import Estimate, Refusal

__all__ = ["judges_study"]

_ACCURACIES: Final = ("accuracy_ab", "accuracy_ba", "accuracy_consistent")
_LISTED: Final = 6
"""Different values in one sentence about what the runs differ in."""
_HEAT: Final = 3
"""Judges from which a map of every two tells more than a row does."""


def judges_study(runs: Sequence[ComparedRun], comparison: JudgesComparison, *, notes: Sequence[str] = ()) -> Study:
    """Compose the study."""
    spoken = same_scope(runs)
    return Study(
        kind="judges",
        title=f"{len(runs)} judges compared",
        subtitle=_subtitle(runs),
        headline=judges_headline(runs, comparison),
        tables=judge_tables(runs, comparison),
        figures=tuple(_figures(runs, comparison)),
        notes=tuple(_notes(runs, comparison, notes)),
        facts=(
            ("Runs", ", ".join(run.place for run in runs[:_LISTED]) + _more(len(runs) - _LISTED)),
            ("Condition and readout", spoken or "each judge's own (see the first table)"),
            ("Pairs in all runs", integer(comparison.in_all)),
            ("Resampled by", comparison.resampled_by),
            ("Resamples", integer(comparison.resamples)),
            ("Confidence level", f"{comparison.level:g}"),
            ("Seed", str(comparison.seed)),
        ),
    )


def _more(count: int) -> str:
    return f" and {count:,} more" if count > 0 else ""


def _subtitle(runs: Sequence[ComparedRun]) -> str:
    names = " · ".join(run.name for run in runs[:_LISTED]) + _more(len(runs) - _LISTED)
    spoken = same_scope(runs)
    return f"{names}; {spoken}" if spoken else names


def _figures(runs: Sequence[ComparedRun], comparison: JudgesComparison) -> Iterator[StudyFigure]:
    """Consistency first: each judge's flips, and every two judges beside each other where there are several."""
    for name in JUDGE_MEASURES:
        if name not in _ACCURACIES:
            yield from _forest(runs, name)
        if name == FLIPS and len(runs) >= _HEAT:
            yield from _difference_map(comparison)
            yield from _agreement_map(comparison)
    yield from _accuracy(runs)


def _forest(runs: Sequence[ComparedRun], name: str) -> Iterator[Forest]:
    rows = [ForestRow(label=run.name, estimate=_of(run, name)) for run in runs]
    if any(isinstance(row.estimate, Estimate) for row in rows):
        info = JUDGE_MEASURES[name].info
        unit = printed_unit(info)
        yield Forest(
            id=name.replace("_", "-"),
            title=info.label.capitalize(),
            x_label=info.label,
            rows=tuple(rows),
            unit=unit,
            reference=0.5 if name == "first_slot_rate" else None if unit == "share" else 0.0,
        )


def _of(run: ComparedRun, name: str) -> Estimate | Refusal:
    return Refusal(reason="no answer was read", n=0) if run.main is None else run.main.measure(name)


def _accuracy(runs: Sequence[ComparedRun]) -> Iterator[Forest]:
    rows = [
        ForestRow(label=run.name, estimate=_of(run, name), group=JUDGE_MEASURES[name].info.label)
        for name in _ACCURACIES
        for run in runs
    ]
    if any(isinstance(row.estimate, Estimate) for row in rows):
        yield Forest(
            id="accuracy",
            title="Accuracy",
            x_label="share that agrees with the gold preference",
            rows=tuple(rows),
            unit="share",
            reference=None,
        )


def _difference_map(comparison: JudgesComparison) -> Iterator[HeatMap]:
    known = {
        (each.first, each.second): each.estimate.value
        for each in comparison.measure(FLIPS).differences
        if isinstance(each.estimate, Estimate)
    }
    if known:
        cells = {**known, **{(second, first): -value for (first, second), value in known.items()}}
        yield _map(
            comparison,
            cells,
            id="flip-differences",
            title="Flip rate, judge of the row minus judge of the column",
            z_label="difference of flip rates on shared pairs",
            unit="difference",
        )


def _agreement_map(comparison: JudgesComparison) -> Iterator[HeatMap]:
    known = {
        (each.first, each.second): each.kappa.value
        for each in comparison.agreements
        if isinstance(each.kappa, Estimate)
    }
    if known:
        yield _map(
            comparison,
            {**known, **{(second, first): value for (first, second), value in known.items()}},
            id="agreement",
            title="Agreement between judges, beyond chance",
            z_label="Cohen’s kappa of the verdicts on shared pairs",
            unit="number",
        )


def _map(
    comparison: JudgesComparison,
    cells: dict[tuple[int, int], float],
    *,
    id: str,
    title: str,
    z_label: str,
    unit: str,
) -> HeatMap:
    """Judges by judges, the first at the top; columns are numbered as the rows are."""
    count = len(comparison.names)
    down = range(count - 1, -1, -1)
    return HeatMap(
        id=id,
        title=title,
        x_label="judge of the column, by its number",
        y_label="judge",
        z_label=z_label,
        x=tuple(float(place + 1) for place in range(count)),
        y=tuple(float(place + 1) for place in down),
        z=tuple(tuple(cells.get((row, column), float("nan")) for column in range(count)) for row in down),
        unit="difference" if unit == "difference" else "number",
        y_names=tuple(numbered(comparison, place) for place in down),
    )


def _notes(runs: Sequence[ComparedRun], comparison: JudgesComparison, notes: Sequence[str]) -> Iterator[str]:
    yield from _what_differs(runs)
    if comparison.changed:
        ids = ", ".join(comparison.changed[:_LISTED]) + _more(len(comparison.changed) - _LISTED)
        yield (
            f"{len(comparison.changed):,} pair ids mean different content in two of the runs ({ids}): such a pair is "
            "shared only by the runs in which its content is the same."
        )
    yield from notes
    yield (
        "A judge's own figures are over all of its pairs, as in its own report. Differences and agreement are over "
        "exactly the pairs that both judges have a figure for, so they need not be the difference of two own figures."
    )
    yield (
        "p-values are adjusted by Holm over every two judges, for each measure by itself. Judges stand in the order in "
        "which they were given: it is no ranking."
    )
    yield (
        "A pair's verdict is what both orders prefer, and a tie where they contradict each other: two judges that take "
        "the first slot whatever stands in it agree in every single order, and that is no agreement about responses."
    )
    total = len(comparison.names) * (len(comparison.names) - 1) // 2
    if total > MOST_LISTED:
        yield (
            f"Of {total:,} pairs of judges, {MOST_LISTED} are listed in a table at most, those with the smallest p; "
            "the maps show all, and evenhand.report_runs gives them in Python."
        )


def _what_differs(runs: Sequence[ComparedRun]) -> Iterator[str]:
    parts = (
        ("pairs", [_data(run.manifest) for run in runs], "only pairs with the same content are compared"),
        (
            "the prompt's text",
            [f"{run.condition.prompt} (sha256 {run.condition.prompt_hash[:12]})" for run in runs],
            "what differs between such judges may be the prompt's doing",
        ),
        (
            "labels",
            [run.condition.labels.name for run in runs],
            "what differs between such judges may be the labels' doing",
        ),
        (
            "temperature",
            [_temperature(run.manifest) for run in runs],
            "what differs between such judges may be the decoding's doing",
        ),
    )
    for what, values, consequence in parts:
        count = Counter(values)
        if len(count) > 1:
            told = ", ".join(f"{value}: {times} of {len(runs)} runs" for value, times in count.most_common(_LISTED))
            yield f"The runs differ in {what} ({told}{_more(len(count) - _LISTED)}): {consequence}."


def _data(manifest: RunManifest) -> str:
    return f"{manifest.data.pairs:,} of {manifest.data.spec}, sha256 {manifest.data.sha256[:12]}"


def _temperature(manifest: RunManifest) -> str:
    return "unknown" if manifest.sampling is None else f"{manifest.sampling.temperature:g}"
