"""The tables of judges beside people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evenhand.analysis.family import holm_adjusted
from evenhand.analysis.study import StudyColumn, StudyTable, StudyValue
from evenhand.audits.humans.agreement import HumanAgreement
from evenhand.audits.humans.comparison import HumanComparison, JudgedByPeople
from evenhand.stats import Estimate, Refusal, TestResult

__all__ = ["GAP", "KAPPA", "SAME_PEOPLE", "adjusted_trends", "human_tables", "judge_name", "people_table"]

GAP: Final = StudyColumn(
    name="gap",
    label="judge − person",
    unit="difference",
    definition=(
        "Each person is left out in turn, and judge and person are compared with the consensus of the "
        "others, where these have one. Below 0: the judge agrees less than a person does."
    ),
)
"""How much less the judge agrees with other people than a person does."""

SAME_PEOPLE: Final = (
    "Intervals are over other questions, with these annotators: other people may agree more or less than they say, the "
    "more so the fewer labelled."
)
"""What no interval beside people holds: who they are. Clusters are questions, and two or three people are no sample."""

KAPPA: Final = StudyColumn(
    name="kappa",
    label="kappa",
    unit="number",
    definition="Cohen's kappa: agreement beyond chance, given how often each says A, B and tie.",
)
"""Agreement beyond chance."""


def human_tables(made: HumanComparison) -> tuple[StudyTable, ...]:
    """Every table that has rows: agreement, the ceiling, people among themselves, time and win rates."""
    tables = (_agreement(made), _ceiling(made), people_table(made.people), *_time(made), _wins(made))
    return tuple(table for table in tables if table.rows)


def judge_name(line: JudgedByPeople, made: HumanComparison) -> str:
    """The judge's model; with its run where several runs have one."""
    same = sum(each.agreement.judge == line.agreement.judge for each in made.judges) > 1
    return f"{line.agreement.judge} ({line.run})" if same else line.agreement.judge


def adjusted_trends(made: HumanComparison) -> list[TestResult | None]:
    """The trends' tests, adjusted over the judges, in their order."""
    tests = [line.over_time.trend_test for line in made.judges]
    found = iter(holm_adjusted([test for test in tests if test is not None], family="judges' trends"))
    return [None if test is None else next(found) for test in tests]


def _agreement(made: HumanComparison) -> StudyTable:
    rows: list[tuple[StudyValue, ...]] = []
    for line in made.judges:
        rows += [
            (judge_name(line, made), each.first, each.second, each.rate, each.decided, each.kappa, each.pairs)
            for each in (*line.agreement.against_consensus, *line.agreement.against_annotators)
        ]
    return StudyTable(
        id="agreement",
        title="Agreement with people",
        caption=(
            "Each order, where there is any, and what both prefer (a tie where they contradict each other), beside the "
            "labels."
        ),
        columns=(
            StudyColumn(name="judge", label="judge"),
            StudyColumn(name="verdict", label="verdict"),
            StudyColumn(name="label", label="label"),
            StudyColumn(
                name="agreement",
                label="agreement",
                unit="share",
                definition="Among pairs with both, share with the same preference, a tie being one.",
            ),
            StudyColumn(
                name="decided",
                label="agreement, decided",
                unit="share",
                definition="The same among pairs on which both chose a response.",
            ),
            KAPPA,
            StudyColumn(name="pairs", label="pairs", unit="count", definition="Pairs with both."),
        ),
        rows=tuple(rows),
        headers=3,
    )


def _ceiling(made: HumanComparison) -> StudyTable:
    return StudyTable(
        id="ceiling",
        title="The judge beside one more person",
        caption="Judge and person, each beside the consensus of the same other persons.",
        columns=(
            StudyColumn(name="judge", label="judge"),
            GAP,
        ),
        rows=tuple((judge_name(line, made), line.agreement.gap) for line in made.judges),
    )


def people_table(people: HumanAgreement, *, raw: Estimate | Refusal | None = None) -> StudyTable:
    """People among themselves; with ``raw`` also how often two of them prefer the same."""
    rows: list[tuple[StudyValue, ...]] = [
        ("all annotators", "Krippendorff’s alpha", people.alpha, None),
        ("one person", "the others’ consensus", None, people.ceiling),
        *([] if raw is None else [("two people", "each other", None, raw)]),
        *((each.first, each.second, each.kappa, each.rate) for each in people.between),
    ]
    return StudyTable(
        id="people",
        title="People among themselves",
        caption="The ceiling that a judge can be held to.",
        columns=(
            StudyColumn(name="first", label="who"),
            StudyColumn(name="second", label="beside"),
            StudyColumn(
                name="beyond_chance",
                label="beyond chance",
                unit="number",
                definition="Krippendorff's alpha over all annotators; Cohen's kappa of two.",
            ),
            StudyColumn(
                name="agreement", label="agreement", unit="share", definition="Share with the same preference."
            ),
        ),
        rows=tuple(rows),
        headers=2,
    )


def _time(made: HumanComparison) -> Iterator[StudyTable]:
    rows: list[tuple[StudyValue, ...]] = []
    for line in made.judges:
        rows += [
            (judge_name(line, made), line.created[:10], each.period, each.rate, each.labels)
            for each in line.over_time.periods
        ]
    yield StudyTable(
        id="over-time",
        title="Agreement over time",
        caption="The judge's verdict on the pair beside every label, by the label's date.",
        columns=(
            StudyColumn(name="judge", label="judge"),
            StudyColumn(name="judged", label="run of"),
            StudyColumn(name="period", label="labels of"),
            StudyColumn(
                name="agreement",
                label="agreement",
                unit="share",
                definition="Share of the period's labels with the preference of the judge's verdict on the pair.",
            ),
            StudyColumn(name="labels", label="labels", unit="count"),
        ),
        rows=tuple(rows),
        headers=3,
    )
    yield StudyTable(
        id="trend",
        title="Trend of agreement",
        caption="Logistic regression of agreement on the label's date, errors robust to clusters.",
        columns=(
            StudyColumn(name="judge", label="judge"),
            StudyColumn(
                name="trend", label="log-odds in 30 days", unit="number", definition="Below 0: agreement falls."
            ),
            StudyColumn(
                name="p", label="p", unit="p", definition="That the trend is 0; Holm-adjusted over the judges."
            ),
        ),
        rows=tuple(
            (judge_name(line, made), line.over_time.trend, test)
            for line, test in zip(made.judges, adjusted_trends(made), strict=True)
        )
        if rows
        else (),
    )


def _wins(made: HumanComparison) -> StudyTable:
    return StudyTable(
        id="win-rates",
        title="Win rates",
        caption="Mean points over a player's pairs: a win 1, a tie half, a loss 0.",
        columns=(
            StudyColumn(name="judge", label="judge"),
            StudyColumn(name="player", label="player"),
            StudyColumn(
                name="powered",
                label="people, on all pairs",
                unit="share",
                definition="Prediction-powered: from the labels, with the judge's verdicts on every pair.",
            ),
            StudyColumn(
                name="labels_alone", label="labels alone", unit="share", definition="The same from the labels alone."
            ),
            StudyColumn(
                name="judge_alone",
                label="judge alone",
                unit="share",
                definition="What the judge gives on all pairs: a pair's mean over the orders that have a verdict.",
            ),
            StudyColumn(
                name="judge_minus_people",
                label="judge − people",
                unit="difference",
                definition="On the labelled pairs.",
            ),
            StudyColumn(name="labelled", label="labelled", unit="count"),
            StudyColumn(
                name="effective_labels",
                label="worth labels",
                unit="count",
                definition="How many labels alone would tell as much.",
            ),
            StudyColumn(name="pairs", label="pairs", unit="count", definition="Judged pairs of the player."),
        ),
        rows=tuple(
            (
                judge_name(line, made),
                rate.player,
                rate.powered,
                rate.labels_alone,
                rate.judge_alone,
                rate.judge_minus_people,
                rate.labelled,
                None if rate.effective_labels is None else round(rate.effective_labels),
                rate.pairs,
            )
            for line in made.judges
            for rate in line.win_rates
        ),
        headers=2,
    )
