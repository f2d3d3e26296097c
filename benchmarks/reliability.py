"""The table of faults in ``docs/reliability.md``: each fault done to the real command, many times, and counted.

``python benchmarks/reliability.py [--kills N] [--trials N] [--jobs N] [--only NAME …]
[--state FILE]``: kills, full disks,
read-only folders, second writers, jumping clocks, damaged files, signals and failing servers. It takes a quarter of an
hour with the default counts, needs Linux, and writes the page's table; as root it also makes file systems and becomes
``nobody``. The scenarios are those of ``tests/faults``, which runs each a few times in CI. Exit code 1: a row didn't
hold.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- faults: begin (benchmarks/reliability.py) -->", "<!-- faults: end -->"
HEADER = "| Fault | Trials | Checked | Lost | Asked twice | Wrong figures | Tracebacks | How it ended |"


def scenarios(kills: int, trials: int) -> dict[str, Callable[[Path], Any]]:
    """Every fault by its name; each takes an empty folder and returns one row or several."""
    sys.path[0] = str(ROOT / "tests")  # in this folder's place, whose modules have names of tests' packages
    module = {name: importlib.import_module(f"faults.{name}") for name in ("kills", "damage", "disks", "endings")}
    killed, damage, disks, endings = module.values()
    made: dict[str, Callable[[Path], Any]] = {
        "audit": lambda folder: killed.audit_simulated(folder, kills=kills),
        "api": lambda folder: killed.audit_server(folder, kills=kills),
        "import": lambda folder: killed.importing(folder, kills=kills),
        "report": lambda folder: killed.report_writing(folder, kills=max(kills // 2, 1)),
        "binary": lambda folder: killed.binary_writing(folder, kills=kills * 4),
        "activations": lambda folder: killed.collecting(folder, kills=kills * 2),
        "signals": lambda folder: endings.signals(folder, trials=trials),
        "read-only": disks.read_only_folder,
        "two-writers": lambda folder: disks.two_writers(folder, trials=trials),
        "clock": lambda folder: disks.clock_jumps(folder, most=trials),
        "journal-cut": lambda folder: damage.journal_cut(folder, trials=10 * trials),
        "wal-cut": lambda folder: damage.wal_cut(folder, trials=10 * trials),
        "journal-bits": lambda folder: damage.journal_bits(folder, trials=30 * trials),
        "files-cut": lambda folder: damage.files_cut(folder, trials=4 * trials),
        "newer": damage.newer,
        "server-once": endings.server_faults,
        "server-always": lambda folder: endings.server_faults(folder, always=True),
    }
    if disks.can_mount():
        made["full-disk"] = lambda folder: disks.full_disk(folder, trials=trials)
    return made


def table(rows: list[Any]) -> str:
    """The rows as a Markdown table."""
    lines = [HEADER, "|---|--:|---|--:|--:|--:|--:|---|"]
    for row in rows:
        counts = (row.lost, row.asked_twice, row.wrong, row.tracebacks)
        cells = (row.fault, f"{row.trials:,}", row.checked, *(f"{count:,}" for count in counts), row.told())
        lines.append(f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |")
    return "\n".join(lines)


def page(rows: list[Any], *, seconds: float, command: str, source: str) -> str:
    """What stands between the markers."""
    kills = sum(row.trials for row in rows if row.fault.startswith("SIGKILL"))
    total = sum(row.trials for row in rows)
    counted = [sum(getattr(row, name) for row in rows) for name in ("lost", "asked_twice", "wrong", "tracebacks")]
    flying = sum(row.in_flight for row in rows)
    return f"""{BEGIN}
`{command}`, {source},
{datetime.now(UTC):%Y-%m-%d}, {seconds / 60:.0f} minutes on {platform.system()} {platform.machine()}
({os.cpu_count()} cores), Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}.

**{total:,} trials, of them {kills:,} SIGKILLs: {counted[0]:,} answers or files lost,
{counted[1]:,} presentations asked twice, {counted[2]:,} wrong figures, {counted[3]:,} tracebacks.** Beside these,
{flying:,} calls that were in flight when the process was killed were made again: whether the judge had answered them
nobody can know.

{table(rows)}
{END}"""


def kept(row: Any) -> dict[str, Any]:  # noqa: ANN401 - tests are not typed
    """A row as JSON can hold it."""
    return {field.name: getattr(row, field.name) for field in fields(row)} | {"outcomes": dict(row.outcomes)}


def finish(name: str, *, kills: int, trials: int) -> list[dict[str, Any]]:
    """Do one scenario in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="evenhand-faults-", ignore_cleanup_errors=True) as folder:
        found = scenarios(kills, trials)[name](Path(folder))
    return [kept(row) for row in (found if isinstance(found, list) else [found])]


def commit() -> str:
    """The source that was run, or that it was changed since its commit."""
    ask = ["git", "-C", str(ROOT)]
    name = subprocess.run([*ask, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    changed = subprocess.run([*ask, "status", "--porcelain", "src"], capture_output=True, text=True, check=False).stdout
    return f"commit {name.strip() or 'unknown'}" + (" with changes in `src`" if changed.strip() else "")


def main() -> None:
    """Run what was asked for and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=24)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2, help="scenarios at a time")
    parser.add_argument("--only", nargs="*", default=[], help="scenarios to run; the page is not written")
    parser.add_argument("--state", type=Path, help="a file that keeps finished scenarios, so that a later call goes on")
    options = parser.parse_args()
    command = (
        f"python benchmarks/reliability.py --kills {options.kills} --trials {options.trials} --jobs {options.jobs}"
    )
    source = commit()  # as it is now: it may go on while this runs
    done: dict[str, Any] = {}
    if options.state is not None and options.state.exists():
        done = json.loads(options.state.read_text(encoding="utf-8"))
    chosen = scenarios(options.kills, options.trials)
    row_type = importlib.import_module("faults.table").FaultRow
    todo = [name for name in chosen if name not in done and (not options.only or name in options.only)]
    begun, spent = time.monotonic(), done.pop("seconds", 0.0)
    with ProcessPoolExecutor(options.jobs) as pool:
        started = {pool.submit(finish, name, kills=options.kills, trials=options.trials): name for name in todo}
        for future in as_completed(started):
            done[started[future]] = future.result()
            for row in (row_type(**one | {"outcomes": Counter(one["outcomes"])}) for one in future.result()):
                held = "held" if row.held else "FAILED"
                print(f"{held:7}{row.fault[:70]:72}{row.trials:6,} trials  {row.told()[:150]}", flush=True)
            if options.state is not None:
                text = json.dumps(done | {"seconds": spent + time.monotonic() - begun}, indent=1)
                options.state.write_text(text, encoding="utf-8")
    rows = [
        row_type(**row | {"outcomes": Counter(row["outcomes"])})
        for name in chosen
        if name in done
        for row in done[name]
    ]
    text = page(rows, seconds=spent + time.monotonic() - begun, command=command, source=source)
    if options.only:
        print(text)
    else:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{text}{rest.partition(END)[2]}", encoding="utf-8")
    sys.exit(not all(row.held or "not tried" in row.remark for row in rows))


if __name__ == "__main__":
    main()
