"""The four classic figures of bias, simulated, as a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.analysis.study import (
    HeatMap,
    LineChart,
    Series,
    Study,
    StudyColumn,
    StudyHeadline,
    StudyTable,
)
from evenhand.judges.simulated_figures import (
    AccuracyPoint,
    ConsistencyPoint,
    FigureSettings,
    LengthPoint,
)
from evenhand.judges.simulated_mitigation import METHODS, MitigationPoint
from evenhand.report.numbering import claims
from evenhand.stats import Estimate, Refusal

__all__ = ["SimulatedFigures", "simulation_study"]

_STRENGTH = "Bias strength (log-odds)"
_NO_MOVE = 0.001  # a difference of exact shares that no reader sees

_SIMULATED = StudyColumn(
    name="simulated", label="simulated", unit="share", definition="Share over all runs, with an interval over runs."
)
_EXACT = StudyColumn(
    name="exact", label="exact", unit="share", definition="The same by numerical integration, without simulation."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedFigures:
    """Every point of the four figures."""

    settings: FigureSettings
    consistency: tuple[ConsistencyPoint, ...]
    accuracy: tuple[AccuracyPoint, ...]
    length: tuple[LengthPoint, ...]
    mitigation: tuple[MitigationPoint, ...]


def simulation_study(figures: SimulatedFigures) -> Study:
    """The figures with their tables; the first table is the mitigation's, which is what a reader acts on."""
    s, w = figures.settings, figures.settings.world
    world = (
        f"spread of true quality {w.drawn_quality_sd:g}, noise {w.noise:g} (log-odds), spread of log length ratio "
        f"{w.length_sd:g}, its correlation with quality {w.length_quality:g}"
    )
    return Study(
        kind="simulation",
        title="What bias does to a judge, simulated",
        subtitle="A judge made of a formula: position, verbosity and sycophancy at known strength",
        headline=_headline(figures),
        tables=(
            _mitigation_table(figures.mitigation),
            _accuracy_table(figures.accuracy),
            _consistency_table(figures.consistency),
            _length_table(figures.length),
        ),
        figures=(
            _heat_map(figures.consistency),
            _accuracy_chart(figures.accuracy),
            _length_chart(figures.length),
            *_mitigation_charts(figures.mitigation),
        ),
        notes=(
            "A simulation shows what follows from the formula, not what your judge does: audit it.",
            "The length-adjusted method is told which response is right when its length slope is fitted: a real one "
            "needs gold or human labels for that, and pays for it where length and quality go together.",
        ),
        facts=(
            ("World", world),
            ("Size", f"{s.runs} runs of {s.pairs} pairs for each point"),
            ("Seed", str(s.seed)),
            ("Figures after", "Position Bias in LLM Judges: Measurement and Mitigation"),
        ),
    )


def _headline(figures: SimulatedFigures) -> StudyHeadline:
    strengths = sorted({point.strength for point in figures.mitigation})
    at = 1.0 if 1.0 in strengths else strengths[-1]
    by_method = {p.method: p for p in figures.mitigation if p.strength == at}
    single, swap, adjusted = (by_method[m] for m in ("single order", "swap and tie", "length-adjusted"))
    lead = (
        f"With position and verbosity bias of {at:g} each, order AB alone is right on {_said(single.accuracy)} of the "
        f"pairs. Swap and tie is right on {_said(swap.accuracy)}, but only of the {_said(swap.decided)} that it "
        f"decides; with the rest drawn by lot it is right on {_said(swap.by_lot)}."
    )
    last = next(p for p in figures.mitigation if p.method == "swap and tie" and p.strength == strengths[-1])
    position = max(p.position for p in figures.consistency)
    most = max(p.verbosity for p in figures.consistency)
    corner = {(p.position, p.verbosity): p.simulated for p in figures.consistency}
    consistency = (
        f"{_with_verbosity(figures.consistency, most)}: without position bias from {_said(corner[0.0, 0.0])} to "
        f"{_said(corner[0.0, most])} at strength {most:g}. A consistent judge may be consistently wrong.",
        f"Position bias of {position:g} leaves {_said(corner[position, 0.0])} of the verdicts the same when the "
        "order is swapped.",
    )
    mitigation = (
        "Swap and tie keeps the pairs that were easy to begin with: where it decides, AB alone says the same. "
        f"With position and verbosity bias of {strengths[-1]:g} it is right on {_said(last.accuracy)} of those.",
        f"Averaging the two orders and taking length out is right on {_said(adjusted.accuracy)} of all pairs, with "
        f"biases of {at:g}.",
    )
    steps = (
        "evenhand audit --judge … --pairs …: measure your own judge",
        "evenhand simulate power: how many pairs that takes",
    )
    return StudyHeadline(
        status="described",
        verdict="Swapping takes position bias out of the decided pairs"
        + (", and leaves verbosity bias in" if figures.settings.world.length_sd else ""),
        lead=lead,
        rests_on=("table-mitigation",),
        more=(*claims(consistency, "table-consistency"), *claims(mitigation, "table-mitigation")),
        steps=claims(steps, "notes"),
    )


def _with_verbosity(points: Sequence[ConsistencyPoint], most: float) -> str:
    """Which way the exact values go; where responses are equally long, verbosity bias has nothing to act on."""
    exact = {(p.position, p.verbosity): p.exact for p in points}
    moved = exact[0.0, most] - exact[0.0, 0.0]
    if abs(moved) < _NO_MOVE:
        return "Swap consistency doesn't move with verbosity bias here"
    return f"Swap consistency {'rises' if moved > 0 else 'falls'} with verbosity bias"


def _said(value: Estimate | Refusal | float) -> str:
    match value:
        case Estimate(value=share) | float(share):
            return f"{share * 100:.1f} %"
        case _:
            return "an unknown share"


def _mitigation_table(points: Sequence[MitigationPoint]) -> StudyTable:
    return StudyTable(
        id="mitigation",
        title="Mitigation against bias strength",
        caption="Position and verbosity bias equally strong; all methods on the same verdicts.",
        columns=(
            StudyColumn(name="method", label="method"),
            StudyColumn(name="strength", label="strength", unit="number", definition="Log-odds of both biases."),
            StudyColumn(
                name="accuracy", label="right of decided", unit="share", definition="Share right of the decided pairs."
            ),
            StudyColumn(name="decided", label="decided", unit="share", definition="Share of the pairs it decides."),
            StudyColumn(
                name="by_lot",
                label="right of all, rest by lot",
                unit="share",
                definition="Share right of all pairs where a fair coin decides those it leaves out.",
            ),
        ),
        rows=tuple((p.method, p.strength, p.accuracy, p.decided, p.by_lot) for p in _sorted(points)),
        headers=2,
    )


def _sorted(points: Sequence[MitigationPoint]) -> list[MitigationPoint]:
    return sorted(points, key=lambda p: (METHODS.index(p.method), p.strength))


def _accuracy_table(points: Sequence[AccuracyPoint]) -> StudyTable:
    return StudyTable(
        id="accuracy",
        title="Accuracy of single comparisons against bias strength",
        caption="One bias at a time. Sycophancy: a user endorses one of the two at even odds.",
        columns=(
            StudyColumn(name="bias", label="bias"),
            StudyColumn(name="strength", label="strength", unit="number", definition="Log-odds for a cue of 1."),
            _SIMULATED,
            _EXACT,
        ),
        rows=tuple((p.bias, p.strength, p.simulated, p.exact) for p in points),
        headers=2,
    )


def _consistency_table(points: Sequence[ConsistencyPoint]) -> StudyTable:
    return StudyTable(
        id="consistency",
        title="Swap consistency over position and verbosity bias",
        caption="Share of pairs with the same preference in both orders.",
        columns=(
            StudyColumn(name="position", label="position", unit="number", definition="Log-odds of the first slot."),
            StudyColumn(
                name="verbosity", label="verbosity", unit="number", definition="Log-odds per unit of log length ratio."
            ),
            _SIMULATED,
            _EXACT,
        ),
        rows=tuple((p.position, p.verbosity, p.simulated, p.exact) for p in points),
        headers=2,
    )


def _length_table(points: Sequence[LengthPoint]) -> StudyTable:
    return StudyTable(
        id="length",
        title="Single comparisons of two equally good responses",
        caption="How often the longer one wins; which is shown first is drawn at even odds.",
        columns=(
            StudyColumn(
                name="verbosity", label="verbosity", unit="number", definition="Log-odds per unit of log length ratio."
            ),
            StudyColumn(
                name="log_ratio",
                label="log length ratio",
                unit="number",
                definition="Natural logarithm: .69 is twice as long.",
            ),
            _SIMULATED,
            _EXACT,
        ),
        rows=tuple((p.verbosity, p.log_ratio, p.simulated, p.exact) for p in points),
        headers=2,
    )


def _heat_map(points: Sequence[ConsistencyPoint]) -> HeatMap:
    x = tuple(sorted({p.verbosity for p in points}))
    y = tuple(sorted({p.position for p in points}))
    value = {(p.position, p.verbosity): _value(p.simulated) for p in points}
    return HeatMap(
        id="consistency",
        title="Swap consistency over position and verbosity bias",
        x_label="Verbosity (log-odds per log length ratio)",
        y_label="Position (log-odds of the first slot)",
        z_label="Same preference in both orders",
        x=x,
        y=y,
        z=tuple(tuple(value[position, verbosity] for verbosity in x) for position in y),
    )


def _accuracy_chart(points: Sequence[AccuracyPoint]) -> LineChart:
    return LineChart(
        id="accuracy",
        title="Accuracy of single comparisons",
        x_label=_STRENGTH,
        y_label="Share right",
        series=tuple(
            _series(name, [(p.strength, p.simulated) for p in points if p.bias == name])
            for name in dict.fromkeys(p.bias for p in points)
        ),
        limits=(("a coin", 0.5),),
    )


def _length_chart(points: Sequence[LengthPoint]) -> LineChart:
    return LineChart(
        id="length",
        title="Two equally good responses: how often the longer wins",
        x_label="Log length ratio",
        y_label="Share of wins of the longer",
        series=tuple(
            _series(f"verbosity {v:g}", [(p.log_ratio, p.simulated) for p in points if p.verbosity == v])
            for v in dict.fromkeys(p.verbosity for p in points)
        ),
        limits=(("no bias", 0.5),),
    )


def _mitigation_charts(points: Sequence[MitigationPoint]) -> tuple[LineChart, LineChart]:
    def chart(name: str, title: str, y_label: str, attribute: str) -> LineChart:
        return LineChart(
            id=f"mitigation-{name}",
            title=title,
            x_label=_STRENGTH,
            y_label=y_label,
            series=tuple(
                _series(method, [(p.strength, getattr(p, attribute)) for p in points if p.method == method])
                for method in METHODS
            ),
        )

    return (
        chart("accuracy", "Mitigation: share right of the decided pairs", "Share right of decided", "accuracy"),
        chart("decided", "Mitigation: share of the pairs decided", "Share decided", "decided"),
    )


def _series(label: str, points: Sequence[tuple[float, Estimate | Refusal | float]]) -> Series:
    limits = [_limits(value) for _, value in points]
    return Series(
        label=label,
        x=tuple(x for x, _ in points),
        y=tuple(_value(value) for _, value in points),
        low=tuple(low for low, _ in limits),
        high=tuple(high for _, high in limits),
    )


def _value(value: Estimate | Refusal | float) -> float:
    match value:
        case Estimate():
            return value.value
        case Refusal():
            return float("nan")
        case _:
            return value


def _limits(value: Estimate | Refusal | float) -> tuple[float, float]:
    if isinstance(value, Estimate) and value.interval is not None:
        return value.interval.low, value.interval.high
    return _value(value), _value(value)
