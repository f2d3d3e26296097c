"""Residual-stream vectors and label logits, taken while the judge writes: no second pass."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evenhand.errors import ConfigError
from evenhand.judges.hf.rows import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

__all__ = ["Captured", "Recorder", "Sink", "Tap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """The residual stream of one request at every position from which a token was chosen.

    Attributes
    ----------
    index
        The request's place in the batch.
    layers
        Layer ``l`` from 1 to L is what block ``l`` adds up to, layer 0 the embeddings: ``hidden_states[l]`` of
        transformers' ``output_hidden_states``, except for the last, L: ``hidden_states[L]`` there is after the final
        norm, while here it is before, like the others. The penultimate layer is L - 1.
    prompt_ids
        Token ids of the whole prompt, chat template and prefill included.
    token_ids
        What the judge wrote; empty where nothing was generated.
    starts
        For each of these tokens, how many characters of the completion's text come before it.
    vectors
        float32, shape (positions, layers, size). ``vectors[k]`` is the position just before generated token ``k``, so
        ``vectors[0]`` is the last token of the prompt. There is one more than tokens where the judge ended its turn,
        or where only the first token was asked for.
    label_ids
        Token ids of the declared variants of the request's labels, in the order of
        :meth:`evenhand.judges.Judge.label_tokens`, those with one. Empty where the request is constrained and
        asks for no first token, which needs none.
    label_logits
        float32, shape (positions, len(label_ids)): the model's raw logits of these tokens. ``label_logits[k]`` belongs
        to generated token ``k``, as ``vectors[k]`` does. Differences between them are log odds, in nats. Where a
        decoder was constrained, these are the judge's own, before the constraint.
    """

    index: int
    layers: tuple[int, ...]
    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    starts: tuple[int, ...]
    vectors: NDArray[np.float32]
    label_ids: tuple[int, ...]
    label_logits: NDArray[np.float32]

    def token_at(self, character: int) -> int:
        """Which generated token holds a character of the completion's text.

        Raises
        ------
        IndexError
            Nothing was generated, or the place is negative.
        """
        if character < 0 or not self.starts:
            raise IndexError(f"no generated token holds character {character}")
        return bisect_right(self.starts, character) - 1


Sink = Callable[[Captured], None]
"""Gets each request's vectors, just before its answer is yielded. Not called for requests that failed."""


@dataclass(slots=True, kw_only=True)
class Tap:
    """Hooks on a model's blocks that hold the last position of the latest forward pass.

    Use it as a context manager: the hooks are gone afterwards.

    Parameters
    ----------
    blocks
        The model's blocks, in order.
    layers
        Which layers: see :class:`Captured`.

    Raises
    ------
    ConfigError
        No layer, or one that the model doesn't have.
    """

    blocks: Sequence[Any]
    layers: tuple[int, ...]
    _latest: dict[int, Tensor] = field(default_factory=dict)
    _hooks: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        most = len(self.blocks)
        if not self.layers or any(not 0 <= layer <= most for layer in self.layers):
            raise ConfigError(f"layers {self.layers}: expected some of 0 (embeddings) to {most} (the last block)")

    def __enter__(self) -> Tap:
        for layer in self.layers:
            if layer == 0:
                hook = self.blocks[0].register_forward_pre_hook(self._before, with_kwargs=True)
            else:
                hook = self.blocks[layer - 1].register_forward_hook(self._after(layer))
            self._hooks.append(hook)
        return self

    def __exit__(self, *exc: object) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        self.forget()

    def forget(self) -> None:
        """Drop the latest pass."""
        self._latest.clear()

    def latest(self) -> Tensor:
        """The latest pass's last position, shape (rows, layers, size), on the CPU in the model's own precision."""
        import torch

        return torch.stack([self._latest[layer] for layer in self.layers], dim=1).cpu()

    def _before(self, _module: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        hidden = args[0] if args else kwargs["hidden_states"]
        self._latest[0] = hidden[:, -1].detach()

    def _after(self, layer: int) -> Callable[[object, object, Any], None]:
        def hook(_module: object, _args: object, output: Any) -> None:  # noqa: ANN401 - a tensor, or a tuple with one
            hidden = output[0] if isinstance(output, tuple) else output
            self._latest[layer] = hidden[:, -1].detach()

        return hook


@dataclass(slots=True, kw_only=True)
class _Kept:
    """What is kept of one row, a position each."""

    vectors: list[Tensor] = field(default_factory=list)
    logits: list[Tensor] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Recorder:
    """Keeps what a tap holds, row by row, until the row is finished.

    Use it as a context manager: the tap's hooks are gone afterwards.
    """

    blocks: Sequence[Any]
    layers: tuple[int, ...]
    sink: Sink
    _tap: Tap = field(init=False)
    _kept: dict[int, _Kept] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tap = Tap(blocks=self.blocks, layers=self.layers)

    def __enter__(self) -> Recorder:
        self._tap.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self._tap.__exit__(*exc)
        self.forget()

    def forget(self) -> None:
        """Drop what an iterator that was left early had kept."""
        self._tap.forget()
        self._kept.clear()

    def keep(self, rows: Sequence[Row], logits: Tensor) -> None:
        """Note the last position of the pass that has just been made over these rows.

        Parameters
        ----------
        rows
            In the order of the pass.
        logits
            Of that position, shape (rows, vocabulary).
        """
        vectors = self._tap.latest()
        # One copy for the whole batch: its rows nearly always ask for the same labels.
        wanted = sorted({token for row in rows for token in _label_ids(row)})
        column = {token: place for place, token in enumerate(wanted)}
        chosen = logits[:, wanted].float().cpu()
        for place, row in enumerate(rows):
            kept = self._kept.setdefault(row.index, _Kept())
            kept.vectors.append(vectors[place].clone())
            kept.logits.append(chosen[place, [column[token] for token in _label_ids(row)]])

    def deliver(self, row: Row, *, answered: bool) -> None:
        """The row is finished: hand its vectors on, and forget them."""
        import torch

        kept = self._kept.pop(row.index, None)
        if answered and kept is not None:
            self.sink(
                Captured(
                    index=row.index,
                    layers=self.layers,
                    prompt_ids=tuple(row.prompt),
                    token_ids=tuple(row.written),
                    starts=tuple(row.starts),
                    vectors=torch.stack(kept.vectors).float().numpy(),
                    label_ids=_label_ids(row),
                    label_logits=torch.stack(kept.logits).numpy(),
                )
            )


def _label_ids(row: Row) -> tuple[int, ...]:
    return tuple(variant.token_id for variant in row.variants if variant.token_id is not None)
