"""How much of the machine's matrix-product rate the transformers judge reaches while it reads prompts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.judges.base import JudgeRequest
from evenhand.judges.hf.judge import TransformersJudge
from evenhand.judges.hf.load import Loaded
from evenhand.records import Completion, Usage

__all__ = ["Prefill", "larger", "layer_shapes", "measure_prefill", "profile_prefill", "useful_flop"]

SQUARES = (1024, 2048, 4096)
"""Sides of the square products, in elements."""
_GROUPS = {
    "matrix products": ("aten::mm", "aten::addmm", "aten::bmm", "aten::linear", "aten::matmul", "mkldnn::_linear"),
    "attention": ("scaled_dot_product", "flash_attention", "efficient_attention"),
}


@dataclass(slots=True, kw_only=True)
class Prefill:
    """Rates in GFLOP/s, the best of the rounds.

    By processor time, of all threads together, other load counts less; only where the processor computes.

    Attributes
    ----------
    squares
        Side of a square product → rate.
    shapes
        The products of one layer, together, with as many rows as the judge's batch has tokens.
    whole
        Of the whole call: templates, tokenizer, forward passes, reading the last positions.
    passes
        Of the forward passes alone.
    cpu_square, cpu_shapes, cpu_whole
        The best square, the layer's products and the whole call in GFLOP per second of processor time.
    tokens
        Prompt tokens that were computed; those taken from a neighbour are left out.
    tokens_per_second
        Prompt tokens per second of the whole call, those taken from a neighbour included.
    """

    squares: dict[int, float] = field(default_factory=dict)
    shapes: float = 0.0
    whole: float = 0.0
    passes: float = 0.0
    cpu_square: float = 0.0
    cpu_shapes: float = 0.0
    cpu_whole: float = 0.0
    tokens: int = 0
    tokens_per_second: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Time:
    """Seconds by the clock and of the processor."""

    wall: float
    cpu: float

    def least(self, other: _Time) -> _Time:
        return _Time(wall=min(self.wall, other.wall), cpu=min(self.cpu, other.cpu))


def layer_shapes(model: Any) -> list[tuple[int, int]]:  # noqa: ANN401 - any model class of transformers
    """(outputs, inputs) of every linear map in the model's blocks."""
    import torch

    blocks = model.get_decoder().layers
    return [(m.out_features, m.in_features) for m in blocks.modules() if isinstance(m, torch.nn.Linear)]


def useful_flop(model: Any, usages: Sequence[Usage]) -> float:  # noqa: ANN401
    """Arithmetic that the prompts need.

    Two for each weight of the blocks' linear maps and computed token, and for attention four times heads times head
    size for each layer and pair of a computed token with itself or one before it. Padding, the masked half of
    attention, norms, and the output layer, which is asked for one position a row, are not counted.
    """
    config = model.config.get_text_config(decoder=True)
    weights = sum(out * into for out, into in layer_shapes(model))
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    total = 0.0
    for usage in usages:
        prompt, cached = usage.prompt_tokens or 0, usage.cached_tokens or 0
        pairs = (prompt * (prompt + 1) - cached * (cached + 1)) / 2
        total += 2.0 * weights * (prompt - cached)
        total += 4.0 * config.num_hidden_layers * config.num_attention_heads * size * pairs
    return total


def measure_prefill(
    loaded: Loaded, judge: TransformersJudge, requests: Sequence[JudgeRequest], *, rounds: int
) -> Prefill:
    """Products and prompts in turn, so that other load meets both.

    Parameters
    ----------
    requests
        Presentations that ask for the first token alone.
    """
    found = Prefill()
    shapes = list(dict.fromkeys(layer_shapes(loaded.model)))
    counts = [layer_shapes(loaded.model).count(shape) for shape in shapes]
    fastest = dict.fromkeys(shapes, _Time(wall=float("inf"), cpu=float("inf")))
    for _ in range(rounds):
        for side in SQUARES:
            took = _product(side, side, side, loaded)
            found.squares[side] = max(found.squares.get(side, 0.0), 2e-9 * side**3 / took.wall)
            found.cpu_square = max(found.cpu_square, 2e-9 * side**3 / took.cpu)
        for out, into in shapes:
            fastest[out, into] = fastest[out, into].least(_product(judge.limits.tokens, into, out, loaded))
        usages, took = _read(judge, requests)
        flop = 1e-9 * useful_flop(loaded.model, usages)
        found.whole = max(found.whole, flop / took.wall)
        found.cpu_whole = max(found.cpu_whole, flop / took.cpu)
        found.passes = max(found.passes, flop / sum(usage.seconds or 0.0 for usage in usages))
        found.tokens = sum((usage.prompt_tokens or 0) - (usage.cached_tokens or 0) for usage in usages)
        prompt = sum(usage.prompt_tokens or 0 for usage in usages)
        found.tokens_per_second = max(found.tokens_per_second, prompt / took.wall)
    work = sum(n * 2e-9 * judge.limits.tokens * out * into for (out, into), n in zip(shapes, counts, strict=True))
    found.shapes = work / sum(n * fastest[shape].wall for shape, n in zip(shapes, counts, strict=True))
    found.cpu_shapes = work / sum(n * fastest[shape].cpu for shape, n in zip(shapes, counts, strict=True))
    return found


def _read(judge: TransformersJudge, requests: Sequence[JudgeRequest]) -> tuple[list[Usage], _Time]:
    completions: list[Completion] = []
    # The judge reads its numbers back from the device: nothing is left to wait for.
    took = _timed(lambda: completions.extend(answer.completion for answer in judge.answer(requests)))
    assert all(completion.error is None for completion in completions)
    return [completion.usage for completion in completions], took


def _product(rows: int, inner: int, columns: int, loaded: Loaded) -> _Time:
    """Time of one product of a (rows, inner) matrix with a transposed (columns, inner) one, the best of several."""
    import torch

    kind = {"dtype": loaded.model.dtype, "device": loaded.model.device}
    one, other = torch.randn(rows, inner, **kind), torch.randn(columns, inner, **kind).t()

    def work() -> None:
        torch.mm(one, other)
        if loaded.model.device.type == "cuda":
            torch.cuda.synchronize()

    with torch.inference_mode():
        work()
        return _timed(work).least(_timed(work))


def _timed(work: Callable[[], object]) -> _Time:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return _Time(wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)


def profile_prefill(
    judge: TransformersJudge, requests: Sequence[JudgeRequest], *, top: int
) -> list[tuple[str, float, int]]:
    """(what, share of the time in operators, calls): three groups first, then the ``top`` operators by themselves."""
    from torch.profiler import ProfilerActivity, profile

    profiler: Any = profile(activities=[ProfilerActivity.CPU])
    with profiler as running:
        _read(judge, requests)
    events = sorted(running.key_averages(), key=lambda event: -event.self_cpu_time_total)
    whole = sum(event.self_cpu_time_total for event in events)
    rows: list[tuple[str, float, int]] = []
    rest = whole
    for group, names in _GROUPS.items():
        inside = [event for event in events if any(name in event.key for name in names)]
        spent = sum(event.self_cpu_time_total for event in inside)
        rest -= spent
        rows.append((group, spent / whole, sum(event.count for event in inside)))
    rows.append(("all else", rest / whole, sum(event.count for event in events) - sum(row[2] for row in rows)))
    return rows + [(event.key, event.self_cpu_time_total / whole, event.count) for event in events[:top]]


def larger(loaded: Loaded, *, layers: int) -> Loaded:
    """A model of Llama 3.2 1B's layer shapes with random weights, behind the same tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, LlamaConfig

    config = LlamaConfig(
        vocab_size=len(loaded.tokenizer),
        hidden_size=2048,
        intermediate_size=8192,
        num_hidden_layers=layers,
        num_attention_heads=32,
        num_key_value_heads=8,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    make: Any = AutoModelForCausalLM.from_config
    model = make(config, dtype=loaded.model.dtype, attn_implementation=loaded.attention).to(loaded.model.device).eval()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    return Loaded(
        model=model,
        tokenizer=loaded.tokenizer,
        revision="random",
        dtype=loaded.dtype,
        attention=loaded.attention,
        generation_ends=loaded.generation_ends,
    )
