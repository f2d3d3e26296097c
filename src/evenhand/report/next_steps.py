"""What to do next, each step with the figure that asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.analysis import AuditResult, FindingKind
from evenhand.report.design import best_design_step
from evenhand.report.first_token import first_token_steps, label_sets_step
from evenhand.report.format import how_many, integer, is_shown, percent
from evenhand.report.grid import Grid
from evenhand.report.incomplete import finish_step, mend_step
from evenhand.report.model import Claim
from evenhand.report.numbering import claims
from evenhand.report.phrases import told_readouts, where
from evenhand.report.repeat_step import repeat_step
from evenhand.report.scope import Scope
from evenhand.report.sensitive import sensitive_of
from evenhand.report.trust import NEGLIGIBLE
from evenhand.stats import Estimate, Refusal
from evenhand.store import PlanCounts

__all__ = ["next_steps"]

_RATES = ("figure-rates", "table-summary")


def next_steps(
    audit: AuditResult,
    scopes: Sequence[Scope],
    counts: PlanCounts,
    *,
    swaps: bool,
    undecided: bool,
    ties: bool,
    from_log: bool,
    grid: Grid | None,
) -> tuple[Claim, ...]:
    """The steps, most urgent first.

    Parameters
    ----------
    swaps
        Whether the order is shown to matter.
    undecided, ties
        Whether the verdict is open, and whether that is for ties in one order alone.
    from_log
        Whether the judge can't be asked again by the same command.
    grid
        Of a run that varies the prompt's design.
    """
    controls = [s.repeat_flips for s in scopes if s.repeat is not None]
    refused = bool(controls) and all(isinstance(rate, Refusal) for rate in controls)
    repeated = bool(audit.select(FindingKind.REPEAT)) and not refused
    what = _open_step(scopes, ties=ties) if undecided else None
    more_pairs = what is not None and what.more_pairs
    return (
        *claims(_unfinished(counts, from_log=from_log), "figure-outcomes", "table-outcomes"),
        *claims(first_token_steps(audit, scopes), *_RATES),
        *claims(label_sets_step(scopes) if grid is None else (), *_RATES),
        *claims(best_design_step(scopes) if grid is not None else (), "table-summary"),
        *claims([_swap_step(scopes)] if swaps else [], *_RATES),
        *claims([what.text] if what is not None else [], *_RATES),
        *claims(
            [] if repeated else repeat_step(scopes, counts, from_log=from_log, more_pairs=more_pairs), "table-summary"
        ),
    )


def _unfinished(counts: PlanCounts, *, from_log: bool) -> list[str]:
    steps = []
    if counts.errors and from_log:
        steps.append(f"{mend_step(counts, from_log=True)} Quote no figure before.")
    elif counts.errors:
        steps.append(f"Mend what made {how_many(counts.errors, 'call')} fail and resume before quoting any figure.")
    if counts.pending and from_log:
        left = how_many(counts.pending, "presentation is", "presentations are")
        steps.append(f"{finish_step(from_log=True)} {left} still to be read in.")
    elif counts.pending:
        left = how_many(counts.pending, "presentation is", "presentations are")
        steps.append(f"Resume the run: {left} still to be asked.")
    return steps


def _swap_step(scopes: Sequence[Scope]) -> str:
    told = told_readouts(scopes)
    rates = [(s, e) for s in scopes if s.readout in told and isinstance(e := s.flips, Estimate) and is_shown(e)]
    scope, worst = max(rates, key=lambda pair: (pair[1].value, told.index(pair[0].readout)), default=(None, None))
    most = "up to " if len(rates) > 1 else ""
    share = (
        "some pairs"
        if scope is None or worst is None
        else f"{most}{percent(worst.value)} of the pairs decided in both ({where(scope, scopes, readout=True)})"
    )
    return f"Ask every pair in both orders, and count a pair that flips as undecided: {share}."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """What would close an open verdict, and whether that is more pairs."""

    text: str
    more_pairs: bool = False


def _open_step(scopes: Sequence[Scope], *, ties: bool) -> _Open:
    line = percent(NEGLIGIBLE)
    if ties:
        return _Open(
            text=f"Look at the ties: flips are below {line}, but pairs with a tie in one order only are not shown to "
            "be."
        )
    known = [e.interval for s in scopes if isinstance(e := s.flips, Estimate) and e.interval is not None]
    if known and len(known) == len(scopes) and all(interval.high < NEGLIGIBLE for interval in known):
        return _Open(
            text=f"Look at the answers without a verdict: flips are below {line}, but only pairs that were decided in "
            "both orders can flip."
        )
    found = sensitive_of(scopes)
    if found.alone and not found.shown:
        return _Open(
            text=f"Judge more pairs: adjusted for {integer(found.looks)} flip rates, none is shown to be above {line}, "
            "and not all are shown to be below.",
            more_pairs=True,
        )
    return _Open(
        text=f"Judge more pairs: the flip-rate intervals here reach across {line} or can't be given.", more_pairs=True
    )
