"""Judges beside people, as a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.analysis.family import holm_adjusted
from evenhand.analysis.study import (
    Forest,
    ForestRow,
    LineChart,
    Series,
    Study,
    StudyColumn,
    StudyFigure,
    StudyHeadline,
    StudyTable,
    StudyValue,
)
from evenhand.audits.humans.agreement import MOST_LISTED, Agreement, HumanAgreement
from evenhand.audits.humans.comparison import HumanComparison, JudgedByPeople
from evenhand.report.format import estimate_text, integer, p_text
from evenhand.stats import Estimate, Refusal, TestResult

__all__ = ["humans_study"]

_ALPHA = 0.05


def humans_study(made: HumanComparison) -> Study:
    """Compose the study."""
    tables = [_agreement(made), _ceiling(made), *_people(made.people), *_time(made), _wins(made)]
    return Study(
        kind="humans",
        title="Judges beside people",
        subtitle="; ".join(dict.fromkeys(f"{line.agreement.judge} ({line.run})" for line in made.judges)),
        headline=_headline(made),
        tables=tuple(table for table in tables if table.rows),
        figures=tuple(_figures(made)),
        notes=tuple(_notes(made)),
        facts=(
            ("Labels", f"{made.labels.path} (sha256:{made.labels.sha256})"),
            ("Annotators", _annotators(made)),
            ("Runs", ", ".join(line.run for line in made.judges)),
            ("Resampled by", made.resampled_by),
            ("Resamples", integer(made.resamples)),
            ("Confidence level", f"{made.level:g}"),
            ("Seed", str(made.seed)),
        ),
    )


def _annotators(made: HumanComparison) -> str:
    names = made.labels.annotators
    if len(names) <= MOST_LISTED:
        return ", ".join(names) or "not named"
    return f"{len(names):,}; most labels by {', '.join(made.people.listed)}"


def _both(line: JudgedByPeople) -> Agreement:
    return line.agreement.against_consensus[-1]


def _name(line: JudgedByPeople, made: HumanComparison) -> str:
    same = sum(each.agreement.judge == line.agreement.judge for each in made.judges) > 1
    return f"{line.agreement.judge} ({line.run})" if same else line.agreement.judge


def _headline(made: HumanComparison) -> StudyHeadline:
    known = [line for line in made.judges if isinstance(_both(line).rate, Estimate)]
    pairs = f"{made.labelled:,} judged pairs have labels, by {made.people.annotators:,} annotators."
    if not known:
        return StudyHeadline(
            status="failed",
            verdict="No judge can be compared with people",
            lead=pairs,
            meaning=tuple(_refused(made)),
            next_steps=("Label more of the judged pairs.",),
        )
    below = [line for line in known if _below(line)]
    first = _both(known[0])
    verdict = f"Agreement with people: {estimate_text(first.rate, 'share')}"
    if len(known) > 1:
        best = max(known, key=lambda line: _value(_both(line).rate))
        verdict = f"Highest agreement with people: {_name(best, made)}, {estimate_text(_both(best).rate, 'share')}"
    return StudyHeadline(
        status="bad" if below else "described",
        verdict=verdict,
        lead=pairs,
        meaning=(*_against_ceiling(made, known), *_not_compared(known), *_trends(made), *_win_sentences(made)),
        next_steps=tuple(_next(made, below)),
    )


def _refused(made: HumanComparison) -> Iterator[str]:
    for line in made.judges:
        found = _both(line).rate
        if isinstance(found, Refusal):
            yield f"{_name(line, made)}: {found.reason}."


def _value(found: object) -> float:
    return found.value if isinstance(found, Estimate) else float("-inf")


def _below(line: JudgedByPeople) -> bool:
    gap = line.agreement.gap
    return isinstance(gap, Estimate) and gap.interval is not None and gap.interval.high < 0


def _against_ceiling(made: HumanComparison, known: Sequence[JudgedByPeople]) -> Iterator[str]:
    ceiling = made.people.ceiling
    if isinstance(ceiling, Estimate):
        yield f"One person agrees with the consensus of the others on {estimate_text(ceiling, 'share')}."
    for line in known:
        kappa, gap = _both(line).kappa, line.agreement.gap
        beyond = f", kappa {estimate_text(kappa, 'number')}" if isinstance(kappa, Estimate) else ""
        beside = (
            f"; beside the same others, judge minus person is {estimate_text(gap, 'difference')}"
            if isinstance(gap, Estimate)
            else ""
        )
        yield f"{_name(line, made)}: agreement {estimate_text(_both(line).rate, 'share')}{beyond}{beside}."


def _not_compared(known: Sequence[JudgedByPeople]) -> Iterator[str]:
    if len(known) > 1:
        yield (
            "The judges are not tested against each other: the highest of several figures is too high on average, and "
            "each is of the pairs that this judge gave a verdict."
        )


def _adjusted(made: HumanComparison) -> list[TestResult | None]:
    """The trends' tests, adjusted over the judges, in their order."""
    tests = [line.over_time.trend_test for line in made.judges]
    found = iter(holm_adjusted([test for test in tests if test is not None], family="judges' trends"))
    return [None if test is None else next(found) for test in tests]


def _trends(made: HumanComparison) -> Iterator[str]:
    for line, test in zip(made.judges, _adjusted(made), strict=True):
        trend = line.over_time.trend
        if test is not None and test.p_value < _ALPHA and isinstance(trend, Estimate):
            way = "falls" if trend.value < 0 else "rises"
            yield (
                f"{_name(line, made)}: agreement {way} over the labels' dates, by {estimate_text(trend, 'number')} "
                f"log-odds in 30 days ({p_text(test)}). The labels of other times may be of other pairs and people."
            )


def _win_sentences(made: HumanComparison) -> Iterator[str]:
    for line in made.judges[:1]:
        for rate in line.win_rates[:3]:
            gap = rate.judge_minus_people
            if isinstance(rate.powered, Estimate) and isinstance(gap, Estimate):
                yield (
                    f"{rate.player}: people would give {estimate_text(rate.powered, 'share')} of the points on all "
                    f"{rate.pairs:,} pairs; the judge alone gives {estimate_text(rate.judge_alone, 'share')}, and on "
                    f"the labelled pairs judge minus people is {estimate_text(gap, 'difference')}."
                )


def _next(made: HumanComparison, below: Sequence[JudgedByPeople]) -> Iterator[str]:
    if below:
        yield f"{_name(below[0], made)} agrees with people less than people do: calibrate it, or let people decide."
    if made.people.annotators < 2:
        yield "Let a second person label some of the pairs: without it nobody knows how far people agree at all."
    yield "Label again every few weeks, on pairs drawn at random, so that drift and win rates can be told."


def _agreement(made: HumanComparison) -> StudyTable:
    rows: list[tuple[StudyValue, ...]] = []
    for line in made.judges:
        rows += [
            (_name(line, made), each.first, each.second, each.rate, each.decided, each.kappa, each.pairs)
            for each in (*line.agreement.against_consensus, *line.agreement.against_annotators)
        ]
    return StudyTable(
        id="agreement",
        title="Agreement with people",
        caption="Each order, and what both prefer (a tie where they contradict each other), beside the labels.",
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
            StudyColumn(
                name="kappa",
                label="kappa",
                unit="number",
                definition="Cohen's kappa: agreement beyond chance, given how often each says A, B and tie.",
            ),
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
            StudyColumn(
                name="gap",
                label="judge − person",
                unit="difference",
                definition=(
                    "Each person is left out in turn, and judge and person are compared with the consensus of the "
                    "others, where these have one. Below 0: the judge agrees less than a person does."
                ),
            ),
        ),
        rows=tuple((_name(line, made), line.agreement.gap) for line in made.judges),
    )


def _people(people: HumanAgreement) -> Iterator[StudyTable]:
    rows: list[tuple[StudyValue, ...]] = [
        ("all annotators", "Krippendorff’s alpha", people.alpha, None),
        ("one person", "the others’ consensus", None, people.ceiling),
        *((each.first, each.second, each.kappa, each.rate) for each in people.between),
    ]
    yield StudyTable(
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
            (_name(line, made), line.created[:10], each.period, each.rate, each.labels)
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
            (_name(line, made), line.over_time.trend, test)
            for line, test in zip(made.judges, _adjusted(made), strict=True)
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
                _name(line, made),
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


def _figures(made: HumanComparison) -> Iterator[StudyFigure]:
    rows = [
        ForestRow(label=f"{each.first} beside {each.second}", estimate=each.rate, group=_name(line, made))
        for line in made.judges
        for each in (*line.agreement.against_consensus, *line.agreement.against_annotators)
    ]
    rows.append(ForestRow(label="one person beside the others", estimate=made.people.ceiling, group="people"))
    yield Forest(
        id="agreement",
        title="Agreement with people",
        x_label="share of pairs with the same preference",
        rows=tuple(rows),
        unit="share",
        reference=None,
    )
    periods = sorted({each.period for line in made.judges for each in line.over_time.periods})
    if len(periods) > 1:
        yield LineChart(
            id="over-time",
            title="Agreement over time",
            x_label="labels of",
            y_label="agreement",
            series=tuple(_series(line, periods, made) for line in made.judges),
            x_ticks=tuple(periods),
        )


def _series(line: JudgedByPeople, periods: Sequence[str], made: HumanComparison) -> Series:
    by_period = {each.period: each.rate for each in line.over_time.periods}
    bounds = []
    for period in periods:
        rate = by_period.get(period)
        if isinstance(rate, Estimate) and rate.interval is not None:
            bounds.append((rate.value, rate.interval.low, rate.interval.high))
        else:
            bounds.append((_value(rate) if isinstance(rate, Estimate) else float("nan"), float("nan"), float("nan")))
    values, low, high = zip(*bounds, strict=True)
    return Series(label=_name(line, made), x=tuple(map(float, range(len(periods)))), y=values, low=low, high=high)


def _notes(made: HumanComparison) -> Iterator[str]:
    yield from made.notes
    labels = made.labels
    if labels.empty:
        yield f"{labels.empty:,} rows of the label file have no preference: nobody labelled them; they are no ties."
    if labels.elsewhere:
        yield f"{labels.elsewhere:,} labels are of pairs that were not judged; they don't enter."
    unlisted = made.people.annotators - len(made.people.listed)
    if unlisted > 0:
        yield (
            f"Of {made.people.annotators:,} annotators, the {len(made.people.listed)} with most labels are listed by "
            f"name and beside each other; {unlisted:,} are not listed. Consensus, the figure of one person beside the "
            "others and Krippendorff’s alpha are over all."
        )
    for line in made.judges:
        name = _name(line, made)
        if line.agreement.without_verdict:
            yield (
                f"{name}: {line.agreement.without_verdict:,} labelled pairs lack a verdict in an order that was "
                "asked; they don't enter the agreement of the pair's verdict, and are no disagreement."
            )
        if line.over_time.undated and line.over_time.periods:
            yield f"{name}: {line.over_time.undated:,} labels have no date and don't enter the agreement over time."
    yield (
        "Consensus is what most annotators of a pair prefer, each by their last label of it; where the most frequent "
        "preferences are as many, it is a tie. Where labels are one a pair, it is that label."
    )
    yield (
        "Prediction-powered win rates hold if the labelled pairs were drawn at random from the judged ones. Labels of "
        "pairs chosen otherwise (hard ones, or a review queue) describe those pairs alone."
    )
