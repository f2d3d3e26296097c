"""An estimate from a short run."""

from evenhand.judges.hf.batches import Limits
from evenhand.judges.hf.estimate import estimate
from evenhand.judges.hf.forward import Forward
from judges.tiny_models import LLAMA3, loaded


def test_seconds_grow_with_what_is_to_be_written(tiny):
    forward = Forward(loaded(tiny(LLAMA3))[1].model, reuse_prefix=True)
    cost = estimate(forward, words=list(range(200)), prompt=5000, low=10, high=900, limits=Limits(tokens=4096, rows=64))
    assert (cost.prompt_tokens, cost.completion_tokens_low, cost.completion_tokens_high) == (5000, 10, 900)
    assert 0 < cost.seconds_low < cost.seconds_high
    assert "4 rows of 128 + 8 tokens" in cost.basis


def test_a_tiny_context_and_single_rows_are_enough(tiny):
    forward = Forward(loaded(tiny(LLAMA3))[1].model, reuse_prefix=True)
    cost = estimate(forward, words=[1, 2, 3], prompt=10, low=1, high=1, limits=Limits(tokens=4, rows=1))
    assert cost.seconds_low == cost.seconds_high
    assert "1 rows of 3 + 3 tokens" in cost.basis
