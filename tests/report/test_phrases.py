from dataclasses import replace

from evenhand.analysis import AuditResult, Finding, FindingKind, Measure, OutcomeCount
from evenhand.records import Order, Outcome, Readout
from evenhand.report.headline import build_headline
from evenhand.report.phrases import PHRASES, compliance_sentence, decided_sentence, flip_sentences, told_readouts
from evenhand.report.scope import compliance_of, scopes_of
from evenhand.stats import Estimate, Interval, Refusal
from evenhand.store import PlanCounts

UNKNOWN = Refusal(reason="compliance is unknown: it needs the most probable first token", n=0)


def share(count, n, low=0.274, high=0.45):
    return Estimate(value=count / n, interval=Interval(low=low, high=high), n=n, count=count, clusters=n)


def finding(readout, flips, *, condition="arena", compliance=UNKNOWN, pairs=270, decided=129, more=()):
    return Finding(
        kind=FindingKind.READOUT,
        condition=condition,
        readout=readout,
        pairs=pairs,
        presentations=2 * pairs,
        outcomes=(OutcomeCount(order=Order.AB, outcome=Outcome.FIRST, count=2 * pairs),),
        measures=(
            Measure(name="flip_rate", estimate=flips),
            Measure(name="compliance_pairs", estimate=compliance),
            *more,
        ),
        table=(("same preference, decided", decided), ("first slot twice", 0), ("second slot twice", 0)),
    )


def log(ours, theirs):
    disagreement = Finding(
        kind=FindingKind.LOG,
        condition="arena",
        readout=Readout.GENERATED,
        measures=(Measure(name="log_disagreement", estimate=share(5, 540, 0.004, 0.022)),),
    )
    return AuditResult(
        audit="position",
        findings=(finding(Readout.GENERATED, ours), finding(Readout.LOGGED, theirs), disagreement),
        resamples=9,
        level=0.95,
        seed=0,
        resampled_by="source",
    )


def told(audit):
    return build_headline(audit, counts=PlanCounts(planned=540, finished=540), single_order=False, from_log=True)


def test_every_readout_has_its_phrases():
    assert set(PHRASES) == set(Readout)


def test_a_log_s_own_reading_that_says_the_same_is_not_told():
    headline = told(log(share(47, 129), share(47, 129)))
    assert "log" not in f"{headline.lead} {' '.join(headline.meaning)}"


def test_a_log_s_own_reading_that_differs_has_one_sentence():
    headline = told(log(share(47, 129, 0.286), share(44, 125)))
    own = [s for s in headline.meaning if "log's own reading" in s]
    assert own == [
        "By the log's own reading the flip rate is 35.2 % [27.4, 45.0] instead. Its parse differs from ours on "
        "0.9 % [0.4, 2.2] of presentations."
    ]
    assert "35.2" not in headline.lead
    assert "as undecided: 36.4 % of the pairs decided in both (generated)" in " ".join(headline.next_steps), (
        "what is told, not what the log says of itself"
    )


def test_a_log_without_text_is_told_by_its_own_reading():
    audit = log(share(47, 129), share(44, 125))
    alone = replace(audit, findings=audit.findings[1:2])
    assert told_readouts(scopes_of(alone)) == [Readout.LOGGED]
    assert "35.2 % [27.4, 45.0] of pairs by the log's own reading" in told(alone).lead


def test_a_log_can_not_be_repeated_by_an_option():
    assert not any("--repeat" in step for step in told(log(share(47, 129), share(44, 125))).next_steps)


def test_unknown_compliance_is_said_once_after_the_flips():
    lead = told(log(share(47, 129), share(44, 125))).lead
    assert lead.startswith("Where both orders were decided, swapping the two responses")
    assert lead.endswith("Compliance is unknown: it needs the most probable first token.")
    assert lead.count("nknown") == 1


def test_a_flip_rate_of_few_pairs_says_of_how_few():
    ties = (Measure(name="inconsistency_rate", estimate=share(80, 265, 0.249, 0.36)),)
    audit = log(share(47, 129), share(44, 125))
    few = replace(audit, findings=(finding(Readout.GENERATED, share(47, 129), more=ties),))
    assert decided_sentence(scopes_of(few), Readout.GENERATED) == (
        "Read from what the judge wrote, 129 of 270 pairs were decided in both orders; the flip rate speaks of those "
        "alone. Of the pairs with a verdict in both, 30.2 % [24.9, 36.0] have a tie in exactly one order."
    )
    most = replace(audit, findings=(finding(Readout.GENERATED, share(47, 260), decided=260),))
    assert decided_sentence(scopes_of(most), Readout.GENERATED) == ""


def conditions(*flips):
    return scopes_of(
        replace(
            log(share(1, 2), share(1, 2)),
            findings=tuple(
                finding(Readout.GENERATED, estimate, condition=name, decided=estimate.n) for name, estimate in flips
            ),
        )
    )


def test_a_refused_figure_is_a_sentence_of_its_own_for_its_condition():
    refused = Refusal(reason="needs at least 5 clusters, has 2", n=2)
    text = flip_sentences(
        conditions(("A/B", share(20, 60)), ("X/Y", refused)), [Readout.GENERATED], apart=False
    )  # fmt: skip
    assert text == (
        "Where both orders were decided, swapping the two responses changed the judge's preference on "
        "33.3 % [27.4, 45.0] (A/B) of pairs when read from what the judge wrote. "
        "Read from what the judge wrote, no flip rate can be given under 1 of the conditions: only 2 "
        "of 270 pairs (X/Y) were decided in both orders (needs at least 5 clusters, has 2)."
    )


def test_pairs_enough_in_too_few_clusters_are_not_called_few():
    refused = Refusal(reason="needs at least 5 clusters, has 3", n=270)
    text = flip_sentences(conditions(("A/B", refused)), [Readout.GENERATED], apart=False)
    assert text == (
        "Read from what the judge wrote, no flip rate can be given: 270 of 270 pairs were decided in both orders, "
        "but in too few clusters (needs at least 5 clusters, has 3)."
    )


def test_equal_figures_are_said_once():
    scopes = conditions(*((name, share(0, 60, 0.0, 0.06)) for name in ("A", "B", "C")))
    assert "on 0 % [0, 6.0] (in each of 3 conditions) of pairs" in flip_sentences(
        scopes, [Readout.GENERATED], apart=False
    )


def test_a_range_names_both_ends():
    scopes = conditions(("A", share(10, 60)), ("B", share(20, 60)), ("C", share(30, 60)))
    assert "on 16.7 % [27.4, 45.0] (A) to 50.0 % [27.4, 45.0] (C) of pairs" in flip_sentences(
        scopes, [Readout.GENERATED], apart=False
    )


def test_compliance_without_any_reason():
    bare = conditions(("A", share(1, 2)))
    stripped = [replace(s, compliance=None) for s in bare]
    assert compliance_sentence(stripped) == "Compliance is unknown: no first-token log probabilities."


def prefilled(readouts):
    return AuditResult(
        audit="position",
        findings=tuple(finding(readout, share(6, 60), compliance=estimate) for readout, estimate in readouts.items()),
        resamples=9,
        level=0.95,
        seed=0,
        resampled_by="source",
    )


def test_compliance_after_a_prefill_is_told_apart_from_the_judge_s_own():
    audit = prefilled({Readout.FIRST_TOKEN: share(12, 60), Readout.PREFILLED: share(48, 60)})
    own, after = scopes_of(audit)
    assert own.compliance.value == 0.2
    assert after.compliance.value == 0.8
    text = compliance_sentence((own, after))
    assert "led with a verdict token on 20.0 %" in text
    assert "After the prefill it did so on 80.0 %" in text


def test_a_prefilled_readout_alone_speaks_of_the_prefill():
    audit = prefilled({Readout.PREFILLED: share(48, 60)})
    assert "went on from the prefill with a verdict token on 80.0 %" in compliance_sentence(scopes_of(audit))


def test_a_constrained_readout_alone_has_the_judge_s_own_compliance():
    audit = prefilled({Readout.PREFILLED: share(48, 60), Readout.CONSTRAINED: share(12, 60)})
    assert compliance_of(audit, "arena").value == 0.2
    assert "20.0 %" in compliance_sentence(scopes_of(audit)).split("After")[0]
