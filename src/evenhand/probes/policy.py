"""Which pairs to judge in both orders: by budget, or as few as keep the missed flips under a guaranteed share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import ConfigError, DataError
from evenhand.probes.data import ProbeSubject
from evenhand.records import content_hash
from evenhand.stats import RiskControl

__all__ = [
    "CalibratedOn",
    "PolicyRule",
    "SwapChoice",
    "SwapPolicy",
    "budget_size",
    "choose",
    "guarantee_text",
    "riskiest_first",
]


class PolicyRule(StrEnum):
    """How a policy takes its pairs."""

    BUDGET = "budget"
    """The given share of the pairs, riskiest first."""
    MAX_MISSED = "max-missed"
    """Every pair whose score reaches a threshold that calibration found to miss few flips."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedOn:
    """The pairs, judged in both orders, from which a threshold was read.

    Attributes
    ----------
    spec, sha256
        The data set's spec and :func:`evenhand.records.pairs_hash`.
    pairs, groups, flips, missed
        Counts; ``missed`` of the flips score below the threshold.
    largest_group
        Pairs that a question may have at most for the guarantee to hold.
    """

    spec: str
    sha256: str
    pairs: int
    groups: int
    flips: int
    missed: int
    largest_group: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapPolicy:
    """What decides, from order AB alone, whether a pair is judged in order BA too.

    Attributes
    ----------
    score
        The name of a predictor of a saved probe, or of a raw score such as ``confidence``; higher means riskier.
    probe_sha256
        SHA-256 of the card file of the saved probe that the scores come from (the card pins the numbers); None for raw
        scores.
    budget
        Share of the pairs, above 0, at most 1; None under ``max-missed``.
    threshold
        Pairs that score at least this are swapped; None under ``budget``, and minus infinity where all must be.
    alpha, delta
        Share of the flips that may be missed, and the chance that the calibration misleads (None: the promise is in
        expectation). None under ``budget``.
    floor
        Share of the other pairs that is swapped at random, so that the full flip rate can be estimated; 0 to 1.
    guarantee
        What is promised, and on what assumptions; None where nothing is.
    calibrated_on
        None under ``budget``.
    subject
        Whose verdicts: what a run must match.
    evenhand, created
        The version that made it, and when (UTC, ISO 8601).
    """

    rule: PolicyRule
    score: str
    subject: ProbeSubject
    probe_sha256: str | None = None
    budget: float | None = None
    threshold: float | None = None
    alpha: float | None = None
    delta: float | None = None
    floor: float = 0.0
    guarantee: str | None = None
    calibrated_on: CalibratedOn | None = None
    evenhand: str = ""
    created: str = ""

    def __post_init__(self) -> None:
        if not self.score:
            raise ConfigError("a policy needs the name of its score")
        if not 0.0 <= self.floor <= 1.0:
            raise ConfigError(f"floor is {self.floor}: expected a share from 0 to 1")
        calibrated = (self.threshold, self.alpha, self.delta, self.guarantee, self.calibrated_on)
        if self.rule is PolicyRule.BUDGET:
            if self.budget is None or not 0.0 < self.budget <= 1.0:
                raise ConfigError(f"budget is {self.budget}: expected a share of the pairs above 0 and at most 1")
            if any(value is not None for value in calibrated):
                raise ConfigError("a budget policy has no threshold, level or guarantee")
            return
        if self.budget is not None:
            raise ConfigError(f"budget is {self.budget}: a {self.rule} policy has none")
        if self.alpha is None or not 0.0 < self.alpha < 1.0:
            raise ConfigError(f"alpha is {self.alpha}: expected a share of the flips between 0 and 1")
        if self.delta is not None and not 0.0 < self.delta < 1.0:
            raise ConfigError(f"delta is {self.delta}: expected a chance between 0 and 1")
        if self.threshold is None or math.isnan(self.threshold) or self.threshold == math.inf:
            raise ConfigError(f"threshold is {self.threshold}: expected a score, or minus infinity")
        if self.calibrated_on is None or self.guarantee is None:
            raise ConfigError(f"a {self.rule} policy says what it was calibrated on and what it guarantees")

    def describe(self) -> str:
        """The rule in words, for reports.

        Examples
        --------
        >>> from evenhand.records import Readout
        >>> subject = ProbeSubject(
        ...     model="m", revision=None, dtype="float32", prompt="p", prompt_hash="0", labels="A/B",
        ...     readout=Readout.GENERATED, blocks=2, size=8)
        >>> SwapPolicy(rule=PolicyRule.BUDGET, score="probe", budget=0.3, subject=subject).describe()
        'the 30 % of the pairs with the highest probe score'
        """
        if self.budget is not None:
            return f"the {self.budget * 100:g} % of the pairs with the highest {self.score} score"
        if self.threshold == -math.inf:
            return "every pair, for no threshold can promise enough"
        return f"every pair whose {self.score} score is at least {self.threshold:.6g}"

    def too_large_groups(self, groups: Sequence[str]) -> str | None:
        """Why the guarantee doesn't hold for pairs in these groups; None where it may.

        The promise bounds what one question can miss by the number of its pairs.
        """
        if self.calibrated_on is None or not groups:
            return None
        name, size = Counter(groups).most_common(1)[0]
        most = self.calibrated_on.largest_group
        if size <= most:
            return None
        return f"question {name!r} has {size} pairs; the policy was calibrated for at most {most} pairs a question"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SwapChoice:
    """What a policy chose. Every array is bool of shape (n,), in the order of the pairs.

    Attributes
    ----------
    certain
        Swapped because of its score.
    floor
        Swapped because the random floor drew it; none of them is certain.
    chance
        With which each pair is swapped: 1 where certain, else the floor's share as drawn; float64.
    """

    certain: NDArray[np.bool_]
    floor: NDArray[np.bool_]
    chance: NDArray[np.float64]

    @property
    def swapped(self) -> NDArray[np.bool_]:
        """Judged in both orders."""
        return self.certain | self.floor

    @property
    def judgments(self) -> int:
        """Presentations in all: every pair in AB, the swapped ones in BA too."""
        return len(self.certain) + int(np.count_nonzero(self.swapped))


def budget_size(pairs: int, share: float) -> int:
    """How many pairs a budget swaps: its share, rounded up.

    Examples
    --------
    >>> budget_size(10, 0.3), budget_size(11, 0.3)
    (3, 4)
    """
    return min(pairs, math.ceil(round(share * pairs, 9)))


def choose(policy: SwapPolicy, scores: ArrayLike, pair_ids: Sequence[str], *, seed: int) -> SwapChoice:
    """Apply a policy to scored pairs.

    A pair's place among equal scores, and in the floor, is that of a seeded hash: exactly the budget is spent, and
    neither the order of the pairs nor the machine changes the choice. The two hashes differ: by one alone, equal scores
    that the budget leaves would all come late in the floor's order, which would be no random sample then.

    Parameters
    ----------
    scores
        Shape (n,), finite; higher means riskier.
    pair_ids
        n distinct ids.

    Raises
    ------
    DataError
        A score that isn't finite, another number of scores than pairs, or an id twice.

    Examples
    --------
    >>> from evenhand.records import Readout
    >>> subject = ProbeSubject(
    ...     model="m", revision=None, dtype="float32", prompt="p", prompt_hash="0", labels="A/B",
    ...     readout=Readout.GENERATED, blocks=2, size=8)
    >>> policy = SwapPolicy(rule=PolicyRule.BUDGET, score="probe", budget=0.5, subject=subject)
    >>> choose(policy, [0.1, 0.9, 0.4, 0.6], ["a", "b", "c", "d"], seed=0).swapped.tolist()
    [False, True, False, True]
    """
    score = np.asarray(scores, dtype=np.float64)
    if score.shape != (len(pair_ids),):
        raise DataError(f"scores have shape {score.shape}, expected ({len(pair_ids)},)")
    unusable = np.flatnonzero(~np.isfinite(score))
    if unusable.size:
        raise DataError(f"the {policy.score} score of pair {pair_ids[unusable[0]]!r} is {score[unusable[0]]}")
    if len(set(pair_ids)) != len(pair_ids):
        raise DataError("a pair occurs twice among those to choose from", field="pair_ids")
    certain = np.zeros(len(score), dtype=np.bool_)
    if policy.budget is not None:
        certain[riskiest_first(score, pair_ids, seed=seed)[: budget_size(len(score), policy.budget)]] = True
    else:
        certain = score >= (-math.inf if policy.threshold is None else policy.threshold)
    rest, place = np.flatnonzero(~certain), _places(pair_ids, "swap", seed)
    drawn = rest[np.argsort(place[rest])][: budget_size(len(rest), policy.floor)]
    floor = np.zeros(len(score), dtype=np.bool_)
    floor[drawn] = True
    chance = np.ones(len(score))
    chance[rest] = len(drawn) / len(rest) if len(rest) else 1.0
    return SwapChoice(certain=certain, floor=floor, chance=chance)


def riskiest_first(scores: ArrayLike, pair_ids: Sequence[str], *, seed: int) -> NDArray[np.intp]:
    """Indices of the pairs, highest score first, equal scores by their seeded hashes: what a budget takes from."""
    return np.lexsort((_places(pair_ids, "swap ties", seed), -np.asarray(scores, dtype=np.float64)))


def _places(pair_ids: Sequence[str], what: str, seed: int) -> NDArray[np.intp]:
    """The place of each pair in a seeded random order; as audits.swap_design has it, for ids of a table too."""
    keys = [
        (content_hash([what, seed, name.encode("utf-8", "backslashreplace").decode("utf-8")]), name)
        for name in pair_ids
    ]
    places = np.empty(len(keys), dtype=np.intp)
    places[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return places


def guarantee_text(control: RiskControl, *, unproved: str | None = None) -> str:
    """What a calibrated threshold promises of the flips, in words that fit a report.

    Parameters
    ----------
    unproved
        Why the score and the calibration pairs aren't independent; None where they are.
    """
    share = f"at most {control.alpha * 100:g} % of the flips are missed"
    promise = (
        f"in expectation over calibration and new questions, {share} (conformal risk control)"
        if control.delta is None
        else f"with probability {(1 - control.delta) * 100:g} % over the calibration, {share} ({control.rule} test)"
    )
    counts = f"{control.rows:,} calibration pairs of {control.groups:,} questions with {control.events:,} flips"
    size = "one pair" if control.largest_group == 1 else f"at most {control.largest_group} pairs"
    conditions = f"for questions like these, of {size} each, and for the same judge and prompt"
    text = f"{promise}; {counts}; {conditions}"
    if not control.feasible:
        return f"{text}; kept by swapping every pair, since it {control.note.replace('events', 'flips')}"
    return text if unproved is None else f"approximate, not proved, because {unproved}: {text}"
