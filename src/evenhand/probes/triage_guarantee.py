"""Is the promise kept? Thresholds calibrated on some questions, and the flips that they miss on others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError
from evenhand.probes.data import ProbeData
from evenhand.probes.policy import guarantee_text
from evenhand.probes.triage_chance import AgainstChance, Chance
from evenhand.probes.triage_scores import IN_SAMPLE, RANDOM, RiskScore, ScoreKind
from evenhand.stats import Estimate, Refusal, RiskControl, cluster_rate, control_risk

__all__ = ["Guarantee", "calibrate", "largest_group", "realised", "split_groups"]

_FIT, _CALIBRATE, _TEST = 0, 1, 2
_HALVES = (0.0, 0.5, 0.5)
_REFIT = (0.5, 0.25, 0.25)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """A threshold for one level, calibrated and tested on splits of the questions.

    Attributes
    ----------
    text
        What is promised, and on what assumptions.
    proved
        Whether the score was independent of the calibration pairs in every split.
    first
        Calibration of the first split.
    missed
        Share of the flips that its threshold misses among its test pairs.
    swapped
        Share of the test pairs that it swaps.
    splits
        How many were made.
    mean_missed
        Missed flips of all splits over flips of all splits: what the promise in expectation speaks of. None where no
        test pair flips.
    mean_swapped
        Share of the test pairs swapped, mean over splits.
    above
        Share of the splits whose test pairs miss more than alpha. They are few, so that much of it is chance.
    infeasible
        Share of the splits that couldn't promise anything and swapped all.
    against_chance
        Share swapped less what a random order swaps for the same promise, paired on the same calibration and test
        pairs; None for ``random`` itself.
    """

    score: str
    alpha: float
    delta: float | None
    text: str
    proved: bool
    first: RiskControl
    missed: Estimate | Refusal
    swapped: float
    splits: int
    mean_missed: float | None
    mean_swapped: float
    above: float
    infeasible: float
    against_chance: AgainstChance | Refusal | None = None


def largest_group(groups: Sequence[str]) -> int:
    """Pairs of the question that has most.

    Examples
    --------
    >>> largest_group(["a", "b", "a"])
    2
    """
    return max(Counter(groups).values(), default=1)


def calibrate(
    values: NDArray[np.float64], data: ProbeData, *, alpha: float, delta: float | None, largest: int
) -> RiskControl:
    """The largest threshold that misses at most alpha of the flips of questions like these."""
    return control_risk(values, data.flips, data.groups, alpha=alpha, delta=delta, largest_group=largest)


def split_groups(groups: Sequence[str], shares: Sequence[float], *, rng: np.random.Generator) -> NDArray[np.int64]:
    """The part of each row: questions in random order, cut by their number.

    Parameters
    ----------
    shares
        Of the parts; they add up to 1.

    Examples
    --------
    >>> split_groups(["a", "a", "b", "c", "d"], (0.5, 0.5), rng=np.random.default_rng(0)).tolist()
    [0, 0, 1, 0, 1]
    """
    if abs(sum(shares) - 1) > 1e-9 or min(shares) < 0:
        raise StatisticsError(f"shares {tuple(shares)} don't add up to 1")
    # Sorted by name first: the split must not depend on the order of the rows.
    names = sorted(set(groups))
    cuts = np.round(np.cumsum(shares)[:-1] * len(names)).astype(np.int64)
    part = np.empty(len(names), dtype=np.int64)
    part[rng.permutation(len(names))] = np.searchsorted(cuts, np.arange(len(names)), side="right")
    of = dict(zip(names, part.tolist(), strict=True))
    return np.array([of[group] for group in groups], dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Split:
    """One split at one level."""

    control: RiskControl
    missed: int
    flips: int
    swapped: float
    chance: float


def realised(
    score: RiskScore,
    data: ProbeData,
    *,
    alphas: Sequence[float],
    delta: float | None,
    splits: int,
    seed: int,
    level: float = 0.95,
    progress: Callable[[int], None] | None = None,
) -> tuple[Guarantee, ...] | Refusal:
    """Calibrate and test on seeded random splits of the questions, one result a level.

    A score that can be fitted anew is fitted on half of the questions, calibrated on a quarter and tested on a quarter;
    any other is calibrated on half and tested on half. All scores with the same ``seed`` see the same splits.

    Parameters
    ----------
    progress
        Told the number of each split when it begins.

    Returns
    -------
    tuple of Guarantee or Refusal
        Refused with fewer than 8 questions, of which some part would have one at most, where a part has too few flips
        to fit on, and for a saved probe that was fitted on these questions.
    """
    if score.kind is ScoreKind.OVERLAPPING:
        return Refusal(reason=IN_SAMPLE, n=len(data))
    questions = len(set(data.groups))
    if questions < 8:
        return Refusal(reason=f"needs at least 8 questions to calibrate and test, has {questions}", n=questions)
    largest = largest_group(data.groups)
    chance = Chance(data.pair_ids, seed=seed)
    made: list[list[_Split]] = [[] for _ in alphas]
    estimates: list[Estimate | Refusal] = []
    for number, (values, part) in enumerate(_splits(score, data, splits=splits, seed=seed, progress=progress)):
        if isinstance(values, Refusal):
            return Refusal(reason=f"half of the questions are too few to fit on: {values.reason}", n=values.n)
        known, new = data.rows(part == _CALIBRATE), data.rows(part == _TEST)
        draws = chance.draws(number)
        for at, alpha in enumerate(alphas):

            def threshold(values: NDArray[np.float64], known: ProbeData = known, alpha: float = alpha) -> RiskControl:
                return calibrate(values, known, alpha=alpha, delta=delta, largest=largest)

            control = threshold(values[part == _CALIBRATE])
            left = values[part == _TEST] < control.threshold
            made[at].append(
                _Split(
                    control=control,
                    missed=int(np.count_nonzero(left & new.flips)),
                    flips=int(np.count_nonzero(new.flips)),
                    swapped=float(1 - left.mean()) if len(new) else 1.0,
                    chance=float(
                        np.mean(
                            [(d[part == _TEST] >= threshold(d[part == _CALIBRATE]).threshold).mean() for d in draws]
                        )
                    ),
                )
            )
            if number == 0:
                estimates.append(_missed(left, new, level=level))
    return tuple(
        _guarantee(score, alpha, delta, own, first=estimates[at], level=level)
        for at, (alpha, own) in enumerate(zip(alphas, made, strict=True))
    )


def _splits(
    score: RiskScore, data: ProbeData, *, splits: int, seed: int, progress: Callable[[int], None] | None
) -> Iterator[tuple[NDArray[np.float64] | Refusal, NDArray[np.int64]]]:
    for number in range(splits):
        if progress is not None:
            progress(number)
        rng = np.random.default_rng([seed, number])
        part = split_groups(data.groups, _HALVES if score.refit is None else _REFIT, rng=rng)
        values = score.values if score.refit is None else score.refit(np.flatnonzero(part == _FIT), seed)
        yield values, part


def _missed(left: NDArray[np.bool_], new: ProbeData, *, level: float) -> Estimate | Refusal:
    if not new.flips.any():
        return Refusal(reason="no test pair flips", n=0)
    rng = np.random.default_rng(0)  # the robust interval draws nothing
    flips = new.flips.astype(np.float64)
    return cluster_rate(flips * left, flips, new.groups, rng=rng, level=level)


def _guarantee(
    score: RiskScore,
    alpha: float,
    delta: float | None,
    splits: Sequence[_Split],
    *,
    first: Estimate | Refusal,
    level: float,
) -> Guarantee:
    flips = sum(s.flips for s in splits)
    unproved = None if score.refit is not None else score.kind.unproved
    return Guarantee(
        score=score.name,
        alpha=alpha,
        delta=delta,
        text=guarantee_text(splits[0].control, unproved=unproved),
        proved=unproved is None,
        first=splits[0].control,
        missed=first,
        swapped=splits[0].swapped,
        splits=len(splits),
        mean_missed=sum(s.missed for s in splits) / flips if flips else None,
        mean_swapped=float(np.mean([s.swapped for s in splits])),
        above=float(np.mean([s.missed > alpha * s.flips + 1e-9 for s in splits])),
        infeasible=float(np.mean([not s.control.feasible for s in splits])),
        against_chance=None if score.name == RANDOM else _against_chance(score, splits, level=level),
    )


def _against_chance(score: RiskScore, splits: Sequence[_Split], *, level: float) -> AgainstChance | Refusal:
    fit, known, new = _HALVES if score.refit is None else _REFIT
    return AgainstChance.of([s.swapped - s.chance for s in splits], tested=new / (fit + known), level=level)
