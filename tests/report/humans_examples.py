"""A run beside people, by hand: what each scope found, and where the labels come from."""

from dataclasses import replace

from evenhand.audits.humans.agreement import Agreement, HumanAgreement, JudgeAgreement
from evenhand.audits.humans.beside import JudgedScope, LabelSource, PeopleOfPairs, RunBesidePeople
from evenhand.audits.humans.by_flip import FlipSplit
from evenhand.records import Readout
from evenhand.report.draw_humans import human_points
from evenhand.report.model import Point
from evenhand.stats import Estimate, Interval, Refusal

FEW = Refusal(reason="needs at least 10 pairs rated by both, has 4", n=4)
ALONE = Refusal(reason="needs at least 2 annotators of the same pairs, has 1", n=0)

SOURCE = LabelSource(path="runs/x/labels.sqlite", sha256="ab" * 32, blind=True, labels=150, annotators=3, skipped=7)


def estimate(value: float, low: float, high: float, n: int = 80) -> Estimate:
    return Estimate(value=value, interval=Interval(low=low, high=high, method="by hand"), n=n, clusters=40)


def split(low: float, high: float) -> FlipSplit:
    return FlipSplit(
        flips=30,
        steady=50,
        neither=4,
        people_on_flips=estimate(0.6, 0.5, 0.7),
        people_on_steady=estimate(0.9, 0.8, 0.95),
        difference=estimate((low + high) / 2, low, high),
        judge_on_steady=estimate(0.8, 0.7, 0.9),
    )


def scope(
    *,
    condition: str = "c",
    readout: Readout = Readout.GENERATED,
    gap: Estimate | Refusal = ALONE,
    rate: Estimate | Refusal | None = None,
    by_flip: FlipSplit | None = None,
    names: tuple[str, str] = ("ann", "bob"),
) -> JudgedScope:
    own = estimate(0.7, 0.6, 0.8) if rate is None else rate
    both = Agreement(first="both orders", second="consensus", rate=own, decided=own, kappa=FEW, pairs=80)
    two = Agreement(first=names[0], second=names[1], rate=own, decided=own, kappa=FEW, pairs=40)
    alone = isinstance(gap, Refusal)
    ceiling = ALONE if alone else estimate(0.85, 0.8, 0.9)
    return JudgedScope(
        condition=condition,
        readout=readout,
        judge=JudgeAgreement(
            judge="j", against_consensus=(both,), against_annotators=(), gap=gap, unlabelled=12, without_verdict=3
        ),
        people=PeopleOfPairs(
            agreement=HumanAgreement(
                annotators=1 if alone else 3,
                alpha=ceiling,
                ceiling=ceiling,
                between=() if alone else (two,),
                listed=("ann",) if alone else ("ann", "bob", "cy"),
            ),
            raw=ceiling,
            labelled=83,
            several=0 if alone else 60,
        ),
        by_flip=by_flip,
    )


def beside(*scopes: JudgedScope, **source: int | bool) -> RunBesidePeople:
    return RunBesidePeople(
        scopes=scopes, source=replace(SOURCE, **source), resampled_by="question group", resamples=2000, seed=0
    )


def human_rows(name: str = "c") -> tuple[Point, ...]:
    """What the figure draws: three readouts of one condition, one of them refused."""
    return human_points(
        beside(
            scope(condition=name, gap=BELOW),
            scope(condition=name, readout=Readout.FIRST_TOKEN, gap=OPEN),
            scope(condition=name, readout=Readout.HYBRID),
        )
    )


BELOW = estimate(-0.2, -0.3, -0.1)
AS_GOOD = estimate(0.01, -0.04, 0.06)
OPEN = estimate(-0.05, -0.2, 0.1)
