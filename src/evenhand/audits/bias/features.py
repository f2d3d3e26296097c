"""What is known of the two responses beside their verdict: lengths, quality, authors; one value a pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import ABSENT
from evenhand.audits.bias.base import BiasData
from evenhand.records import Pair, Preference

__all__ = ["NO_TEXTS", "QUALITY_FIELDS", "PairFeatures", "log_length_ratio", "pair_features"]

Floats = NDArray[np.float64]

NO_TEXTS: Final = "needs the responses' texts: the run keeps none, or empty ones"
"""Why nothing can be said of lengths."""

QUALITY_FIELDS: Final = ("quality_a", "quality_b")
"""Metadata of a pair that give the quality of each response as a number, such as a mean human rating."""

_PREFERENCES: Final = tuple(Preference)
_GOLD_SIDE: Final = {Preference.A: 1.0, Preference.B: -1.0, Preference.TIE: 0.0}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairFeatures:
    """One value for each pair of a table's facts, in their order; every difference is A minus B. Shape (pairs,) each.

    Attributes
    ----------
    characters, words
        Log length ratios, see :func:`log_length_ratio`; NaN where the pair has no texts.
    gold
        +1 where the gold preference is A, -1 where it is B, 0 where it is a tie, NaN where there is none.
    rated
        Quality of A minus that of B as the pair's metadata give it; NaN where they don't.
    author_a, author_b
        Names; empty where unknown.
    """

    characters: Floats
    words: Floats
    gold: Floats
    rated: Floats
    author_a: tuple[str, ...]
    author_b: tuple[str, ...]

    @property
    def quality(self) -> Floats:
        """The rated difference of quality where every pair with texts has one, else the gold side."""
        texts = ~np.isnan(self.characters)
        return self.rated if texts.any() and not np.isnan(self.rated[texts]).any() else self.gold

    @property
    def is_rated(self) -> bool:
        """Whether :attr:`quality` is the rated one."""
        return self.quality is self.rated


def log_length_ratio(a: int, b: int) -> float:
    """``log((a + 1) / (b + 1))``: log 2 where A is twice as long, the negative of that where B is.

    The log makes the effect one of proportions: ten words more are much beside twenty and little beside a thousand. The
    1 only keeps an empty response at a finite distance; it changes a text of 100 characters by 1 %.

    Examples
    --------
    >>> log_length_ratio(0, 0), round(log_length_ratio(1999, 999), 3) == round(math.log(2), 3)
    (0.0, True)
    """
    return math.log((a + 1) / (b + 1))


def pair_features(data: BiasData) -> PairFeatures:
    """Read the features of every pair of the table.

    A pair whose two responses are both empty, or that the run doesn't know, has no texts: a log that keeps none has
    empty ones.
    """
    pairs = [data.pairs.get(pair_id) for pair_id in data.wide.facts.ids]
    texts = [pair is not None and bool(pair.response_a or pair.response_b) for pair in pairs]
    characters, words = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    rated = np.full(len(pairs), np.nan)
    for index, pair in enumerate(pairs):
        if pair is None:
            continue
        rated[index] = _rated(pair)
        if texts[index]:
            characters[index] = log_length_ratio(len(pair.response_a), len(pair.response_b))
            words[index] = log_length_ratio(len(pair.response_a.split()), len(pair.response_b.split()))
    by_code = np.array([_GOLD_SIDE[preference] for preference in _PREFERENCES])
    gold = data.wide.facts.gold
    return PairFeatures(
        characters=characters,
        words=words,
        gold=np.where(gold == ABSENT, np.nan, by_code[gold]),
        rated=rated,
        author_a=tuple((pair.author_a or "") if pair else "" for pair in pairs),
        author_b=tuple((pair.author_b or "") if pair else "" for pair in pairs),
    )


def _rated(pair: Pair) -> float:
    given = dict(pair.metadata)
    try:
        a, b = (float(given[name]) for name in QUALITY_FIELDS)
    except (KeyError, ValueError):
        return math.nan
    return a - b if math.isfinite(a) and math.isfinite(b) else math.nan
