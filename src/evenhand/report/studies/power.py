"""A power analysis as a study: the answer, the curve, and what simulated audits of that size found."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.analysis.study import (
    Claim,
    LineChart,
    Series,
    Study,
    StudyColumn,
    StudyHeadline,
    StudyTable,
    StudyValue,
    Unit,
)
from evenhand.report.numbering import claims
from evenhand.report.studies.power_plan import PlanQuestion, PowerPlan, SimulatedCheck
from evenhand.stats import Estimate, Refusal
from evenhand.stats.power import PowerAnswer

__all__ = ["power_study", "scaled_pairs"]

_ANSWER, _SIMULATED = "table-answer", "table-simulated"
_ASKED: dict[PlanQuestion, str] = {
    "flip-rate": "How wide is the flip rate's interval?",
    "beyond-repeats": "Do more verdicts turn in the other order than when the same order is asked again?",
    "shift": "Does a bias turn verdicts?",
    "accuracy": "Is one of two judges right more often than the other?",
    "win-rate": "Does one of two systems win more often than not?",
}
_EFFECT: dict[PlanQuestion, str] = {
    "flip-rate": "half the interval's width",
    "beyond-repeats": "flip rate minus repeat rate",
    "shift": "net shift toward the target",
    "accuracy": "difference of the two accuracies",
    "win-rate": "win rate minus 50 %",
}


def power_study(plan: PowerPlan) -> Study:
    """The plan with its assumptions, fit to be printed."""
    return Study(
        kind="power",
        title="How many pairs",
        subtitle=_ASKED[plan.question],
        headline=_headline(plan),
        tables=(_answer_table(plan), *([_check_table(plan, plan.simulated)] if plan.simulated else []), _curve(plan)),
        figures=(_chart(plan),),
        notes=tuple(_notes(plan)),
        facts=tuple(_facts(plan)),
    )


def scaled_pairs(plan: PowerPlan) -> int | None:
    """Pairs that the simulated audits say are needed, where they disagree with the formula; None where they don't.

    For a power both are read as standardised distances, whose squares grow with the pairs; for a half width the
    mean of the simulated ones is.
    """
    from statistics import NormalDist

    check = plan.simulated
    if check is None or not isinstance(check.found, Estimate) or check.found.interval is None:
        return None
    if plan.question == "flip-rate":
        if not isinstance(check.estimate, Estimate) or check.estimate.interval is None:
            return None
        if check.estimate.interval.low <= plan.effect:
            return None
        return round(check.pairs * (check.estimate.value / plan.effect) ** 2)
    if check.found.interval.high >= plan.power or not 0 < check.found.value < 1:
        return None
    normal = NormalDist()
    critical = normal.inv_cdf(1 - (1 - plan.test_level) / 2)
    reached = critical + normal.inv_cdf(check.found.value)
    if reached <= 0:
        return None
    return round(check.pairs * ((critical + normal.inv_cdf(plan.power)) / reached) ** 2)


def _headline(plan: PowerPlan) -> StudyHeadline:
    needed = plan.needed
    if isinstance(needed, Refusal):
        return StudyHeadline(
            status="failed",
            verdict="No number of pairs that anyone would judge shows such an effect",
            lead=f"{_points(plan.effect)} ({_EFFECT[plan.question]}): {needed.reason}.",
            steps=claims(["Ask for a larger effect."], _ANSWER),
        )
    chance = "" if needed.power is None else f" with a power of {needed.power * 100:g} %"
    lead = (
        f"An effect of {_points(plan.effect)} ({_EFFECT[plan.question]}) needs {needed.pairs:,} pairs{chance} "
        f"at confidence level {plan.test_level * 100:.4g} %: "
        f"{needed.pairs * plan.judgments_per_pair:,} judgments at {plan.judgments_per_pair} a pair."
    )
    return StudyHeadline(
        status="described",
        verdict=f"{needed.pairs:,} pairs",
        lead=lead,
        more=(
            *claims(_at(plan), _ANSWER),
            *claims(_clustered(plan), "reproduce"),
            *claims(_simulated(plan), _SIMULATED),
        ),
        steps=tuple(_next(plan)),
    )


def _at(plan: PowerPlan) -> Iterator[str]:
    if isinstance(plan.detectable, PowerAnswer) and plan.at is not None and plan.power_at is not None:
        if plan.question == "flip-rate":
            yield f"With {plan.at:,} pairs the interval reaches {_points(plan.power_at)} to either side."
        else:
            yield (
                f"With {plan.at:,} pairs {_points(plan.detectable.effect)} are found with a power of "
                f"{plan.power * 100:g} %, and {_points(plan.effect)} with {plan.power_at * 100:.1f} %."
            )
    elif isinstance(plan.detectable, Refusal):
        yield f"With {plan.at:,} pairs: {plan.detectable.reason}."


def _clustered(plan: PowerPlan) -> Iterator[str]:
    if plan.design_effect > 1:
        yield (
            f"{plan.pairs_per_question:.3g} pairs a question with a correlation of {plan.icc:.3g} tell as much as "
            f"{100 / plan.design_effect:.0f} % as many independent ones."
        )


def _simulated(plan: PowerPlan) -> Iterator[str]:
    check = plan.simulated
    if check is not None and isinstance(check.found, Estimate) and check.found.interval is not None:
        low, high = check.found.interval.low * 100, check.found.interval.high * 100
        what = "had so narrow an interval" if plan.question == "flip-rate" else "found it"
        share = f"{check.found.value * 100:.1f} % [{low:.1f}, {high:.1f}]"
        yield f"Of {check.runs:,} simulated audits of that size {share} {what}."


def _next(plan: PowerPlan) -> Iterator[Claim]:
    more = scaled_pairs(plan)
    if more is not None:
        yield from claims([f"Plan for {more:,} pairs: the audit itself needs more than the formula says."], _SIMULATED)
    elif plan.simulated is None:
        yield from claims(["Add --simulate 400: it runs the audit itself on simulated verdicts of this size."], _ANSWER)
    if plan.pilot is None and plan.question not in ("accuracy",):
        yield from claims(
            ["Give a pilot with --run: its flips, repeats and clusters take the place of assumptions."], "reproduce"
        )


def _answer_table(plan: PowerPlan) -> StudyTable:
    def column(name: str, label: str, unit: Unit, definition: str) -> StudyColumn:
        return StudyColumn(name=name, label=label, unit=unit, definition=definition)

    needed = plan.needed
    rows: list[tuple[StudyValue, ...]] = []
    power = None if plan.question == "flip-rate" else plan.power
    if isinstance(needed, Refusal):
        rows.append(("pairs needed", needed, None, plan.effect, power))
    else:
        rows.append(("pairs needed", needed.pairs, needed.pairs * plan.judgments_per_pair, plan.effect, power))
    if plan.at is not None and plan.detectable is not None:
        cost = plan.at * plan.judgments_per_pair
        effect = plan.detectable if isinstance(plan.detectable, Refusal) else plan.detectable.effect
        rows.append(("smallest effect found", plan.at, cost, effect, power))
        if plan.question != "flip-rate":
            rows.append(("power for the effect", plan.at, cost, plan.effect, plan.power_at))
    return StudyTable(
        id="answer",
        title="Pairs, effect, power",
        caption=f"Effect: {_EFFECT[plan.question]}. "
        + ("" if isinstance(needed, Refusal) else f"By formula: {needed.method}."),
        columns=(
            column("what", "what", "text", ""),
            column("pairs", "pairs", "count", "Pairs to judge."),
            column("judgments", "judgments", "count", f"{plan.judgments_per_pair} for each pair."),
            column("effect", "effect", "difference", f"{_EFFECT[plan.question].capitalize()}."),
            column("power", "power", "share", "Chance that the test finds the effect."),
        ),
        rows=tuple(rows),
    )


def _check_table(plan: PowerPlan, check: SimulatedCheck) -> StudyTable:
    width = plan.question == "flip-rate"
    rows: tuple[tuple[StudyValue, ...], ...] = (
        ("narrow enough" if width else "found, where it is there", check.found, None if width else plan.power_at),
        ("missed the true rate" if width else "found, where nothing is there", check.false, 1 - plan.test_level),
    )
    return StudyTable(
        id="simulated",
        title=f"{check.runs:,} simulated audits of {check.pairs:,} pairs",
        caption=f"Counted where {check.test}. The interval is the simulation's own, over its runs.",
        columns=(
            StudyColumn(name="what", label="share of audits"),
            StudyColumn(name="simulated", label="simulated", unit="share", definition="Over the simulated audits."),
            StudyColumn(name="formula", label="by formula", unit="share", definition="What the formula promises."),
        ),
        rows=rows,
        notes=(_mean_note(plan, check),),
    )


def _mean_note(plan: PowerPlan, check: SimulatedCheck) -> str:
    if not isinstance(check.estimate, Estimate):
        return "No audit made an estimate."
    what = "half width" if plan.question == "flip-rate" else "estimate of the effect"
    return f"Their mean {what} is {check.estimate.value * 100:.2f} points; expected {check.truth * 100:.2f}."


def _curve(plan: PowerPlan) -> StudyTable:
    width = plan.question == "flip-rate"
    return StudyTable(
        id="curve",
        title="Half width over pairs" if width else "Power over pairs",
        caption=f"For {_points(plan.effect)}, by formula." if not width else "By formula.",
        columns=(
            StudyColumn(name="pairs", label="pairs", unit="count"),
            StudyColumn(name="judgments", label="judgments", unit="count"),
            StudyColumn(
                name="half_width" if width else "power",
                label="half width" if width else "power",
                unit="difference" if width else "share",
                definition="Half the width of the interval." if width else "Chance that the test finds the effect.",
            ),
        ),
        rows=tuple((p.pairs, p.pairs * plan.judgments_per_pair, p.value) for p in plan.curve),
    )


def _chart(plan: PowerPlan) -> LineChart:
    width = plan.question == "flip-rate"
    series = [
        Series(
            label="by formula",
            x=tuple(float(p.pairs) for p in plan.curve),
            y=tuple(p.value for p in plan.curve),
        )
    ]
    check = plan.simulated
    shown = None if check is None else (check.estimate if width else check.found)
    if check is not None and isinstance(shown, Estimate) and shown.interval is not None:
        series.append(
            Series(
                label="simulated audits",
                x=(float(check.pairs),),
                y=(shown.value,),
                low=(shown.interval.low,),
                high=(shown.interval.high,),
            )
        )
    return LineChart(
        id="curve",
        title="Half width over pairs" if width else "Power over pairs",
        x_label="Pairs",
        y_label="Half width" if width else "Power",
        series=tuple(series),
        unit="difference" if width else "share",
        limits=(("wanted", plan.effect if width else plan.power),),
    )


def _notes(plan: PowerPlan) -> Iterator[str]:
    if plan.tests > 1:
        yield (
            f"{plan.tests} tests share the level: each is planned at {plan.test_level * 100:.4g} %, as the first step "
            "of Holm's adjustment asks. Later steps ask less."
        )
    if plan.question == "shift":
        yield (
            "The simulated audit asks the change for both responses in both orders, beside the control: 6 judgments a "
            "pair. The control is shared by all changes of a run."
        )
    if plan.icc > 0 and plan.simulated is not None:
        yield "Clusters are simulated: pairs of a question take all their outcomes from one model with chance √ICC."
    if plan.pilot is not None:
        yield from plan.pilot.notes


def _facts(plan: PowerPlan) -> Iterator[tuple[str, str]]:
    yield "Question", _ASKED[plan.question]
    if plan.bias is not None:
        yield "Bias simulated", plan.bias
    yield from plan.assumed
    yield "Pairs a question", f"{plan.pairs_per_question:.3g}"
    yield "Correlation within questions", f"{plan.icc:.3g}"
    if plan.pilot is not None:
        yield "Pilot", f"{plan.pilot.run}: {plan.pilot.pairs:,} pairs, {plan.pilot.readout} readout"
    yield "Seed", str(plan.seed)


def _points(value: float) -> str:
    return f"{value * 100:.3g} points"
