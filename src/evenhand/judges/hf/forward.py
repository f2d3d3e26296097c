"""Forward passes over rows of token ids: left-padded, with explicit positions and one set of logits a row."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from evenhand.errors import ConfigError
from evenhand.judges.hf.batches import sharing
from evenhand.judges.hf.cache import RowCache, new_cache, shared_start

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Forward", "Prompts"]

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """What computing a batch of prompts gives.

    Attributes
    ----------
    logits
        Of the last position, shape (rows, vocabulary).
    held
        The cache for writing on; None where it was not asked for.
    cached
        For each row, how many of its tokens were computed once for it and its neighbours, by another row.
    passes
        Forward passes.
    """

    logits: Tensor
    held: RowCache | None
    cached: tuple[int, ...]
    passes: int


class Forward:
    """A causal language model of transformers, asked for nothing but the last position.

    Parameters
    ----------
    model
        Loaded, in evaluation mode.
    reuse_prefix
        Whether the common beginning of neighbours is computed once.

    Attributes
    ----------
    can_pad
        Whether padding is harmless: the model takes explicit positions. Else only rows of one length are batched.
    can_share
        Whether beginnings are shared.
    most
        The longest row that can be computed apart from what shares its batch (dynamic rotary scaling); None: any.

    Raises
    ------
    ConfigError
        The model keeps something else than keys and values of every token (state-space layers, chunked attention).
    """

    def __init__(self, model: Any, *, reuse_prefix: bool) -> None:  # noqa: ANN401 - any model class of transformers
        self._model = model
        self._device = model.device
        known = inspect.signature(model.forward).parameters
        self.can_pad = "position_ids" in known
        self.can_share = reuse_prefix and self.can_pad
        # Renamed in transformers 5.2x; the old name warns there, and ends in 5.40.
        self._cache_name = "cache" if "cache" in known else "past_key_values"
        self._switch, self.most = _rotary_limits(model.config)
        _read_rows_at_once(model)
        _check_layers(model)

    def is_long(self, length: int) -> bool:
        """Whether a row of this length is on the far side of where the model changes its rotary scaling."""
        return self._switch is not None and length > self._switch

    @property
    def rotary_switch(self) -> int | None:
        """The length beyond which the model scales its rotary positions otherwise (Phi-3.5)."""
        return self._switch

    def reading(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something with tensors that passes gave, without gradients."""
        import torch

        with torch.inference_mode():
            return work(*args, **kwargs)

    def prompts(
        self, ids: Sequence[Sequence[int]], *, units: Sequence[Sequence[int]], shared: Sequence[int], keep: bool
    ) -> Prompts:
        """Compute whole prompts.

        Parameters
        ----------
        ids
            Token ids of each row, none empty.
        units, shared
            Families of rows, and how many first tokens each shares.
        keep
            Whether the cache is wanted.
        """
        import torch

        with torch.inference_mode():
            lengths = [len(row) for row in ids]
            plan = sharing(lengths, units, shared) if self.can_share and any(shared) else None
            if plan is None or self.is_long(max(lengths)):
                held = self._empty(len(ids)) if keep else None
                logits, held = self._pass(ids, [0] * len(ids), held)
                return Prompts(logits=logits, held=held, cached=(0,) * len(ids), passes=1)
            begun = [(row, size) for row, size in plan.starts if size]
            place = {start: number for number, start in enumerate(begun)}
            first = self._begin([ids[row][:size] for row, size in begun])
            sources = [place.get(plan.starts[family], 0) for family in plan.sources]
            start = shared_start(first, sources, plan.kept)
            del first
            rest = [row[size:] for row, size in zip(ids, plan.kept, strict=True)]
            logits, held = self._pass(rest, plan.kept, start)
            computed = {row for row, _ in begun}
            cached = tuple(0 if row in computed else size for row, size in enumerate(plan.kept))
            return Prompts(logits=logits, held=held if keep else None, cached=cached, passes=2)

    def step(self, tokens: Sequence[int], held: RowCache) -> tuple[Tensor, RowCache]:
        """One more token for every row; what was held is used up."""
        import torch

        with torch.inference_mode():
            before = held.mask.sum(1).tolist()
            logits, more = self._pass([[token] for token in tokens], before, held)
            if more is None:
                raise ConfigError("a pass with a cache gave none: this is a fault of the judge's code")
            return logits, more

    def _empty(self, rows: int) -> RowCache:
        import torch

        mask = torch.zeros((rows, 0), dtype=torch.bool, device=self._device)
        return RowCache(cache=new_cache(), mask=mask)

    def _begin(self, ids: Sequence[Sequence[int]]) -> RowCache:
        """The cache of beginnings, whose logits nobody reads."""
        held = self._empty(len(ids))
        more, mask = self._inputs(ids, [0] * len(ids), held)
        self._model.get_decoder()(use_cache=True, **more)
        return RowCache(cache=held.cache, mask=mask)

    def _pass(
        self, ids: Sequence[Sequence[int]], before: Sequence[int], held: RowCache | None
    ) -> tuple[Tensor, RowCache | None]:
        """One forward pass over the rows' next tokens, ``before`` of each already held."""
        more, mask = self._inputs(ids, before, held)
        output = self._model(use_cache=held is not None, logits_to_keep=1, **more)
        return output.logits[:, -1], None if held is None else RowCache(cache=held.cache, mask=mask)

    def _inputs(
        self, ids: Sequence[Sequence[int]], before: Sequence[int], held: RowCache | None
    ) -> tuple[dict[str, Any], Tensor]:
        """What the model takes for a pass, and the mask over all columns, those held included."""
        import torch

        columns = max(len(row) for row in ids)
        padding = [columns - len(row) for row in ids]
        tokens = torch.tensor([[0] * pad + list(row) for row, pad in zip(ids, padding, strict=True)])
        column = torch.arange(columns)[None, :] - torch.tensor(padding)[:, None]
        mask = (column >= 0).to(self._device)
        # Padding has position 0: never beyond the row's own, for some rotary scalings look at the largest.
        positions = torch.where(column >= 0, column + torch.tensor(list(before))[:, None], 0)
        if held is not None:
            mask = torch.cat([held.mask, mask], dim=1)
        more: dict[str, Any] = {"input_ids": tokens.to(self._device), "attention_mask": mask}
        if self.can_pad:
            more["position_ids"] = positions.to(self._device)
        if held is not None:
            more[self._cache_name] = held.cache
        return more, mask


def _read_rows_at_once(model: Any) -> None:  # noqa: ANN401 - any model class of transformers
    """Hand the output layer its rows side by side in memory.

    The last positions of a batch are a slice with gaps, for which torch multiplies row by row and reads the weights of
    the whole vocabulary once for each (measured: 150 ms against 40 ms for 8 rows of hidden size 576).
    """
    output = model.get_output_embeddings()
    if output is not None:
        output.register_forward_pre_hook(lambda _, given: (given[0].contiguous(), *given[1:]))


def _rotary_limits(config: Any) -> tuple[int | None, int | None]:  # noqa: ANN401 - any configuration of transformers
    """Where the rotary scaling changes once, and where it begins to change with every length."""
    text = config.get_text_config(decoder=True)
    found = getattr(text, "rope_parameters", None) or {}
    nested = [value for value in found.values() if isinstance(value, dict)]
    switches: list[int] = []
    mosts: list[int] = []
    for rope in nested or [found]:
        kind = rope.get("rope_type", "default")
        original = rope.get("original_max_position_embeddings") or getattr(text, "max_position_embeddings", None)
        if original is not None and kind in ("longrope", "dynamic"):
            (switches if kind == "longrope" else mosts).append(int(original))
    return min(switches, default=None), min(mosts, default=None)


def _check_layers(model: Any) -> None:  # noqa: ANN401 - any model class of transformers
    from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

    for layer in DynamicCache(config=model.config).layers:
        if type(layer) not in (DynamicLayer, DynamicSlidingWindowLayer):
            raise ConfigError(
                f"model {model.config.name_or_path or type(model).__name__} has {type(layer).__name__} in its cache: "
                "transformers judges need a model with plain or sliding-window attention in every layer"
            )
