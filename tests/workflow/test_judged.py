import inspect
import math

import pytest

from evenhand.errors import DataError
from evenhand.probes.activation_files import VerdictFacts
from evenhand.records import (
    Completion,
    Condition,
    DataIdentity,
    FinishReason,
    FirstToken,
    JudgeIdentity,
    LabelSet,
    LabelTokens,
    Outcome,
    Readout,
    RunManifest,
    TokenLogProb,
)
from evenhand.workflow.judged import Judged, Lost, ProbedCondition, read_judged

LABELS = LabelSet.parse("A/B/T")
TOKENS = tuple(
    LabelTokens(label=label, variant=variant, token_id=token)
    for label, variant, token in (("A", "A", 5), ("A", " A", 6), ("B", "B", 7), ("B", " B", None), ("T", "T", 8))
)
FACTS = VerdictFacts(verdict_index=4, label_ids=(5, 6, 7, 8), label_logits=(1.0, 0.0, -2.0, 9.0))


def asked(readout=Readout.GENERATED, labels=LABELS):
    condition = Condition(id="c", prompt="p", prompt_hash="0", labels=labels)
    return ProbedCondition.of(manifest((condition,), (readout.value,)), readout)


def manifest(conditions, readouts):
    return RunManifest(
        kind="live",
        judge=JudgeIdentity(spec="x", model="x"),
        data=DataIdentity(spec="x", pairs=1, sha256="0"),
        conditions=conditions,
        readouts=readouts,
        label_tokens=(("c", TOKENS),),
    )


def wrote(text, reason=FinishReason.STOP):
    return Completion(text=text, finish_reason=reason)


def test_a_verdict_with_its_confidence_and_margin():
    got = read_judged(wrote("It is.\n75\nB"), FACTS, asked())
    assert got == Judged(
        outcome=Outcome.SECOND,
        confidence=75.0,
        margin=pytest.approx(math.log(math.exp(1.0) + math.exp(0.0)) + 2.0),
        verdict_index=4,
    )


def test_large_logits_make_no_overflow():
    facts = VerdictFacts(verdict_index=4, label_ids=(5, 6, 7), label_logits=(1000.0, 1000.0, -1000.0))
    got = read_judged(wrote("It is.\n75\nB"), facts, asked())
    assert got.margin == pytest.approx(2000 + math.log(2))


FAILED = Completion(text=None, finish_reason=FinishReason.ERROR, error="prompt of 9 tokens does not fit the context")
BROKEN = Completion(text=None, finish_reason=FinishReason.ERROR, error="out of memory")


@pytest.mark.parametrize(
    ("completion", "facts", "reason"),
    [
        (None, None, "not asked yet"),
        (FAILED, None, "too long for the judge's context"),
        (BROKEN, None, "the call failed"),
        (wrote("It is.\n75\nB", FinishReason.LENGTH), FACTS, "cut off at the token budget"),
        (wrote(None, FinishReason.FILTERED), FACTS, "withheld by a filter"),
        (wrote("B"), FACTS, "format: fewer than three lines"),
        (wrote("It is.\nvery\nB"), FACTS, "format: no confidence"),
        (wrote("It is.\n75\nT"), FACTS, "verdict: tie"),
        (wrote("It is.\n75\nB"), None, "no activation was kept"),
        (
            wrote("It is.\n75\nB"),
            VerdictFacts(verdict_index=None, label_ids=(5,), label_logits=None),
            "the label is part of a longer token",
        ),
    ],
)
def test_each_way_to_be_lost_has_its_reason(completion, facts, reason):
    assert read_judged(completion, facts, asked()) == Lost(reason=reason)


def test_the_judge_s_own_refusal_of_a_long_prompt_is_known():
    from evenhand.judges.hf import judge

    assert "fit the context of" in inspect.getsource(judge)


def test_a_first_token_is_read_whatever_would_have_been_written():
    def at(first, second):
        token = TokenLogProb(text="The", token_id=99, logprob=-0.1)
        labels = (
            (Outcome.FIRST, (TokenLogProb(text="A", token_id=5, logprob=first),)),
            (Outcome.SECOND, (TokenLogProb(text="B", token_id=7, logprob=second),)),
        )
        return Completion(
            text=None,
            finish_reason=FinishReason.NOT_GENERATED,
            first_token=FirstToken(argmax=token, labels=labels),
        )

    facts = VerdictFacts(verdict_index=0, label_ids=(5, 6, 7), label_logits=(0.0, -90.0, 3.0))
    for readout in (Readout.FIRST_TOKEN, Readout.PREFILLED):
        got = read_judged(at(-5.0, -3.0), facts, asked(readout, LabelSet.parse("A/B")))
        assert got.outcome is Outcome.SECOND
        assert math.isnan(got.confidence)
        assert got.margin == pytest.approx(-3.0)
        lost = read_judged(at(-3.0, -3.0), facts, asked(readout, LabelSet.parse("A/B")))
        assert lost == Lost(reason="verdict: unparsed")
        nothing = Completion(text=None, finish_reason=FinishReason.NOT_GENERATED)
        assert read_judged(nothing, facts, asked(readout)) == Lost(reason="verdict: unparsed")


def test_a_label_without_a_logit_is_no_margin():
    facts = VerdictFacts(verdict_index=4, label_ids=(5, 6), label_logits=(1.0, 0.0))
    with pytest.raises(DataError, match="no logit of label 'B'"):
        read_judged(wrote("It is.\n75\nB"), facts, asked())


def test_a_run_of_several_conditions_or_of_another_readout_is_refused():
    condition = Condition(id="c", prompt="p", prompt_hash="0", labels=LABELS)
    other = Condition(id="d", prompt="p", prompt_hash="0", labels=LABELS)
    with pytest.raises(DataError, match=r"2 conditions \(c; d\).*collect again"):
        ProbedCondition.of(manifest((condition, other), ("generated",)), Readout.GENERATED)
    with pytest.raises(DataError, match="read as first-token, its activations"):
        ProbedCondition.of(manifest((condition,), ("first-token",)), Readout.GENERATED)
    with pytest.raises(DataError, match="no single token"):
        read_judged(wrote("A"), FACTS, asked(Readout.CONSTRAINED))
