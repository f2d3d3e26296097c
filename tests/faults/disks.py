"""A full disk, a folder that can't be written, two writers, a clock that jumps."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evenhand.records import content_hash
from faults.command import NOTING, environment, finished, run, start, verdicts_of
from faults.kills import write_log
from faults.table import FaultRow

AUDIT = ("audit", "-j", "simulated:position=0.6,noise=0.5", "-p", "starter", "-q", "--brief")
NOBODY = 65_534
"""User and group ``nobody`` of Linux."""


def can_mount() -> bool:
    """Whether this process may make a file system of its own (root in a container that allows it)."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    # In a mount namespace of its own: nothing outside this command ever sees it.
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _on_small_disk(folder: Path, size: int, script: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script with a tmpfs of ``size`` bytes at ``folder``, in a mount namespace that ends with it."""
    mount = f"mount -t tmpfs -o size={size} tmpfs {folder} && {script}"
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", mount],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def full_disk(folder: Path, *, trials: int, seed: int = 21, pairs: int = 30) -> FaultRow:
    """A tmpfs too small for the run: it ends with one line; with space again it goes on and asks nothing twice."""
    row = FaultRow(
        fault="full disk (a tmpfs of random size)",
        checked="one line, exit code 3; what was recorded is there; with space again it goes on as undisturbed",
    )
    chance, undisturbed = random.Random(seed), folder / "undisturbed"  # noqa: S311 - moments, not secrets
    options = [*AUDIT, "--limit", str(pairs)]
    assert run(*options, "-o", undisturbed).code == 0
    right = verdicts_of(undisturbed)
    need = sum(path.stat().st_size for path in undisturbed.rglob("*") if path.is_file())
    for number in range(trials):
        disk, kept, notes = folder / "disk", folder / f"kept{number}", folder / f"notes{number}"
        disk.mkdir(exist_ok=True)
        size = 4096 * max(chance.randrange(need * 5 // 4) // 4096, 2)
        command = " ".join([sys.executable, str(NOTING), str(notes), "0", *options, "-o", f"{disk}/run"])
        done = _on_small_disk(disk, size, f"{command}; code=$?; cp -r {disk}/run {kept}; exit $code")
        row.trials += 1
        text = done.stdout + done.stderr
        row.tracebacks += "Traceback" in text
        if done.returncode == 0:
            row.outcomes["had room enough"] += 1
        elif (done.returncode == 3 and "full" in text.splitlines()[-1]) or "No space" in text.splitlines()[-1]:
            row.outcomes["ended with one line"] += 1
        else:
            row.wrong += 1
            row.outcomes[f"ended with {done.returncode}: {text[-120:]!r}"] += 1
        lines = notes.read_text().splitlines() if notes.exists() else []
        recorded = {line.removeprefix("recorded ") for line in lines if line.startswith("recorded ")}
        held = finished(kept)
        row.lost += len(recorded - held)
        again = start([sys.executable, NOTING, notes, 0, *options, "-o", kept])
        row.wrong += again.wait() != 0 or verdicts_of(kept) != right
        asked = [line for line in notes.read_text().splitlines()[len(lines) :] if line.startswith("asked ")]
        row.asked_twice += max(0, len(asked) + len(held) - 2 * pairs)
        shutil.rmtree(kept, ignore_errors=True)
    row.remark = f"sizes from 8 kB to {need * 5 // 4 // 1000:,} kB, where the whole run takes {need // 1000:,} kB"
    return row


@contextmanager
def _for_nobody(folder: Path) -> Iterator[None]:
    """Let ``nobody`` pass through to the folder, which pytest makes for its owner alone."""
    changed = [(path, path.stat().st_mode) for path in (folder, *folder.parents) if not path.stat().st_mode & 0o005]
    for path, mode in changed:
        path.chmod(mode | 0o055)
    try:
        yield
    finally:
        for path, mode in changed:
            path.chmod(mode)


def read_only_folder(folder: Path) -> FaultRow:
    """Every command that writes, as a user who may not: one line with the folder's name."""
    row = FaultRow(
        fault="read-only folder (as user nobody)",
        checked="one line that names the folder, exit code 2 or 3; nothing in it changes",
    )
    home, made, log = folder / "home", folder / "made", write_log(folder / "log.jsonl", rows=40)
    home.mkdir()
    assert run(*AUDIT, "--limit", "24", "-o", made).code == 0
    assert run("history", "add", folder / "history.jsonl", made).code == 0
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    before = _listing(folder)
    env = environment(
        HOME=str(home), XDG_CACHE_HOME=str(home), PYTHONDONTWRITEBYTECODE="1", TMPDIR=tempfile.gettempdir()
    )
    if not as_nobody:
        folder.chmod(0o555)
    with _for_nobody(folder):
        for arguments in (
            [*AUDIT, "--limit", "24", "-o", made],
            [*AUDIT, "--limit", "24", "-o", folder / "new"],
            ["import", "table", log, "-o", folder / "new"],
            ["report", made, "--brief"],
            ["report", made, "--brief", "-o", folder / "new"],
            ["history", "add", folder / "history.jsonl", made, "--replace"],
            ["rank", made, "-o", folder / "new"],
            ["compare", made, made, "-o", folder / "new"],
        ):
            ended = run(*arguments, env=env, before=as_nobody)
            row.trials += 1
            told = ended.code in (2, 3) and str(folder) in ended.message
            row.wrong += not told
            row.outcomes[
                "refused" if told else f"{' '.join(map(str, arguments[:2]))}: {ended.code} {ended.message}"
            ] += 1
            row.tracebacks += ended.traceback
    if not as_nobody:
        folder.chmod(0o755)
    row.lost += _listing(folder) != before
    return row


def _listing(folder: Path) -> str:
    return content_hash([[str(p), p.stat().st_size, p.stat().st_mtime_ns] for p in sorted(folder.rglob("*"))])


def two_writers(folder: Path, *, trials: int, seed: int = 23, pairs: int = 30) -> FaultRow:
    """A second command on the same directory while the first works: refused, and the first goes on undisturbed."""
    row = FaultRow(
        fault="a second writer while the first works",
        checked="the second: one line with the first's process id, exit code 3; the first: verdicts as undisturbed",
    )
    options, undisturbed = [*AUDIT, "--limit", str(pairs)], folder / "undisturbed"
    assert run(*options, "-o", undisturbed).code == 0
    right = verdicts_of(undisturbed)
    for number in range(trials):
        directory, notes = folder / f"run{number}", folder / f"notes{number}"
        notes.touch()
        first = start([sys.executable, NOTING, notes, 0.08, *options, "-o", directory])
        while first.poll() is None and not notes.stat().st_size:
            time.sleep(0.001)
        second = run(*options, "-o", directory)
        row.trials += 1
        was_alive = first.poll() is None
        refused = second.code == 3 and f"pid {first.pid}" in second.message
        row.outcomes["refused" if refused else f"not refused: {second.code} {second.message}"] += 1
        row.wrong += was_alive and not refused
        row.tracebacks += second.traceback
        row.wrong += first.wait() != 0 or verdicts_of(directory) != right
        asked = [line for line in notes.read_text().splitlines() if line.startswith("asked ")]
        row.asked_twice += len(asked) - len(set(asked))
    return row


def clock_jumps(folder: Path, *, most: int = 5, seed: int = 24, pairs: int = 24) -> FaultRow:
    """The clock stands in 1999 or 2099, or begins again at each process: the run is the same."""
    library = _faketime()
    row = FaultRow(
        fault="clock jumps (back to 1999, on to 2099, and between the parts of a run)",
        checked="verdicts as undisturbed; nothing asked twice when the run goes on under another clock",
        remark="with libfaketime" if library else "not tried: libfaketime is not installed",
    )
    if library is None:
        return row
    options, undisturbed = [*AUDIT, "--limit", str(pairs)], folder / "undisturbed"
    assert run(*options, "-o", undisturbed).code == 0
    right, chance = verdicts_of(undisturbed), random.Random(seed)  # noqa: S311 - moments, not secrets
    jumps = [
        ("1999-12-31", "2099-01-01"),
        ("2099-01-01", "1999-12-31"),
        ("-1d", "+1d"),
        ("+10y", "-10y"),
        ("-1h", "-2h"),
    ]
    for number in range(most):
        one, other = jumps[number % len(jumps)]
        directory, notes = folder / f"run{number}", folder / f"notes{number}"
        notes.touch()
        process = start([sys.executable, NOTING, notes, 0.01, *options, "-o", directory], env=_at(one, library))
        stop_at = chance.randrange(200, 1500)
        while process.poll() is None and notes.stat().st_size < stop_at:
            time.sleep(0.001)
        process.kill()
        process.wait()
        held = len(finished(directory))
        lines = len(notes.read_text().splitlines())
        after = start([sys.executable, NOTING, notes, 0, *options, "-o", directory], env=_at(other, library))
        row.trials += 1
        row.wrong += after.wait() != 0 or verdicts_of(directory) != right
        asked = [line for line in notes.read_text().splitlines()[lines:] if line.startswith("asked ")]
        row.asked_twice += max(0, len(asked) + held - 2 * pairs)
        ended = run("report", directory, "--brief")
        row.tracebacks += ended.traceback
        row.outcomes["finished under another clock"] += ended.code == 0
    return row


def _faketime() -> Path | None:
    """Debian's library that stands between a program and the clock."""
    return next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))), None)


def _at(moment: str, library: Path) -> dict[str, str]:
    # The monotonic clock goes on as it is, as it does on a machine whose clock is set.
    moment = moment if moment[0] in "+-" else f"@{moment} 12:00:00"
    return environment(LD_PRELOAD=str(library), FAKETIME=moment, FAKETIME_DONT_FAKE_MONOTONIC="1")
