"""What the comparison of whole judges in test_vllm_judge.py can't bring about: results that are wrong or missing."""

import pytest

from evenhand.judges import Generate, JudgeRequest
from evenhand.judges.hf.constrain import Constraint
from evenhand.judges.hf.tokens import TokenTexts, label_tokens
from evenhand.judges.vllm.course import Course, Passed, room
from evenhand.records import FinishReason, LabelSet
from judges.tiny_models import QWEN3, tokenizer_of

LABELS = LabelSet.parse("A/B")
END = 7


@pytest.fixture(scope="module")
def texts():
    return TokenTexts(tokenizer_of(QWEN3))


def course(texts, *, constraint=None, **settings):
    settings = {"labels": LABELS, "budgets": (3, 6)} | settings
    return Course(
        index=0,
        request=JudgeRequest(messages=(), **settings),
        prompt=(1, 2, 3),
        variants=label_tokens(texts, LABELS, model="tiny"),
        texts=texts,
        ends=frozenset({END}),
        constraint=constraint,
    )


def first(texts, text="A"):
    ids = [variant.token_id for variant in label_tokens(texts, LABELS, model="tiny")]
    token = texts.single(text)
    return Passed(tokens=(token,), stopped=False, first=dict.fromkeys([*ids, token], -1.5))


def test_the_first_position_is_a_pass_of_its_own(texts):
    made = course(texts)
    asked = made.next()
    assert (asked.prompt, asked.max_tokens, asked.allowed) == ((1, 2, 3), 1, ())
    assert len(asked.logprob_ids) == 4
    assert made.take(first(texts, "X")) is None
    asked = made.next()
    assert (asked.prompt, asked.max_tokens, asked.logprob_ids) == ((1, 2, 3, texts.single("X")), 2, ())
    done = made.take(Passed(tokens=(texts.single("A"), END), stopped=True))
    assert (done.text, done.finish_reason, done.budget) == ("XA", FinishReason.STOP, 3)
    assert (done.usage.completion_tokens, done.usage.calls) == (2, 2)


def test_without_it_all_is_written_at_once(texts):
    made = course(texts, first_token=False)
    asked = made.next()
    assert (asked.max_tokens, asked.logprob_ids) == (3, ())


def test_an_end_that_only_the_engine_knows_is_one(texts):
    made = course(texts, first_token=False)
    done = made.take(Passed(tokens=(texts.single("A"), texts.single("B")), stopped=True))
    assert (done.text, done.finish_reason) == ("A", FinishReason.STOP)


@pytest.mark.parametrize(
    ("passed", "text", "retryable"),
    [
        (Passed(tokens=(), stopped=False, error="vllm ended the request with 'abort'"), "'abort'", True),
        (Passed(tokens=(), stopped=False), "wrote nothing", True),
        (Passed(tokens=(5,), stopped=False, first={5: -1.0}), "no log probability", True),
    ],
)
def test_what_did_not_come_is_a_stated_error(texts, passed, text, retryable):
    done = course(texts).take(passed)
    assert done.finish_reason is FinishReason.ERROR
    assert text in done.error
    assert done.retryable is retryable
    assert done.text is None


def test_logits_that_are_no_numbers(texts):
    token = texts.single("A")
    passed = Passed(tokens=(token,), stopped=False, first=dict.fromkeys(first(texts).first, float("nan")))
    done = course(texts, generate=Generate.NEVER).take(passed)
    assert "not finite" in done.error
    assert not done.retryable


def test_a_label_that_a_longer_one_begins_with_may_end(texts):
    constraint = Constraint(spellings={(5,): "A", (5, 6): "AB"})
    made = course(texts, constraint=constraint, constrained=True, first_token=False)
    assert made.next().allowed == (5,)
    assert made.take(Passed(tokens=(5,), stopped=False)) is None
    assert made.next().allowed == (6, END)
    done = made.take(Passed(tokens=(END,), stopped=True))
    assert (done.text, done.finish_reason) == ("A", FinishReason.STOP)


def test_what_was_not_allowed_is_an_error(texts):
    made = course(texts, constraint=Constraint(spellings={(5,): "A"}), constrained=True, first_token=False)
    assert "not allowed" in made.take(Passed(tokens=(9,), stopped=False)).error


def test_room(texts):
    request = JudgeRequest(messages=(), labels=LABELS, budgets=(3, 6))
    assert room(request, None) == 6
    assert room(JudgeRequest(messages=(), labels=LABELS, generate=Generate.NEVER), None) == 1
    assert room(request, Constraint(spellings={(5,): "A", (5, 6): "AB"})) == 3
