"""The controlled change: which verdicts turn when one thing is changed in favour of one response, and nothing else.

Every changed verdict is compared with the control's verdict on the same pair in the same order under the same readout.
docs/methods/controlled-changes.md has the formulas and why they are as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Finding, FindingKind, Measure, OutcomeCount
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.sentences import listed, of
from evenhand.analysis.wide import ABSENT, OUTCOMES
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.control import (
    FIRST_SLOT,
    TARGETS,
    Cells,
    Comparison,
    asked_levels,
    cells_of,
    comparisons,
)
from evenhand.audits.bias.noise import Repeats, repeats_of
from evenhand.records import Order, Preference, Readout
from evenhand.stats import Refusal, TestResult, sign_flip_test

__all__ = ["NOTHING_COMPARED", "contrast_findings", "padding_findings", "unasked"]

NOTHING_COMPARED: Final = "needs a verdict with and without the change on the same pair in the same order, has none"
_NO_REPEATS: Final = "no presentation of the control was repeated with a verdict both times: noise not measured"
_SCORED: Final = (Readout.FIRST_TOKEN, Readout.PREFILLED)
"""Readouts whose every verdict is read from the log-odds."""
_STANDS: Final = ((1, "target"), (0, "tie"), (-1, "other"))
_PREFERENCES: Final = tuple(Preference)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Counts:
    """What the measures count on one comparison: cells, the control's repeats, and the pairs' gold preferences."""

    cells: Cells
    repeats: Repeats
    gold: NDArray[np.int8]
    sampler: Sampler

    @property
    def pairs(self) -> NDArray[np.int64]:
        return self.cells.pairs


def contrast_findings(
    data: BiasData, sampler: Sampler, compared: Iterable[Comparison], *, audit: str, notes: Sequence[str] = ()
) -> Iterator[Finding]:
    """A finding for each comparison and each readout of its control.

    Parameters
    ----------
    compared
        See :func:`evenhand.audits.bias.control.comparisons`.
    audit
        The audit's name.
    notes
        Sentences of the audit, which stand first.

    Yields
    ------
    Finding
        ``subset`` names the change, ``condition`` the control. Its test is the sign-flip test over clusters of the
        verdicts turned toward the target less those turned away, whichever response was the target.

    Notes
    -----
    ``pairs`` have at least one verdict to compare; ``presentations`` are the changed ones that are compared.
    """
    for comparison in compared:
        for readout in Readout:
            if data.wide.find(comparison.control, readout) is not None:
                yield _finding(data, comparison, readout, sampler=sampler, audit=audit, notes=notes)


def padding_findings(data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
    """Verdicts turned toward a response that was made longer, for every way of padding that the run asked."""
    levels = [level for factor, level in asked_levels(data) if factor == "padding"]
    return tuple(
        finding
        for level in levels
        for finding in contrast_findings(data, sampler, comparisons(data, "padding", level), audit="verbosity")
    )


def unasked(audit: str, what: str) -> Finding:
    """Says that a run has nothing that an audit could look at.

    Examples
    --------
    >>> unasked("tone", "tone=assertive").measure("net_shift").reason
    'needs verdicts under tone=assertive and their control, has none: ask for the audit when the judge is run'
    """
    reason = f"needs verdicts under {what} and their control, has none: ask for the audit when the judge is run"
    return Finding(
        kind=FindingKind.BIAS, audit=audit, measures=(Measure(name="net_shift", estimate=Refusal(reason=reason)),)
    )


def _finding(
    data: BiasData, comparison: Comparison, readout: Readout, *, sampler: Sampler, audit: str, notes: Sequence[str]
) -> Finding:
    cells = cells_of(data, comparison, readout)
    counts = _Counts(
        cells=cells,
        repeats=repeats_of(data, comparison.control, readout, cells.pairs),
        gold=data.wide.facts.gold[cells.pairs],
        sampler=sampler.within(FindingKind.BIAS, audit, comparison.subset, comparison.control, readout),
    )
    compared = cells.compared
    measures = [*_turned(counts), *_by_slot(counts), *_by_gold(counts), *_noise(counts), _verdicts(counts)]
    if readout in _SCORED:
        measures.append(_log_odds(counts))
    return Finding(
        kind=FindingKind.BIAS,
        audit=audit,
        condition=comparison.control,
        readout=readout,
        subset=comparison.subset,
        pairs=int(np.count_nonzero(compared.any(axis=(1, 2)))),
        presentations=int(np.count_nonzero(compared)),
        outcomes=_outcomes(data, comparison, readout),
        measures=tuple(measures),
        tests=_test(counts),
        table=_table(counts),
        notes=(*notes, *_notes(data, comparison, readout, counts)),
    )


def _per_pair(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Cells counted within each pair: both targets and both orders of a pair are one observation."""
    total: NDArray[np.int64] = cells.sum(axis=(1, 2), dtype=np.int64)
    return total


def _rate(counts: _Counts, name: str, cells: NDArray[np.bool_], of_: NDArray[np.bool_], *, nothing: str) -> Measure:
    return counts.sampler.rate(name, _per_pair(cells & of_), _per_pair(of_), pairs=counts.pairs, nothing=nothing)


def _net(counts: _Counts, name: str, among: NDArray[np.bool_], *, nothing: str) -> Measure:
    """Toward minus away among some of the cells compared, paired."""
    n = _per_pair(among)
    toward, away = _per_pair(counts.cells.toward & among), _per_pair(counts.cells.away & among)
    return counts.sampler.difference(name, (toward, n), (away, n), pairs=counts.pairs, nothing=nothing)


def _turned(counts: _Counts) -> Iterator[Measure]:
    cells, compared = counts.cells, counts.cells.compared
    yield _net(counts, "net_shift", compared, nothing=NOTHING_COMPARED)
    yield _rate(counts, "toward_rate", cells.toward, compared, nothing=NOTHING_COMPARED)
    yield _rate(counts, "away_rate", cells.away, compared, nothing=NOTHING_COMPARED)
    yield _rate(
        counts,
        "toward_of_turnable",
        cells.toward,
        compared & (cells.before < 1),
        nothing="needs a control verdict that isn't the target already, has none",
    )


def _by_slot(counts: _Counts) -> Iterator[Measure]:
    for slot, first in (("first", FIRST_SLOT), ("second", ~FIRST_SLOT)):
        nothing = f"needs a verdict with and without the change where the target is shown {slot}, has none"
        yield _net(counts, f"net_shift_{slot}_slot", counts.cells.compared & first, nothing=nothing)


def _by_gold(counts: _Counts) -> Iterator[Measure]:
    is_gold = np.stack([counts.gold == _PREFERENCES.index(target) for target in TARGETS], axis=1)[:, :, None]
    for name, among in (("wrong", is_gold[:, ::-1]), ("right", is_gold)):
        nothing = f"needs a pair with a gold side whose target is the {name} response, has none"
        cells = counts.cells.compared & among
        yield _net(counts, f"net_shift_{name}", cells, nothing=nothing)
        yield _rate(counts, f"toward_{name}_rate", counts.cells.toward, cells, nothing=nothing)


def _noise(counts: _Counts) -> Iterator[Measure]:
    again = counts.repeats.compared[:, None, :]
    among = counts.cells.compared & (again > 0)
    times = np.where(among, again, 0)
    turned = np.where(among, counts.repeats.toward, 0)
    yield counts.sampler.rate(
        "repeat_toward_rate",
        turned.sum(axis=(1, 2)),
        times.sum(axis=(1, 2)),
        pairs=counts.pairs,
        nothing=_NO_REPEATS,
    )
    share = turned / np.maximum(times, 1)
    n = _per_pair(among)
    yield counts.sampler.difference(
        "toward_beyond_noise",
        (_per_pair(counts.cells.toward & among), n),
        (share.sum(axis=(1, 2)), n),
        pairs=counts.pairs,
        nothing=_NO_REPEATS,
    )


def _verdicts(counts: _Counts) -> Measure:
    """How much more often the changed presentations end in a verdict than the control's."""
    n = _per_pair(counts.cells.asked)
    return counts.sampler.difference(
        "verdict_rate_shift",
        (_per_pair(counts.cells.verdict_after), n),
        (_per_pair(counts.cells.verdict_before), n),
        pairs=counts.pairs,
        nothing="needs a presentation asked with and without the change, has none",
    )


def _log_odds(counts: _Counts) -> Measure:
    known = np.isfinite(counts.cells.log_odds)
    n = _per_pair(known)
    total = np.where(known, counts.cells.log_odds, 0.0).sum(axis=(1, 2))
    return counts.sampler.mean(
        "log_odds_shift",
        total[n > 0] / n[n > 0],
        pairs=counts.pairs[n > 0],
        nothing="needs a pair with log-odds with and without the change, has none",
    )


def _test(counts: _Counts) -> tuple[TestResult, ...]:
    turns = _per_pair(counts.cells.toward) - _per_pair(counts.cells.away)
    if not (counts.cells.toward | counts.cells.away).any():
        return ()
    test = sign_flip_test(turns, counts.sampler.clusters[counts.pairs], rng=counts.sampler.stream("turned signs"))
    return (replace(test, name=f"{test.name}, verdicts turned toward the target against away"),)


def _outcomes(data: BiasData, comparison: Comparison, readout: Readout) -> tuple[OutcomeCount, ...]:
    """States of all changed presentations, both targets together."""
    scopes = [data.wide.find(side.changed, readout) for side in comparison.sides]
    return tuple(
        OutcomeCount(
            order=order,
            outcome=outcome,
            count=sum(int(np.count_nonzero(s.outcome[:, column] == code)) for s in scopes if s is not None),
        )
        for column, order in enumerate(Order)
        for code, outcome in enumerate(OUTCOMES)
    )


def _table(counts: _Counts) -> tuple[tuple[str, int], ...]:
    cells, compared = counts.cells, counts.cells.compared
    rows = {
        "presentations asked with and without the change": cells.asked,
        "verdict both times": compared,
        "turned toward the target": cells.toward,
        "turned away from it": cells.away,
    }
    moves = {
        f"{was} without, {now} with": compared & (cells.before == before) & (cells.after == after)
        for before, was in _STANDS
        for after, now in _STANDS
    }
    complete = int(np.count_nonzero(compared.all(axis=(1, 2))))
    return (
        *((name, int(np.count_nonzero(where))) for name, where in (rows | moves).items()),
        ("pairs compared in both orders for both targets", complete),
        ("repeats of the control with a verdict both times", int(counts.repeats.compared.sum())),
        ("of these, turned", int(counts.repeats.toward.sum())),
    )


def _notes(data: BiasData, comparison: Comparison, readout: Readout, counts: _Counts) -> Iterator[str]:
    cells = counts.cells
    asked, compared = int(np.count_nonzero(cells.asked)), int(np.count_nonzero(cells.compared))
    if compared < asked:
        yield f"{_not_compared(data, comparison, readout, counts)}"
    for side in comparison.sides:
        for reason, pairs in data.left_out.get(side.changed, ()):
            yield f"Left out for target {side.target}: {pairs:,} pairs ({reason})."
    if len(comparison.sides) == 1:
        yield (
            f"Only {comparison.sides[0].target} was a target: a change that moves verdicts for another reason than "
            "its target can't be told from one that favours the target."
        )
    ties = cells.compared & (cells.before != cells.after) & ((cells.before == 0) | (cells.after == 0))
    if ties.any():
        yield f"{of(int(np.count_nonzero(ties)), compared, 'compared presentations')} turned to or from a tie."
    if not counts.repeats.any:
        yield "The control was not repeated: turned verdicts include those that turn by chance alone."


def _not_compared(data: BiasData, comparison: Comparison, readout: Readout, counts: _Counts) -> str:
    cells = counts.cells
    asked = int(np.count_nonzero(cells.asked))
    lost = asked - int(np.count_nonzero(cells.compared))
    without, with_ = cells.asked & ~cells.verdict_before, cells.asked & ~cells.verdict_after
    return (
        f"Not compared: {of(lost, asked, 'changed presentations')} without a verdict "
        + listed(
            (
                ("in the control alone:", int(np.count_nonzero(without & ~with_))),
                ("under the change alone:", int(np.count_nonzero(with_ & ~without))),
                ("both times:", int(np.count_nonzero(without & with_))),
            )
        )
        + f" (states under the change: {_states(data, comparison, readout) or 'all verdicts'})."
    )


def _states(data: BiasData, comparison: Comparison, readout: Readout) -> str:
    counts = [0] * len(OUTCOMES)
    for side in comparison.sides:
        scope = data.wide.find(side.changed, readout)
        if scope is not None:
            known = scope.outcome[scope.outcome != ABSENT]
            counts = [n + int(np.count_nonzero(known == code)) for code, n in enumerate(counts)]
    return listed((str(o), n) for o, n in zip(OUTCOMES, counts, strict=True) if not o.is_verdict)
