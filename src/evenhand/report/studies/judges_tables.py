"""The tables of a comparison of judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from evenhand.analysis.study import StudyColumn, StudyTable, StudyValue
from evenhand.audits.judges.comparison import ComparedRun, JudgesComparison
from evenhand.audits.judges.differences import Difference, MeasureDifferences
from evenhand.audits.judges.figures import JudgeFigures
from evenhand.audits.judges.measures import FLIPS, JUDGE_MEASURES
from evenhand.records import Outcome
from evenhand.report.cells import printed_unit, row_unit
from evenhand.stats import Estimate, Refusal

__all__ = ["MOST_LISTED", "judge_tables", "listed_differences", "numbered", "same_scope"]

MOST_LISTED: Final = 45
"""Pairs of judges that a table lists: all of ten judges. A convention: a page of 435 rows is not read."""

_REASONS: Final = 3
"""Different reasons in one note."""
_CONSISTENCY: Final = ("flip_rate", "compliance_pairs", "verdict_rate", "position_bias_strength", "inconsistency_rate")
_NOISE: Final = ("first_slot_rate", "repeat_flip_rate", "swap_minus_repeat")
_ACCURACY: Final = ("accuracy_ab", "accuracy_ba", "accuracy_consistent")
_ALL: Final = (*_CONSISTENCY, "repeat_flip_rate", *_ACCURACY)


def judge_tables(runs: Sequence[ComparedRun], comparison: JudgesComparison) -> tuple[StudyTable, ...]:
    """Every table that has rows: the judges, every two of them, the runs and their states."""
    tables = (
        _figures(
            runs, _CONSISTENCY, id="judges", title="The judges", caption="Order consistency, and what it rests on."
        ),
        _figures(
            runs,
            _NOISE,
            id="noise",
            title="Lean and noise",
            caption="The share of the first slot, and what asking again in the same order changes.",
        ),
        *_accuracies(runs),
        _flips(comparison),
        *_others(comparison),
        _agreement(comparison),
        _states(runs),
        _runs(runs),
        *_every(runs),
    )
    return tuple(table for table in tables if table.rows)


def same_scope(runs: Sequence[ComparedRun]) -> str:
    """Condition and readout that all judges are looked at under, in words; empty where they aren't the same."""
    scopes = {(run.condition.id, run.readout) for run in runs}
    if len(scopes) != 1:
        return ""
    [(condition, readout)] = scopes
    return f"condition {condition}, {readout.value} readout"


def numbered(comparison: JudgesComparison, place: int) -> str:
    """A judge with its number, by which a map's columns name it."""
    return f"{place + 1}  {comparison.names[place]}"


def _measure_column(name: str) -> StudyColumn:
    info = JUDGE_MEASURES[name].info
    return StudyColumn(name=name, label=info.label, unit=printed_unit(info), definition=info.definition)


def _scope_columns() -> tuple[StudyColumn, ...]:
    return (StudyColumn(name="condition", label="condition"), StudyColumn(name="readout", label="readout"))


def _figures(
    runs: Sequence[ComparedRun],
    measures: Sequence[str],
    *,
    id: str,
    title: str,
    caption: str,
) -> StudyTable:
    """One row a judge, in the order given."""
    spoken = same_scope(runs)
    own = () if spoken else _scope_columns()
    where = f" All under {spoken}." if spoken else ""
    return StudyTable(
        id=id,
        title=title,
        caption=f"{caption} One row a judge, over all of its pairs.{where}",
        columns=(
            StudyColumn(name="judge", label="judge"),
            *own,
            *map(_measure_column, measures),
            StudyColumn(name="pairs", label="pairs", unit="count", definition="Pairs that the judge was asked."),
        ),
        rows=tuple((run.name, *(_scope(run) if own else ()), *_values(run.main, measures)) for run in runs),
        headers=1 + len(own),
    )


def _scope(run: ComparedRun) -> tuple[str, str]:
    return run.condition.id, run.readout.value


def _values(figures: JudgeFigures | None, measures: Sequence[str]) -> tuple[StudyValue, ...]:
    if figures is None:
        nothing = Refusal(reason="no answer was read", n=0)
        return (*(nothing for _ in measures), 0)
    return (*(figures.measure(name) for name in measures), figures.pairs)


def _accuracies(runs: Sequence[ComparedRun]) -> Iterator[StudyTable]:
    known = any(
        run.main is not None and isinstance(run.main.measure(name), Estimate) for run in runs for name in _ACCURACY
    )
    if known:
        yield _figures(
            runs, _ACCURACY, id="accuracy", title="Accuracy", caption="Against the gold preference, order by order."
        )


def _difference_columns() -> tuple[StudyColumn, ...]:
    return (
        StudyColumn(
            name="difference",
            label="first − second",
            unit="difference",
            definition="The first judge's figure minus the second's, over exactly the pairs that both have one for.",
        ),
        StudyColumn(
            name="p",
            label="p",
            unit="p",
            definition=(
                "Sign-flip test over clusters, Holm-adjusted over every two judges under the measure; — where no pair "
                "differs or there is no figure."
            ),
        ),
        StudyColumn(
            name="mcnemar",
            label="McNemar p",
            unit="p",
            definition="Exact McNemar test, which takes pairs for independent; not adjusted.",
        ),
        StudyColumn(name="pairs", label="shared pairs", unit="count", definition="Pairs that both have a figure for."),
    )


def _difference_values(comparison: JudgesComparison, each: Difference) -> tuple[StudyValue, ...]:
    first, second = (comparison.names[place] for place in (each.first, each.second))
    return first, second, each.estimate, each.adjusted, each.mcnemar, each.pairs


def listed_differences(differences: Iterable[Difference]) -> list[Difference]:
    """All where there is room; else those with the smallest p, by the places of their judges.

    The widest that is shown is always there: the headline names it, and rests on this table.
    """
    every = list(differences)
    if len(every) <= MOST_LISTED:
        return every
    kept = sorted(every, key=lambda each: (1.0 if each.adjusted is None else each.adjusted.p_value, -_size(each)))
    widest = max((each for each in kept if each.shown), key=_size, default=kept[0])
    kept.sort(key=lambda each: each is not widest)
    return sorted(kept[:MOST_LISTED], key=lambda each: (each.first, each.second))


def _size(each: Difference) -> float:
    return abs(each.estimate.value) if isinstance(each.estimate, Estimate) else 0.0


def _left_out(differences: Sequence[Difference]) -> tuple[str, ...]:
    rest = len(differences) - MOST_LISTED
    return (f"{rest:,} pairs of judges with larger p are not listed.",) if rest > 0 else ()


def _flips(comparison: JudgesComparison) -> StudyTable:
    family = comparison.measure(FLIPS)
    return StudyTable(
        id="flip-differences",
        title="Flip rate, judge against judge",
        caption="On the pairs that both judges decided in both orders. Below 0 the first judge flips less.",
        columns=(
            StudyColumn(name="first", label="first judge"),
            StudyColumn(name="second", label="second judge"),
            *_difference_columns(),
        ),
        rows=tuple(_difference_values(comparison, each) for each in listed_differences(family.differences)),
        headers=2,
        notes=_left_out(family.differences),
    )


def _others(comparison: JudgesComparison) -> Iterator[StudyTable]:
    families = [each for each in comparison.measures if each.info.name != FLIPS]
    kept = [each for each in families if each.known]
    rows = [
        ((family.info.label, *_difference_values(comparison, each)), row_unit(family.info))
        for family in kept
        for each in _of_others(family, families=len(kept))
    ]
    yield StudyTable(
        id="differences",
        title="Other measures, judge against judge",
        caption="Each over what both judges have a figure for.",
        columns=(
            StudyColumn(name="measure", label="measure"),
            StudyColumn(name="first", label="first judge"),
            StudyColumn(name="second", label="second judge"),
            *_difference_columns(),
        ),
        rows=tuple(row for row, _ in rows),
        row_units=tuple(unit for _, unit in rows),
        headers=3,
        notes=tuple(note for each in families for note in _why_not(each)),
    )


def _of_others(family: MeasureDifferences, *, families: int) -> list[Difference]:
    """All of few judges; of many, those that are shown to differ, and a few at most."""
    if len(family.differences) * families <= 2 * MOST_LISTED:
        return list(family.known)
    shown = sorted(family.shown, key=lambda each: (each.adjusted.p_value if each.adjusted else 1.0, -_size(each)))
    return shown[: MOST_LISTED // max(1, families)]


def _why_not(family: MeasureDifferences) -> Iterator[str]:
    refused = [each.estimate for each in family.differences if isinstance(each.estimate, Refusal)]
    if refused:
        reasons = "; ".join(list(dict.fromkeys(each.reason for each in refused))[:_REASONS])
        of = f"{len(refused):,} of {len(family.differences):,} pairs of judges"
        yield f"Not compared: {family.info.label}, {of} ({reasons})."


def _agreement(comparison: JudgesComparison) -> StudyTable:
    every = list(comparison.agreements)
    if len(every) > MOST_LISTED:
        lowest = sorted(every, key=lambda each: each.kappa.value if isinstance(each.kappa, Estimate) else 2.0)
        every = sorted(lowest[:MOST_LISTED], key=lambda each: (each.first, each.second))
    rest = len(comparison.agreements) - len(every)
    return StudyTable(
        id="agreement",
        title="Agreement between judges",
        caption="On shared pairs: what both orders of a pair amount to, and single presentations.",
        columns=(
            StudyColumn(name="first", label="first judge"),
            StudyColumn(name="second", label="second judge"),
            StudyColumn(
                name="kappa",
                label="kappa",
                unit="number",
                definition="Cohen's kappa: agreement beyond chance, given how often each says A, B and tie.",
            ),
            StudyColumn(
                name="verdicts",
                label="same verdict",
                unit="share",
                definition=(
                    "Among pairs with a verdict of both judges, share with the same one: what both orders prefer, a "
                    "tie where they contradict each other."
                ),
            ),
            StudyColumn(
                name="presentations",
                label="same in one order",
                unit="share",
                definition=(
                    "Among presentations with a verdict by both judges in the same order, share with the same "
                    "preference; judges that take the same slot agree here whatever stands in it."
                ),
            ),
            StudyColumn(name="pairs", label="shared pairs", unit="count", definition="Pairs with a verdict of both."),
        ),
        rows=tuple(
            (
                comparison.names[each.first],
                comparison.names[each.second],
                each.kappa,
                each.verdicts,
                each.presentations,
                each.pairs,
            )
            for each in every
        ),
        headers=2,
        notes=(f"{rest:,} pairs of judges with higher kappa are not listed.",) if rest > 0 else (),
    )


def _states(runs: Sequence[ComparedRun]) -> StudyTable:
    slots = (Outcome.FIRST, Outcome.SECOND)
    alone = any(not run.manifest.slots_seen for run in runs)
    caption = "Both orders together. Only first, second and tie are verdicts; no other counts as a tie or a loss."
    if alone:
        caption += " Where each response was judged by itself a verdict prefers one, and none stood first or second."

    def count(run: ComparedRun, *outcomes: Outcome) -> int:
        return 0 if run.main is None else sum(run.main.count(outcome) for outcome in outcomes)

    return StudyTable(
        id="states",
        title="What became of the presentations",
        caption=caption,
        columns=(
            StudyColumn(name="judge", label="judge"),
            StudyColumn(name="presentations", label="asked", unit="count", definition="Presentations with an answer."),
            *([StudyColumn(name="preferred", label="preferred", unit="count")] if alone else []),
            *(StudyColumn(name=outcome.value, label=outcome.value, unit="count") for outcome in Outcome),
        ),
        rows=tuple(
            (
                run.name,
                0 if run.main is None else run.main.presentations,
                *([count(run, *slots)] if alone else []),
                *(
                    None if outcome in slots and not run.manifest.slots_seen else count(run, outcome)
                    for outcome in Outcome
                ),
            )
            for run in runs
        ),
    )


def _runs(runs: Sequence[ComparedRun]) -> StudyTable:
    return StudyTable(
        id="runs",
        title="The runs",
        caption="What each run's manifest says; what isn't the same may be why judges differ.",
        columns=(
            StudyColumn(name="judge", label="judge"),
            StudyColumn(name="run", label="run"),
            StudyColumn(name="spec", label="asked as"),
            StudyColumn(name="data", label="data"),
            StudyColumn(name="prompt", label="prompt"),
            StudyColumn(name="labels", label="labels"),
            StudyColumn(name="temperature", label="temperature"),
            StudyColumn(
                name="planned", label="planned", unit="count", definition="Presentations that the run planned."
            ),
            StudyColumn(name="failed", label="failed", unit="count", definition="Presentations whose call failed."),
            StudyColumn(
                name="pending", label="not asked", unit="count", definition="Presentations without an answer yet."
            ),
        ),
        rows=tuple(
            (
                run.name,
                run.place,
                run.manifest.judge.spec,
                f"{run.manifest.data.pairs:,} of {run.manifest.data.spec} ({run.manifest.data.sha256[:12]})",
                f"{run.condition.prompt} ({run.condition.prompt_hash[:12]})",
                run.condition.labels.name,
                "unknown" if run.manifest.sampling is None else f"{run.manifest.sampling.temperature:g}",
                run.counts.planned,
                run.counts.errors,
                run.counts.pending,
            )
            for run in runs
        ),
    )


def _every(runs: Sequence[ComparedRun]) -> Iterator[StudyTable]:
    if all(len(run.figures.scopes) <= 1 for run in runs):
        return
    yield StudyTable(
        id="every",
        title="Every condition and readout",
        caption="The judge's first row is the one that stands for it above.",
        columns=(
            StudyColumn(name="judge", label="judge"),
            *_scope_columns(),
            *map(_measure_column, _ALL),
            StudyColumn(name="pairs", label="pairs", unit="count"),
        ),
        rows=tuple(
            (run.name, figures.condition, figures.readout.value, *_values(figures, _ALL))
            for run in runs
            for figures in run.figures.scopes
        ),
        headers=3,
    )
