"""A run beside people, as a section of its own report and as a study with files of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from evenhand.analysis.study import Claim, Forest, ForestRow, Study, StudyHeadline, StudyStatus
from evenhand.audits.humans.agreement import FEWEST_LABELS, MOST_LISTED
from evenhand.audits.humans.beside import LabelSource, RunBesidePeople
from evenhand.records import RunManifest
from evenhand.report.format import estimate_text, how_many, integer
from evenhand.report.humans_found import AGREEMENT, PEOPLE, SECTION, HumansFound, humans_found, main_place, main_scope
from evenhand.report.humans_tables import beside_tables
from evenhand.report.numbering import claims
from evenhand.report.scope import of_controls, short_names
from evenhand.report.studies.humans_tables import SAME_PEOPLE
from evenhand.stats import Estimate
from evenhand.store import PlanCounts

__all__ = ["beside_study"]


def beside_study(manifest: RunManifest, made: RunBesidePeople, *, counts: PlanCounts) -> Study:
    """Compose the study.

    Parameters
    ----------
    manifest
        The run's.
    made
        What people make of it. Where its labels can't be read the study says so, and has no table.
    counts
        Of the run: while presentations are without an answer, nothing is found good.
    """
    names = short_names(of_controls(manifest))
    found = humans_found(made, names=names)
    return Study(
        kind=SECTION,
        title="Judge and humans",
        subtitle=manifest.judge.model or manifest.judge.spec,
        headline=_of_what_is_there(_headline(made, found, names), counts),
        tables=beside_tables(made, names=names),
        figures=tuple(_figures(made, names)),
        notes=tuple(_notes(made)),
        facts=(
            *_facts(made),
            ("Answered", f"{integer(counts.finished)} of {integer(counts.planned)} presentations"),
        ),
    )


def _headline(made: RunBesidePeople, found: HumansFound, names: Mapping[str, str]) -> StudyHeadline:
    source = made.source
    if source is None:
        return StudyHeadline(
            status="failed", verdict="The human labels of this run can't be read", lead=f"{made.unread}."
        )
    if not made.scopes:
        return StudyHeadline(
            status="failed",
            verdict="No answer stands beside people yet",
            lead=f"{integer(source.labels)} labels by {how_many(source.annotators, 'annotator')} wait for verdicts.",
        )
    main = main_scope(made)
    lead = (
        f"{integer(main.people.labelled)} judged pairs have labels, by {how_many(source.annotators, 'annotator')}; "
        f"{integer(main.people.several)} have labels of two or more."
    )
    rate = main.verdict.rate
    if not isinstance(rate, Estimate):
        status: StudyStatus = "failed"
        few = main.people.labelled < FEWEST_LABELS
        verdict = (
            "Too few labels to hold the judge beside people"
            if few
            else "The judge can't be held beside people yet, although they labelled"
        )
    else:
        status = "bad" if found.below else "good" if found.trust else "undecided"
        gap = main.judge.gap
        beside = f"; judge − person is {estimate_text(gap, 'difference')}" if isinstance(gap, Estimate) else ""
        verdict = f"Agreement with people: {estimate_text(rate)}{beside}{main_place(made, names)}"
    return StudyHeadline(
        status=status,
        verdict=verdict,
        lead=lead,
        rests_on=(AGREEMENT,),
        more=(*found.trust, *found.doubt, *_among(made), *found.more),
        steps=found.steps,
    )


def _of_what_is_there(headline: StudyHeadline, counts: PlanCounts) -> StudyHeadline:
    """The headline with what has no answer: those that were answered may be no sample of all."""
    if counts.finished >= counts.planned:
        return headline
    missing = (
        f"{integer(counts.planned - counts.finished)} of {integer(counts.planned)} presentations of the run have no "
        "answer; the figures are of the others."
    )
    status = "undecided" if headline.status == "good" else headline.status
    return replace(headline, status=status, more=(*claims([missing]), *headline.more))


def _among(made: RunBesidePeople) -> tuple[Claim, ...]:
    """How far people agree with each other."""
    people = main_scope(made).people
    if not isinstance(people.raw, Estimate):
        return claims([f"How far people agree with each other is not known: {people.raw.reason}."], PEOPLE)
    alpha = people.agreement.alpha
    beyond = f"; beyond chance, alpha is {estimate_text(alpha, 'number')}" if isinstance(alpha, Estimate) else ""
    return claims([f"Two people agree on {estimate_text(people.raw)} of their labels of one pair{beyond}."], PEOPLE)


def _figures(made: RunBesidePeople, names: Mapping[str, str]) -> Iterator[Forest]:
    if not made.scopes:
        return
    several = len({scope.condition for scope in made.scopes}) > 1
    rows = [
        ForestRow(
            label=", ".join(
                [names.get(scope.condition, scope.condition), scope.readout.value] if several else [scope.readout.value]
            ),
            estimate=scope.verdict.rate,
            group="judge and people",
        )
        for scope in made.scopes
    ]
    people = main_scope(made).people
    rows.append(ForestRow(label="one person beside the others", estimate=people.agreement.ceiling, group="people"))
    yield Forest(
        id="agreement",
        title="Agreement with people, and people's own",
        x_label="share with the same preference",
        rows=tuple(rows),
        unit="share",
        reference=None,
    )


def _notes(made: RunBesidePeople) -> Iterator[str]:
    source = made.source
    if source is None:
        return
    yield from _states(source)
    if made.scopes:
        people = main_scope(made).people.agreement
        unlisted = people.annotators - len(people.listed)
        if unlisted > 0:
            yield (
                f"Of {integer(people.annotators)} annotators, the {MOST_LISTED} with most labels are beside each other "
                "in the table; every figure else is over all."
            )
    match made.asked:
        case "both":
            pass
        case "single":
            yield "Each pair was shown in one order: its verdict holds what that order did to it, and no pair flips."
        case "AB":
            yield (
                "Order BA was asked of chosen pairs, which are no sample: every figure is of order AB, and nothing is "
                "split by flips."
            )
        case "none":
            yield "Each response was judged by itself: a pair's verdict is what its two scores make, and no pair flips."
    yield (
        "Consensus is what most annotators of a pair prefer, each by their last label of it; where the most frequent "
        "preferences are as many, it is a tie."
    )
    yield SAME_PEOPLE
    yield (
        "The figures are those of evenhand humans on the same labels, which also has agreement with each annotator, "
        "over time, and win rates. They describe the labelled pairs, and others where those were drawn at random."
    )


def _states(source: LabelSource) -> Iterator[str]:
    """Labels that don't enter, and those that aren't blind or no random sample."""
    for count, text in (
        (source.skipped, "Labels that say “can’t tell”: {count}. They are no ties, and enter no figure."),
        (source.empty, "Rows of the label file without a preference: {count}. They are no ties, and enter no figure."),
        (source.changed, "Labels of pairs that have other texts by now: {count}. They count nowhere."),
        (source.elsewhere, "Labels of pairs that were not judged in this run: {count}. They don’t enter."),
        (source.after_results, "Labels given after a look at results, which are not blind: {count}."),
        (
            source.informative,
            "Labels of pairs picked since judges flip or disagree there: {count}. They are no sample.",
        ),
    ):
        if count:
            yield text.format(count=integer(count))
    if not source.blind:
        yield "The labels come from a file: whether they were given blind it does not say."


def _facts(made: RunBesidePeople) -> Iterator[tuple[str, str]]:
    source = made.source
    if source is None:
        return
    yield "Labels", f"{source.path} (sha256:{source.sha256})"
    yield "Labels that count", integer(source.labels)
    yield "Annotators", integer(source.annotators)
    if made.scopes:
        yield "clusters", f"{made.resampled_by}s"
        yield "Resamples", integer(made.resamples)
        yield "Confidence level", f"{made.level:g}"
        yield "Seed", str(made.seed)
