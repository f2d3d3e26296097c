"""Cluster bootstrap of a rate and of AUROC against scipy.stats.bootstrap and a scikit-learn loop.

Run ``python benchmarks/bootstrap.py [--quick]``. Each case runs in a process of its own, so that its peak memory is its
own. What can't finish in reasonable time runs a stated number of resamples and is extrapolated linearly; such times
are marked with ``~``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from evenhand.stats import IntervalMethod

RESAMPLES = 2_000
# 534 pairs in 470 question groups: the shared JudgeBench set of "Will the Judge Flip?" (2026).
GROUPS_PER_PAIR = 470 / 534


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Simulated pairs: whether each flips, a score of flip risk, and its question group."""

    flips: np.ndarray[Any, np.dtype[np.bool_]]
    scores: np.ndarray[Any, np.dtype[np.float64]]
    groups: np.ndarray[Any, np.dtype[np.int64]]


def make(n: int, *, scored: bool) -> Data:
    rng = np.random.default_rng(0)
    count = round(n * GROUPS_PER_PAIR)
    groups = np.concatenate([np.arange(count), rng.integers(0, count, n - count)])
    flips = rng.random(n, dtype=np.float32) < 0.37
    scores = rng.normal(size=n) + flips if scored else np.zeros(0)
    return Data(flips=flips, scores=scores, groups=groups)


def rate_ours(n: int, resamples: int, method: str) -> None:
    from evenhand.stats import cluster_rate

    data = make(n, scored=False)
    timed(
        lambda: cluster_rate(
            data.flips,
            None,
            data.groups,
            rng=np.random.default_rng(1),
            resamples=resamples,
            method=cast(IntervalMethod, method),
        )
    )


def rate_scipy(n: int, resamples: int, method: str) -> None:
    from scipy.stats import bootstrap

    data = make(n, scored=False)

    def run() -> object:
        top = np.bincount(data.groups, weights=data.flips)
        bottom = np.bincount(data.groups).astype(float)
        return bootstrap(
            (top, bottom),
            lambda a, b, axis: a.sum(axis=axis) / b.sum(axis=axis),
            paired=True,
            vectorized=True,
            n_resamples=resamples,
            batch=max(1, 4_000_000 // len(top)),
            method=method,
            rng=np.random.default_rng(1),
        )

    timed(run)


def auroc_ours(n: int, resamples: int, method: str) -> None:
    from evenhand.stats import bootstrap_auroc

    data = make(n, scored=True)
    timed(
        lambda: bootstrap_auroc(
            data.scores,
            data.flips,
            data.groups,
            rng=np.random.default_rng(1),
            resamples=resamples,
            method=cast(IntervalMethod, method),
        )
    )


def auroc_confidence(n: int, resamples: int, method: str) -> None:
    """One pair per group and a confidence of 0 to 100: few distinct rows."""
    from evenhand.stats import bootstrap_auroc

    data = make(n, scored=True)
    scores = np.clip(50 + 15 * data.scores, 0, 100).round()
    groups = np.arange(n)
    timed(
        lambda: bootstrap_auroc(
            scores,
            data.flips,
            groups,
            rng=np.random.default_rng(1),
            resamples=resamples,
            method=cast(IntervalMethod, method),
        )
    )


def auroc_sklearn(n: int, resamples: int, method: str) -> None:
    from sklearn.metrics import roc_auc_score

    data = make(n, scored=True)
    count = int(data.groups.max()) + 1

    def run() -> object:
        rng = np.random.default_rng(1)
        values = []
        for _ in range(resamples):
            times = np.bincount(rng.integers(0, count, count), minlength=count)
            values.append(roc_auc_score(data.flips, data.scores, sample_weight=times[data.groups]))
        return np.quantile(values, [0.025, 0.975])

    assert method == "percentile"
    timed(run)


def timed(run: Callable[[], object]) -> None:
    """Print time and peak memory; a run under two seconds is repeated and its best time taken."""
    times: list[float] = []
    while not times or (sum(times) < 2 and len(times) < 7):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": min(times), "peak_mib": peak}))


CASES = {f.__name__: f for f in (rate_ours, rate_scipy, auroc_ours, auroc_confidence, auroc_sklearn)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    what: str
    case: str
    n: int
    method: str = "percentile"
    run: int = RESAMPLES
    against: str | None = None
    """The ``what`` of the row that this one is compared with, at the same n."""


def plan(*, quick: bool) -> list[Row]:
    rate, bca, loop = "rate, scipy percentile", "rate, scipy BCa", "AUROC, scikit-learn loop"
    rows = [
        Row(what=rate, case="rate_scipy", n=534),
        Row(what=bca, case="rate_scipy", n=534, method="BCa"),
        Row(what="rate, evenhand percentile", case="rate_ours", n=534, against=rate),
        Row(what="rate, evenhand BCa", case="rate_ours", n=534, method="bca", against=bca),
        Row(what=rate, case="rate_scipy", n=100_000, run=100 if quick else RESAMPLES),
        Row(what="rate, evenhand percentile", case="rate_ours", n=100_000, against=rate),
        Row(what="rate, evenhand BCa", case="rate_ours", n=100_000, method="bca"),
        Row(what=loop, case="auroc_sklearn", n=534, run=200 if quick else RESAMPLES),
        Row(what="AUROC, evenhand percentile", case="auroc_ours", n=534, against=loop),
        Row(what="AUROC, evenhand BCa", case="auroc_ours", n=534, method="bca", against=loop),
        Row(what=loop, case="auroc_sklearn", n=100_000, run=5 if quick else 20),
        Row(what="AUROC, evenhand percentile", case="auroc_ours", n=100_000, against=loop, run=200 if quick else 2_000),
    ]
    if quick:
        return rows
    return [
        *rows,
        Row(what=rate, case="rate_scipy", n=10_000_000, run=5),
        Row(what="rate, evenhand percentile", case="rate_ours", n=10_000_000, against=rate),
        Row(what="rate, evenhand BCa", case="rate_ours", n=10_000_000, method="bca"),
        Row(what="rate, evenhand robust (default)", case="rate_ours", n=10_000_000, method="robust"),
        Row(what=loop, case="auroc_sklearn", n=10_000_000, run=2),
        Row(what="AUROC, evenhand percentile", case="auroc_ours", n=10_000_000, run=100, against=loop),
        Row(what="AUROC, evenhand, confidence 0-100", case="auroc_confidence", n=10_000_000),
    ]


def measure(row: Row) -> dict[str, float]:
    command = [sys.executable, __file__, "--case", row.case, str(row.n), str(row.run), row.method]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{row.what} at {row.n:,}: {done.stderr.strip().splitlines()[-1]}")
    result: dict[str, float] = json.loads(done.stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave 10,000,000 pairs out and shorten the slow loops")
    parser.add_argument("--case", nargs=4, metavar=("NAME", "N", "RESAMPLES", "METHOD"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        name, n, resamples, method = options.case
        CASES[name](int(n), int(resamples), method)
        return
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}, {os.cpu_count()} cores")
    print(f"{RESAMPLES:,} resamples, {GROUPS_PER_PAIR:.2f} groups per pair, one thread, one run\n")
    print("| what | pairs | resamples run | seconds for 2,000 | times faster | peak MiB |")
    print("|---|---:|---:|---:|---:|---:|")
    seconds: dict[tuple[str, int], float] = {}
    for row in plan(quick=options.quick):
        result = measure(row)
        whole = result["seconds"] * RESAMPLES / row.run
        seconds[row.what, row.n] = whole
        faster = f"{seconds[row.against, row.n] / whole:,.0f}" if row.against else ""
        mark = "" if row.run == RESAMPLES else "~"
        print(
            f"| {row.what} | {row.n:,} | {row.run:,} | {mark}{whole:,.4g} | {faster} | {result['peak_mib']:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
