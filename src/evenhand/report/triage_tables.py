"""The tables of a triage: what budgets and promises come to, the leaderboard's error, and the time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from evenhand.probes.triage_chance import AgainstChance
from evenhand.probes.triage_guarantee import Guarantee
from evenhand.probes.triage_report import TriageReport
from evenhand.probes.triage_scores import CONFIDENCE
from evenhand.report.cells import Footnotes, count_cell, figure_cell, name_cell
from evenhand.report.format import DASH, integer, interval_text, percent, quantity
from evenhand.report.model import Cell, Column, Table
from evenhand.report.probes.tables import retention_table
from evenhand.report.text import visible
from evenhand.stats import Interval, Refusal

__all__ = ["TABLES", "build_triage_tables", "seconds_text", "share_cell"]

TABLES = ("budgets", "guarantees", "leaderboard", "authors", "time", "retention")
"""Ids of every table that a triage may have, in the order of reading."""


def build_triage_tables(report: TriageReport, *, budgets: Collection[float] | None = None) -> tuple[Table, ...]:
    """Every table that has rows, in the order of reading.

    Parameters
    ----------
    budgets
        Those to show where there are several; None: all.
    """
    made = (
        _budgets(report, budgets) if report.question.max_missed is None else None,
        _guarantees(report),
        _leaderboard(report),
        _authors(report),
        _times(report),
        retention_table(report.retention, readout=report.subject.readout),
    )
    return tuple(table for table in made if table is not None and table.rows)


def share_cell(value: float | None) -> Cell:
    """A share without an interval."""
    return Cell(text=DASH) if value is None else Cell(text=percent(value), value=value)


def _columns(*labels: str, headers: int = 1) -> tuple[Column, ...]:
    return tuple(Column(label=label, numeric=index >= headers) for index, label in enumerate(labels))


def _notes(report: TriageReport) -> Footnotes:
    return Footnotes(level=report.question.level, clusters="question group")


def _usable(report: TriageReport) -> tuple[str, ...]:
    """Scores with a row: one that is refused has a note, not a row of dashes for every budget and promise."""
    return tuple(score.name for score in report.scores if score.refusal is None)


def _budgets(report: TriageReport, budgets: Collection[float] | None) -> Table:
    notes, usable = _notes(report), _usable(report)
    several = len(report.question.budgets) > 1
    shown = [p for p in report.budgets if p.score in usable and (budgets is None or not several or p.budget in budgets)]
    compared = CONFIDENCE in usable
    rows = tuple(
        (
            name_cell(f"{p.budget * 100:g} %"),
            name_cell(p.score),
            share_cell(p.saved),
            figure_cell(p.missed, "share", notes),
            figure_cell(p.against_random, "difference", notes),
            *((figure_cell(p.against_confidence, "difference", notes),) if compared else ()),
        )
        for p in shown
    )
    labels = ["swapped", "score", "saved", "flips missed", "− chance", *(["− confidence"] if compared else [])]
    least = ", or than swapping the least confident pairs" if compared else ""
    return Table(
        id="budgets",
        title="What a budget buys",
        caption=(
            f"The given share of {integer(report.pairs)} pairs, riskiest first, judged in both orders; "
            f"{integer(report.flips)} of the pairs flip. Saved: of two judgments a pair. Differences are paired; "
            f"below 0 a score misses fewer flips than chance{least}."
        ),
        columns=_columns(*labels, headers=2),
        rows=rows,
        headers=2,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def _guarantees(report: TriageReport) -> Table | None:
    if not report.question.alphas:
        return None
    notes, usable = _notes(report), _usable(report)
    rows: list[tuple[Cell, ...]] = []
    for at, alpha in enumerate(report.question.alphas):
        for name, found in report.guarantees:
            if name not in usable:
                continue
            head = (name_cell(f"{alpha * 100:g} %"), name_cell(name))
            if isinstance(found, Refusal):
                rows.append((*head, figure_cell(found, "share", notes), *(Cell(text=DASH) for _ in range(6))))
            else:
                rows.append((*head, *_guarantee_cells(found[at], notes)))
    delta = report.question.delta
    what = (
        "in expectation over calibration and new questions"
        if delta is None
        else f"with probability {(1 - delta) * 100:g} % over the calibration"
    )
    return Table(
        id="guarantees",
        title="The smallest budget with a promise",
        caption=(
            f"At most the given share of the flips is missed, {what}. Calibrated and tested on different questions of "
            f"this run, in {integer(report.question.splits)} random splits: a score that is fitted here on half, a "
            "quarter and a quarter of the questions, any other on half and half. Swapped and saved: means over splits. "
            "Missed: of the flips of all splits. Splits above: those whose test pairs missed more; they have few flips "
            "each, so much of it is chance. First split: the missed share of one split, with its interval. "
            + (
                "Exact in expectation: over many calibrations; one split, or your own calibration, may lie above. "
                if delta is None
                else "Exact with that probability: the other calibrations may miss more. "
            )
            + "Swapped − chance: on the same splits, less what a random order swaps for the same promise; interval "
            "corrected for splits that share pairs (Nadeau–Bengio), approximate."
        ),
        columns=_columns(
            "missed at most",
            "score",
            "swapped",
            "− chance",
            "saved",
            "missed",
            "splits above",
            "first split",
            "promise",
            headers=2,
        ),
        rows=tuple(rows),
        headers=2,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def _guarantee_cells(found: Guarantee, notes: Footnotes) -> tuple[Cell, ...]:
    if found.infeasible:
        why = f" (the first split {found.first.note.replace('events', 'flips')})" if found.first.note else ""
        mark = notes.mark(
            f"in {percent(found.infeasible)} of the splits no promise was possible, and all pairs were swapped{why}"
        )
        marks: tuple[str, ...] = (mark,)
    else:
        marks = ()
    how = "in expectation" if found.delta is None else f"with probability {(1 - found.delta) * 100:g} %"
    promise = f"exact, {how}" if found.proved else "approximate"
    return (
        Cell(text=percent(found.mean_swapped), value=found.mean_swapped, marks=marks),
        _against_chance(found.against_chance),
        share_cell((1 - found.mean_swapped) / 2),
        share_cell(found.mean_missed),
        share_cell(found.above),
        figure_cell(found.missed, "share", notes),
        Cell(text=promise),
    )


def _against_chance(found: AgainstChance | Refusal | None) -> Cell:
    if not isinstance(found, AgainstChance):
        return Cell(text=DASH)
    return Cell(
        text=quantity(found.mean, "difference"),
        value=found.mean,
        interval=interval_text(Interval(low=found.low, high=found.high), "difference"),
        low=found.low,
        high=found.high,
    )


def _leaderboard(report: TriageReport) -> Table:
    notes = _notes(report)
    ranked = any(not isinstance(each.largest_error, Refusal) for each in report.leaderboard)
    labels = ["way of judging", "swapped"]
    labels += ["largest error", "mean error", "Kendall’s τ"] if ranked else []
    labels += [] if ranked else ["A’s win rate"]
    labels += ["agreement with gold"]
    rows = []
    for each in report.leaderboard:
        board = (
            (
                figure_cell(each.largest_error, "share", notes),
                figure_cell(each.mean_error, "share", notes),
                figure_cell(each.kendall, "score", notes),
            )
            if ranked
            else (figure_cell(each.win_rate_a, "difference", notes),)
        )
        rows.append(
            (
                name_cell(each.policy),
                share_cell(each.swapped),
                *board,
                figure_cell(each.accuracy, "difference", notes),
            )
        )
    which = (
        "Errors of the authors’ win rates, and Kendall’s τ between the two orders of the authors."
        if ranked
        else "No two authors are known, so there is no leaderboard: the win rate of the responses that the data set "
        "names A is compared. Where A and B are arbitrary names it says nothing of any author, only how far order AB "
        "leans."
    )
    return Table(
        id="leaderboard",
        title="What it does to the result",
        caption=(
            "Against judging every pair in both orders, where a pair whose orders disagree is a tie; a pair that isn’t "
            f"swapped counts as order AB says. {which} Agreement with gold (a tie counts half) is the difference "
            "from full swapping. Random: every pair with the same chance, the mean of all draws; one draw errs more."
        ),
        columns=_columns(*labels),
        rows=tuple(rows),
        notes=notes.notes,
        intervals=notes.intervals,
    )


def _authors(report: TriageReport) -> Table:
    notes = _notes(report)
    return Table(
        id="authors",
        title="Win rates by author",
        caption=(
            f"Best first under full swapping; then under {visible(report.closely)}, and by order AB alone. Error: the "
            "policy less full swapping."
        ),
        columns=_columns("author", "pairs", "both orders", "policy", "order AB", "error"),
        rows=tuple(
            (
                name_cell(row.author),
                count_cell(row.pairs),
                share_cell(row.full),
                share_cell(row.policy),
                share_cell(row.order_ab),
                figure_cell(row.error, "difference", notes),
            )
            for row in report.authors
        ),
        notes=notes.notes,
        intervals=notes.intervals,
    )


def seconds_text(value: float) -> str:
    """Seconds with as many digits as tell something.

    Examples
    --------
    >>> seconds_text(1234.5), seconds_text(12.345), seconds_text(0.0042)
    ('1,234 s', '12.3 s', '4.2 ms')
    """
    if value >= 100:
        return f"{value:,.0f} s"
    return f"{value:.1f} s" if value >= 1 or value == 0 else f"{value * 1000:.2g} ms"


def _seconds_cell(value: float) -> Cell:
    return Cell(text=seconds_text(value), value=value)


def _times(report: TriageReport) -> Table | None:
    if isinstance(report.times, Refusal):
        return None
    notes = _notes(report)
    parts: Sequence[tuple[str, Callable[[int], float]]] = (
        ("writing activations", lambda i: times[i].overhead.writing),
        ("reading them", lambda i: times[i].overhead.reading),
        ("scoring", lambda i: times[i].overhead.scoring),
    )
    times = report.times
    plain = all(each.plain for each in times)
    return Table(
        id="time",
        title="Net time",
        caption=(
            "Measured seconds of the judge, pairs that can’t be scored in both orders included, and of what a policy "
            "needs beside it. Net: the share of both orders’ seconds that is saved after all of it. Both orders were "
            f"timed {'without' if plain else 'with'} activations taken."
        ),
        columns=_columns(
            "policy", "both orders", "judging", *(name for name, _ in parts), "judging saved", "net saved"
        ),
        rows=tuple(
            (
                name_cell(each.policy),
                _seconds_cell(each.both_orders),
                _seconds_cell(each.judging),
                *(_seconds_cell(part(i)) for _, part in parts),
                figure_cell(each.judging_saved, "share", notes),
                figure_cell(each.saved, "share", notes),
            )
            for i, each in enumerate(times)
        ),
        notes=notes.notes,
        intervals=notes.intervals,
    )
