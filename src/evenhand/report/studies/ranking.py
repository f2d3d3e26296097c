"""Leaderboards as a study: who moves, by how many ranks, and in which view."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from evenhand.analysis.family import holm_adjusted
from evenhand.analysis.study import Claim, Forest, ForestRow, Study, StudyColumn, StudyHeadline, StudyTable, StudyValue
from evenhand.mitigation.leaderboard import Leaderboard, LeaderboardAudit, RankChange
from evenhand.mitigation.leaderboard_cells import View
from evenhand.mitigation.ranking import Model
from evenhand.mitigation.rankings import RankedScope, Rankings
from evenhand.report.format import integer, percent
from evenhand.report.numbering import claims
from evenhand.stats import Estimate, Refusal

__all__ = ["ranking_study"]

_ONE_ORDER = (View.AB_ONLY, View.BA_ONLY)
_STANDINGS = "table-standings"
_MODELS = {
    Model.DAVIDSON: "Davidson (ties have a parameter of their own)",
    Model.BRADLEY_TERRY: "Bradley-Terry (a tie is half a win)",
}


def ranking_study(ranked: Rankings) -> Study:
    """Compose the study."""
    made = [(line, line.found) for line in ranked.scopes if isinstance(line.found, LeaderboardAudit)]
    several = len({(line.judge, line.run) for line in ranked.scopes}) > 1
    return Study(
        kind="ranking",
        title="What position bias does to the leaderboard",
        subtitle="; ".join(dict.fromkeys(f"{line.judge} ({line.run})" for line in ranked.scopes)),
        headline=_headline(made, several=several, level=ranked.level, resamples=ranked.resamples),
        tables=(
            _standings(made, several=several),
            _agreement(made, several=several),
            _shown_first(made, several=several),
        ),
        figures=tuple(_figures(made, several=several)),
        notes=tuple(_notes(ranked)),
        facts=(
            ("Runs", ", ".join(dict.fromkeys(line.run for line in ranked.scopes))),
            ("Model", _MODELS[ranked.model]),
            ("Resampled by", ranked.resampled_by),
            ("Resamples", integer(ranked.resamples)),
            ("Confidence level", f"{ranked.level:g}"),
            ("Seed", str(ranked.seed)),
        ),
    )


def _name(line: RankedScope, *, several: bool) -> str:
    place = f"{line.judge}, " if several else ""
    return f"{place}{line.condition}, {line.readout}"


def _headline(
    made: Sequence[tuple[RankedScope, LeaderboardAudit]], *, several: bool, level: float, resamples: int
) -> StudyHeadline:
    if not made:
        return StudyHeadline(
            status="failed",
            verdict="Nothing to rank",
            lead="No condition has verdicts in both orders on pairs by two or more authors.",
        )
    moved = [(line, change) for line, audit in made for change in audit.changes if change.view in _ONE_ORDER]
    shown = _shown(moved, level=level)
    shifted = [(line, change) for line, change in moved if _value(change) != 0]
    players = max(len(audit.first_shown) for _, audit in made)
    pairs = ", ".join(f"{audit.pairs:,}" for _, audit in made[:4])
    lead = f"{players} authors ranked on {pairs} pairs, all with a verdict in both orders."
    if shown:
        return StudyHeadline(
            status="bad",
            verdict=f"One order alone moves {len(shown)} of {len(moved)} ranks beyond chance",
            lead=lead,
            more=_findings(shown, made, several=several),
            steps=claims(
                ["Rank from both orders; from one order alone only with the slot's advantage taken out."], _STANDINGS
            ),
        )
    if shifted:
        return StudyHeadline(
            status="undecided",
            verdict=f"One order alone moves {len(shifted)} of {len(moved)} ranks, none beyond chance",
            lead=lead,
            more=_findings(shifted, made, several=several),
            steps=(
                *claims(["Judge more questions before the order of close authors is believed."], _STANDINGS),
                *claims(_too_few(len(moved), level=level, resamples=resamples), "reproduce"),
            ),
        )
    return StudyHeadline(
        status="described",
        verdict=f"One order alone moves none of {len(moved)} ranks",
        lead=lead,
        more=_findings((), made, several=several),
        steps=claims(["That holds of these authors and questions: read how wide the rank intervals are."], _STANDINGS),
    )


def _findings(
    changes: Sequence[tuple[RankedScope, RankChange]],
    made: Sequence[tuple[RankedScope, LeaderboardAudit]],
    *,
    several: bool,
) -> tuple[Claim, ...]:
    return (
        *claims(_moves(changes, several=several), _STANDINGS),
        *claims(_tops(made, several=several), "table-agreement"),
    )


def _value(change: RankChange) -> float:
    return change.difference.value if isinstance(change.difference, Estimate) else 0.0


def _shown(moved: Sequence[tuple[RankedScope, RankChange]], *, level: float) -> list[tuple[RankedScope, RankChange]]:
    """Changes whose tests, adjusted over all that a reader looks through, reject."""
    tested = [(line, change, change.test) for line, change in moved if change.test is not None]
    adjusted = holm_adjusted([test for _, _, test in tested], family="ranks from one order")
    return [
        (line, change)
        for (line, change, _), test in zip(tested, adjusted, strict=True)
        if test.p_value <= 1 - level and _value(change) != 0
    ]


def _too_few(changes: int, *, level: float, resamples: int) -> Iterator[str]:
    enough = math.ceil(2 * changes / (1 - level))
    if resamples < enough:
        yield f"Ask for {enough:,} resamples: {resamples:,} can't show that one of {changes} ranks moved beyond chance."


def _moves(changes: Sequence[tuple[RankedScope, RankChange]], *, several: bool) -> Iterator[str]:
    for line, change in changes[:6]:
        found = change.difference
        if isinstance(found, Estimate) and found.interval is not None:
            way = "lower" if found.value > 0 else "higher"
            yield (
                f"{_name(line, several=several)}: {change.view} ranks {change.player} {_ranks(abs(found.value))} {way} "
                f"than both orders do (interval {_signed(found.interval.low)} to {_signed(found.interval.high)})."
            )
    if len(changes) > 6:
        yield f"{len(changes) - 6} more are in the table."


def _ranks(value: float) -> str:
    return f"{value:.0f} rank{'' if value == 1 else 's'}"


def _signed(value: float) -> str:
    return f"{value:+.0f}".replace("-", "−").replace("+0", "0")


def _tops(made: Sequence[tuple[RankedScope, LeaderboardAudit]], *, several: bool) -> Iterator[str]:
    for line, audit in made:
        shares = [
            f"{board.view} {percent(board.same_top)}"
            for board in audit.boards
            if board.same_top is not None and board.refused is None
        ]
        yield (
            f"{_name(line, several=several)}: the first place is that of both orders in these shares of the resamples: "
            f"{', '.join(shares)}."
        )


_SCOPE = StudyColumn(name="scope", label="judge, condition, readout")


def _standings(made: Sequence[tuple[RankedScope, LeaderboardAudit]], *, several: bool) -> StudyTable:
    rows: list[tuple[StudyValue, ...]] = []
    for line, audit in made:
        changes = {(change.view, change.player): change.difference for change in audit.changes}
        for board in audit.boards:
            name = _name(line, several=several)
            if board.refused is not None:
                rows.append((name, str(board.view), None, board.refused, None, None, None, None, None))
            rows += [
                (
                    name,
                    str(board.view),
                    standing.player,
                    standing.rank.value if isinstance(standing.rank, Estimate) else standing.rank,
                    _span(standing.rank),
                    _difference(changes.get((board.view, standing.player))),
                    standing.strength,
                    None if board.view is View.SLOT_REMOVED else standing.points,  # only strengths have it removed
                    standing.comparisons,
                )
                for standing in board.standings
            ]
    return StudyTable(
        id="standings",
        title="Leaderboards",
        caption="The same pairs in every view, best first.",
        columns=(
            _SCOPE,
            StudyColumn(name="view", label="view", definition="Which verdicts the leaderboard is made of."),
            StudyColumn(name="author", label="author"),
            StudyColumn(name="rank", label="rank", unit="count", definition="1 is best; equals share a rank."),
            StudyColumn(
                name="rank_interval",
                label="ranks",
                definition="Percentile interval of the rank over resampled clusters; too narrow for near equals.",
            ),
            StudyColumn(
                name="against_both",
                label="against both",
                definition="Rank minus the rank from both orders: above 0, the view ranks too low; with its interval.",
            ),
            StudyColumn(name="strength", label="log strength", unit="number", definition="Natural log, centred at 0."),
            StudyColumn(
                name="points", label="points", unit="share", definition="Share won, a tie counted as half a win."
            ),
            StudyColumn(name="pairs", label="pairs", unit="count", definition="Pairs that the author takes part in."),
        ),
        rows=tuple(rows),
        headers=3,
    )


def _span(rank: Estimate | Refusal) -> str | None:
    if isinstance(rank, Refusal) or rank.interval is None:
        return None
    low, high = rank.interval.low, rank.interval.high
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"


def _difference(found: Estimate | Refusal | None) -> str | None:
    if not isinstance(found, Estimate) or found.interval is None:
        return None
    return f"{_signed(found.value)} [{_signed(found.interval.low)}, {_signed(found.interval.high)}]"


def _agreement(made: Sequence[tuple[RankedScope, LeaderboardAudit]], *, several: bool) -> StudyTable:
    return StudyTable(
        id="agreement",
        title="How far each view is from both orders",
        caption="Order alone differs: the pairs are the same.",
        columns=(
            _SCOPE,
            StudyColumn(name="view", label="view"),
            StudyColumn(
                name="tau",
                label="Kendall’s tau",
                unit="number",
                definition="Tau-b of the view's strengths with those of both orders: 1 is the same order of authors.",
            ),
            StudyColumn(
                name="same_top",
                label="same first place",
                unit="share",
                definition="Share of resamples in which the first place is that of both orders.",
            ),
            StudyColumn(
                name="slot",
                label="slot",
                unit="number",
                definition="Log-odds that the first slot adds, where the view estimates it.",
            ),
        ),
        rows=tuple(
            (_name(line, several=several), str(board.view), board.agreement, board.same_top, board.slot)
            for line, audit in made
            for board in _others(audit)
        ),
        headers=2,
    )


def _others(audit: LeaderboardAudit) -> list[Leaderboard]:
    return [board for board in audit.boards if board.view is not View.SWAPPED and board.refused is None]


def _shown_first(made: Sequence[tuple[RankedScope, LeaderboardAudit]], *, several: bool) -> StudyTable:
    return StudyTable(
        id="shown-first",
        title="Whom order AB shows first",
        caption="Where these differ, one order alone favours whom it shows first (or second).",
        columns=(
            _SCOPE,
            StudyColumn(name="author", label="author"),
            StudyColumn(name="share", label="shown first in AB", unit="share"),
        ),
        rows=tuple(
            (_name(line, several=several), player, share) for line, audit in made for player, share in audit.first_shown
        ),
        headers=2,
    )


def _figures(made: Sequence[tuple[RankedScope, LeaderboardAudit]], *, several: bool) -> Iterator[Forest]:
    for number, (line, audit) in enumerate(made, start=1):
        rows = [
            ForestRow(label=standing.player, estimate=standing.points, group=str(board.view))
            for board in audit.boards
            for standing in board.standings
            if board.view is not View.SLOT_REMOVED  # its points are those of order AB
        ]
        yield Forest(
            id=f"points-{number}",
            title=f"Points by view: {_name(line, several=several)}",
            x_label="share of comparisons won, ties half",
            rows=tuple(rows),
            unit="share",
            reference=0.5,
        )


def _notes(ranked: Rankings) -> Iterator[str]:
    yield from ranked.notes
    for line in ranked.scopes:
        name = f"{line.judge}, {line.condition}, {line.readout}"
        if isinstance(line.found, Refusal):
            yield f"{name}: not ranked: {line.found.reason}."
            continue
        left = ", ".join(f"{reason} {count:,}" for reason, count in line.found.left_out)
        if left:
            yield f"{name}: left out of every view: {left}."
    yield (
        "Beyond chance: the share of resamples in which the rank does not move that way, adjusted (Holm) over the "
        "authors, views of one order, conditions and readouts. Intervals in the tables are each for itself."
    )
    yield (
        "In points a tie counts as half a win, as leaderboards do; in a Davidson fit it has a parameter of its own. An "
        "answer without a verdict is neither: its pair is left out of every view."
    )
    yield (
        "Conflicts as ties: a pair counts once, with what both orders prefer. Slot removed: from order AB alone, with "
        "the first slot's advantage as a parameter of the fit."
    )
