"""Which figures' data an audit makes: flows, swap tables, reliability, savings curves."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.analysis.displays import Display
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import WideTable
from evenhand.audits.flow import flow_of, swap_table_of
from evenhand.audits.reliability import reliability_of
from evenhand.audits.savings_curve import swap_curve, text_curve
from evenhand.records import Readout

__all__ = ["MOST_CONDITIONS", "displays_of"]

MOST_CONDITIONS = 8
"""Conditions above which none are made: a figure of each of many designs can't be read, and each takes its time."""


def displays_of(wide: WideTable, *, sampler: Sampler, single: bool = False, sampled: bool = False) -> Iterator[Display]:
    """What there is to draw, condition by condition.

    Parameters
    ----------
    single
        Every pair is taken to be asked in one order only, as in a selective run's order AB: the pairs that it asked in
        both were chosen.
    sampled
        Text was asked of a random sample of the pairs: what is counted of text says so.
    """
    if len(wide.conditions) > MOST_CONDITIONS:
        return
    for scope in wide.scopes:
        of_sample = sampled and scope.readout is Readout.GENERATED
        flow = flow_of(scope, sampled=of_sample)
        if flow is not None:
            yield flow
        table = None if single else swap_table_of(scope, sampled=of_sample)
        if table is not None:
            yield table
        reliability = reliability_of(scope, wide.facts, sampler=sampler)
        if reliability is not None:
            yield reliability
    if not sampled:
        yield from _curves(wide, sampler, swaps=not single)


def _curves(wide: WideTable, sampler: Sampler, *, swaps: bool) -> Iterator[Display]:
    for condition in wide.conditions:
        first, written = wide.find(condition, Readout.FIRST_TOKEN), wide.find(condition, Readout.GENERATED)
        if first is None:
            continue
        for judged in (first, written) if swaps else ():
            curve = None if judged is None else swap_curve(first, judged, sampler=sampler)
            if curve is not None:
                yield curve
        curve = None if written is None else text_curve(first, written, sampler=sampler)
        if curve is not None:
            yield curve
