"""A run beside people: scopes of the same pairs share what is said of people."""

from audits.humans.label_tables import labelled, sampler
from evenhand.audits.humans.agreement import human_agreement, judge_agreement
from evenhand.audits.humans.beside import LabelledScope, beside_people
from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.records import Readout
from evenhand.stats import Estimate

ROWS = [*["AA|AA"] * 12, *["AB|AB"] * 6, *["BB|BB-"] * 8, *["AA|A--"] * 3, *["A-|A--"] * 2, *["BB|---"] * 4]


def scope(pairs: LabelledPairs, readout: Readout = Readout.GENERATED) -> LabelledScope:
    own = sampler(pairs)
    return LabelledScope(condition="c", readout=readout, pairs=pairs, sampler=own, unit="question group")


def test_each_scope_has_the_figures_of_the_parts() -> None:
    pairs = labelled(*ROWS)
    (made,) = beside_people([scope(pairs)], resamples=100)
    assert made.judge == judge_agreement(pairs, sampler(pairs))
    assert made.people.agreement == human_agreement(pairs, sampler(pairs), resamples=100)
    assert made.verdict == made.judge.against_consensus[-1]
    assert (made.people.labelled, made.people.several) == (31, 26)
    assert (made.judge.unlabelled, made.judge.without_verdict) == (4, 2)
    assert isinstance(made.people.raw, Estimate)
    assert made.people.raw.count == 20
    assert made.by_flip is not None
    assert made.by_flip.flips == 6


def test_people_are_measured_once_on_the_same_pairs_and_anew_on_others() -> None:
    pairs, fewer = labelled(*ROWS), labelled(*ROWS[:20])
    made = beside_people([scope(pairs), scope(pairs, Readout.FIRST_TOKEN), scope(fewer)], resamples=100)
    assert made[0].people is made[1].people
    assert made[2].people.labelled == 20


def test_no_scope_gives_nothing() -> None:
    assert beside_people([], resamples=10) == ()
