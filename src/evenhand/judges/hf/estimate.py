"""What a run on torch would cost, from a short run now."""

from __future__ import annotations

import time
from collections.abc import Sequence

from evenhand.judges.base import CostEstimate
from evenhand.judges.hf.batches import Limits
from evenhand.judges.hf.forward import Forward

__all__ = ["estimate"]

_PROMPT, _TOKENS, _ROWS = 128, 8, 4
"""Tokens of the prompts and of the texts of the short run, and its rows."""


def estimate(
    forward: Forward, *, words: Sequence[int], prompt: int, low: int, high: int, limits: Limits
) -> CostEstimate:
    """Seconds at the speed of a short run.

    Parameters
    ----------
    words
        Token ids to run on, at most half of the context.
    prompt, low, high
        Prompt tokens of all requests, and completion tokens at least and at most.
    limits
        How much is computed at once.
    """
    rows = min(_ROWS, limits.rows)
    prompts = [list(words[:_PROMPT])] * rows
    units = [[row] for row in range(rows)]
    began = time.perf_counter()
    held = forward.prompts(prompts, units=units, shared=[0] * rows, keep=True).held
    read = rows * len(prompts[0]) / max(time.perf_counter() - began, 1e-9)
    steps = min(_TOKENS, len(prompts[0]))
    began = time.perf_counter()
    for _ in range(steps):
        if held is not None:
            _, held = forward.step([words[0]] * rows, held)
    written = rows * steps / max(time.perf_counter() - began, 1e-9)
    return CostEstimate.at_speed(
        prompt_tokens=prompt,
        low=low,
        high=high,
        read=read,
        write=written,
        measured_on=f"{rows} rows of {len(prompts[0])} + {steps} tokens",
    )
