"""The controlled change: which verdicts turn when one thing is changed in favour of one response, and nothing else.

Every changed verdict is compared with the control's verdict on the same pair in the same order under the same readout.
docs/methods/controlled-changes.md has the formulas and why they are as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from evenhand.analysis.finding import Finding, FindingKind, Measure, OutcomeCount
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, OUTCOMES
from evenhand.analysis.sentences import listed, of
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.contrast_measures import (
    Counts,
    any_target,
    by_gold,
    by_slot,
    log_odds,
    moves,
    noise,
    turned,
    turned_test,
    verdicts,
)
from evenhand.audits.bias.control import Cells, Comparison, asked_levels, cells_of, comparisons
from evenhand.audits.bias.noise import repeats_of
from evenhand.records import Order, Readout
from evenhand.stats import Refusal

__all__ = [
    "ASKED",
    "FOR_BOTH",
    "SCORED",
    "changed_outcomes",
    "contrast_findings",
    "padding_findings",
    "unasked",
    "what_was_not_compared",
]

ASKED: Final = "presentations asked with and without the change"
"""Row of a finding's table: the presentations that might be compared."""

FOR_BOTH: Final = "verdict both times, for both targets"
"""Row of a finding's table: the presentations that enter its net shift and its test."""

SCORED: Final = (Readout.FIRST_TOKEN, Readout.PREFILLED)
"""Readouts whose every verdict is read from the log-odds."""


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
        verdicts turned toward the target less those turned away, over what is compared for both targets.

    Notes
    -----
    ``presentations`` are the changed ones that enter the net shift: compared, and compared for the other target in the
    same order; ``pairs`` have at least one. A pair with one target enters nothing but ``net_shift_any_target`` and
    ``verdict_rate_shift``. Where no pair has both, net shift is refused and there is no test.
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
    counts = Counts(
        cells=cells,
        repeats=repeats_of(data, comparison.control, readout, cells.pairs),
        gold=data.wide.facts.gold[cells.pairs],
        sampler=sampler.within(FindingKind.BIAS, audit, comparison.subset, comparison.control, readout),
    )
    directed = (*turned(counts), any_target(counts), *by_slot(counts), *by_gold(counts))
    measures = [*directed, *noise(counts), verdicts(counts)]
    if readout in SCORED:
        measures.append(log_odds(counts))
    return Finding(
        kind=FindingKind.BIAS,
        audit=audit,
        condition=comparison.control,
        readout=readout,
        subset=comparison.subset,
        pairs=int(np.count_nonzero(counts.entering.any(axis=(1, 2)))),
        presentations=int(np.count_nonzero(counts.entering)),
        outcomes=changed_outcomes(data, comparison, readout),
        measures=tuple(measures),
        tests=turned_test(counts),
        table=_table(counts),
        notes=(*notes, *_notes(data, comparison, readout, counts)),
    )


def changed_outcomes(data: BiasData, comparison: Comparison, readout: Readout) -> tuple[OutcomeCount, ...]:
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


def _table(counts: Counts) -> tuple[tuple[str, int], ...]:
    cells, entering = counts.cells, counts.entering
    rows = {
        ASKED: cells.asked,
        "verdict both times": cells.compared,
        FOR_BOTH: entering,
        "turned toward the target": cells.toward & entering,
        "turned away from it": cells.away & entering,
    }
    return (
        *((name, int(np.count_nonzero(where))) for name, where in rows.items()),
        *moves(counts),
        ("pairs compared for one target alone", int(np.count_nonzero(counts.one_target))),
        ("pairs compared in both orders for both targets", int(np.count_nonzero(cells.compared.all(axis=(1, 2))))),
        ("repeats of the control with a verdict both times", int(counts.repeats.compared.sum())),
        ("of these, turned", int(counts.repeats.toward.sum())),
    )


def _notes(data: BiasData, comparison: Comparison, readout: Readout, counts: Counts) -> Iterator[str]:
    yield from what_was_not_compared(data, comparison, readout, counts.cells)
    if len(comparison.sides) == 1:
        yield (
            f"Only {comparison.sides[0].target} was a target: a change that moves verdicts for another reason than "
            "its target can't be told from one that favours the target. There is no net shift and no test."
        )
    else:
        yield from _one_target(counts)
    if not counts.repeats.any:
        yield "The control was not repeated: turned verdicts include those that turn by chance alone."


def _one_target(counts: Counts) -> Iterator[str]:
    compared = int(np.count_nonzero(counts.cells.compared))
    alone = compared - int(np.count_nonzero(counts.entering))
    if alone:
        pairs, all_pairs = counts.one_target, counts.cells.compared.any(axis=(1, 2))
        yield (
            f"Compared for one target alone: {of(alone, compared, 'compared presentations')}, among them everything of "
            f"{of(int(np.count_nonzero(pairs)), int(np.count_nonzero(all_pairs)), 'pairs')}. They are in no net shift "
            "but that of any target, and not in the test: with one target, more ties look like a preference."
        )


def what_was_not_compared(data: BiasData, comparison: Comparison, readout: Readout, cells: Cells) -> Iterator[str]:
    """Sentences on presentations without a verdict, pairs that couldn't be changed, and ties."""
    asked, compared = int(np.count_nonzero(cells.asked)), int(np.count_nonzero(cells.compared))
    if compared < asked:
        yield _missing(data, comparison, readout, cells)
    for side in comparison.sides:
        for name in dict.fromkeys((side.changed, side.baseline)):
            for reason, pairs in data.left_out.get(name, ()):
                yield f"Left out of {_change_of(data, name)}: {pairs:,} pairs ({reason})."
    ties = cells.compared & (cells.before != cells.after) & ((cells.before == 0) | (cells.after == 0))
    if ties.any():
        yield f"{of(int(np.count_nonzero(ties)), compared, 'compared presentations')} turned to or from a tie."


def _change_of(data: BiasData, condition: str) -> str:
    changes = next((c.changes for c in data.conditions if c.id == condition), ())
    return " + ".join(change.name for change in changes)


def _missing(data: BiasData, comparison: Comparison, readout: Readout, cells: Cells) -> str:
    asked = int(np.count_nonzero(cells.asked))
    without, with_ = cells.asked & ~cells.verdict_before, cells.asked & ~cells.verdict_after
    where = (
        ("without the change alone", without & ~with_),
        ("with it alone", with_ & ~without),
        ("both times", without & with_),
    )
    lost = of(asked - int(np.count_nonzero(cells.compared)), asked, "changed presentations")
    return (
        f"Not compared: {lost}, for there is no verdict "
        f"({listed((name, int(np.count_nonzero(cell))) for name, cell in where)}). "
        f"States with the change: {_states(data, comparison, readout) or 'verdicts only'}."
    )


def _states(data: BiasData, comparison: Comparison, readout: Readout) -> str:
    counts = [0] * len(OUTCOMES)
    for side in comparison.sides:
        scope = data.wide.find(side.changed, readout)
        if scope is not None:
            known = scope.outcome[scope.outcome != ABSENT]
            counts = [n + int(np.count_nonzero(known == code)) for code, n in enumerate(counts)]
    return listed((str(o), n) for o, n in zip(OUTCOMES, counts, strict=True) if not o.is_verdict)
