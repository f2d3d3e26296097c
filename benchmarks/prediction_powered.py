"""Coverage and effective sample size of prediction-powered estimates, by simulation.

Run ``python benchmarks/prediction_powered.py [--runs 2000] [--prior 3.84] [--weight 1] [--judges NAME ...]``. It prints
the table of docs/methods/prediction-powered.md. ``--weight`` is the sampling weight of pairs that aren't compliant in
both orders.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, assert_never

import numpy as np
from numpy.typing import NDArray

from evenhand.audits.sample import stratum_sizes
from evenhand.stats import Interval, Refusal, ppi_ratio

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A simulated judge.

    ``compliance`` is the share of pairs that are compliant in both orders. ``relation`` is what the first token says of
    the text: on compliant presentations ``led`` texts conclude with the label they led with but for 3 %, and the others
    decide anew with less position bias; ``same``: always; ``none``: the text has nothing to do with the first token.
    """

    name: str
    compliance: float
    relation: str
    position: float = 0.6
    quality: float = 0.7
    measures: ClassVar[tuple[str, ...]] = ("flip rate", "accuracy", "strength")


@dataclass(frozen=True, slots=True, kw_only=True)
class RareJudge:
    """A judge of whom the rates are told, each for compliant pairs and for the others.

    ``flips`` is how often the text flips, ``wrong`` how often the first token says otherwise of that. Both are the same
    for every pair, and nothing is said of who is right.
    """

    name: str
    compliance: float
    flips: tuple[float, float]
    wrong: tuple[float, float]
    measures: ClassVar[tuple[str, ...]] = ("flip rate",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Pairs in question groups of 1 to 4: what both readouts say of them."""

    groups: NDArray[np.int64]
    compliant: Booleans
    first_flip: Booleans
    first_right: Booleans
    flip: Booleans
    decided: Booleans
    right: Booleans
    verdict: Booleans


JUDGES = (
    Judge(name="half compliant", compliance=0.5, relation="led"),
    Judge(name="70 % compliant", compliance=0.7, relation="led"),
    Judge(name="95 % compliant", compliance=0.95, relation="led"),
    Judge(name="95 % compliant, few flips", compliance=0.95, relation="led", position=0.1, quality=2.5),
    Judge(name="text repeats first token", compliance=0.7, relation="same"),
    Judge(name="first token useless", compliance=0.7, relation="none"),
    RareJudge(name="first token seldom wrong", compliance=0.96, flips=(0.08, 0.85), wrong=(0.05, 0.4)),
    RareJudge(name="rare flips", compliance=0.96, flips=(0.03, 0.28), wrong=(0.02, 0.2)),
)
SIZES = ((500, 0.05), (500, 0.1), (500, 0.2), (2000, 0.05), (2000, 0.1), (2000, 0.2))


def draw(judge: Judge | RareJudge, pairs: int, rng: np.random.Generator) -> Population:
    """Draw pairs and a judge's verdicts; gold is always A, so that the first slot is right in order AB."""
    groups = np.repeat(np.arange(pairs), rng.integers(1, 5, size=pairs))[:pairs]
    match judge:
        case Judge():
            return _drawn_verdicts(judge, groups, rng)
        case RareJudge():
            return _drawn_flips(judge, groups, rng)
        case _:
            assert_never(judge)


def _drawn_flips(judge: RareJudge, groups: NDArray[np.int64], rng: np.random.Generator) -> Population:
    pairs = len(groups)
    compliant = rng.random(pairs) < judge.compliance
    flip = rng.random(pairs) < np.where(compliant, *judge.flips)
    wrong = rng.random(pairs) < np.where(compliant, *judge.wrong)
    unknown = np.zeros(pairs, dtype=bool)
    return Population(
        groups=groups,
        compliant=compliant,
        first_flip=flip ^ wrong,
        first_right=unknown,
        flip=flip,
        decided=~unknown,
        right=unknown,
        verdict=unknown,
    )


def _drawn_verdicts(judge: Judge, groups: NDArray[np.int64], rng: np.random.Generator) -> Population:
    pairs = len(groups)
    count = int(groups[-1]) + 1
    quality = rng.normal(judge.quality, 1, pairs) + 0.5 * rng.normal(size=count)[groups]
    shift = 0.5 * rng.normal(size=count)[groups]
    other = rng.normal(judge.quality, 1, pairs)
    chosen, written, led, there = [], [], [], []
    for sign in (1, -1):
        odds = sign * quality + judge.position + shift + rng.normal(0, 0.5, pairs)
        leads = rng.random(pairs) < judge.compliance**0.5
        match judge.relation:
            case "same":
                says = odds > 0
            case "none":
                says = sign * other + 0.2 + rng.normal(0, 0.5, pairs) > 0
            case _:
                anew = sign * quality + 0.1 + shift + rng.normal(0, 0.5, pairs) > 0
                says = np.where(leads, (odds > 0) ^ (rng.random(pairs) < 0.03), anew)
        chosen.append(odds > 0)
        written.append(says)
        led.append(leads)
        there.append(rng.random(pairs) < 0.96)
    decided = there[0] & there[1]
    return Population(
        groups=groups,
        compliant=led[0] & led[1],
        first_flip=chosen[0] == chosen[1],
        first_right=chosen[0],
        flip=(written[0] == written[1]) & decided,
        decided=decided,
        right=written[0] & there[0],
        verdict=there[0],
    )


def columns(of: Population, measure: str) -> tuple[NDArray[np.float64], Booleans, NDArray[np.float64]]:
    """A measure's numerator and denominator, and what the first token says of the numerator."""
    match measure:
        case "flip rate":
            return of.flip.astype(float), of.decided, of.first_flip.astype(float)
        case "accuracy":
            return of.right.astype(float), of.verdict, of.first_right.astype(float)
        case "strength":
            # In order AB the first slot is the right one: a pair that flips is locked to it, or to the second.
            locks, first = 2.0 * of.right - 1.0, 2.0 * of.first_right - 1.0
            return of.flip * locks, of.decided, of.first_flip * first
        case _:
            raise SystemExit(f"no measure {measure}")


@cache
def truth(judge: Judge | RareJudge, measure: str) -> float:
    """The rate among two million pairs."""
    big = draw(judge, 2_000_000, np.random.default_rng(99))
    top, bottom, _ = columns(big, measure)
    return float(top.sum() / bottom.sum())


def sample(population: Population, fraction: float, weight: float, rng: np.random.Generator) -> Booleans:
    """A random sample, stratified as the audit's."""
    sizes = {"compliant": int(population.compliant.sum()), "other": int((~population.compliant).sum())}
    take = stratum_sizes(
        sizes, count=int(np.ceil(fraction * len(population.groups))), weights={"compliant": 1.0, "other": weight}
    )
    chosen = np.zeros(len(population.groups), dtype=bool)
    for name, members in (("compliant", population.compliant), ("other", ~population.compliant)):
        chosen[rng.permutation(np.flatnonzero(members))[: take[name]]] = True
    return chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the runs of one cell of the table say."""

    judge: str
    measure: str
    pairs: int
    generated: int
    truth: float
    bias: float
    coverage: float
    width: float
    alone: float
    alone_width: float
    stated: float
    realised: float
    deviation: float


def measure_cell(
    judge: Judge | RareJudge,
    measure: str,
    pairs: int,
    fraction: float,
    *,
    runs: int,
    prior: float | None = None,
    weight: float = 1.0,
) -> Row:
    """Draw populations and samples; look how often intervals hold the truth."""
    true = truth(judge, measure)
    values, alone, plain, covered, widths = [], [], [], [], []
    rng = np.random.default_rng([pairs, round(1000 * fraction)])
    stated = []
    for _ in range(runs):
        drawn = draw(judge, pairs, rng)
        labelled = sample(drawn, fraction, weight, rng)
        top, bottom, cheap = columns(drawn, measure)
        result = ppi_ratio(
            top[labelled],
            bottom[labelled],
            labelled=labelled,
            covariates=cheap,
            strata=np.where(drawn.compliant, "compliant", "other"),
            clusters=drawn.groups,
            interval="difference" if measure == "strength" else "wilson",
            prior_units=prior,
        )
        if isinstance(result, Refusal):
            raise SystemExit(result.reason)
        values.append(result.estimate.value)
        stated.append(result.effective_labels)
        both = [holds(e.interval, true) for e in (result.estimate, result.classical)]
        covered.append([c for c, _ in both])
        widths.append([w for _, w in both])
        # Generation alone: as many pairs, drawn without knowing their compliance.
        chosen = rng.permutation(pairs)[: int(labelled.sum())]
        plain.append(top[chosen].sum() / max(1, bottom[chosen].sum()))
        alone.append(result.classical.value)
    count = int(np.ceil(fraction * pairs))
    return Row(
        judge=judge.name,
        measure=measure,
        pairs=pairs,
        generated=count,
        truth=true,
        bias=float(np.mean(values)) - true,
        coverage=float(np.mean(covered, axis=0)[0]),
        width=float(np.mean(widths, axis=0)[0]),
        alone=float(np.mean(covered, axis=0)[1]),
        alone_width=float(np.mean(widths, axis=0)[1]),
        stated=float(np.median(stated)),
        realised=count * float(np.var(plain) / np.var(values)),
        deviation=float(np.std(values)),
    )


def holds(interval: Interval | None, value: float) -> tuple[bool, float]:
    if interval is None:
        raise SystemExit("an estimate without an interval")
    return interval.low <= value <= interval.high, interval.high - interval.low


def rows(judges: Sequence[str], *, runs: int, prior: float | None, weight: float) -> Iterator[Row]:
    for judge in (judge for judge in JUDGES if not judges or judge.name in judges):
        for measure in judge.measures:
            for pairs, fraction in SIZES if measure != "strength" else SIZES[1:3]:
                yield measure_cell(judge, measure, pairs, fraction, runs=runs, prior=prior, weight=weight)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--prior", type=float, help="pseudo-pairs of a stratum; as the audit where not given")
    parser.add_argument("--weight", type=float, default=1.0)
    parser.add_argument("--judges", nargs="*", default=(), choices=[judge.name for judge in JUDGES], metavar="NAME")
    options = parser.parse_args()
    print(
        "| judge | measure | pairs | generated | truth | bias | coverage | width | labels alone: coverage | width | "
        "effective labels, stated (median) | realised |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for row in rows(options.judges, runs=options.runs, prior=options.prior, weight=options.weight):
        print(
            f"| {row.judge} | {row.measure} | {row.pairs:,} | {row.generated} | {row.truth:.3f} | {row.bias:+.4f} "
            f"| {row.coverage:.3f} | {row.width:.3f} | {row.alone:.3f} | {row.alone_width:.3f} | {row.stated:.0f} "
            f"| {row.realised:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
