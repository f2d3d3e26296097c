"""Simulated verdicts of pairs with texts, lengths, gold and authors: arrays first, so that many audits are quick."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import widen
from evenhand.audits.bias.base import BiasData
from evenhand.records import Condition, LabelSet, Pair, Preference

CONTROL = "c"


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What a simulated judge goes by, in log odds of A over B: per unit of quality, of log length, of slot, of own."""

    quality: float = 1.5
    length: float = 0.0
    slot: float = 0.0
    own: float = 0.0
    noise: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Pairs: gold side, lengths in characters, whether A (+1) or B (-1) or neither (0) is by the judge's family."""

    gold: np.ndarray
    length_a: np.ndarray
    length_b: np.ndarray
    own: np.ndarray
    group: np.ndarray

    @property
    def log_ratio(self) -> np.ndarray:
        return np.log((self.length_a + 1) / (self.length_b + 1))


def draw_pairs(
    rng: np.random.Generator, count: int = 200, *, length_by_quality: float = 0.0, length_by_own: float = 0.0
) -> Sample:
    """Lengths that may go with the gold side and with authorship; two pairs a question."""
    gold = rng.choice([-1, 1], count)
    own = rng.choice([-1, 0, 1], count, p=[0.3, 0.4, 0.3])
    ratio = rng.normal(0, 0.5, count) + length_by_quality * gold + length_by_own * own
    middle = rng.integers(300, 900, count)
    return Sample(
        gold=gold,
        own=own,
        length_a=np.round(middle * np.exp(ratio / 2)).astype(int),
        length_b=np.round(middle * np.exp(-ratio / 2)).astype(int),
        group=np.arange(count) // 2,
    )


def judge(rng: np.random.Generator, sample: Sample, truth: Truth) -> np.ndarray:
    """Whether A is chosen, shape (pairs, 2); the pair's own noise is shared by its orders, and by its question."""
    count = len(sample.gold)
    shared = truth.noise * (rng.normal(size=sample.group.max() + 1)[sample.group] + rng.normal(size=count))
    base = truth.quality * sample.gold + truth.length * sample.log_ratio + truth.own * sample.own + shared
    log_odds = base[:, None] + truth.slot * np.array([1, -1])
    return rng.random((count, 2)) < 1 / (1 + np.exp(-log_odds))


def verdict_frame(
    sample: Sample,
    chose_a: np.ndarray,
    *,
    gold: bool = True,
    readout: str = "generated",
    orders: Sequence[int] = (0, 1),
) -> pl.DataFrame:
    """The long table that :func:`evenhand.analysis.wide.widen` reads."""
    count = len(sample.gold)
    frames = []
    for order in orders:
        a = chose_a[:, order]
        first = a if order == 0 else ~a
        frames.append(
            pl.DataFrame(
                {
                    "pair_id": [f"p{i:05d}" for i in range(count)],
                    "group": [f"g{g:05d}" for g in sample.group],
                    "source": ["s"] * count,
                    "gold": np.where(sample.gold > 0, "A", "B").tolist() if gold else [None] * count,
                    "condition": [CONTROL] * count,
                    "readout": [readout] * count,
                    "order": [("AB", "BA")[order]] * count,
                    "repeat": [0] * count,
                    "outcome": np.where(first, "first", "second").tolist(),
                    "preference": np.where(a, "A", "B").tolist(),
                }
            )
        )
    empty = {"compliant": pl.Boolean, "lead": pl.String, "log_odds": pl.Float64, "mass": pl.Float64}
    more = {**empty, "log_outcome": pl.String, "generated": pl.Boolean}
    table = pl.concat(frames).with_columns(pl.col("gold").cast(pl.String))
    return table.with_columns(*(pl.lit(None, dtype=dtype).alias(name) for name, dtype in more.items()))


def pairs_of(sample: Sample, *, mine: str = "", other: str = "") -> dict[str, Pair]:
    """The pairs themselves; with names of authors where they are given."""
    found = {}
    for i, (a, b) in enumerate(zip(sample.length_a.tolist(), sample.length_b.tolist(), strict=True)):
        own = int(sample.own[i])
        author = {1: (mine, other), -1: (other, mine), 0: (other, other)}[own]
        found[f"p{i:05d}"] = Pair(
            id=f"p{i:05d}",
            instruction=f"question {sample.group[i]}",
            response_a="word " * (a // 5) + "x" * (a % 5),
            response_b="word " * (b // 5) + "x" * (b % 5),
            gold=Preference.A if sample.gold[i] > 0 else Preference.B,
            group=f"g{sample.group[i]:05d}",
            author_a=author[0] or None,
            author_b=author[1] or None,
        )
    return found


def observed(table: pl.DataFrame, pairs: dict[str, Pair], *, model: str = "") -> BiasData:
    """A run without changed conditions."""
    condition = Condition(id=CONTROL, prompt="p", prompt_hash="h", labels=LabelSet.parse("A/B"))
    return BiasData(table=table, wide=widen(table), conditions=(condition,), pairs=pairs, judge=model)


def sampler(data: BiasData, *, resamples: int = 200) -> Sampler:
    """Resamples by question group."""
    return Sampler(clusters=data.wide.facts.group, seed=1, resamples=resamples, level=0.95)


@dataclass(frozen=True, kw_only=True)
class Authored:
    """Pairs by two of several families: how good and how long each response is, and who wrote it."""

    author_a: np.ndarray
    author_b: np.ndarray
    quality: np.ndarray
    log_ratio: np.ndarray
    group: np.ndarray

    def own(self, family: int) -> np.ndarray:
        return (self.author_a == family).astype(int) - (self.author_b == family).astype(int)


def draw_authored(
    rng: np.random.Generator, count: int, families: int, *, better: Sequence[float] = (), longer: Sequence[float] = ()
) -> Authored:
    """Every pair by two unlike families; ``better`` and ``longer`` make a family's responses so."""
    a = rng.integers(0, families, count)
    b = (a + rng.integers(1, families, count)) % families
    good, long = (np.array([*given, *[0.0] * (families - len(given))]) for given in (better, longer))
    return Authored(
        author_a=a,
        author_b=b,
        quality=rng.normal(size=count) + good[a] - good[b],
        log_ratio=rng.normal(0, 0.4, count) + long[a] - long[b],
        group=np.arange(count) // 2,
    )


def judge_authored(rng: np.random.Generator, pairs: Authored, truth: Truth, family: int) -> np.ndarray:
    """Whether A is chosen, shape (pairs, 2)."""
    base = truth.quality * pairs.quality + truth.length * pairs.log_ratio + truth.own * pairs.own(family)
    log_odds = (base + truth.noise * rng.normal(size=len(base)))[:, None] + truth.slot * np.array([1, -1])
    return rng.random(log_odds.shape) < 1 / (1 + np.exp(-log_odds))


def authored_run(pairs: Authored, chose_a: np.ndarray, *, model: str, gold: bool = True) -> BiasData:
    """A judge's run on such pairs; the author of family 2 is called ``family2-writer``."""
    middle = 400.0
    sample = Sample(
        gold=np.where(pairs.quality > 0, 1, -1),
        own=np.zeros(len(pairs.group), dtype=int),
        length_a=np.round(middle * np.exp(pairs.log_ratio / 2)).astype(int),
        length_b=np.round(middle * np.exp(-pairs.log_ratio / 2)).astype(int),
        group=pairs.group,
    )
    known = pairs_of(sample)
    for i, pair in enumerate(known.values()):
        known[pair.id] = Pair(
            id=pair.id,
            instruction=pair.instruction,
            response_a=pair.response_a,
            response_b=pair.response_b,
            gold=pair.gold if gold else None,
            group=pair.group,
            author_a=f"family{pairs.author_a[i]}-writer",
            author_b=f"family{pairs.author_b[i]}-writer",
        )
    return observed(verdict_frame(sample, chose_a, gold=gold), known, model=model)
