"""Panels made by hand, with every kind of cell and a refusal among them."""

from evenhand.analysis.displays import (
    CurvePoint,
    Flow,
    FlowCell,
    Lead,
    Reliability,
    ReliabilityPoint,
    SavingsCurve,
    Spending,
    SwapTable,
)
from evenhand.records import Order, Outcome, Readout
from evenhand.report.model import Point
from evenhand.report.panel_model import FlowPanel, HybridPoint, Panels, SavingsPanel
from evenhand.stats import Estimate, Interval, Refusal


def share(count, n, low, high):
    return Estimate(
        value=count / n, interval=Interval(low=low, high=high, method="by hand"), n=n, count=count, clusters=40
    )


def table(condition="c", readout=Readout.GENERATED, **more):
    counts = {"both_a": 20, "both_b": 10, "first_twice": 60, "second_twice": 10, "with_tie": 3, "undecided": 7}
    return SwapTable(condition=condition, readout=readout, **{**counts, **more})


def flow(condition="c"):
    cells = [
        (Order.AB, Lead.FIRST, Outcome.FIRST, 40),
        (Order.BA, Lead.FIRST, Outcome.FIRST, 30),
        (Order.AB, Lead.FIRST, Outcome.SECOND, 8),
        (Order.BA, Lead.SECOND, Outcome.FIRST, 2),
        (Order.AB, Lead.OTHER, Outcome.REFUSED, 5),
        (Order.BA, Lead.UNKNOWN, Outcome.ERROR, 1),
        (Order.AB, Lead.TIE, Outcome.TIE, 4),
    ]
    return Flow(
        condition=condition,
        readout=Readout.GENERATED,
        cells=tuple(FlowCell(order=o, lead=a, conclusion=b, count=n) for o, a, b, n in cells),
    )


def reliability(condition="c", **more):
    bins = tuple(
        ReliabilityPoint(low=low, high=low + 0.1, confidence=low + 0.05, right=share(right, 20, 0.2, 0.9))
        for low, right in ((0.5, 8), (0.65, 12), (0.85, 14))
    )
    made = {
        "averaged": True,
        "pairs": 60,
        "bins": bins,
        "error": Estimate(value=0.115, interval=Interval(low=0.0, high=0.265), n=60, clusters=40),
        "overconfidence": Estimate(value=0.1, interval=Interval(low=-0.01, high=0.2), n=60, clusters=40),
        "compliance": share(50, 120, 0.3, 0.5),
        "without_log_odds": 4,
    }
    return Reliability(condition=condition, readout=Readout.FIRST_TOKEN, **{**made, **more})


def refused_reliability(condition="c"):
    return reliability(condition, bins=(), error=Refusal(reason="needs at least 40 pairs, has 12", n=12))


def curve(spending=Spending.SWAP, condition="c", readout=Readout.GENERATED):
    start = 0.0 if spending is Spending.SWAP else 0.6
    points = tuple(
        CurvePoint(
            share=x, margin=4 * x, figure=share(int(100 * (start + (1 - start) * x**0.5)), 100, max(0, x - 0.1), 1.0)
        )
        for x in (0.1, 0.3, 0.5, 0.7, 0.9)
    )
    return SavingsCurve(
        spending=spending, condition=condition, readout=readout, points=points, units=200, events=100, left_out=0
    )


def panels(condition="c"):
    return Panels(
        tables=(table(condition), table(condition, Readout.FIRST_TOKEN)),
        flows=(FlowPanel(flow=flow(condition), divergence=share(10, 80, 0.07, 0.22)),),
        reliabilities=(reliability(condition), refused_reliability(condition)),
        savings=(
            SavingsPanel(
                condition=condition,
                swaps=(curve(condition=condition), curve(condition=condition, readout=Readout.FIRST_TOKEN)),
                text=curve(Spending.TEXT, condition),
                hybrid=HybridPoint(generated=share(30, 100, 0.2, 0.4), fidelity=share(95, 100, 0.9, 0.98)),
            ),
        ),
    )


def bias_rows(name="padding=1.5"):
    def row(group, series, label, value, text):
        return Point(group=group, series=series, label=label, value=value, low=value - 0.1, high=value + 0.1, text=text)

    return (
        row("position", "shown", "net lean, generated", 0.3, "+30.0 pp [+20.0, +40.0] *"),
        row("noise", "repeat", "asked again, generated", 0.08, "8.0 % [2.0, 18.0]"),
        row("verbosity", "shown", name, 0.4, "+40.0 pp [+30.0, +50.0] *"),
        row("tone", "open", "tone=hedged", -0.05, "−5.0 pp [−15.0, +5.0]"),
    )
