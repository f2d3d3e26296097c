"""Pages of ``evenhand serve`` over a run of a million records: the time of each, and of making the index.

Run ``python benchmarks/serve.py [--records 1000000] [--times 20]``. The run is made up: verdicts in a table, short
texts, ten sources, two readouts, log-odds. Every page is asked through the whole application, guard and templates
included; times are of the server alone, without a network or a browser.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evenhand.records import (
    Condition,
    DataIdentity,
    JudgeIdentity,
    LabelSet,
    Outcome,
    Pair,
    Preference,
    RunManifest,
)
from evenhand.store import JournalEntry
from evenhand.web.run_source import VerdictChunk

if TYPE_CHECKING:
    import polars as pl
    from starlette.testclient import TestClient

READOUTS = ("first-token", "generated")
_OUTCOMES = tuple(outcome.value for outcome in Outcome)
_WORDS = ("explain", "compare", "prime", "river", "compiler", "medieval", "budget", "poem", "angle", "vaccine")
PAGES = {
    "first page": "/r/0/",
    "one filter": "/r/0/?relation=flip-first",
    "rare: error and unparsed": "/r/0/?ab=error&ba=unparsed",
    "four filters": "/r/0/?relation=flip-second&readout=generated&source=3&gold=half",
    "sorted by pull": "/r/0/?sort=pull",
    "sorted by id, filtered": "/r/0/?sort=id&relation=same",
    "far in the list": "/r/0/?after=900000.0:450000",
    "search, common word": "/r/0/?q=explain",
    "search, rare id": "/r/0/?q=pair-123456",
    "search and filter": "/r/0/?q=river+poem&relation=flip-first&sort=close",
    "a pair": "/r/0/pair/12345?c=0&o=generated&relation=flip-first",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeSource:
    """A run of ``pairs`` pairs, two orders and two readouts each: four verdicts a pair."""

    directory: Path
    count: int
    keeps_texts: bool = True

    @property
    def manifest(self) -> RunManifest:
        """One condition, two readouts."""
        return RunManifest(
            kind="log",
            judge=JudgeIdentity(spec="made:up", model="up"),
            data=DataIdentity(spec="made", pairs=self.count, sha256="0"),
            conditions=(Condition(id="single", prompt="p", prompt_hash="0", labels=LabelSet.parse("A/B/tie")),),
            readouts=READOUTS,
        )

    def version(self) -> str:
        """Its size is its version."""
        return f"{self.count:064d}"

    def pairs(self) -> Iterator[Pair]:
        """Short texts."""
        return (_pair(number) for number in range(self.count))

    def chunks(self) -> Iterator[VerdictChunk]:
        """Seeded by where they begin."""
        size = 100_000
        for start in range(0, self.count, size):
            numbers = np.arange(start, min(start + size, self.count))
            yield VerdictChunk(verdicts=_verdicts(numbers), asked=(), done=int(numbers[-1]) + 1, planned=self.count)

    def pair(self, ordinal: int) -> Pair | None:
        """Made again."""
        return _pair(ordinal) if ordinal < self.count else None

    def entries(self, ordinals: Sequence[int]) -> tuple[JournalEntry, ...]:  # noqa: ARG002
        """None: there are verdicts only."""
        return ()


def _pair(number: int) -> Pair:
    first, second = _WORDS[number % 10], _WORDS[(number // 10) % 10]
    return Pair(
        id=f"pair-{number}",
        instruction=f"Please {first} the {second} of question {number} in a few plain sentences.",
        response_a=f"Response A to {number}.",
        response_b=f"Response B to {number}.",
        gold=(Preference.A, Preference.B, None)[number % 3],
        source=f"source {number * 7919 % 10}",
        group="g",
    )


def _verdicts(numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pl.DataFrame:
    import polars as pl

    from evenhand.records import verdict_table

    rng = np.random.default_rng(int(numbers[0]))
    parts = []
    for readout in READOUTS:
        for order in ("AB", "BA"):
            n = len(numbers)
            outcome = rng.choice(7, size=n, p=[0.46, 0.44, 0.05, 0.02, 0.02, 0.009, 0.001])
            first = readout == "first-token"
            parts.append(
                pl.DataFrame(
                    {
                        "pair_id": pl.Series([f"pair-{number}" for number in numbers.tolist()]),
                        "outcome": pl.Series(np.asarray(_OUTCOMES)[outcome].tolist()),
                        "compliant": pl.Series(rng.random(n) < 0.9),
                        "lead": pl.Series(np.asarray(_OUTCOMES)[rng.integers(0, 2, n)].tolist()),
                        "log_odds": pl.Series(rng.normal(size=n) if first else [None] * n, dtype=pl.Float64),
                    }
                ).with_columns(
                    pl.lit("single").alias("condition"),
                    pl.lit(readout).alias("readout"),
                    pl.lit(order).alias("order"),
                    pl.lit(0, dtype=pl.Int64).alias("repeat"),
                )
            )
    empty = verdict_table(())
    made = pl.concat(parts)
    missing = [pl.lit(None, dtype=empty.schema[name]).alias(name) for name in empty.columns if name not in made.columns]
    return made.with_columns(missing).select(empty.columns)


def client_of(source: MadeSource, cache: Path) -> TestClient:
    """The whole application over the run, with a session."""
    from starlette.testclient import TestClient

    from evenhand.web.app import create_app
    from evenhand.web.served import ServedRun

    run = ServedRun(number=0, source=source, cache=cache)
    client = TestClient(create_app([run], token="t", parts=("browse",)), base_url="http://127.0.0.1")  # noqa: S106
    client.get("/?token=t")
    return client


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = MadeSource(directory=Path(folder) / "run", count=arguments.records // 2)
        begun = time.perf_counter()
        client = client_of(source, Path(folder) / "cache")
        seconds = time.perf_counter() - begun
        size = sum(file.stat().st_size for file in (Path(folder) / "cache").iterdir())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{arguments.records:,} presentations, {2 * arguments.records:,} verdicts, {arguments.records:,} rows")
        print(f"index: {seconds:.1f} s, {size / 1e6:.0f} MB on disk, peak memory {peak:.0f} MB\n")
        print("| page | p50, ms | p95, ms | kB |\n|---|---:|---:|---:|")
        for name, url in PAGES.items():
            times = []
            for _ in range(arguments.times):
                begun = time.perf_counter()
                answer = client.get(url)
                times.append((time.perf_counter() - begun) * 1000)
                assert answer.status_code == 200, (name, answer.text[-300:])
            middle, high = np.percentile(times, [50, 95])
            print(f"| {name} | {middle:.0f} | {high:.0f} | {len(answer.content) / 1000:.0f} |", flush=True)


if __name__ == "__main__":
    main()
