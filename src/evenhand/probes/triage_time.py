"""Net run time: what the judge's seconds, and those of taking and using activations, come to under a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import DataError
from evenhand.stats import Estimate, Refusal, bootstrap_of_sums

__all__ = ["NetTime", "Overhead", "PairSeconds", "net_time"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairSeconds:
    """Measured seconds of each pair's two presentations; NaN where the run doesn't tell. Shape (n,).

    Attributes
    ----------
    ab, ba
        As judged by the run that took activations: the seconds include taking them.
    plain_ab, plain_ba
        As judged without taking them, where such a run was made; None else.
    others
        Seconds, in both orders together, of the pairs that can't be scored: they are asked in both whatever the policy.
    """

    ab: FloatArray
    ba: FloatArray
    plain_ab: FloatArray | None = None
    plain_ba: FloatArray | None = None
    others: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhead:
    """Measured seconds, over all pairs, of what a policy needs and full swapping doesn't.

    Attributes
    ----------
    writing
        Putting activations on the disk.
    reading
        Reading them again.
    scoring
        From activations to scores.
    """

    writing: float = 0.0
    reading: float = 0.0
    scoring: float = 0.0

    @property
    def seconds(self) -> float:
        """All together."""
        return self.writing + self.reading + self.scoring


@dataclass(frozen=True, slots=True, kw_only=True)
class NetTime:
    """Seconds of judging under a policy against swapping every pair.

    Attributes
    ----------
    policy
        In words.
    both_orders
        Full swapping: both orders of every pair, without extraction where that was measured.
    judging
        The policy's own judging: order AB of every pair, order BA of the swapped ones.
    overhead
        See :class:`Overhead`.
    saved
        Share of ``both_orders`` that the policy saves net of all overhead; may be negative.
    judging_saved
        The same, of judging alone.
    judgments_saved
        Share of the judgments of the pairs that can be scored (two a pair) that the policy doesn't ask.
    chance_saved
        What a random choice of as many pairs would save, in expectation: no activations, nothing beside judging. None
        where the run took no measurable time.
    plain
        Whether ``both_orders`` was measured without extraction. Else it holds the extraction of both orders, and the
        saving is a little too favourable.
    """

    policy: str
    both_orders: float
    judging: float
    overhead: Overhead
    saved: Estimate | Refusal
    judging_saved: Estimate | Refusal
    plain: bool
    judgments_saved: float = 0.0
    chance_saved: float | None = None


def net_time(
    policy: str,
    swapped: NDArray[np.bool_],
    groups: Sequence[str],
    seconds: PairSeconds,
    overhead: Overhead,
    *,
    seed: int,
    level: float = 0.95,
    resamples: int = 2000,
) -> NetTime | Refusal:
    """Add up what was measured.

    Parameters
    ----------
    swapped
        Shape (n,): judged in both orders.

    Returns
    -------
    NetTime or Refusal
        Refused where a pair's seconds aren't known.

    Raises
    ------
    DataError
        Seconds of another number than the pairs, or below 0.
    """
    columns = [c for c in (seconds.ab, seconds.ba, seconds.plain_ab, seconds.plain_ba) if c is not None]
    if any(len(column) != len(swapped) for column in columns) or len(groups) != len(swapped):
        raise DataError(f"seconds and groups must each have {len(swapped)} rows", field="seconds")
    unknown = int(np.count_nonzero(~np.isfinite(np.column_stack(columns)).all(axis=1)))
    if unknown:
        return Refusal(reason=f"the run doesn't tell the seconds of {unknown:,} of {len(swapped):,} pairs", n=unknown)
    if any((column < 0).any() for column in columns):
        raise DataError("seconds below 0", field="seconds")
    plain = seconds.plain_ab is not None and seconds.plain_ba is not None
    first = seconds.ab if seconds.plain_ab is None else seconds.plain_ab
    second = seconds.ba if seconds.plain_ba is None else seconds.plain_ba
    both = first + second
    own = seconds.ab + second * swapped

    def saved(extra: float) -> Estimate | Refusal:
        if not both.sum() > 0:
            return Refusal(reason="the run took no measurable time", n=len(both))
        # Overhead and unscored pairs in proportion to the resample's judging.
        share = (extra + seconds.others) / float(both.sum())
        whole = 1 + seconds.others / float(both.sum())
        return bootstrap_of_sums(
            [own, both],
            groups,
            lambda sums: 1 - (sums[:, 0] / sums[:, 1] + share) / whole,
            rng=np.random.default_rng(seed),
            level=level,
            resamples=resamples,
        )

    everything = float(both.sum()) + seconds.others
    swapped_share = float(swapped.mean()) if len(swapped) else 0.0
    return NetTime(
        policy=policy,
        both_orders=everything,
        judging=float(own.sum()) + seconds.others,
        overhead=overhead,
        saved=saved(overhead.seconds),
        judging_saved=saved(0.0),
        plain=plain,
        judgments_saved=(1 - swapped_share) / 2,
        chance_saved=float(second.sum()) * (1 - swapped_share) / everything if everything > 0 else None,
    )
