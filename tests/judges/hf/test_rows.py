"""What a row makes of the logits at its last position."""

import math

import pytest
import torch

from evenhand.judges import Generate
from evenhand.judges.hf.constrain import constraint_of
from evenhand.judges.hf.rows import Row, failed, read_logits
from evenhand.judges.hf.tokens import TokenTexts, label_tokens
from evenhand.records import FinishReason, LabelSet, Outcome
from judges.tiny_models import LABELS, LLAMA3, ask, tokenizer_of

TEXTS = TokenTexts(tokenizer_of(LLAMA3))
END = TEXTS.control["<|eot_id|>"].token_id
SIZE = len(TEXTS.tokenizer) + 8


def row(**settings):
    request = ask("Hi.", **settings)
    return Row(
        index=0,
        request=request,
        prompt=[1, 2, 3],
        variants=label_tokens(TEXTS, request.labels, model="m"),
        texts=TEXTS,
        ends=frozenset({END}),
    )


def logits(**best):
    """One position: 0 but for the given texts' tokens (``_`` is a space)."""
    made = torch.zeros(1, SIZE)
    for text, value in best.items():
        made[0, END if text == "end" else TEXTS.single(text.replace("_", " "))] = value
    return made


def test_the_first_position_is_exact_over_the_whole_vocabulary():
    one = row()
    position = torch.randn(1, SIZE, generator=torch.Generator().manual_seed(3)) * 4
    assert read_logits([one], position) == [None]
    exact = torch.log_softmax(position[0].double(), dim=-1)
    first = one.first
    assert first.argmax.token_id == int(position.argmax())
    assert len(first.top) == 20
    listed = [*first.top, *(entry for _, given in first.labels for entry in given)]
    assert all(entry.logprob == pytest.approx(float(exact[entry.token_id]), abs=1e-5) for entry in listed)
    assert [outcome for outcome, _ in first.labels] == [Outcome.FIRST, Outcome.SECOND]
    assert [[entry.text for entry in given] for _, given in first.labels] == [["A", " A"], ["B", " B"]]
    assert sum(math.exp(entry.logprob) for entry in first.top) < 1


def test_half_precision_is_read_in_single():
    one = row()
    read_logits([one], logits(A=3.0).bfloat16())
    assert one.first.argmax.logprob == pytest.approx(float(torch.log_softmax(logits(A=3.0)[0], -1).max()), abs=1e-6)


def test_of_equally_probable_tokens_the_written_one_is_the_argmax():
    one = row()
    position = logits(A=5.0, B=5.0)
    read_logits([one], position)
    assert one.first.argmax.token_id == int(position.argmax()) == one.written[0]


@pytest.mark.parametrize(
    ("generate", "best", "reason"),
    [
        (Generate.NEVER, {"A": 9.0}, FinishReason.NOT_GENERATED),
        (Generate.UNLESS_LED, {"_B": 9.0}, FinishReason.NOT_GENERATED),
        (Generate.UNLESS_LED, {"W": 9.0}, None),
        (Generate.ALWAYS, {"A": 9.0}, None),
        (Generate.ALWAYS, {"end": 9.0}, FinishReason.STOP),
        (Generate.UNLESS_LED, {"end": 9.0}, FinishReason.STOP),
    ],
)
def test_who_goes_on_after_the_first_token(generate, best, reason):
    [completion] = read_logits([row(generate=generate)], logits(**best))
    assert (None if completion is None else completion.finish_reason) is reason
    if reason is FinishReason.STOP:
        assert completion.text == ""
        assert completion.usage.completion_tokens == 0
    if reason is FinishReason.NOT_GENERATED:
        assert (completion.text, completion.budget, completion.usage.completion_tokens) == (None, None, 1)


def test_led_counts_at_the_first_position_only():
    one = row(generate=Generate.UNLESS_LED, budgets=(3,))
    assert read_logits([one], logits(W=9.0)) == [None]
    assert read_logits([one], logits(A=9.0)) == [None]
    [done] = read_logits([one], logits(B=9.0))
    assert (done.text, done.finish_reason, done.budget) == ("WAB", FinishReason.LENGTH, 3)
    assert one.starts == [0, 1, 2]
    assert done.usage.prompt_tokens == 3


def test_logits_that_are_not_numbers_are_an_error_not_an_answer():
    position = logits(A=1.0).repeat(2, 1)
    position[1, 5] = float("nan")
    good, bad = read_logits([row(generate=Generate.NEVER), row()], position)
    assert good.finish_reason is FinishReason.NOT_GENERATED
    assert bad.finish_reason is FinishReason.ERROR
    assert "not finite" in bad.error


def constrained(labels, **settings):
    one = row(constrained=True, **settings)
    single = [(v.label, v.token_id) for v in one.variants]
    one.constraint = constraint_of(TEXTS, labels, single)
    return one


def test_a_constraint_takes_the_label_whose_best_variant_is_largest():
    one = constrained(LABELS)
    [done] = read_logits([one], logits(W=9.0, A=1.0, _B=2.0, _A=1.5))
    assert (done.text, done.finish_reason) == ("B", FinishReason.STOP)
    assert done.first_token.argmax.text == "W"


def test_a_constraint_over_several_tokens_is_written_step_by_step():
    labels = LabelSet.parse("water/wet")
    one = row(constrained=True, first_token=False)
    spelled = constraint_of(TEXTS, labels, [])
    assert {len(ids) for ids in spelled.spellings} != {1}
    one.constraint = spelled
    done, steps = None, 0
    while done is None:
        [done] = read_logits([one], logits(t=9.0, e=1.0))
        steps += 1
    assert done.text in ("water", "wet")
    assert done.usage.completion_tokens == len(one.written) == steps
    assert TEXTS.decode(one.written).strip() == done.text


def test_a_failed_row_keeps_no_answer():
    done = failed(row(), ValueError("too long"))
    assert (done.text, done.finish_reason, done.error, done.first_token) == (None, FinishReason.ERROR, "too long", None)
