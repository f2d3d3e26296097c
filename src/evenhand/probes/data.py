"""What probes learn from: pairs that kept the format in both orders, as aligned arrays. Features come from AB only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import DataError
from evenhand.probes.places import Place
from evenhand.records import Readout

__all__ = ["ProbeData", "ProbeSubject", "Retention"]

_FEW = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSubject:
    """Whose activations these are: what a probe must match to be applied.

    Attributes
    ----------
    model, revision, dtype
        Of the judge; the revision is None where nothing pins the weights.
    prompt, prompt_hash, labels
        The template's name and content hash, and the labels such as ``A/B``.
    readout
        Which verdict flips: ``generated`` (the last line of three), or ``first-token`` and ``prefilled``, whose verdict
        is the first token.
    blocks, size
        Of the model: how many blocks, and the width of its residual stream.
    settings
        The judge's other settings that can change an answer, as ordered (name, value) texts.
    """

    model: str
    revision: str | None
    dtype: str
    prompt: str
    prompt_hash: str
    labels: str
    readout: Readout
    blocks: int
    size: int
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How many pairs were asked, how many can be used, and what became of the others.

    Attributes
    ----------
    planned
        Pairs of the plan.
    usable
        Both orders answered, in the format asked for, with a decided verdict whose token was found.
    lost
        (reason, pairs): each lost pair under its first reason, AB before BA. They sum up to ``planned - usable``.
    """

    planned: int
    usable: int
    lost: tuple[tuple[str, int], ...] = ()

    @property
    def rate(self) -> float:
        """Usable pairs of those planned; 0 where none was planned."""
        return self.usable / self.planned if self.planned else 0.0

    @property
    def few(self) -> bool:
        """Whether so few can be used (less than one in five) that the judge hardly keeps the format asked for."""
        return self.rate < _FEW

    def why(self) -> str | None:
        """The reason under which most pairs were lost, with its count; None where none was.

        Examples
        --------
        >>> Retention(planned=9, usable=2, lost=(("format: no verdict line", 6), ("verdict: tie", 1))).why()
        'format: no verdict line (6 of 9 pairs)'
        """
        if not self.lost:
            return None
        reason, pairs = max(self.lost, key=lambda each: each[1])
        return f"{reason} ({pairs:,} of {self.planned:,} pairs)"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProbeData:
    """Usable pairs of one judge under one prompt. Every array has one row a pair, in the order of ``pair_ids``.

    Attributes
    ----------
    pair_ids, groups
        Ids and question groups; texts.
    flips
        Whether the preferences in AB and BA differ; bool, shape (n,).
    choice_ab
        0 where A was preferred in AB, 1 where B; int8, shape (n,).
    confidence
        The judge's stated confidence in AB, 0 to 100; NaN where the format asks for none. float64, shape (n,).
    margin
        Log odds of A against B at the verdict token in AB, in nats (each label's variants summed); float64, shape (n,).
    length_difference
        Tokens of A minus tokens of B in the judge's own tokenizer; float64, shape (n,).
    activations
        float32, shape (n, size), by place; all taken from AB.
    led
        Whether the judge led with a label in both orders: its likeliest first token over the whole vocabulary, whatever
        was read there; bool, shape (n,). None where the verdict is no first token, or some first token isn't known.
    retention
        Of the run.
    spec, sha256
        What was judged: the data set's spec and :func:`evenhand.records.pairs_hash`.
    """

    subject: ProbeSubject
    pair_ids: tuple[str, ...]
    groups: tuple[str, ...]
    flips: NDArray[np.bool_]
    choice_ab: NDArray[np.int8]
    confidence: NDArray[np.float64]
    margin: NDArray[np.float64]
    length_difference: NDArray[np.float64]
    activations: Mapping[Place, NDArray[np.float32]] = field(default_factory=dict)
    retention: Retention
    spec: str = ""
    sha256: str = ""
    led: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        n = len(self.pair_ids)
        if len(set(self.pair_ids)) != n:
            raise DataError("a pair occurs twice among the probe's data", field="pair_ids")
        for name in ("groups", *_ROWS):
            if len(getattr(self, name)) != n:
                raise DataError(f"has {len(getattr(self, name))} rows, expected {n}", field=name)
        if self.led is not None and len(self.led) != n:
            raise DataError(f"has {len(self.led)} rows, expected {n}", field="led")
        for place, vectors in self.activations.items():
            if vectors.ndim != 2 or len(vectors) != n:
                raise DataError(f"has shape {vectors.shape}, expected ({n}, size)", field=place.name)

    def __len__(self) -> int:
        return len(self.pair_ids)

    def rows(self, which: Sequence[int] | NDArray[Any]) -> ProbeData:
        """The same for some of the pairs, by index or mask, in the order given."""
        # An empty list would be an array of floats, which index nothing.
        index = np.arange(len(self))[np.asarray(which, dtype=None if len(which) else np.intp)]
        return replace(
            self,
            pair_ids=tuple(self.pair_ids[i] for i in index),
            groups=tuple(self.groups[i] for i in index),
            flips=self.flips[index],
            choice_ab=self.choice_ab[index],
            confidence=self.confidence[index],
            margin=self.margin[index],
            length_difference=self.length_difference[index],
            activations={place: values[index] for place, values in self.activations.items()},
            led=None if self.led is None else self.led[index],
        )

    def only(self, pair_ids: Sequence[str]) -> ProbeData:
        """The same for the pairs of these ids, in the order given.

        Raises
        ------
        DataError
            A pair that isn't here.
        """
        row = {pair_id: i for i, pair_id in enumerate(self.pair_ids)}
        unknown = next((pair_id for pair_id in pair_ids if pair_id not in row), None)
        if unknown is not None:
            raise DataError(f"no pair {unknown!r} among the {len(self):,} usable ones", field="pair_ids")
        return self.rows([row[pair_id] for pair_id in pair_ids])


_ROWS = ("flips", "choice_ab", "confidence", "margin", "length_difference")
