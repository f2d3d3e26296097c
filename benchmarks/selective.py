"""Coverage and bias of what a selective run says of all pairs, by simulation.

Run ``python benchmarks/selective.py [--runs 2000] [--floor 0.1] [--minimum 20]``. It prints the table of
docs/methods/selective.md.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, FIRST, OUTCOMES, SECOND, PairFacts, Scope, WideTable
from evenhand.audits.selective import selective_findings
from evenhand.audits.swap_design import FEWEST_FLOOR, FLOOR_SHARE, PairRisk, draw_swaps
from evenhand.records import Outcome, Readout
from evenhand.stats import Estimate

JUDGES = {"flips often": -0.8, "flips seldom": -2.6}
"""Log odds of a flip of a pair in the middle: .38 and .16 of all pairs flip."""
PREDICTORS = ("perfect", "good", "useless", "constant", "misleading")
SWAPPED = 0.3
UNDECIDED = 0.03
_UNPARSED = OUTCOMES.index(Outcome.UNPARSED)
_FIGURES = {
    "flip_rate": "selective_flip_rate",
    "strength": "selective_position_bias_strength",
    "first_share": "selective_first_position_bias_rate",
    "accuracy": "selective_accuracy_ba",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Pairs in question groups of one to three. Outcomes are of both orders, shape (pairs, 2)."""

    groups: NDArray[np.int64]
    chance: NDArray[np.float64]
    flips: NDArray[np.bool_]
    outcome: NDArray[np.int8]
    preference: NDArray[np.int8]
    gold: NDArray[np.int8]

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Pairs that chose a slot in both orders."""
        decided: NDArray[np.bool_] = (self.outcome != _UNPARSED).all(axis=1)
        return decided

    def truth(self) -> dict[str, float]:
        """The figures where every pair is asked in both orders."""
        both = self.decided
        locked = self.flips & both
        first, second = (locked & (self.outcome[:, 0] == slot) for slot in (FIRST, SECOND))
        answered = self.outcome[:, 1] != _UNPARSED
        return {
            "flip_rate": locked.sum() / both.sum(),
            "strength": (first.sum() - second.sum()) / both.sum(),
            "first_share": first.sum() / locked.sum(),
            "accuracy": float((self.preference[:, 1] == self.gold)[answered].mean()),
        }


def population(judge: str, pairs: int, rng: np.random.Generator) -> Population:
    """Draw pairs; what makes a pair flip is shared within its group in part."""
    groups = np.repeat(np.arange(pairs), rng.integers(1, 4, size=pairs))[:pairs]
    trait = 0.7 * rng.normal(size=pairs)[groups] + 0.7 * rng.normal(size=pairs)
    chance = _logistic(JUDGES[judge] + 2 * trait)
    flips = rng.random(pairs) < chance
    first = rng.random(pairs) < _logistic(0.8 + 0.5 * trait)
    gold = rng.integers(0, 2, size=pairs)
    prefers = np.where(rng.random(pairs) < 0.8, gold, 1 - gold)
    # A flip keeps to its slot: FIRST is A in order AB and B in BA. Otherwise the preference decides the slots.
    ab = np.where(flips, np.where(first, FIRST, SECOND), np.where(prefers == 0, FIRST, SECOND))
    ba = np.where(flips, ab, np.where(prefers == 0, SECOND, FIRST))
    preference = np.stack([np.where(ab == FIRST, 0, 1), np.where(ba == FIRST, 1, 0)], axis=1)
    outcome = np.stack([ab, ba], axis=1)
    lost = rng.random((pairs, 2)) < UNDECIDED
    return Population(
        groups=groups,
        chance=chance,
        flips=flips,
        outcome=np.where(lost, _UNPARSED, outcome).astype(np.int8),
        preference=np.where(lost, ABSENT, preference).astype(np.int8),
        gold=gold.astype(np.int8),
    )


def risks(predictor: str, made: Population, rng: np.random.Generator) -> NDArray[np.float64]:
    """What the predictor says before order BA is asked."""
    noise = rng.random(made.flips.size)
    return {
        "perfect": np.where(made.flips, 0.9, 0.0) + 0.1 * noise,
        "good": made.chance,
        "useless": noise,
        "constant": np.full(noise.size, 0.3),
        "misleading": 1 - made.chance,
    }[predictor]


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-x)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One estimate over the runs; ``deviation`` is its standard deviation."""

    bias: float
    deviation: float
    coverage: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One cell; ``found`` is the mean share of all flips that the swapped pairs have."""

    judge: str
    predictor: str
    pairs: int
    truth: float
    asked: float
    found: float
    found_at_random: float
    naive_bias: float
    selective: Figure
    weighted: Figure
    missed: Figure
    strength: Figure
    first_share: Figure
    accuracy: Figure


@cache
def _truth(judge: str) -> dict[str, float]:
    return population(judge, 1_000_000, np.random.default_rng(42)).truth()


def measure_cell(
    judge: str, predictor: str, pairs: int, *, runs: int, floor: float = FLOOR_SHARE, minimum: int = FEWEST_FLOOR
) -> Row:
    """Draw so many populations and designs, and look at what the audit says of each."""
    truth = _truth(judge)
    seen: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
    sums = np.zeros(3)
    naive = []
    seeds = np.random.SeedSequence([20261130, pairs, PREDICTORS.index(predictor), *map(ord, judge)]).spawn(runs)
    for number, seed in enumerate(seeds):
        rng = np.random.default_rng(seed)
        made = population(judge, pairs, rng)
        usable = made.outcome[:, 0] != _UNPARSED
        risk = risks(predictor, made, rng)
        given = [
            PairRisk(pair_id=f"{i:06}", risk=float(risk[i]) if usable[i] else None, decided=bool(usable[i]))
            for i in range(pairs)
        ]
        design = draw_swaps(given, share=SWAPPED, floor=floor, minimum=minimum, seed=number)
        drawn = np.array([p.drawn for p in design.pairs])
        (found,) = selective_findings(
            wide(made, drawn), swap=design, sampler=Sampler(clusters=made.groups, seed=0, resamples=200, level=0.95)
        )
        locked = made.flips & made.decided
        of_these = np.array([p.stratum == "floor" for p in design.pairs]) & locked
        facts = {name: truth[name] for name in _FIGURES} | {"missed": of_these.sum() / locked.sum()}
        for name, measure in {**_FIGURES, "weighted": "weighted_flip_rate", "missed": "missed_flips"}.items():
            estimate = found.measure(measure)
            if isinstance(estimate, Estimate) and estimate.interval is not None:
                low, high = estimate.interval.low, estimate.interval.high
                seen[name].append((estimate.value, low, high, facts.get(name, truth["flip_rate"])))
        sums += (1 + drawn.mean()) / 2, locked[drawn].sum() / locked.sum(), drawn.mean()
        naive.append(locked[drawn].sum() / made.decided[drawn].sum())
    figures = {name: _figure(np.array(values)) for name, values in seen.items()}
    return Row(
        judge=judge,
        predictor=predictor,
        pairs=pairs,
        truth=truth["flip_rate"],
        asked=float(sums[0] / runs),
        found=float(sums[1] / runs),
        found_at_random=float(sums[2] / runs),
        naive_bias=float(np.mean(naive) - truth["flip_rate"]),
        selective=figures["flip_rate"],
        weighted=figures["weighted"],
        missed=figures["missed"],
        strength=figures["strength"],
        first_share=figures["first_share"],
        accuracy=figures["accuracy"],
    )


def _figure(values: NDArray[np.float64]) -> Figure:
    estimate, low, high, truth = values.T
    return Figure(
        bias=float((estimate - truth).mean()),
        deviation=float((estimate - truth).std()),
        coverage=float(((low <= truth) & (truth <= high)).mean()),
        width=float((high - low).mean()),
    )


def wide(made: Population, drawn: NDArray[np.bool_]) -> WideTable:
    """The arrays of a run that asked order BA of the drawn pairs alone."""
    pairs = made.groups.size
    unknown = np.full((pairs, 2), ABSENT, dtype=np.int8)
    nothing = np.zeros(pairs, dtype=np.int64)
    hidden = {}
    for name in ("outcome", "preference"):
        hidden[name] = getattr(made, name).copy()
        hidden[name][~drawn, 1] = ABSENT
    scope = Scope(
        condition="c",
        readout=Readout.GENERATED,
        pairs=np.arange(pairs),
        **hidden,
        compliant=unknown,
        lead=unknown,
        log_outcome=unknown,
        generated=unknown,
        log_odds=np.full((pairs, 2), np.nan, dtype=np.float32),
        mass=np.full((pairs, 2), np.nan, dtype=np.float32),
        repeat_asked=nothing,
        repeat_compared=nothing,
        repeat_changed=nothing,
    )
    facts = PairFacts(
        ids=tuple(f"{i:06}" for i in range(pairs)),
        group=made.groups,
        source=nothing,
        gold=made.gold,
        n_groups=int(made.groups.max()) + 1,
        n_sources=1,
    )
    return WideTable(facts=facts, scopes=(scope,), conditions=("c",))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--floor", type=float, default=FLOOR_SHARE)
    parser.add_argument("--minimum", type=int, default=FEWEST_FLOOR)
    options = parser.parse_args()
    print(
        "| judge | predictor | pairs | judgments asked | flips found | flip rate | bias | coverage | width | weighted: "
        "bias | coverage | width | swapped pairs alone: bias | missed: coverage | width | strength: coverage | "
        "first share: coverage | accuracy BA: coverage |"
    )
    print(f"|---|---|{'--:|' * 16}")
    for judge in JUDGES:
        for pairs in (300, 600, 1000):
            for predictor in PREDICTORS:
                row = measure_cell(
                    judge, predictor, pairs, runs=options.runs, floor=options.floor, minimum=options.minimum
                )
                s, w, m = row.selective, row.weighted, row.missed
                print(
                    f"| {judge} | {predictor} | {pairs:,} | {row.asked:.0%} | {row.found:.0%} | {row.truth:.3f} "
                    f"| {s.bias:+.4f} | {s.coverage:.3f} | {s.width:.3f} | {w.bias:+.4f} | {w.coverage:.3f} "
                    f"| {w.width:.3f} | {row.naive_bias:+.3f} | {m.coverage:.3f} | {m.width:.3f} "
                    f"| {row.strength.coverage:.3f} | {row.first_share.coverage:.3f} | {row.accuracy.coverage:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
