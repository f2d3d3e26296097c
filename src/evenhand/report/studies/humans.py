"""Judges beside people, as a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.analysis.study import (
    Claim,
    Forest,
    ForestRow,
    LineChart,
    Series,
    Study,
    StudyFigure,
    StudyHeadline,
)
from evenhand.audits.humans.agreement import FEWEST_LABELS, MOST_LISTED, Agreement
from evenhand.audits.humans.comparison import HumanComparison, JudgedByPeople
from evenhand.report.format import estimate_text, how_many, integer, p_text
from evenhand.report.numbering import claims
from evenhand.report.phrases import listed
from evenhand.report.several import clear_of_zero
from evenhand.report.studies.humans_tables import SAME_PEOPLE, adjusted_trends, human_tables, judge_name
from evenhand.stats import Estimate, Refusal

__all__ = ["humans_study"]

_ALPHA = 0.05
_AGREEMENT, _CEILING = "table-agreement", "table-ceiling"


def humans_study(made: HumanComparison) -> Study:
    """Compose the study."""
    return Study(
        kind="humans",
        title="Judges beside people",
        subtitle="; ".join(dict.fromkeys(f"{line.agreement.judge} ({line.run})" for line in made.judges)),
        headline=_headline(made),
        tables=human_tables(made),
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


def _headline(made: HumanComparison) -> StudyHeadline:
    known = [line for line in made.judges if isinstance(_both(line).rate, Estimate)]
    pairs = (
        f"{how_many(made.labelled, 'judged pair has', 'judged pairs have')} labels, by "
        f"{how_many(made.people.annotators, 'annotator')}."
    )
    if not known:
        return StudyHeadline(
            status="failed",
            verdict="No judge can be compared with people",
            lead=pairs,
            rests_on=(_AGREEMENT,),
            more=claims(_refused(made), _AGREEMENT),
            steps=claims(
                [
                    "Label more of the judged pairs."
                    if made.labelled < FEWEST_LABELS
                    else "Finish the runs, or label more of the pairs that have a verdict, of other questions too."
                ],
                _AGREEMENT,
            ),
        )
    below = _below(known)
    first = _both(known[0])
    verdict = f"Agreement with people: {estimate_text(first.rate, 'share')}"
    if len(known) > 1:
        best = max(known, key=lambda line: _value(_both(line).rate))
        verdict = f"Highest agreement with people: {judge_name(best, made)}, {estimate_text(_both(best).rate, 'share')}"
    return StudyHeadline(
        status="bad" if below else "described",
        verdict=verdict,
        lead=pairs,
        rests_on=(_AGREEMENT,),
        more=(
            *claims(_ceiling(made), "table-people"),
            *_against_ceiling(made, known),
            *claims(_not_compared(known), _AGREEMENT),
            *claims(_trends(made), "table-trend"),
            *claims(_win_sentences(made), "table-win-rates"),
        ),
        steps=tuple(_next(made, below)),
    )


def _refused(made: HumanComparison) -> Iterator[str]:
    for line in made.judges:
        found = _both(line).rate
        if isinstance(found, Refusal):
            yield f"{judge_name(line, made)}: {found.reason}."


def _value(found: object) -> float:
    return found.value if isinstance(found, Estimate) else float("-inf")


def _below(lines: Sequence[JudgedByPeople]) -> list[JudgedByPeople]:
    """Those that are shown to agree less than one more person does, Holm-adjusted over the judges."""
    gaps = [(line, gap) for line in lines if isinstance(gap := line.agreement.gap, Estimate)]
    return [line for line, gap in clear_of_zero(gaps) if gap.value < 0]


def _ceiling(made: HumanComparison) -> Iterator[str]:
    ceiling = made.people.ceiling
    if isinstance(ceiling, Estimate):
        yield f"One person agrees with the consensus of the others on {estimate_text(ceiling, 'share')}."


def _against_ceiling(made: HumanComparison, known: Sequence[JudgedByPeople]) -> Iterator[Claim]:
    for line in known:
        name, kappa, gap = judge_name(line, made), _both(line).kappa, line.agreement.gap
        beyond = f", kappa {estimate_text(kappa, 'number')}" if isinstance(kappa, Estimate) else ""
        yield from claims([f"{name}: agreement {estimate_text(_both(line).rate, 'share')}{beyond}."], _AGREEMENT)
        if isinstance(gap, Estimate):
            beside = f"{name} and one more person beside the same others: judge minus person is"
            yield from claims([f"{beside} {estimate_text(gap, 'difference')}."], _CEILING)


def _not_compared(known: Sequence[JudgedByPeople]) -> Iterator[str]:
    if len(known) > 1:
        yield (
            "The judges are not tested against each other: the highest of several figures is too high on average, and "
            "each is of the pairs that this judge gave a verdict."
        )


def _trends(made: HumanComparison) -> Iterator[str]:
    for line, test in zip(made.judges, adjusted_trends(made), strict=True):
        trend = line.over_time.trend
        if test is not None and test.p_value < _ALPHA and isinstance(trend, Estimate):
            way = "falls" if trend.value < 0 else "rises"
            yield (
                f"{judge_name(line, made)}: agreement {way} over the labels' dates, by "
                f"{estimate_text(trend, 'number')} log-odds in 30 days ({p_text(test)}). The labels of "
                "other times may be of other pairs and people."
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


def _next(made: HumanComparison, below: Sequence[JudgedByPeople]) -> Iterator[Claim]:
    if below:
        who = listed([judge_name(line, made) for line in below[:MOST_LISTED]])
        more = f" (and {integer(len(below) - MOST_LISTED)} more)" if len(below) > MOST_LISTED else ""
        agree, them = ("agrees", "it") if len(below) == 1 else ("agree", "them")
        yield from claims(
            [
                f"{who}{more} {agree} with people less than one more person does: calibrate {them}, or let people "
                "decide."
            ],
            _CEILING,
        )
    if made.people.annotators < 2:
        yield from claims(
            ["Let a second person label some of the pairs: without it nobody knows how far people agree at all."],
            "table-people",
        )
    yield from claims(
        ["Label again every few weeks, on pairs drawn at random, so that drift and win rates can be told."],
        "table-over-time",
        "table-win-rates",
        "notes",
    )


def _figures(made: HumanComparison) -> Iterator[StudyFigure]:
    rows = [
        ForestRow(label=f"{each.first} beside {each.second}", estimate=each.rate, group=judge_name(line, made))
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
    return Series(label=judge_name(line, made), x=tuple(map(float, range(len(periods)))), y=values, low=low, high=high)


def _notes(made: HumanComparison) -> Iterator[str]:
    yield from made.notes
    labels = made.labels
    if labels.empty:
        yield how_many(
            labels.empty,
            "row of the label file has no preference: nobody labelled it; it is no tie.",
            "rows of the label file have no preference: nobody labelled them; they are no ties.",
        )
    if labels.elsewhere:
        yield how_many(
            labels.elsewhere,
            "label is of a pair that was not judged; it doesn't enter.",
            "labels are of pairs that were not judged; they don't enter.",
        )
    unlisted = made.people.annotators - len(made.people.listed)
    if unlisted > 0:
        yield (
            f"Of {made.people.annotators:,} annotators, the {len(made.people.listed)} with most labels are listed by "
            f"name and beside each other; {unlisted:,} are not listed. Consensus, the figure of one person beside the "
            "others and Krippendorff’s alpha are over all."
        )
    for line in made.judges:
        name = judge_name(line, made)
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
    yield SAME_PEOPLE
    yield (
        "Prediction-powered win rates hold if the labelled pairs were drawn at random from the judged ones. Labels of "
        "pairs chosen otherwise (hard ones, or a review queue) describe those pairs alone."
    )
