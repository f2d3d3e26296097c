"""The regression of choices on quality and length: its rows, its terms, and what it says per doubling of the length.

Every variable is a difference of A and B, and there is no intercept: which response is called A then makes no
difference.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final, Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import FIRST, Scope
from evenhand.audits.bias.features import PairFeatures
from evenhand.audits.bias.latent_quality import latent_quality
from evenhand.stats import (
    Estimate,
    Refusal,
    Regression,
    bootstrap_coefficient_ratio,
    coefficient_ratio,
    logit,
    ols,
)

__all__ = ["LengthFit", "LengthRows", "Outcome", "fit_length", "length_rows", "per_doubling"]

Floats = NDArray[np.float64]

Outcome = Literal["choice", "odds", "score"]
"""What is explained: the choice, linearly (points) or by its log odds; or the log odds that the readout gives."""

LENGTH: Final = "length"
QUALITY: Final = "quality"
SLOT: Final = "slot"

_MOST_AUTHORS: Final = 12
"""Authors of whom each gets a term; with more, a term has too few pairs."""
_AB_SLOT: Final = np.array([0.5, -0.5])
"""A is first in AB, second in BA; half each, so that the coefficient is that of the first slot over the second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LengthRows:
    """Presentations that chose a slot, of pairs whose texts are known. Shape (n,) each.

    Attributes
    ----------
    pairs
        Index of the pair in the whole table.
    chose_a
        Whether A was chosen.
    slot
        +.5 where A is shown first, -.5 where B is.
    log_odds
        Of A over B as the readout gives them, NaN where it doesn't.
    """

    pairs: NDArray[np.int64]
    chose_a: NDArray[np.bool_]
    slot: Floats
    log_odds: Floats

    def where(self, rows: NDArray[np.bool_]) -> LengthRows:
        """Some of the rows."""
        return LengthRows(
            pairs=self.pairs[rows], chose_a=self.chose_a[rows], slot=self.slot[rows], log_odds=self.log_odds[rows]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LengthFit:
    """A fit and what went into it.

    Attributes
    ----------
    ratio
        By method: ``fieller``, ``delta``, ``bootstrap``; empty where there is no quality term.
    authors
        Whether a term for each author went in.
    """

    regression: Regression
    ratio: tuple[tuple[str, Estimate | Refusal], ...]
    authors: bool


def length_rows(scope: Scope, features: PairFeatures) -> LengthRows:
    """The presentations of a scope that the regressions use: those that chose a slot, of pairs with texts."""
    decided = scope.decided & ~np.isnan(features.characters[scope.pairs])[:, None]
    row, order = np.nonzero(decided)
    first = scope.outcome[row, order] == FIRST
    a_first = order == 0
    sign = np.where(a_first, 1.0, -1.0)
    return LengthRows(
        pairs=scope.pairs[row],
        chose_a=first == a_first,
        slot=_AB_SLOT[order],
        log_odds=sign * scope.log_odds[row, order].astype(np.float64),
    )


def fit_length(
    rows: LengthRows,
    features: PairFeatures,
    sampler: Sampler,
    *,
    outcome: Outcome,
    quality: bool,
    words: bool = False,
    latent: bool = False,
    ratio: bool = False,
    stream: str = "ratio",
) -> LengthFit | Refusal:
    """Explain the outcome by length and slot, and by quality and authors where they are known.

    Parameters
    ----------
    quality
        Whether quality is a term. Rows without it then don't enter.
    words
        Whether lengths are counted in words instead of characters.
    latent
        Whether the gold side is replaced by the quality expected of it and the length, see
        :func:`evenhand.audits.bias.latent_quality.latent_quality`.
    ratio
        Whether the ratio of length to quality is made too, by all three methods.
    """
    known = ~np.isnan(features.quality[rows.pairs]) if quality else np.ones(len(rows.pairs), dtype=np.bool_)
    if outcome == "score":
        known = known & np.isfinite(rows.log_odds)
    used = rows.where(known)
    if not used.pairs.size:
        return Refusal(reason="no presentation has all that the regression needs", n=0)
    terms = {LENGTH: (features.words if words else features.characters)[used.pairs]}
    if quality:
        terms[QUALITY] = (_latent(used, features) if latent else features.quality)[used.pairs]
    terms[SLOT] = used.slot
    authors = _author_terms(used, features)
    made = _fitted(used, {**terms, **authors}, sampler, outcome=outcome, ratio=ratio and quality, stream=stream)
    if isinstance(made, Refusal) and authors:
        return _fitted(used, terms, sampler, outcome=outcome, ratio=ratio and quality, stream=stream)
    return made


def _latent(rows: LengthRows, features: PairFeatures) -> Floats:
    """Expected quality of every pair of the table; NaN for those without a row."""
    pairs = np.unique(rows.pairs)
    expected = np.full(len(features.gold), np.nan)
    expected[pairs] = latent_quality(features.characters[pairs], features.gold[pairs])
    return expected


def _fitted(
    rows: LengthRows, terms: dict[str, Floats], sampler: Sampler, *, outcome: Outcome, ratio: bool, stream: str
) -> LengthFit | Refusal:
    x, names = np.column_stack(list(terms.values())), list(terms)
    clusters = sampler.clusters[rows.pairs]
    match outcome:
        case "choice":
            y, fit = rows.chose_a - 0.5, ols
        case "odds":
            y, fit = rows.chose_a.astype(np.float64), logit
        case "score":
            y, fit = rows.log_odds, ols
        case _:
            assert_never(outcome)
    regression = fit(y, x, clusters, names=names, intercept=False, level=sampler.level)
    if isinstance(regression, Refusal):
        return regression
    ratios: tuple[tuple[str, Estimate | Refusal], ...] = ()
    if ratio:
        drawn = bootstrap_coefficient_ratio(
            y,
            x,
            clusters,
            names=names,
            numerator=LENGTH,
            denominator=QUALITY,
            rng=sampler.stream(stream),
            resamples=sampler.resamples,
            level=sampler.level,
            fit="logit" if outcome == "odds" else "ols",
            intercept=False,
        )
        ratios = (
            ("fieller", coefficient_ratio(regression, LENGTH, QUALITY, method="fieller")),
            ("delta", coefficient_ratio(regression, LENGTH, QUALITY, method="delta")),
            ("bootstrap", drawn),
        )
    return LengthFit(regression=regression, ratio=ratios, authors=any(name not in _OURS for name in names))


_OURS: Final = (LENGTH, QUALITY, SLOT)


def _author_terms(rows: LengthRows, features: PairFeatures) -> dict[str, Floats]:
    """+1 where the author wrote A, -1 where B, for all authors but the most frequent; empty where not all are known."""
    a = np.array([features.author_a[pair] for pair in rows.pairs.tolist()])
    b = np.array([features.author_b[pair] for pair in rows.pairs.tolist()])
    if (a == "").any() or (b == "").any() or not (a != b).any():
        return {}
    counts = Counter([*a.tolist(), *b.tolist()])
    if len(counts) > _MOST_AUTHORS:
        return {}
    others = sorted(counts, key=lambda name: (-counts[name], name))[1:]
    return {f"author {name}": (a == name).astype(np.float64) - (b == name) for name in others}


def per_doubling(estimate: Estimate) -> Estimate:
    """A coefficient of the log length ratio as the effect of twice the length: times log 2.

    Examples
    --------
    >>> round(per_doubling(Estimate(value=0.1, interval=None, n=60)).value, 4)
    0.0693
    """
    factor = math.log(2)
    interval = estimate.interval
    if interval is not None:
        interval = replace(interval, low=factor * interval.low, high=factor * interval.high)
    return replace(estimate, value=factor * estimate.value, interval=interval)
