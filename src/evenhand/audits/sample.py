"""Which pairs to generate for when only a share of them may be: a random sample, stratified by compliance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import PairFacts, Scope
from evenhand.errors import ConfigError
from evenhand.records import content_hash

__all__ = [
    "FLOOR",
    "SampleDesign",
    "SamplePlan",
    "SampleStratum",
    "StratumPlan",
    "check_fraction",
    "choose_sample",
    "compliance_strata",
    "in_a_table",
    "strata_codes",
    "stratum_sizes",
]


class SampleStratum(StrEnum):
    """A pair's compliance, by its first-token presentations."""

    COMPLIANT = "compliant"
    """The judge led with a verdict token in both orders."""
    NON_COMPLIANT = "non-compliant"
    """Both are known, and at least one did not lead with a verdict token."""
    UNKNOWN = "unknown"
    """A first token is missing: its presentation failed or was not asked."""


FEWEST = 2
FLOOR = 10
"""Pairs that each stratum gets, where it has them and the sample is large enough: with fewer, its coefficient and its
variance are guesses."""
_FLOOR_SHARE = 8
"""The floor grows with the sample, to an eighth of it: ten of 25 for a stratum of 5 % of the pairs would leave the
others too few (measured: coverage .84 in place of .96)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleDesign:
    """How a run draws its sample. With the first tokens of all pairs it says which pairs are drawn, and in which order.

    Attributes
    ----------
    fraction
        Share of the pairs to generate for; above 0, at most 1.
    seed
        The run's.
    """

    fraction: float
    seed: int

    def __post_init__(self) -> None:
        check_fraction(self.fraction)
        if self.seed < 0:
            raise ConfigError(f"seed is {self.seed}: expected 0 or a positive whole number")


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumPlan:
    """How many pairs a stratum has, and how many of them are drawn."""

    stratum: SampleStratum
    pairs: int
    drawn: int

    @property
    def probability(self) -> float:
        """Chance of each of its pairs to be drawn."""
        return self.drawn / self.pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePlan:
    """The pairs to generate for.

    Attributes
    ----------
    pairs
        Ids of the drawn pairs, in the order to ask them in: the first of them, however many, are drawn at random too.
    strata
        Only those that have pairs.
    """

    pairs: tuple[str, ...]
    strata: tuple[StratumPlan, ...]
    fraction: float
    seed: int


def strata_codes(first: Scope, pairs: NDArray[np.int64]) -> NDArray[np.int8]:
    """Index into :class:`SampleStratum` of each of the given pairs (ascending indices into the table's pairs).

    A pair without first-token presentations is unknown.
    """
    names = tuple(SampleStratum)
    codes = np.full(pairs.size, names.index(SampleStratum.UNKNOWN), dtype=np.int8)
    _, here, there = np.intersect1d(pairs, first.pairs, assume_unique=True, return_indices=True)
    known, compliant = first.compliance_known()[there], first.compliant_pairs()[there]
    codes[here[known & compliant]] = names.index(SampleStratum.COMPLIANT)
    codes[here[known & ~compliant]] = names.index(SampleStratum.NON_COMPLIANT)
    return codes


def compliance_strata(first: Scope | None, *, facts: PairFacts, pair_ids: Iterable[str]) -> dict[str, SampleStratum]:
    """The stratum of each pair, from what the first tokens said.

    Parameters
    ----------
    first
        One condition under the first-token readout; None where no presentation was answered.
    facts
        Of the table that the scope belongs to.
    pair_ids
        All pairs of the run, also those that the table lacks.
    """
    if first is None:
        return dict.fromkeys(pair_ids, SampleStratum.UNKNOWN)
    names = tuple(SampleStratum)
    codes = strata_codes(first, first.pairs).tolist()
    known = {str(facts.ids[pair]): names[code] for pair, code in zip(first.pairs.tolist(), codes, strict=True)}
    return {pair_id: known.get(in_a_table(pair_id), SampleStratum.UNKNOWN) for pair_id in pair_ids}


def in_a_table(pair_id: str) -> str:
    """The id as a table holds it: a lone surrogate is written as its escape."""
    return pair_id.encode("utf-8", "backslashreplace").decode("utf-8")


def choose_sample(
    strata: Mapping[str, SampleStratum],
    *,
    fraction: float,
    seed: int,
    minimum: int = FLOOR,
) -> SamplePlan:
    """Draw the pairs to generate for: the given fraction of all, rounded up.

    A pair's place within its stratum is that of its seeded hash, and pairs are given out one at a time. So the same
    first-token outcomes give the same sample, on any machine and after any interruption, and a larger fraction's sample
    contains a smaller one's. The hash knows the pair's id alone: two conditions draw mostly the same pairs.

    Parameters
    ----------
    strata
        Stratum of each pair id.
    minimum
        See :func:`stratum_sizes`.

    Raises
    ------
    ConfigError
        A fraction outside of 0 to 1, a negative seed, or no pairs.

    Examples
    --------
    >>> strata = {f"p{i}": tuple(SampleStratum)[i % 5 == 0] for i in range(100)}
    >>> plan = choose_sample(strata, fraction=0.2, seed=0)
    >>> [(s.stratum.value, s.pairs, s.drawn) for s in plan.strata]
    [('compliant', 80, 16), ('non-compliant', 20, 4)]
    >>> set(choose_sample(strata, fraction=0.1, seed=0).pairs) < set(plan.pairs)
    True
    """
    check_fraction(fraction)
    if seed < 0:
        raise ConfigError(f"seed is {seed}: expected 0 or a positive whole number")
    if not strata:
        raise ConfigError("no pairs to draw from")
    members: dict[str, list[str]] = {name: [] for name in SampleStratum}
    for pair_id, stratum in strata.items():
        members[stratum].append(pair_id)
    for ids in members.values():
        # Salted, so that the repeated-AB control, which hashes the same ids and seed, repeats other pairs.
        # Of the id in a table, so that a draw from the run's table is the run's draw.
        ids.sort(key=lambda pair_id: (content_hash(["generate", seed, in_a_table(pair_id)]), pair_id))
    sizes = {name: len(ids) for name, ids in members.items() if ids}
    count = math.ceil(round(fraction * len(strata), 9))
    drawn = dict.fromkeys(sizes, 0)
    chosen = []
    for name in _given_out(sizes, count=count, weights=None, minimum=minimum):
        chosen.append(members[name][drawn[name]])
        drawn[name] += 1
    return SamplePlan(
        pairs=tuple(chosen),
        strata=tuple(StratumPlan(stratum=SampleStratum(n), pairs=sizes[n], drawn=drawn[n]) for n in sizes),
        fraction=fraction,
        seed=seed,
    )


def check_fraction(fraction: float) -> None:
    """Raise ConfigError unless 0 < fraction <= 1."""
    if not 0 < fraction <= 1:
        raise ConfigError(f"budget is {fraction}: expected the share of pairs to generate for, above 0 and at most 1")


def stratum_sizes(
    pairs: Mapping[str, int], *, count: int, minimum: int = FLOOR, weights: Mapping[str, float] | None = None
) -> dict[str, int]:
    """How many of ``count`` pairs each stratum gets: its share of the pairs, but small strata enough to be estimated.

    Pairs are given out one at a time, so that a larger count takes nothing away. The next one goes where weight × size
    is largest for the number drawn plus a half (Webster's rule); but first to a stratum that has fewer than an eighth
    of all that were given out, up to ``minimum`` and at least 2.

    Parameters
    ----------
    pairs
        How many each stratum has.
    weights
        None weighs alike: drawing non-compliant pairs twice as often gained nothing in simulation, and cost a tenth of
        the effective sample where the first token is worth nothing (docs/methods/prediction-powered.md).

    Examples
    --------
    >>> stratum_sizes({"compliant": 300, "non-compliant": 100}, count=50)
    {'compliant': 38, 'non-compliant': 12}
    >>> stratum_sizes({"compliant": 990, "non-compliant": 10}, count=50)
    {'compliant': 44, 'non-compliant': 6}
    """
    drawn = dict.fromkeys(pairs, 0)
    for name in _given_out(pairs, count=count, weights=weights, minimum=minimum):
        drawn[name] += 1
    return drawn


def _given_out(
    pairs: Mapping[str, int], *, count: int, weights: Mapping[str, float] | None, minimum: int
) -> Iterator[str]:
    drawn = dict.fromkeys(pairs, 0)
    scaled = {name: size * (1.0 if weights is None else weights[name]) for name, size in pairs.items()}
    for given in range(min(count, sum(pairs.values()))):
        floor = min(minimum, max(FEWEST, given // _FLOOR_SHARE))
        left = [name for name in pairs if drawn[name] < pairs[name]]
        short = [name for name in left if drawn[name] < floor]
        if short:
            name = min(short, key=drawn.__getitem__)
        else:
            name = max(left, key=lambda name: scaled[name] / (drawn[name] + 0.5))
        drawn[name] += 1
        yield name
