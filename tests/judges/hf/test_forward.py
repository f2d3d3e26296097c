"""Padding and shared beginnings change nothing: against the model asked plainly, one row at a time."""

import pytest
import torch
from transformers import AutoModelForCausalLM, MambaConfig

from evenhand.errors import ConfigError
from evenhand.judges.hf.forward import Forward
from judges.tiny_models import FAMILIES, LLAMA3, PHI3, config_of, loaded, tokenizer_of

TOLERANCE = 1e-4
named = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def rows(count, *, start=(), seed=1):
    generator = torch.Generator().manual_seed(seed)
    return [
        [*start, *torch.randint(300, (int(size),), generator=generator).tolist()]
        for size in torch.randint(8, 60, (count,), generator=generator)
    ]


def plain(model, ids):
    """Log probabilities of the next token, from the model as transformers runs it by itself."""
    with torch.no_grad():
        return torch.log_softmax(model(torch.tensor([ids])).logits[0, -1].float(), dim=-1)


def apart(model, logits, ids):
    got = torch.log_softmax(logits.float(), dim=-1)
    return max(float((one - plain(model, row)).abs().max()) for one, row in zip(got, ids, strict=True))


def alone(count):
    return {"units": [[row] for row in range(count)], "shared": [0] * count}


@named
def test_padded_rows_are_as_each_alone(tiny, family):
    model = loaded(tiny(family))[1].model
    ids = rows(5)
    assert len({len(row) for row in ids}) > 2
    got = Forward(model, reuse_prefix=True).prompts(ids, keep=True, **alone(5))
    assert apart(model, got.logits, ids) < TOLERANCE
    assert got.cached == (0,) * 5


@named
def test_writing_on_is_as_reading_it_all(tiny, family):
    model = loaded(tiny(family))[1].model
    forward = Forward(model, reuse_prefix=True)
    ids = rows(3, seed=2)
    held = forward.prompts(ids, keep=True, **alone(3)).held
    for step in range(20):
        more = [(7 * step + row) % 300 for row in range(3)]
        ids = [[*row, token] for row, token in zip(ids, more, strict=True)]
        logits, held = forward.step(more, held)
    assert apart(model, logits, ids) < TOLERANCE


@named
def test_a_shared_beginning_is_as_none(tiny, family):
    model = loaded(tiny(family))[1].model
    ids = [*rows(2, start=range(150), seed=3), *rows(3, start=range(100, 240), seed=4)]
    forward = Forward(model, reuse_prefix=True)
    got = forward.prompts(ids, units=[[0, 1], [2, 3, 4]], shared=[150, 140], keep=True)
    assert got.passes == 2
    assert sum(got.cached) > 300
    assert apart(model, got.logits, ids) < TOLERANCE
    more = [5, 6, 7, 8, 9]
    logits, _ = forward.step(more, got.held)
    assert apart(model, logits, [[*row, token] for row, token in zip(ids, more, strict=True)]) < TOLERANCE


def test_sharing_can_be_switched_off(tiny):
    model = loaded(tiny(LLAMA3))[1].model
    ids = rows(2, start=range(40))
    got = Forward(model, reuse_prefix=False).prompts(ids, units=[[0, 1]], shared=[40], keep=False)
    assert (got.passes, got.cached, got.held) == (1, (0, 0), None)


def test_only_the_last_position_meets_the_vocabulary(tiny):
    model = loaded(tiny(LLAMA3))[1].model
    seen = []
    hook = model.lm_head.register_forward_hook(lambda module, args, output: seen.append(tuple(output.shape)))
    Forward(model, reuse_prefix=True).prompts(rows(4), keep=True, **alone(4))
    hook.remove()
    assert [shape[:2] for shape in seen] == [(4, 1)]


def phi(**changes):
    tokenizer = tokenizer_of(PHI3)
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(
        config_of(PHI3, tokenizer, original_max_position_embeddings=32, **changes)
    ).eval()


def test_where_rotary_scaling_changes_is_known_and_never_crossed_in_a_batch():
    factors = {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [4.0] * 4, "rope_theta": 10_000.0}
    model = phi(rope_parameters={**factors, "original_max_position_embeddings": 32})
    forward = Forward(model, reuse_prefix=True)
    assert forward.rotary_switch == 32
    assert [forward.is_long(length) for length in (31, 32, 33)] == [False, False, True]
    # A long row's beginning must not be computed by itself, for it would be scaled as a short one.
    ids = rows(2, start=range(30), seed=5)
    ids = [row + [1] * (40 - len(row)) if len(row) < 40 else row for row in ids]
    got = forward.prompts(ids, units=[[0, 1]], shared=[30], keep=True)
    assert got.passes == 1
    assert apart(model, got.logits, ids) < TOLERANCE


def test_dynamic_scaling_bounds_the_context():
    rope = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}
    model = AutoModelForCausalLM.from_config(config_of(LLAMA3, tokenizer_of(LLAMA3), rope_parameters=rope))
    forward = Forward(model, reuse_prefix=True)
    assert (forward.rotary_switch, forward.most) == (None, 512)


def test_models_that_hold_something_else_than_keys_and_values_are_refused():
    model = AutoModelForCausalLM.from_config(
        MambaConfig(vocab_size=64, hidden_size=16, num_hidden_layers=1, state_size=4)
    )
    with pytest.raises(ConfigError, match="sliding-window attention"):
        Forward(model, reuse_prefix=True)


def test_eager_and_sdpa_agree(tiny):
    ids = rows(3)
    forwards = [Forward(loaded(tiny(LLAMA3), attention=name)[1].model, reuse_prefix=True) for name in ("sdpa", "eager")]
    one, other = (forward.prompts(ids, keep=False, **alone(3)).logits for forward in forwards)
    assert torch.allclose(one, other, atol=1e-4)
