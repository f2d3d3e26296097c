"""The tables of a mitigation study: what was measured, as typed values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.analysis.study import StudyColumn, StudyTable, StudyValue
from evenhand.mitigation.all_effects import MitigationResults
from evenhand.mitigation.by_system import SystemComparison
from evenhand.mitigation.effect import Effect
from evenhand.mitigation.length_control import LengthControlled
from evenhand.mitigation.review_queue import ReviewItem
from evenhand.report.format import how_many
from evenhand.report.studies.recalibration_tables import recalibration_table, slot_bias_table
from evenhand.stats import Refusal
from evenhand.stats.regression import Regression

__all__ = ["mitigation_tables"]

_JUDGE = StudyColumn(name="judge", label="judge")
_SHOWN = 20
"""Rows of the review queue that a report prints; the file has all."""


def mitigation_tables(results: MitigationResults, queue: Sequence[ReviewItem]) -> tuple[StudyTable, ...]:
    """Every table that has rows, the main one first."""
    made = (
        _effects(results),
        _counts(results.effects),
        _selection(results),
        _systems(results.systems),
        _penalties(results),
        recalibration_table(results.calibrations),
        slot_bias_table(results.calibrations),
        _agreement(results),
        _queue(queue),
        _not_made(results),
    )
    return tuple(table for table in made if table.rows)


def _effects(results: MitigationResults) -> StudyTable:
    return StudyTable(
        id="effects",
        title="What each mitigation buys",
        caption=(
            "Agreement counts a tie against a decision as half. A gain is paired: the same pairs, before and after. "
            f"p-values are Holm-adjusted over {how_many(results.tests, 'test')}."
        ),
        headers=2,
        columns=(
            _JUDGE,
            StudyColumn(name="mitigation", label="mitigation"),
            StudyColumn(
                name="agreement",
                label="agreement",
                unit="share",
                definition="Mean credit against the label: 1 the same, 1/2 where exactly one is a tie, 0 the opposite.",
            ),
            StudyColumn(
                name="gain",
                label="gain",
                unit="difference",
                definition="Agreement minus that of the way it is compared with, on pairs with a verdict under both.",
            ),
            StudyColumn(name="p", label="p", unit="p", definition="Sign-flip test of the gain over clusters."),
            StudyColumn(name="finding", label="finding", definition="Whether the labels show that it helps, or harms."),
            StudyColumn(
                name="accuracy",
                label="right, if decided",
                unit="share",
                definition="Of the pairs that judge and label both decide. Not comparable between rows that decide "
                "other pairs: see the selection effect.",
            ),
            StudyColumn(
                name="share_decided", label="decided", unit="share", definition="Decisions, of all labelled pairs."
            ),
            StudyColumn(
                name="presentations", label="calls ×", unit="number", definition="Presentations, one order being 1."
            ),
            StudyColumn(
                name="tokens", label="tokens ×", unit="number", definition="Prompt and completion tokens, as above."
            ),
        ),
        rows=tuple(
            (
                effect.judge,
                effect.mitigation,
                effect.agreement,
                effect.gain,
                effect.test,
                effect.bought(level=results.level),
                effect.accuracy,
                effect.share_decided,
                effect.presentations,
                effect.tokens,
            )
            for effect in results.effects
        ),
        notes=tuple(_compared_with(results.effects)),
    )


def _compared_with(effects: Sequence[Effect]) -> Iterator[str]:
    by_other: dict[str, list[str]] = {}
    for effect in effects:
        if effect.against is not None and effect.mitigation not in by_other.setdefault(effect.against, []):
            by_other[effect.against].append(effect.mitigation)
    for other, names in by_other.items():
        yield f"Compared with “{other}”: {', '.join(names)}."


def _counts(effects: Sequence[Effect]) -> StudyTable:
    return StudyTable(
        id="counts",
        title="Verdicts behind the figures",
        caption="Labelled pairs that were asked. Missing verdicts are no ties. Where chance decides, expectations.",
        headers=2,
        columns=(
            _JUDGE,
            StudyColumn(name="mitigation", label="mitigation"),
            StudyColumn(name="pairs", label="pairs", unit="count"),
            StudyColumn(name="decided", label="decided", unit="number"),
            StudyColumn(name="ties", label="ties", unit="number"),
            StudyColumn(name="missing", label="none", unit="number", definition="Pairs without a verdict."),
            StudyColumn(
                name="on_flips",
                label="on flipped pairs",
                unit="share",
                definition="Of its decisions, those on pairs whose two orders prefer different responses. For a single "
                "order these are the verdicts that the other order turns.",
            ),
            StudyColumn(
                name="accuracy_gain",
                label="change of “right, if decided”",
                unit="difference",
                definition="Not tested: the decided pairs are others.",
            ),
            StudyColumn(name="notes", label="notes"),
        ),
        rows=tuple(
            (
                effect.judge,
                effect.mitigation,
                effect.pairs,
                effect.decided,
                effect.ties,
                effect.missing,
                effect.on_flips,
                effect.accuracy_gain,
                " ".join(effect.notes) or None,
            )
            for effect in effects
        ),
    )


def _selection(results: MitigationResults) -> StudyTable:
    return StudyTable(
        id="selection",
        title="The selection effect: consistent pairs are the easy ones",
        caption=(
            "Of pairs decided in both orders and by the label. Where both orders agree, either of them alone gives the "
            "same verdicts and is exactly as right; on flipped pairs exactly one of the two is."
        ),
        columns=(
            _JUDGE,
            StudyColumn(name="share_consistent", label="consistent pairs", unit="share"),
            StudyColumn(name="one_order", label="one order, all pairs", unit="share"),
            StudyColumn(name="consistent", label="any order, consistent pairs", unit="share"),
            StudyColumn(name="flipped_ab", label="order AB, flipped pairs", unit="share"),
            StudyColumn(name="flipped_ba", label="order BA, flipped pairs", unit="share"),
            StudyColumn(
                name="apparent_gain",
                label="apparent gain",
                unit="difference",
                definition="What keeping only consistent pairs seems to add; no verdict is better for it.",
            ),
        ),
        rows=tuple(
            (
                each.judge,
                each.share_consistent,
                each.one_order,
                each.consistent,
                each.flipped_ab,
                each.flipped_ba,
                each.apparent_gain,
            )
            for each in results.selections
        ),
    )


def _systems(systems: Sequence[SystemComparison]) -> StudyTable:
    def row(each: SystemComparison) -> tuple[StudyValue, ...]:
        names = (each.judge, each.system, each.other)
        found = each.found
        if isinstance(found, Refusal):
            return (*names, found, *[None] * 6)
        return (*names, found.raw, found.controlled, found.shift, found.length, *_errors(found), each.left_out)

    return StudyTable(
        id="length-control",
        title="Length-controlled win rates",
        caption=(
            "How often the judge prefers a system over another, as it is and as a logistic model predicts it for equal "
            "lengths (Dubois et al. 2024, without their difficulty of instructions)."
        ),
        headers=3,
        columns=(
            _JUDGE,
            StudyColumn(name="system", label="system"),
            StudyColumn(name="other", label="against"),
            StudyColumn(name="raw", label="win rate", unit="share"),
            StudyColumn(name="controlled", label="length-controlled", unit="share"),
            StudyColumn(name="shift", label="shift", unit="difference"),
            StudyColumn(
                name="length",
                label="length",
                unit="number",
                definition="Coefficient of tanh of the length difference in standard deviations, on the logit scale.",
            ),
            StudyColumn(
                name="raw_error", label="win rate minus labels'", unit="difference", definition="On labelled pairs."
            ),
            StudyColumn(name="controlled_error", label="length-controlled minus labels'", unit="difference"),
            StudyColumn(name="left_out", label="left out", unit="count", definition="Without a verdict."),
        ),
        rows=tuple(row(each) for each in systems),
    )


def _errors(found: LengthControlled) -> tuple[StudyValue, StudyValue]:
    return found.raw_error, found.controlled_error


def _penalties(results: MitigationResults) -> StudyTable:
    rows: list[tuple[StudyValue, ...]] = []
    for penalty in results.penalties:
        low, high = min(penalty.beta2), max(penalty.beta2)
        fit = penalty.regression
        if isinstance(fit, Regression):
            length = fit.term("log length ratio")
            rows.append(
                (penalty.judge, penalty.scale, fit.term("quality").estimate, length.estimate, length.test, low, high)
            )
        else:
            rows.append((penalty.judge, penalty.scale, fit, None, None, low, high))
    return StudyTable(
        id="length-penalty",
        title="The post-hoc length penalty",
        caption=(
            "Least squares of the judge's score on the label and the log length ratio. Each pair is penalised by the "
            "coefficient of the other folds, so that its gain is not measured where it was fitted. The p-value is of "
            "β2 alone and of no family: labels hold quality fixed by its side only, so where longer responses are "
            "better by more, β2 holds some of that. The gain tells whether taking it off pays."
        ),
        headers=2,
        columns=(
            _JUDGE,
            StudyColumn(name="scale", label="penalised"),
            StudyColumn(name="quality", label="β1, label", unit="number"),
            StudyColumn(name="length", label="β2, log length", unit="number"),
            StudyColumn(name="p", label="p of β2", unit="p"),
            StudyColumn(name="lowest", label="lowest β2 of a fold", unit="number"),
            StudyColumn(name="highest", label="highest", unit="number"),
        ),
        rows=tuple(rows),
    )


def _agreement(results: MitigationResults) -> StudyTable:
    accuracy, alone = dict(results.model_accuracy), dict(results.alone)
    return StudyTable(
        id="agreement",
        title="Agreement of the judges",
        caption=(
            "Order-aggregated verdicts, ties included. Judges of one family err together, and their agreement is worth "
            "less; families are guessed from the models' names."
        ),
        headers=2,
        columns=(
            StudyColumn(name="first", label="judge"),
            StudyColumn(name="second", label="with"),
            StudyColumn(name="same_family", label="same family"),
            StudyColumn(name="agreement", label="same verdict", unit="share"),
            StudyColumn(name="kappa", label="kappa", unit="number"),
            StudyColumn(
                name="alone",
                label="agreement by itself",
                unit="share",
                definition="Of one judge with the labels, a tie against a decision counted as half.",
            ),
            StudyColumn(
                name="model_accuracy",
                label="accuracy by Dawid-Skene",
                unit="share",
                definition="What the model thinks of the judge without any label; too high where judges err together.",
            ),
        ),
        rows=tuple(
            (
                each.first,
                each.second,
                each.same_family,
                each.agreement,
                each.kappa,
                alone.get(each.first) if each.second == "labels" else None,
                accuracy.get(each.first) if each.second == "labels" else None,
            )
            for each in results.agreements
        ),
    )


def _queue(queue: Sequence[ReviewItem]) -> StudyTable:
    judges = [name for name, _ in queue[0].votes] if queue else []
    return StudyTable(
        id="review-queue",
        title="Pairs for human review",
        caption=(
            f"The first {min(_SHOWN, len(queue)):,} of {len(queue):,} pairs on which judges split, flip or have no "
            "verdict. --review-queue writes all of them, without the votes, to be labelled blind."
        ),
        columns=(
            StudyColumn(name="pair", label="pair"),
            StudyColumn(name="priority", label="priority", unit="number", definition="Split plus share that flips."),
            StudyColumn(name="reason", label="reason"),
            *(StudyColumn(name=f"judge_{index}", label=name) for index, name in enumerate(judges)),
        ),
        rows=tuple(
            (item.pair_id, item.priority, item.reason, *(vote or "none" for _, vote in item.votes))
            for item in queue[:_SHOWN]
        ),
    )


def _not_made(results: MitigationResults) -> StudyTable:
    return StudyTable(
        id="not-made",
        title="Mitigations that could not be measured",
        caption="What each of them needs.",
        headers=2,
        columns=(
            _JUDGE,
            StudyColumn(name="mitigation", label="mitigation"),
            StudyColumn(name="reason", label="why not"),
        ),
        rows=tuple((each.judge, each.mitigation, each.reason) for each in results.not_made),
    )
