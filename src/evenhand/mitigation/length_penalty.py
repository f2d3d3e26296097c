"""The post-hoc length penalty: what length adds to a score beyond quality is estimated, and taken off again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.folds import FOLDS, cluster_folds, refuse_few_labels
from evenhand.mitigation.judged import NONE, TIE, A, Floats, JudgedPairs, preferred
from evenhand.mitigation.order import Mitigated
from evenhand.stats import Refusal
from evenhand.stats.regression import Regression, ols

__all__ = ["LengthPenalty", "length_penalty"]

_HOW = (
    "beta2 log(length of A / length of B) is taken off {scale}, with beta2 from a least-squares regression of it on "
    "the label and the log length ratio; each pair's beta2 comes from the other folds of questions."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthPenalty:
    """Verdicts with and without the penalty.

    Attributes
    ----------
    scale
        What was penalised: ``averaged log-odds of A`` or ``averaged score difference``.
    before, after
        Verdicts by the sign of the score, without and with the penalty; both cost two orders.
    regression
        Over all labelled pairs: terms ``intercept``, ``quality`` (the label: +1 for A, -1 for B, 0 a tie) and
        ``log length ratio``, whose coefficient is beta2.
    beta2
        Of each fold's training pairs.
    """

    judge: str
    scale: str
    before: Mitigated
    after: Mitigated
    regression: Regression | Refusal
    beta2: tuple[float, ...]


def length_penalty(pairs: JudgedPairs, *, sampler: Sampler) -> LengthPenalty | Refusal:
    """Penalise length, cross-fitted by cluster.

    Only what labels don't explain is put down to length: without labels of quality, longer responses that are better
    would be penalised for it, so it is refused.

    Parameters
    ----------
    sampler
        For the folds' random stream and the level of intervals.

    Returns
    -------
    LengthPenalty or Refusal
        Refused without log-odds or scores, without lengths, and with fewer than 50 labelled pairs.

    References
    ----------
    "Position Bias in LLM Judges: Measurement and Mitigation", on penalising length after the fact; Chernozhukov et al.
    (2018), doi:10.1111/ectj.12097, for cross-fitting.
    """
    found = _advantage(pairs)
    if isinstance(found, Refusal):
        return found
    scale, advantage, presentations, tokens = found.scale, found.values, found.presentations, found.tokens
    ratio = np.log(np.maximum(pairs.length_a, 1.0) / np.maximum(pairs.length_b, 1.0))
    usable = np.isfinite(advantage) & np.isfinite(ratio)
    if not usable.any():
        return Refusal(reason="needs the texts of the responses, which this run doesn't keep", n=0)
    rows = np.flatnonzero(usable & pairs.labelled)
    refusal = refuse_few_labels(sampler.clusters[rows], what="to fit a length penalty")
    if refusal is not None:
        return refusal
    if np.ptp(ratio[rows]) == 0:
        return Refusal(reason="the responses' lengths differ by the same everywhere: nothing to penalise", n=len(rows))
    quality = np.where(pairs.gold == TIE, 0.0, np.where(pairs.gold == A, 1.0, -1.0))
    fold = cluster_folds(sampler.clusters, rng=sampler.stream("length penalty, folds"))
    labelled = usable & (pairs.gold != NONE)
    beta2 = np.array([_beta2(advantage, quality, ratio, labelled & (fold != k)) for k in range(FOLDS)])
    penalised = advantage - beta2[fold] * ratio

    def way(name: str, how: str, values: Floats) -> Mitigated:
        return Mitigated(
            name=name,
            how=how,
            preference=preferred(np.where(usable, values, np.nan))[:, None],
            presentations=np.full(len(pairs), presentations),
            tokens=tokens,
            order_free=presentations > 1,
        )

    return LengthPenalty(
        judge=pairs.judge,
        scale=scale,
        before=way(scale, f"The sign of the {scale}.", advantage),
        after=way("length penalty", _HOW.format(scale=f"the {scale}"), penalised),
        regression=ols(
            advantage[rows],
            np.column_stack([quality[rows], ratio[rows]]),
            sampler.clusters[rows],
            names=("quality", "log length ratio"),
            level=sampler.level,
        ),
        beta2=tuple(map(float, beta2)),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Advantage:
    scale: str
    values: Floats
    presentations: float
    tokens: Floats


def _advantage(pairs: JudgedPairs) -> _Advantage | Refusal:
    both = bool(pairs.asked.all(axis=1).any())
    for name, values in (("score difference", pairs.score_a - pairs.score_b), ("log-odds of A", pairs.log_odds)):
        if not np.isfinite(values).any():
            continue
        if both:
            total = pairs.tokens.sum(axis=1)
            return _Advantage(scale=f"averaged {name}", values=values.mean(axis=1), presentations=2.0, tokens=total)
        first = pairs.asked[:, 0]
        return _Advantage(
            scale=name,
            values=np.where(first, values[:, 0], values[:, 1]),
            presentations=1.0,
            tokens=np.where(first, pairs.tokens[:, 0], pairs.tokens[:, 1]),
        )
    return Refusal(reason="needs log-odds of the labels (read the first token) or scores (prompt score-each)", n=0)


def _beta2(advantage: Floats, quality: Floats, ratio: Floats, rows: np.ndarray) -> float:
    x = np.column_stack([np.ones(int(rows.sum())), quality[rows], ratio[rows]])
    return float(np.linalg.lstsq(x, advantage[rows], rcond=None)[0][2])
