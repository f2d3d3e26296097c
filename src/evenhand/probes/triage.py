"""Which pairs to judge in both orders: every score under every budget and promise, and what judging so costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError
from evenhand.probes.data import ProbeData
from evenhand.probes.evaluate import unranked
from evenhand.probes.policy import budget_size, riskiest_first
from evenhand.probes.triage_budget import budget_points
from evenhand.probes.triage_guarantee import Guarantee, calibrate, largest_group, realised, split_groups
from evenhand.probes.triage_leaderboard import (
    Authorship,
    Standing,
    author_rows,
    leaderboard_errors,
)
from evenhand.probes.triage_question import TriageQuestion
from evenhand.probes.triage_report import ScoreFacts, TriageReport
from evenhand.probes.triage_scores import CONFIDENCE, IN_SAMPLE, RANDOM, RiskScore, ScoreKind
from evenhand.probes.triage_time import NetTime, Overhead, PairSeconds, net_time
from evenhand.records import Preference
from evenhand.stats import Refusal

__all__ = [
    "TriageProgress",
    "triage",
    "within_budget",
]

_SHOWN: Final = (0.1, 0.3, 0.5, 0.7)
"""Budgets whose leaderboards and times are shown where none was asked for."""
_CLOSELY: Final = _SHOWN.index(0.3)


TriageProgress = Callable[[str, int, int], None]
"""Told what is being done, how many steps are done, and how many there are."""


def triage(
    data: ProbeData,
    scores: Mapping[str, RiskScore | Refusal],
    question: TriageQuestion,
    *,
    authors: Authorship,
    gold: Sequence[Preference | None],
    seconds: PairSeconds | Refusal,
    overhead: Overhead,
    notes: Sequence[str] = (),
    progress: TriageProgress | None = None,
) -> TriageReport:
    """Evaluate selective swapping on pairs whose flips are known.

    Parameters
    ----------
    scores
        By name, in the order of the report; among them the question's.
    authors, gold, seconds
        Of each pair, in the order of the data.
    progress
        See :data:`TriageProgress`.

    Raises
    ------
    ConfigError
        The score asked for isn't there, or was refused.
    DataError
        Authors, gold or seconds of another number than the pairs.
    """
    score = _asked(scores, question.score)
    own = _own_standings(data, score, question)
    ways = _standings(data, own, scores, question)
    closely = own[_CLOSELY if len(own) > 1 else 0]
    return TriageReport(
        subject=data.subject,
        data=data.spec,
        sha256=data.sha256,
        pairs=len(data),
        groups=len(set(data.groups)),
        flips=int(np.count_nonzero(data.flips)),
        largest_group=largest_group(data.groups),
        retention=data.retention,
        question=question,
        scores=tuple(_facts(name, each) for name, each in scores.items()),
        budgets=budget_points(
            data,
            scores,
            budgets=question.budgets,
            seed=question.seed,
            level=question.level,
            resamples=question.resamples,
        ),
        guarantees=tuple(_all_promises(scores, data, question, progress)),
        leaderboard=leaderboard_errors(
            data,
            ways,
            authors=authors,
            gold=gold,
            seed=question.seed,
            level=question.level,
            resamples=question.resamples,
        ),
        closely=closely.policy,
        authors=author_rows(data, closely.swapped > 0, authors, level=question.level),
        times=_times(data, own, seconds, overhead, question),
        unranked=None if (too := unranked(data.flips)) is None else too.reason,
        led=None if data.led is None or not len(data) else float(data.led.mean()),
        notes=tuple(notes),
    )


def within_budget(score: RiskScore, data: ProbeData, budget: float, *, seed: int) -> NDArray[np.bool_]:
    """The riskiest pairs that a budget swaps, shape (n,)."""
    swapped = np.zeros(len(data), dtype=np.bool_)
    swapped[riskiest_first(score.values, data.pair_ids, seed=seed)[: budget_size(len(data), budget)]] = True
    return swapped


def _asked(scores: Mapping[str, RiskScore | Refusal], name: str) -> RiskScore:
    found = scores.get(name)
    if found is None:
        raise ConfigError(f"no score {name!r}; there are {', '.join(scores)}")
    if isinstance(found, Refusal):
        usable = ", ".join(each for each, score in scores.items() if isinstance(score, RiskScore))
        raise ConfigError(f"score {name!r} can't be used: {found.reason}; there are {usable}")
    return found


def _facts(name: str, score: RiskScore | Refusal) -> ScoreFacts:
    if isinstance(score, Refusal):
        return ScoreFacts(name=name, kind="", refusal=score.reason)
    refusal = IN_SAMPLE if score.kind is ScoreKind.OVERLAPPING else None
    return ScoreFacts(name=name, kind=score.kind.value, refusal=refusal)


def _all_promises(
    scores: Mapping[str, RiskScore | Refusal],
    data: ProbeData,
    question: TriageQuestion,
    progress: TriageProgress | None,
) -> Iterator[tuple[str, tuple[Guarantee, ...] | Refusal]]:
    total = len(scores) * question.splits
    for number, (name, score) in enumerate(scores.items()):

        def tell(split: int, name: str = name, done: int = number * question.splits) -> None:
            if progress is not None:
                progress(f"splits, {name}", done + split, total)

        yield name, _promises(score, data, question, tell)


def _promises(
    score: RiskScore | Refusal, data: ProbeData, question: TriageQuestion, progress: Callable[[int], None]
) -> tuple[Guarantee, ...] | Refusal:
    if isinstance(score, Refusal) or not question.alphas:
        return score if isinstance(score, Refusal) else ()
    return realised(
        score,
        data,
        alphas=question.alphas,
        delta=question.delta,
        splits=question.splits,
        seed=question.seed,
        level=question.level,
        progress=progress,
    )


def _standings(
    data: ProbeData, own: Sequence[Standing], scores: Mapping[str, RiskScore | Refusal], question: TriageQuestion
) -> list[Standing]:
    """Order AB alone, the score's own policies, and the same numbers of pairs by confidence and by chance."""
    ways = [Standing(policy="order AB alone", swapped=np.zeros(len(data), dtype=np.bool_))]
    ways += own
    confidence = scores.get(CONFIDENCE)
    if question.score != CONFIDENCE and isinstance(confidence, RiskScore):
        ways += [_as_many(each, confidence, data, seed=question.seed) for each in own]
    if question.score != RANDOM:
        ways += [_by_chance(each) for each in own]
    return ways


def _own_standings(data: ProbeData, score: RiskScore, question: TriageQuestion) -> list[Standing]:
    if question.max_missed is not None:
        swapped = _cross_calibrated(score, data, question.max_missed, question)
        return [Standing(policy=f"{score.name}, at most {question.max_missed * 100:g} % missed", swapped=swapped)]
    budgets = _SHOWN if question.budget is None else (question.budget,)
    return [
        Standing(
            policy=f"{score.name}, {budget * 100:g} % swapped",
            swapped=within_budget(score, data, budget, seed=question.seed),
        )
        for budget in budgets
    ]


def _as_many(way: Standing, score: RiskScore, data: ProbeData, *, seed: int) -> Standing:
    count = int(np.count_nonzero(way.swapped))
    swapped = np.zeros(len(data), dtype=np.bool_)
    swapped[riskiest_first(score.values, data.pair_ids, seed=seed)[:count]] = True
    return Standing(policy=f"{score.name}, as many", swapped=swapped)


def _by_chance(way: Standing) -> Standing:
    """As many pairs drawn at random: every pair has the same chance, so that no draw's luck is compared with."""
    share = float(way.swapped.mean()) if len(way.swapped) else 0.0
    return Standing(policy=f"{RANDOM}, as many", swapped=np.full(len(way.swapped), share))


def _cross_calibrated(score: RiskScore, data: ProbeData, alpha: float, question: TriageQuestion) -> NDArray[np.bool_]:
    """Every pair by a threshold that was calibrated on the other half of the questions."""
    part = split_groups(data.groups, (0.5, 0.5), rng=np.random.default_rng([question.seed, 0]))
    swapped = np.zeros(len(data), dtype=np.bool_)
    largest = largest_group(data.groups)
    for half in (0, 1):
        known = np.flatnonzero(part != half)
        control = calibrate(score.values[known], data.rows(known), alpha=alpha, delta=question.delta, largest=largest)
        swapped |= (part == half) & (score.values >= control.threshold)
    return swapped


def _times(
    data: ProbeData,
    ways: Sequence[Standing],
    seconds: PairSeconds | Refusal,
    overhead: Overhead,
    question: TriageQuestion,
) -> tuple[NetTime, ...] | Refusal:
    if isinstance(seconds, Refusal):
        return seconds
    made = []
    for way in ways:
        found = net_time(
            way.policy,
            way.swapped > 0,
            data.groups,
            seconds,
            overhead,
            seed=question.seed,
            level=question.level,
            resamples=question.resamples,
        )
        if isinstance(found, Refusal):
            return found
        made.append(found)
    return tuple(made)
