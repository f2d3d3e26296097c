"""What figures are drawn from, as JSON: each with its kind, so that a file can be read alone."""

from __future__ import annotations

import math
from typing import assert_never

from evenhand.analysis.displays import Display, Flow, Reliability, SavingsCurve, SwapTable
from evenhand.report.encode import Json, encode_estimate

__all__ = ["encode_display"]


def encode_display(display: Display) -> Json:
    """Everything that a display holds; ``kind`` says which it is.

    Examples
    --------
    >>> from evenhand.records import Readout
    >>> encode_display(SwapTable(condition="c", readout=Readout.GENERATED, both_a=3, both_b=2, first_twice=4,
    ...                          second_twice=1, with_tie=0, undecided=0))["decided"]
    10
    """
    scope: Json = {"condition": display.condition, "readout": display.readout.value}
    match display:
        case Flow():
            return {"kind": "flow", **scope, **_flow(display)}
        case SwapTable():
            return {"kind": "swap-table", **scope, **_table(display)}
        case Reliability():
            return {"kind": "reliability", **scope, **_reliability(display)}
        case SavingsCurve():
            return {"kind": "savings-curve", **scope, **_curve(display)}
        case _:
            assert_never(display)


def _flow(flow: Flow) -> Json:
    return {
        "sampled": flow.sampled,
        "presentations": flow.presentations,
        "led_and_concluded": flow.led,
        "diverged": flow.diverged,
        "cells": [
            {"order": c.order.value, "lead": c.lead.value, "conclusion": c.conclusion.value, "count": c.count}
            for c in flow.cells
        ],
    }


def _table(table: SwapTable) -> Json:
    return {
        "sampled": table.sampled,
        "decided": table.decided,
        "both_a": table.both_a,
        "both_b": table.both_b,
        "first_twice": table.first_twice,
        "second_twice": table.second_twice,
        "with_tie": table.with_tie,
        "undecided": table.undecided,
        "one_order": table.one_order,
    }


def _reliability(found: Reliability) -> Json:
    return {
        "averaged_over_orders": found.averaged,
        "pairs": found.pairs,
        "without_log_odds": found.without_log_odds,
        "gold_tie": found.gold_tie,
        "even": found.even,
        "calibration_error": encode_estimate(found.error),
        "overconfidence": encode_estimate(found.overconfidence),
        "compliance": encode_estimate(found.compliance),
        "bins": [
            {"low": b.low, "high": b.high, "confidence": b.confidence, "right": encode_estimate(b.right)}
            for b in found.bins
        ],
    }


def _curve(curve: SavingsCurve) -> Json:
    return {
        "spending": curve.spending.value,
        "units": curve.units,
        "events": curve.events,
        "left_out": curve.left_out,
        "refused": None if curve.refusal is None else curve.refusal.reason,
        "points": [
            {
                "share": p.share,
                "margin": p.margin if math.isfinite(p.margin) else None,
                "figure": encode_estimate(p.figure),
            }
            for p in curve.points
        ],
    }
