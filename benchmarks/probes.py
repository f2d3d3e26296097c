"""Nested cross-validation of probes against scikit-learn doing the same, its scaling, and scores' bootstraps.

Run ``python benchmarks/probes.py [--part nested|scaling|scores|quick]``; all parts, without ``--part``, take some
10 minutes on an idle machine, most of them scikit-learn's. Each case runs in a process of its own, so that its peak
memory is its own. Times marked with ``~`` are extrapolated from the part that ran, which is stated.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.probes.candidates import Candidate
from evenhand.probes.folds import grouped_folds, inner_seed
from evenhand.probes.logistic import PENALTIES

WIDTH = 4_096
GROUPS_PER_PAIR = 470 / 534
"""534 pairs in 470 question groups: the shared JudgeBench set of "Will the Judge Flip?" (2026)."""
OUTER, INNER = 5, 3
RESAMPLES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Simulated activations in which one direction tells of flips."""

    candidates: list[Candidate]
    flips: NDArray[np.bool_]
    groups: list[str]
    outer: NDArray[np.int64]

    def inner(self, fold: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """An outer fold's training rows and the inner fold of each."""
        train = np.flatnonzero(self.outer != fold)
        return train, grouped_folds([self.groups[i] for i in train], folds=INNER, seed=inner_seed(0, fold))


def make(n: int, layers: int) -> Data:
    """Activations as models have them: principal variances that fall fast, columns of very different size.

    512 directions with variances k^-1.4, a little white noise, log-normal column scales: once standardised, variances
    fall as k^-1.3, with a participation ratio of 9. SmolLM2-135M's activations before the verdict, four layers on
    LLMBar, have exponents of 1.2 to 1.5 and ratios of 9 to 24. The planted direction is a random one among the 50
    largest of the last layer but one.
    """
    rng = np.random.default_rng(0)
    count = round(n * GROUPS_PER_PAIR)
    numbers = np.concatenate([np.arange(count), rng.integers(0, count, n - count)])
    groups = [f"question {i}" for i in numbers]
    planted = max(0, layers - 2)
    candidates = []
    for layer in range(layers):
        latent = rng.normal(size=(n, 512)) * np.arange(1, 513) ** -0.7
        if layer == planted:
            signal = latent[:, :50] @ rng.normal(size=50)
        x = latent.astype(np.float32) @ rng.normal(size=(512, WIDTH)).astype(np.float32)
        x += np.float32(0.05) * rng.normal(size=(n, WIDTH)).astype(np.float32)
        x *= np.exp(rng.normal(size=WIDTH)).astype(np.float32)
        x += rng.normal(size=WIDTH).astype(np.float32)
        candidates.append(Candidate(name=f"layer {layer}", features=x))
    flips = rng.random(n) < 1 / (1 + np.exp(0.7 - 2 * signal / signal.std()))
    return Data(candidates=candidates, flips=flips, groups=groups, outer=grouped_folds(groups, folds=OUTER, seed=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a piece of work took: by the clock, and of the processor, which other jobs disturb less."""

    seconds: float
    cpu: float

    @classmethod
    def by(cls, work: Callable[[], object]) -> Spent:
        """Do it and see."""
        start, cpu = time.perf_counter(), time.process_time()
        work()
        return cls(seconds=time.perf_counter() - start, cpu=time.process_time() - cpu)

    def times(self, factor: float) -> Spent:
        """As if there had been more of it."""
        return Spent(seconds=self.seconds * factor, cpu=self.cpu * factor)


def ours(n: int, layers: int, out: Path | None, repeats: int) -> None:
    """Repeated, and the median taken: it is short, and other jobs disturb it."""
    from evenhand.probes.nested_cv import NestedPredictions, nested_predictions
    from evenhand.probes.selection import path_predictions

    data = make(n, layers)
    found: list[NestedPredictions] = []
    spent = [
        Spent.by(lambda: found.append(nested_predictions(data.candidates, data.flips, data.groups, outer=data.outer)))
        for _ in range(repeats)
    ]
    peak = peak_mib()
    if out is not None:
        labels = data.flips[None].astype(float)
        inner = {}
        for fold, k, at in product(range(OUTER), range(INNER), range(layers)):
            train, dealt = data.inner(fold)
            inner[f"{fold} {k} {at}"] = path_predictions(
                data.candidates[at], labels, train=train[dealt != k], other=train[dealt == k], penalties=PENALTIES
            )[0]
        save(out, found[0].probabilities, inner)
    chosen = [(each.candidate, each.l2) for each in found[0].selections]
    report(sorted(spent, key=lambda each: each.seconds)[len(spent) // 2], peak=peak, chosen=chosen)


class Sklearn:
    """The same selection with the same folds by scikit-learn."""

    def __init__(self, n: int, layers: int, *, solver: str, tol: float) -> None:
        self.data = make(n, layers)
        self.features = [candidate.features.astype(np.float64) for candidate in self.data.candidates]
        self.solver, self.tol = solver, tol
        self.held = np.full(n, np.nan)
        self.inner: dict[str, NDArray[np.float64]] = {}
        self.chosen: list[tuple[str, float]] = []

    def fold(self, fold: int) -> None:
        """All of an outer fold."""
        flips = self.data.flips
        train, dealt = self.data.inner(fold)
        briers = np.zeros((len(self.features), len(PENALTIES)))
        for k, at in product(range(INNER), range(len(self.features))):
            other = train[dealt == k]
            predicted = self.path(at, train[dealt != k], other, PENALTIES)
            briers[at] += ((predicted - flips[other]) ** 2).sum(axis=1) / len(train)
            self.inner[f"{fold} {k} {at}"] = predicted
        tied = np.argwhere(briers <= briers.min() + 1e-12).tolist()
        at, penalty = min(tied, key=lambda each: (-PENALTIES[each[1]], each[0]))
        rows = np.flatnonzero(self.data.outer == fold)
        self.held[rows] = self.path(at, train, rows, [PENALTIES[penalty]])[0]
        self.chosen.append((self.data.candidates[at].name, PENALTIES[penalty]))

    def path(
        self, at: int, train: NDArray[np.int64], other: NDArray[np.int64], penalties: Sequence[float]
    ) -> NDArray[np.float64]:
        """Every penalty on one layer: probabilities of the other rows."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler().fit(self.features[at][train])
        z, others = scaler.transform(self.features[at][train]), scaler.transform(self.features[at][other])
        models = (
            LogisticRegression(C=1 / (len(train) * l2), tol=self.tol, max_iter=100_000, solver=self.solver)
            for l2 in penalties
        )
        return np.array([model.fit(z, self.data.flips[train]).predict_proba(others)[:, 1] for model in models])


def sklearn(n: int, layers: int, out: Path, solver: str, tol: float, folds: int) -> None:
    """``folds`` of the five outer folds."""
    slow = Sklearn(n, layers, solver=solver, tol=tol)

    def work() -> None:
        for fold in range(folds):
            slow.fold(fold)

    spent = Spent.by(work)
    save(out, slow.held, slow.inner)
    report(spent.times(OUTER / folds), peak=peak_mib(), chosen=slow.chosen)


def sklearn_cell(n: int, tol: float) -> None:
    """One of the fifteen inner folds, of one layer."""
    slow = Sklearn(n, 1, solver="lbfgs", tol=tol)
    train, dealt = slow.data.inner(0)
    spent = Spent.by(lambda: slow.path(0, train[dealt != 0], train[dealt == 0], PENALTIES))
    report(spent.times(OUTER * INNER), peak=peak_mib(), chosen=[])


def scores(n: int, resamples: int, *, loop: bool) -> None:
    """AUROC, AUPRC, Brier score and choice-matched AUROC of twelve predictors, and eleven paired differences."""
    from evenhand.stats.score_bootstrap import bootstrap_scores

    data = make_scores(n)
    names = [f"predictor {i}" for i in range(12)]

    def fast() -> None:
        bootstrap_scores(
            dict(zip(names, data.predictions, strict=True)),
            data.flips,
            data.groups,
            choices=data.choices,
            differences=[(names[0], name) for name in names[1:]],
            rng=np.random.default_rng(0),
            resamples=resamples,
        )

    spent = Spent.by((lambda: sklearn_scores(data, resamples)) if loop else fast)
    report(spent.times(RESAMPLES / resamples), peak=peak_mib(), chosen=[])


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Simulated predictions of flips."""

    predictions: NDArray[np.float64]
    flips: NDArray[np.bool_]
    choices: NDArray[np.int64]
    groups: NDArray[np.int64]


def make_scores(n: int) -> Scored:
    rng = np.random.default_rng(1)
    count = round(n * GROUPS_PER_PAIR)
    flips = rng.random(n) < 0.37
    noise = rng.normal(size=(12, n)) + np.linspace(0, 1.5, 12)[:, None] * flips
    return Scored(
        predictions=1 / (1 + np.exp(-noise)),
        flips=flips,
        choices=rng.integers(0, 2, n),
        groups=np.concatenate([np.arange(count), rng.integers(0, count, n - count)]),
    )


def sklearn_scores(data: Scored, resamples: int) -> None:
    from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

    rng = np.random.default_rng(1)
    count = int(data.groups.max()) + 1
    values = []
    for _ in range(resamples):
        weight = np.bincount(rng.integers(0, count, count), minlength=count)[data.groups]
        replicate = []
        for predicted in data.predictions:
            within = []
            for choice in (0, 1):
                rows = data.choices == choice
                pairs = weight[rows & data.flips].sum() * weight[rows & ~data.flips].sum()
                within.append((roc_auc_score(data.flips[rows], predicted[rows], sample_weight=weight[rows]), pairs))
            replicate.append(
                (
                    roc_auc_score(data.flips, predicted, sample_weight=weight),
                    average_precision_score(data.flips, predicted, sample_weight=weight),
                    brier_score_loss(data.flips, predicted, sample_weight=weight),
                    np.average([area for area, _ in within], weights=[pairs for _, pairs in within]),
                )
            )
        values.append(replicate)
    every = np.array(values)
    np.quantile(every, [0.025, 0.975], axis=0)
    np.quantile(every[:, :1] - every[:, 1:], [0.025, 0.975], axis=0)


def save(out: Path, held: NDArray[np.float64], inner: Mapping[str, NDArray[np.float64]]) -> None:
    arrays: dict[str, Any] = {"held": held, **inner}
    np.savez(out, **arrays)


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report(spent: Spent, *, peak: float, chosen: list[tuple[str, float]]) -> None:
    print(json.dumps({"seconds": spent.seconds, "cpu": spent.cpu, "peak_mib": peak, "chosen": chosen}))


def run(threads: int, *case: object) -> dict[str, Any]:
    """A case in a process of its own."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    command = [sys.executable, __file__, "--case", *map(str, case)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{case}: {done.stderr.strip().splitlines()[-1]}")
    result: dict[str, Any] = json.loads(done.stdout)
    result["chosen"] = [tuple(each) for each in result["chosen"]]
    return result


def nested(threads: int, *, folds: int) -> None:
    layers = 4
    print(f"## Nested cross-validation: 534 pairs, {layers} layers of {WIDTH:,}, {len(PENALTIES)} penalties\n")
    print("| what | outer folds run | seconds | times faster | CPU seconds | times faster |", end="")
    print(" largest difference, held out | largest, all fits | choices | peak MiB |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---|---:|")
    with tempfile.TemporaryDirectory() as directory:
        fast, slow = Path(directory) / "ours.npz", Path(directory) / "sklearn.npz"
        mine = run(threads, "ours", 534, layers, fast, 5)
        print(f"| evenhand | {OUTER} | {mine['seconds']:.2f} |  | {mine['cpu']:.2f} |  |  |  |  |", end="")
        print(f" {mine['peak_mib']:,.0f} |", flush=True)
        for solver, tol, some in (
            ("lbfgs", 1e-4, 1),
            ("lbfgs", 1e-6, 1),
            ("lbfgs", 1e-7, folds),
            ("lbfgs", 1e-8, folds),
            ("lbfgs", 1e-10, 1),
            ("newton-cg", 1e-8, 1),
        ):
            theirs = run(threads, "sklearn", 534, layers, slow, solver, tol, some)
            held, fits = differences(fast, slow)
            same = "the same" if theirs["chosen"] == mine["chosen"][:some] else "other"
            mark = "" if some == OUTER else "~"
            print(f"| scikit-learn {solver}, tol {tol:.0e} | {some} |", end="")
            for clock in ("seconds", "cpu"):
                print(f" {mark}{theirs[clock]:.1f} | {theirs[clock] / mine[clock]:.0f} |", end="")
            print(f" {held:.0e} | {fits:.0e} | {same} | {theirs['peak_mib']:,.0f} |", flush=True)
    print(f"\nChosen: {'; '.join(f'{name}, {l2:g}' for name, l2 in mine['chosen'])}\n")


def differences(mine: Path, theirs: Path) -> tuple[float, float]:
    """The largest difference of held-out probabilities, and of all validated in the inner folds."""
    with np.load(mine) as a, np.load(theirs) as b:
        fits = max(np.abs(a[key] - b[key]).max() for key in b.files if key != "held")
        return float(np.nanmax(np.abs(a["held"] - b["held"]))), float(fits)


def scaling(threads: int, *, sizes: tuple[int, ...]) -> None:
    print(f"## Scaling: one layer of {WIDTH:,}, nested cross-validation\n")
    print("| pairs | seconds | CPU seconds | peak MiB | scikit-learn, tol 1e-08: one inner fold of 15, times 15 |")
    print("|---:|---:|---:|---:|---:|")
    for n in sizes:
        mine = run(threads, "ours", n, 1, "-", 1)
        print(f"| {n:,} | {mine['seconds']:,.1f} | {mine['cpu']:,.1f} | {mine['peak_mib']:,.0f} |", end="", flush=True)
        theirs = run(threads, "sklearn_cell", n, 1e-8)
        print(f" ~{theirs['seconds']:,.0f} |", flush=True)
    print()


def scored(threads: int, *, resamples: int) -> None:
    print(f"## Scores: 12 predictors, 4 scores, 11 paired differences, 534 pairs, {RESAMPLES:,} resamples\n")
    print("| what | resamples run | seconds | times faster | peak MiB |")
    print("|---|---:|---:|---:|---:|")
    mine = run(threads, "scores_ours", 534, RESAMPLES)
    print(f"| evenhand | {RESAMPLES:,} | {mine['seconds']:.2f} |  | {mine['peak_mib']:,.0f} |", flush=True)
    theirs = run(threads, "scores_sklearn", 534, resamples)
    faster = theirs["seconds"] / mine["seconds"]
    print(f"| scikit-learn loop | {resamples:,} | ~{theirs['seconds']:.0f} | {faster:,.0f} |", end="")
    print(f" {theirs['peak_mib']:,.0f} |\n")


CASES: dict[str, Callable[..., None]] = {
    "ours": lambda n, layers, out, repeats: ours(int(n), int(layers), None if out == "-" else Path(out), int(repeats)),
    "sklearn": lambda n, layers, out, solver, tol, folds: sklearn(
        int(n), int(layers), Path(out), solver, float(tol), int(folds)
    ),
    "sklearn_cell": lambda n, tol: sklearn_cell(int(n), float(tol)),
    "scores_ours": lambda n, resamples: scores(int(n), int(resamples), loop=False),
    "scores_sklearn": lambda n, resamples: scores(int(n), int(resamples), loop=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--part", choices=("nested", "scaling", "scores", "quick"), help="one part; quick: a bit of each"
    )
    parser.add_argument("--threads", type=int, default=1, help="BLAS threads, for both sides")
    parser.add_argument("--case", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        CASES[options.case[0]](*options.case[1:])
        return
    quick = options.part == "quick"
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}, {os.cpu_count()} cores")
    print(f"{options.threads} BLAS thread(s), load average {os.getloadavg()[0]:.1f} at the start, one run\n")
    if options.part in (None, "nested", "quick"):
        nested(options.threads, folds=1 if quick else OUTER)
    if options.part in (None, "scaling", "quick"):
        scaling(options.threads, sizes=(534, 1_000) if quick else (534, 1_000, 2_000, 5_000, 10_000))
    if options.part in (None, "scores", "quick"):
        scored(options.threads, resamples=20 if quick else 200)


if __name__ == "__main__":
    main()
