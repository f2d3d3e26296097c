"""Import of a verdict table and report of the run, from a hundred thousand to ten million rows: time and peak memory.

Run ``python benchmarks/scale.py [--rows 100000 1000000 10000000] [--shapes plain rich] [--suffix csv] [--folder DIR]``.
Tables are simulated with a fixed seed and written in parts. Each measurement is the command itself in a process of its
own; its times and peak resident memory are what the kernel counted for that process. ``growth`` is the slope of
log(processor seconds) over log(rows) between the two largest sizes: 1 is linear.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

SEED = 0
PART = 500_000
"""Pairs simulated at a time."""
ROWWISE_MOST = 100_000
"""The row-wise reader, which the columns replaced, takes minutes and gigabytes beyond this."""
OUTCOMES = np.array(["first", "second", "tie", "refused", "unparsed", "truncated"])

FLIPS_ALONE = """
import sys, polars as pl
both = (
    pl.scan_parquet(sys.argv[1])
    .filter((pl.col("repeat") == 0) & pl.col("outcome").is_in(["first", "second"]))
    .group_by("pair_id", "condition")
    .agg(orders=pl.len(), slots=pl.col("outcome").n_unique())
    .filter(pl.col("orders") == 2)
)
print(both.select((pl.col("slots") == 1).mean()).collect(engine="streaming").item())
"""
"""The library path: one figure, without checks, clusters, intervals or a report. Same slot twice is a flip."""

ROWWISE = """
import sys
from evenhand.logs.table import TableLog
from evenhand.cli.main import run
TableLog.read_columns = lambda self, path: None
sys.argv = ["evenhand", *sys.argv[1:]]
run()
"""

COMMAND = "import sys; from evenhand.cli.main import run; sys.argv = ['evenhand', *sys.argv[1:]]; run()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A kind of table.

    Attributes
    ----------
    conditions
        How many prompts each pair was shown under.
    repeated
        Share of presentations in order AB that were asked again.
    """

    name: str
    conditions: int
    repeated: float

    @property
    def rows_a_pair(self) -> float:
        """How many rows of the table a pair has, on average."""
        return self.conditions * (2 + self.repeated)


SHAPES = (Shape(name="plain", conditions=1, repeated=0.0), Shape(name="rich", conditions=2, repeated=0.04))


def write_table(path: Path, rows: int, shape: Shape) -> int:
    """Write a table of about ``rows`` rows: ten pairs a question group, sixty sources, a gold preference each."""
    pairs = max(10, round(rows / shape.rows_a_pair))
    parts = [path.with_suffix(f".{number}.parquet") for number in range(-(-pairs // PART))]
    height = 0
    for number, part in enumerate(parts):
        first = number * PART
        frame = pl.concat(list(_part(first, min(PART, pairs - first), pairs, shape)))
        height += frame.height
        frame.sample(fraction=1.0, shuffle=True, seed=SEED + number).write_parquet(part)
    table = pl.scan_parquet(parts)
    match path.suffix:
        case ".parquet":
            table.sink_parquet(path)
        case ".csv":
            table.sink_csv(path)
        case _:
            table.sink_ndjson(path)
    for part in parts:
        part.unlink()
    return height


def _part(first: int, count: int, pairs: int, shape: Shape) -> Iterator[pl.DataFrame]:
    rng = np.random.default_rng((SEED, first))
    pair = np.arange(first, first + count)
    facts = pl.DataFrame(
        {
            "pair_id": pl.Series(pair).cast(pl.String).str.zfill(8),
            "group": pl.Series(pair % max(1, pairs // 10)).cast(pl.String),
            "source": pl.Series(pair % 60).cast(pl.String),
            "gold": np.array(["A", "B"])[rng.integers(0, 2, count)],
        }
    ).with_columns(pl.concat_str(pl.lit("pair-"), "pair_id"), group=pl.concat_str(pl.lit("question-"), "group"))
    likes_a = np.where(rng.random(count) < 0.75, facts["gold"].to_numpy() == "A", facts["gold"].to_numpy() == "B")
    for condition in range(shape.conditions):
        locked = np.where(rng.random(count) < 0.2, rng.random(count) < 0.7, np.nan)
        for order in ("AB", "BA"):
            first_slot = np.where(np.isnan(locked), likes_a == (order == "AB"), locked == 1)
            lost = np.searchsorted(np.cumsum([0.95, 0.02, 0.01, 0.01]), rng.random(count), side="right")
            outcome = np.where(lost == 0, np.where(first_slot, 0, 1), lost + 1)
            shown = facts.with_columns(
                order=pl.lit(order),
                condition=pl.lit(f"prompt-{condition}"),
                repeat=pl.lit(0),
                outcome=pl.Series(OUTCOMES[outcome]),
            )
            yield shown
            if order == "AB" and shape.repeated:
                again = rng.random(count) < shape.repeated
                changed = np.where(rng.random(count) < 0.1, 1 - np.minimum(outcome, 1), outcome)
                yield shown.with_columns(outcome=pl.Series(OUTCOMES[changed]), repeat=pl.lit(1)).filter(
                    pl.Series(again)
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the kernel counted for one process."""

    what: str
    rows: int
    wall: float
    cpu: float
    peak_mb: float


def measured(what: str, rows: int, code: str, *arguments: str) -> Run:
    """Run Python code in a process of its own."""
    began = time.perf_counter()
    command = [sys.executable, "-c", code, *arguments]
    out = os.open(os.devnull, os.O_WRONLY)
    child = os.posix_spawn(
        sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_CLOSE, out)]
    )
    os.close(out)
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{what}, {rows:,} rows: ended with {os.waitstatus_to_exitcode(status)}")
    return Run(
        what=what,
        rows=rows,
        wall=time.perf_counter() - began,
        cpu=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss * 1024 / 1e6,
    )


def runs_of(shape: Shape, rows: int, suffix: str, folder: Path) -> Iterator[Run]:
    """Import, report, and what they are compared with."""
    table = folder / f"{shape.name}.{suffix}"
    # In a process of its own: a child's peak begins with the size of the process that spawned it.
    written = subprocess.run(
        [sys.executable, __file__, "--write", str(table), str(rows), shape.name], check=True, capture_output=True
    )
    height = int(written.stdout)
    with tempfile.TemporaryDirectory(dir=folder) as run:
        yield measured(f"{shape.name}: import and report", height, COMMAND, "import", "table", str(table), "--out", run)
        yield measured(f"{shape.name}: report again", height, COMMAND, "report", run)
    if suffix == "parquet":
        yield measured(f"{shape.name}: flip rate alone, polars", height, FLIPS_ALONE, str(table))
    if height <= ROWWISE_MOST * 1.05:
        with tempfile.TemporaryDirectory(dir=folder) as run:
            name = f"{shape.name}: import by rows, as before"
            yield measured(name, height, ROWWISE, "import", "table", str(table), "--out", run)
    table.unlink()


def growth(runs: Sequence[Run]) -> str:
    """The slope between the two largest sizes of one thing; nothing where there is one size."""
    if len(runs) < 2:
        return ""
    small, large = sorted(runs, key=lambda run: run.rows)[-2:]
    return f"{np.log(large.cpu / small.cpu) / np.log(large.rows / small.rows):.2f}"


def main() -> None:
    """Measure, and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--shapes", nargs="+", default=[shape.name for shape in SHAPES])
    parser.add_argument("--suffix", choices=["parquet", "csv", "jsonl"], default="parquet")
    parser.add_argument("--folder", type=Path, help="where tables and runs are written (a few GB at 10,000,000 rows)")
    parser.add_argument("--write", nargs=3, metavar=("FILE", "ROWS", "SHAPE"), help="only write a table")
    options = parser.parse_args()
    if options.write:
        file, rows, name = options.write
        print(write_table(Path(file), int(rows), next(shape for shape in SHAPES if shape.name == name)))
        return
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(
        f"Python {platform.python_version()}, polars {pl.__version__}, {os.cpu_count()} cores, load {load}\n",
        flush=True,
    )
    print("| what | rows | wall s | processor s | peak MB | rows a processor second | growth |", flush=True)
    print("|---|---:|---:|---:|---:|---:|---:|", flush=True)
    found: dict[str, list[Run]] = {}
    with tempfile.TemporaryDirectory(prefix="evenhand-scale-", dir=options.folder) as folder:
        for shape in (shape for shape in SHAPES if shape.name in options.shapes):
            for rows in sorted(options.rows):
                for run in runs_of(shape, rows, options.suffix, Path(folder)):
                    found.setdefault(run.what, []).append(run)
                    print(
                        f"| {run.what} | {run.rows:,} | {run.wall:.1f} | {run.cpu:.1f} | {run.peak_mb:,.0f} "
                        f"| {run.rows / run.cpu:,.0f} | {growth(found[run.what])} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
