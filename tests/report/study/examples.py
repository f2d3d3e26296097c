"""Studies made by hand: every kind of value and figure, hostile text in every place, and nothing at all."""

from __future__ import annotations

import math
from dataclasses import replace

from evenhand.analysis.study import (
    Claim,
    Forest,
    ForestRow,
    HeatMap,
    LineChart,
    Series,
    Study,
    StudyColumn,
    StudyHeadline,
    StudyTable,
)
from evenhand.stats import Estimate, Interval, Refusal, TestResult

NAN = math.nan
METHOD = "percentile cluster bootstrap, 48 clusters, 2,000 resamples"
TOO_FEW = Refusal(reason="needs at least 5 clusters, has 3", n=9)
FEW = "fewer than 30 clusters (12)"
COMMAND = "evenhand audit pairs.jsonl --biases verbosity,tone"
CREATED = "2026-11-30T07:10:11+00:00"


def figure(value: float, low: float, high: float, *, n: int = 60, count: int | None = None, **more: object) -> Estimate:
    interval = Interval(low=low, high=high, method=METHOD)
    return Estimate(value=value, interval=interval, n=n, count=count, clusters=48, **more)  # type: ignore[arg-type]


def p_of(p: float, *, name: str = "sign-flip test", caveat: str | None = None) -> TestResult:
    return TestResult(name=name, p_value=p, log10_p=math.log10(p) if p else -412.5, n=60, caveat=caveat)


SUMMARY = StudyTable(
    id="summary",
    title="Biases",
    caption="Each controlled change against its control.",
    columns=(
        StudyColumn(name="audit", label="audit"),
        StudyColumn(name="effect", label="effect", unit="difference", definition="Change of the share of choices."),
        StudyColumn(name="flips", label="flip rate", unit="share", definition="Share of pairs that flipped."),
        StudyColumn(name="test", label="p", unit="p"),
        StudyColumn(name="holm", label="p (Holm)", unit="p"),
        StudyColumn(name="beta", label="β₂", unit="number", definition="Coefficient of the log-length."),
        StudyColumn(name="left_out", label="left out", unit="count"),
        StudyColumn(name="cost", label="cost", unit="dollars"),
        StudyColumn(name="robust", label="robust"),
    ),
    rows=(
        (
            "verbosity",
            figure(0.12, 0.06, 0.18),
            figure(25 / 60, 0.292, 0.549, count=25, flags=(FEW,)),
            p_of(0.0012, caveat="Groups are treated as exchangeable."),
            0.0024,
            figure(1.234, -0.5, 3.0),
            2,
            0.0123,
            True,
        ),
        ("tone", TOO_FEW, TOO_FEW, None, None, None, 1234, 1234.5, False),
        (
            "formatting",
            figure(-0.03, -0.10, 0.04),
            figure(0.0, 0.0, 0.06, count=0),
            p_of(0.0),
            1.0,
            figure(NAN, 0.0, 1.0),
            0,
            None,
            None,
        ),
    ),
    notes=("A pair whose response is empty can't be padded.",),
)

LEADERBOARD = StudyTable(
    id="leaderboard",
    title="Rank of each author",
    caption="By order, and debiased.",
    columns=(
        StudyColumn(name="group", label="family"),
        StudyColumn(name="author", label="author"),
        StudyColumn(name="rank", label="rank", unit="count", definition="1 is best."),
        StudyColumn(name="share", label="wins", unit="share"),
    ),
    rows=(
        ("gpt", "gpt-4o-mini", 1, figure(0.7, 0.6, 0.8, n=40)),
        ("llama", "llama-3", 2, figure(0.6, 0.5, 0.7, n=41)),
        ("gpt", "gpt-3.5", 3, figure(0.4, 0.3, 0.5, n=42)),
    ),
    headers=2,
)

EFFECTS = Forest(
    id="effects",
    title="Effect of each change",
    x_label="change of the share that chose the changed response",
    rows=(
        ForestRow(label="redundant", estimate=figure(0.12, 0.06, 0.18), group="padding"),
        ForestRow(label="supplied", estimate=TOO_FEW, group="padding"),
        ForestRow(label="expert", estimate=figure(0.31, 0.2, 0.42), group="endorsement"),
        ForestRow(label="majority", estimate=figure(-0.02, -0.09, 0.05), group="endorsement"),
    ),
)

CONTROL = LineChart(
    id="control",
    title="Flip rate over runs",
    x_label="run",
    y_label="flip rate",
    series=(
        Series(
            label="flip rate",
            x=(0.0, 1.0, 2.0, 3.0, 4.0),
            y=(0.12, 0.14, NAN, 0.11, 0.31),
            low=(0.08, 0.1, NAN, 0.07, 0.25),
            high=(0.16, 0.18, NAN, 0.15, 0.37),
        ),
    ),
    limits=(("upper control limit", 0.2), ("mean", 0.13), ("lower control limit", 0.06)),
    x_ticks=("2026-11-01", "2026-11-08", "2026-11-15", "2026-11-22", "2026-11-29"),
)

SWAPS = HeatMap(
    id="swaps",
    title="Swap consistency",
    x_label="strength of position bias",
    y_label="strength of verbosity bias",
    z_label="swap consistency",
    x=(0.0, 0.5, 1.0, 1.5),
    y=(0.0, 1.0, 2.0),
    z=((0.95, 0.83, 0.61, 0.4), (0.93, NAN, 0.58, 0.38), (0.9, 0.78, 0.55, 0.36)),
)


def make_study() -> Study:
    """A study of every kind of value and figure."""
    return Study(
        kind="biases",
        title="simulated:verbosity=1",
        subtitle="60 pairs of starter, both orders",
        headline=StudyHeadline(
            status="bad",
            verdict="Length sways this judge",
            lead="Padding moved +12.0 pp [+6.0, +18.0] of the choices, p = 0.0024 after Holm.",
            more=(Claim(text="Longer responses win more than their content explains.", rests_on=("figure-effects",)),),
            steps=(Claim(text="Compare responses of equal length.", rests_on=("figure-none", "table-leaderboard")),),
        ),
        tables=(SUMMARY, LEADERBOARD),
        figures=(EFFECTS, CONTROL, SWAPS),
        notes=("2 pairs without a verdict are left out.",),
        facts=(("clusters", "question groups"), ("seed", "0")),
    )


def make_empty() -> Study:
    """A study that found nothing to show: no rows, no figures, no notes."""
    return Study(
        kind="gate",
        title="nothing",
        subtitle="",
        headline=StudyHeadline(status="failed", verdict="No verdicts", lead="Nothing was judged."),
        tables=(replace(SUMMARY, rows=(), notes=()),),
        figures=(
            replace(EFFECTS, rows=()),
            replace(EFFECTS, id="refused", rows=(ForestRow(label="tone", estimate=TOO_FEW),)),
            replace(CONTROL, series=()),
            replace(SWAPS, z=((NAN,) * 4,) * 3),
        ),
    )


def make_hostile(text: str) -> Study:
    """Every text of a study replaced by a hostile one."""
    refusal, test = Refusal(reason=text, n=1), p_of(0.01, name=text, caveat=text)
    flagged = figure(0.5, 0.4, 0.6, flags=(text,))
    flagged = replace(flagged, interval=Interval(low=0.4, high=0.6, method=text))
    table = StudyTable(
        id=text,
        title=text,
        caption=text,
        columns=tuple(
            StudyColumn(name=f"{text[:200]}{number}", label=text, unit=unit, definition=text)  # type: ignore[arg-type]
            for number, unit in enumerate(("text", "text", "share", "number", "p"))
        ),
        rows=((text, text, flagged, refusal, test),),
        headers=2,
        notes=(text,),
    )
    return Study(
        kind=text,
        title=text,
        subtitle=text,
        headline=StudyHeadline(
            status="undecided",
            verdict=text,
            lead=text,
            more=(Claim(text=text, rests_on=(f"table-{text}",)),),
            steps=(Claim(text=text, rests_on=(f"figure-{text}",)),),
            rests_on=(f"table-{text}",),
        ),
        tables=(table, table),
        figures=(
            Forest(
                id=text,
                title=text,
                x_label=text,
                rows=(
                    ForestRow(label=text, estimate=flagged, group=text),
                    ForestRow(label=text, estimate=refusal, group=text),
                ),
            ),
            replace(
                CONTROL,
                id=text,
                title=text,
                x_label=text,
                y_label=text,
                series=(replace(CONTROL.series[0], label=text),) * 2,
                limits=((text, 0.1),),
                x_ticks=(text,) * 5,
            ),
            replace(SWAPS, id=text, title=text, x_label=text, y_label=text, z_label=text),
        ),
        notes=(text,),
        facts=((text, text), ("clusters", text)),
    )
