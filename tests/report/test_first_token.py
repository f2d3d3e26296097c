"""The story of the first token, told of figures that a low-compliance judge really gives."""

from dataclasses import replace

import pytest

from evenhand.analysis import AuditResult, Finding, FindingKind, Measure, OutcomeCount
from evenhand.records import Order, Outcome, Readout
from evenhand.report.first_token import (
    COMPLIANT_ENOUGH,
    clear_differences,
    comparison_sentences,
    first_token_steps,
    label_sets_step,
    low_compliance,
    own_token_sentence,
)
from evenhand.report.headline import build_headline
from evenhand.report.scope import scopes_of
from evenhand.stats import Estimate, Interval, Refusal, TestResult
from evenhand.store import PlanCounts

DONE = PlanCounts(planned=24, finished=24)


def share(count, n, low, high):
    return Estimate(value=count / n, interval=Interval(low=low, high=high), n=n, count=count, clusters=n)


def pp(value, low, high):
    return Estimate(value=value, interval=Interval(low=low, high=high), n=60, clusters=60)


def finding(readout, flips, *, condition="A/B", compliance=None, pairs_compliance=None, states=None, tests=(), more=()):
    states = states or {Outcome.FIRST: 24}
    return Finding(
        kind=FindingKind.READOUT,
        condition=condition,
        readout=readout,
        pairs=12,
        presentations=24,
        outcomes=tuple(OutcomeCount(order=Order.AB, outcome=o, count=n) for o, n in states.items()),
        measures=(
            Measure(name="compliance_presentations", estimate=compliance or share(3, 24, 0.027, 0.42)),
            Measure(name="compliance_pairs", estimate=pairs_compliance or share(1, 12, 0.015, 0.354)),
            Measure(name="flip_rate", estimate=flips),
            *more,
        ),
        tests=tests,
        table=(("same preference, decided", 1), ("first slot twice", 1), ("second slot twice", 0)),
    )


LEANS = {
    "more": (
        Measure(name="position_bias_strength", estimate=pp(0.75, 0.27, 1.0)),
        Measure(name="first_position_bias_rate", estimate=share(10, 11, 0.62, 0.98)),
    ),
    "tests": (
        TestResult(
            name="exact binomial, first-slot against second-slot locks, Holm-adjusted over 3 conditions and readouts",
            p_value=0.035,
            log10_p=-1.456,
            n=11,
        ),
    ),
}
FIRST = finding(Readout.FIRST_TOKEN, share(11, 12, 0.646, 0.985), **LEANS)
MUTE = finding(
    Readout.GENERATED,
    Refusal(reason="needs at least 5 clusters, has 2", n=2),
    states={Outcome.FIRST: 8, Outcome.UNPARSED: 15, Outcome.REFUSED: 1},
)


def difference(subset, estimate, pairs=2):
    return Finding(
        kind=FindingKind.FORCED_MINUS_GENERATED,
        condition="A/B",
        subset=subset,
        pairs=pairs,
        measures=(Measure(name="flip_difference", estimate=estimate),),
    )


def audit_of(*findings):
    return AuditResult(audit="position", findings=findings, resamples=9, level=0.95, seed=0, resampled_by="source")


def headline(*findings):
    return build_headline(audit_of(*findings), counts=DONE, single_order=False)


def test_the_whole_story_where_the_judge_hardly_answers():
    told = headline(FIRST, MUTE, difference("all", Refusal(reason="needs at least 5 clusters", n=2)))
    assert told.status == "sensitive"
    assert told.verdict == "Position bias found in the first token, which is seldom this judge's verdict"
    assert told.lead.endswith(
        "Read from what the judge wrote, no flip rate can be given: only 2 of 12 pairs were decided in both orders "
        "(needs at least 5 clusters, has 2)."
    )
    assert "—" not in told.lead
    assert told.doubt[0].text.startswith(
        "On 21 of 24 presentations the judge's own first token was not a verdict, so the first-token readout reports a "
        "choice that the judge did not make there"
    )
    text = " ".join(told.meaning)
    assert "8 of 24 presentations (33.3 %) ended in a verdict; the rest: 15 unparsed and 1 refused." in text
    assert "can't be compared on the same pairs: only 2 of 12 pairs were decided by both" in text
    assert "larger judge" in told.next_steps[0]
    assert "33.3 %" in told.next_steps[0]


def test_a_generated_readout_that_leans_too_is_plain_bias():
    written = finding(Readout.GENERATED, share(9, 12, 0.5, 0.9), **LEANS)
    assert headline(FIRST, written).verdict == "Position bias found (first-token and generated readouts)"


@pytest.mark.parametrize(("high", "low"), [(COMPLIANT_ENOUGH - 0.01, True), (COMPLIANT_ENOUGH, False)])
def test_low_means_the_whole_interval_is_low(high, low):
    scopes = scopes_of(audit_of(replace(FIRST, measures=(
        Measure(name="compliance_presentations", estimate=share(12, 24, 0.3, high)),))))  # fmt: skip
    assert bool(low_compliance(scopes)) is low
    assert bool(own_token_sentence(scopes)) is low


def test_it_is_not_told_of_the_generated_readout():
    assert own_token_sentence(scopes_of(audit_of(MUTE))) == []


def test_non_compliant_pairs_carry_the_difference():
    audit = audit_of(
        FIRST,
        difference("all", pp(0.5, 0.36, 0.63), 58),
        difference("compliant", pp(0.08, -0.05, 0.21), 25),
        difference("non-compliant", pp(0.74, 0.58, 0.88), 33),
    )
    (sentence,) = comparison_sentences(audit, scopes_of(audit))
    assert sentence == (
        "On the same pairs the first-token readout shows more flips than the generated one: +50.0 pp [+36.0, +63.0]. "
        "The non-compliant pairs carry it: +74.0 pp [+58.0, +88.0] on the 33 non-compliant pairs; "
        "+8.0 pp [−5.0, +21.0] on the 25 compliant pairs."
    )


def test_no_part_carries_a_difference_that_both_show():
    audit = audit_of(
        FIRST,
        difference("all", pp(0.5, 0.36, 0.63), 58),
        difference("compliant", pp(0.4, 0.2, 0.6), 25),
        difference("non-compliant", pp(0.74, 0.58, 0.88), 33),
    )
    assert "carry" not in comparison_sentences(audit, scopes_of(audit))[0]


def test_no_difference_is_no_finding():
    audit = audit_of(FIRST, difference("all", pp(0.0, -0.05, 0.05), 58))
    assert "can't be told apart" in comparison_sentences(audit, scopes_of(audit))[0]


def test_where_the_judge_writes_verdicts_it_is_to_be_read_from_them():
    audit = audit_of(FIRST, finding(Readout.GENERATED, share(3, 12, 0.1, 0.5)))
    (step,) = first_token_steps(audit, scopes_of(audit))
    assert "read what it writes" in step
    assert "no way out" not in step


@pytest.mark.parametrize(("bounds", "offered"), [((0.9, 0.98), True), ((0.69, 0.86), False)])
def test_hybrid_is_offered_where_its_verdicts_may_be_those_of_the_text(bounds, offered):
    low, high = bounds
    measures = (
        Measure(name="generation_saved", estimate=share(60, 100, 0.5, 0.7)),
        Measure(name="hybrid_fidelity", estimate=share(round(50 * (low + high)), 100, low, high)),
    )
    hybrid = Finding(kind=FindingKind.HYBRID, condition="A/B", readout=Readout.HYBRID, measures=measures)
    audit = audit_of(FIRST, finding(Readout.GENERATED, share(3, 12, 0.1, 0.5)), hybrid)
    (step,) = first_token_steps(audit, scopes_of(audit))
    assert (
        "saves up to 60.0 % of generation; its verdict is that of the text on 94.0 % [90.0, 98.0]" in step
    ) is offered
    assert ("hybrid" in step) is offered


def sets(*rates):
    return scopes_of(
        audit_of(
            *(
                finding(Readout.FIRST_TOKEN, share(9, 12, 0.5, 0.9), condition=name, pairs_compliance=rate)
                for name, rate in rates
            )
        )
    )


def test_label_sets_whose_intervals_overlap_are_not_ranked():
    (step,) = label_sets_step(sets(("A/B", share(24, 60, 0.28, 0.53)), ("1/2", share(17, 60, 0.18, 0.41))))
    assert step == (
        "Highest compliance seen in the 2 conditions tried: A/B, 40.0 % [28.0, 53.0] of pairs; its interval overlaps "
        "that of 1/2 (28.3 % [18.0, 41.0]), so these data don't rank them."
    )


def test_a_label_set_clear_of_the_others_is_named():
    (step,) = label_sets_step(sets(("X/Y", share(0, 60, 0.0, 0.06)), ("A/B", share(24, 60, 0.28, 0.53))))
    assert step.endswith("A/B, 40.0 % [28.0, 53.0] of pairs; the next is X/Y (0 % [0, 6.0]).")


def test_one_label_set_is_not_compared():
    assert label_sets_step(sets(("A/B", share(24, 60, 0.28, 0.53)))) == []


def test_pairs_enough_in_too_few_clusters_are_not_called_few():
    few = difference("all", Refusal(reason="needs at least 5 clusters, has 3", n=12))
    text = " ".join(headline(FIRST, MUTE, replace(few, pairs=12)).meaning)
    assert (
        "can't be compared on the same pairs: 12 of 12 pairs were decided by both, but in too few clusters "
        "(needs at least 5 clusters, has 3)."
    ) in text


def test_one_of_several_conditions_is_clear_by_holm_alone():
    def compared(condition, estimate):
        return Finding(
            kind=FindingKind.FORCED_MINUS_GENERATED,
            condition=condition,
            subset="all",
            pairs=60,
            presentations=120,
            measures=(Measure(name="flip_difference", estimate=estimate),),
        )

    barely, clear = pp(0.11, 0.01, 0.21), pp(0.3, 0.2, 0.4)

    def of(*estimates):
        found = tuple(compared(f"c{index}", estimate) for index, estimate in enumerate(estimates))
        audit = AuditResult(audit="position", findings=found, resamples=9, level=0.95, seed=0, resampled_by="source")
        [sentence] = comparison_sentences(audit, ())
        return [estimate for _, estimate in clear_differences(audit)], sentence

    assert of(barely)[0] == [barely]
    found, sentence = of(barely, barely, barely)
    assert found == []
    assert "can't be told apart" in sentence
    assert "the largest of 3 conditions; by Holm's adjustment it isn't clear of 0" in sentence
    found, sentence = of(clear, barely, pp(0.0, -0.1, 0.1))
    assert found == [clear]
    assert "(c0; clear of 0 in 1 of 3 conditions by Holm's adjustment)" in sentence
