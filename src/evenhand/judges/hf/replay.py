"""Saved tokens read once more, one by one, as a judge reads its own writing: whether it would write the same again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.errors import JudgeError
from evenhand.judges.hf.capture import Tap
from evenhand.judges.hf.forward import Forward

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

__all__ = ["Replayed", "replay"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What the model would write after each of the saved tokens.

    Attributes
    ----------
    greedy
        ``greedy[k]`` is the most probable token after the prompt and the first ``k`` saved tokens, so it stands
        against saved token ``k``. There is one more than saved tokens: what would come after the last.
    vectors
        float32, shape (positions, layers, size), at the same positions; None where no layers were asked for.
    """

    greedy: tuple[int, ...]
    vectors: NDArray[np.float32] | None


def replay(forward: Forward, prompt_ids: Sequence[int], token_ids: Sequence[int], *, tap: Tap | None) -> Replayed:
    """Read a prompt, then saved tokens one by one through the cache.

    The row is alone: no padding and no shared beginning. In float32 its vectors agree with those of a batch within
    1e-4; in half precision a near tie may turn, so that ``greedy`` can differ from what was written.

    Parameters
    ----------
    forward
        The model.
    prompt_ids, token_ids
        As :class:`evenhand.judges.hf.capture.Captured` holds them; the prompt is not empty.
    tap
        On the layers whose vectors are wanted, not yet entered; None: none.

    Raises
    ------
    JudgeError
        The model's arithmetic failed, or its memory ran out.
    """
    import torch

    greedy: list[int] = []
    vectors: list[Tensor] = []
    with tap if tap is not None else nullcontext():
        for logits in _positions(forward, prompt_ids, token_ids):
            greedy.append(forward.reading(_most_probable, logits))
            if tap is not None:
                vectors.append(tap.latest()[0].clone())
    return Replayed(greedy=tuple(greedy), vectors=torch.stack(vectors).float().numpy() if vectors else None)


def _positions(forward: Forward, prompt_ids: Sequence[int], token_ids: Sequence[int]) -> Iterator[Tensor]:
    """Logits after the prompt and after each saved token, shape (1, vocabulary)."""
    try:
        got = forward.prompts([prompt_ids], units=[[0]], shared=[0], keep=True)
        logits, held = got.logits, got.held
        yield logits
        for token in token_ids:
            if held is None:
                raise JudgeError("a replay without a cache: this is a fault of the judge's code")
            logits, held = forward.step([token], held)
            yield logits
    except (RuntimeError, MemoryError) as error:
        raise JudgeError(f"the model failed in a replay: {str(error).strip()[:300] or type(error).__name__}") from error


def _most_probable(logits: Tensor) -> int:
    import torch

    # In float32 and over the whole vocabulary, as the greedy loop chooses.
    scores = logits[0].float()
    if not bool(torch.isfinite(scores.max())):
        raise JudgeError("the model's logits are not finite: try dtype=float32")
    return int(torch.argmax(scores))
