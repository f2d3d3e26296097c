"""SIGKILL at random moments: while a judge is asked, while a log is imported, while files are written."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import EvenhandError
from evenhand.records import content_hash
from faults.command import EVENHAND, NOTING, environment, finished, keys_of_texts, run, start, verdicts_of
from faults.table import FaultRow
from judges.openai.faulty import FaultyServer, Say, chat

DELAY = 0.004
"""Seconds a simulated answer takes, so that most kills fall between the first and the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """One process: whether it was killed before it had ended, and what its code was else."""

    killed: bool
    code: int


def kill_at_random(command: Sequence[object], moments: random.Random, *, watch: Path, longest: float) -> Kill:
    """Start, and kill: mostly some while after the first growth of ``watch``, else any time from the start."""
    begun = time.monotonic()
    size = watch.stat().st_size if watch.exists() else 0
    after_growth = moments.random() < 0.75
    process = start(command)
    try:
        if after_growth:
            while process.poll() is None and (not watch.exists() or watch.stat().st_size == size):
                time.sleep(0.001)
            time.sleep(moments.uniform(0, 40 * DELAY))
        else:
            while process.poll() is None and time.monotonic() - begun < (limit := moments.uniform(0.05, longest)):
                time.sleep(min(0.01, limit))
    finally:
        process.kill()
        process.wait()
    return Kill(killed=process.returncode == -signal.SIGKILL, code=process.returncode)


def audit_simulated(folder: Path, *, kills: int, seed: int = 1, pairs: int = 30) -> FaultRow:
    """``evenhand audit`` with the simulated judge, killed until it is done; then begun anew until there were enough."""
    row = FaultRow(
        fault="SIGKILL during `evenhand audit`, simulated judge",
        checked="each recorded answer is in the journal; none in the journal is asked again; verdicts as undisturbed",
    )
    moments = random.Random(seed)  # noqa: S311 - moments, not secrets
    options = ["audit", "-j", "simulated:position=0.6,noise=0.5", "-p", "starter", "--limit", pairs, "-q", "--brief"]
    undisturbed = folder / "undisturbed"
    ended = run(*options, "-o", undisturbed)
    assert ended.code == 0, ended.err
    right, key_of, runs = verdicts_of(undisturbed), keys_of_texts(undisturbed), 0
    while row.trials < kills:
        directory, notes = folder / f"run{runs}", folder / f"notes{runs}"
        notes.touch()
        command = [sys.executable, NOTING, notes, DELAY, *options, "-o", directory]
        while True:
            held, already = finished(directory), len(notes.read_text().splitlines())
            end = Kill(killed=False, code=0)
            if row.trials < kills:
                end = kill_at_random(command, moments, watch=notes, longest=3.0)
            else:
                end = Kill(killed=False, code=start(command).wait())
            row.trials += end.killed
            now, lines = finished(directory), notes.read_text().splitlines()
            asked = [line.removeprefix("asked ") for line in lines[already:] if line.startswith("asked ")]
            recorded = {line.removeprefix("recorded ") for line in lines if line.startswith("recorded ")}
            row.lost += len((recorded | held) - now)
            row.asked_twice += sum(key_of[name] in held for name in asked)
            row.outcomes["kills during the asking"] += end.killed and bool(asked)
            if not end.killed:
                row.outcomes["runs finished"] += end.code == 0
                row.wrong += end.code != 0 or verdicts_of(directory) != right
                names = [line for line in lines if line.startswith("asked ")]
                row.in_flight += len(names) - len(set(names))
                break
        shutil.rmtree(directory)
        runs += 1
    return row


def audit_server(folder: Path, *, kills: int, seed: int = 2, pairs: int = 15) -> FaultRow:
    """``evenhand audit`` with the API judge and a server in this process, which counts what it is asked."""
    row = FaultRow(
        fault="SIGKILL during `evenhand audit`, API judge",
        checked="the server is never asked again for what the journal has; verdicts as undisturbed",
    )
    moments = random.Random(seed)  # noqa: S311 - moments, not secrets

    def script(body, attempt):
        time.sleep(DELAY)
        with watch.open("a") as file:
            file.write(".")
        text = body["messages"][-1]["content"]
        return Say(chat("A" if int(content_hash(text), 16) % 3 else "B"))

    watch = folder / "calls"
    with FaultyServer(script) as server:
        options = ["audit", "-j", "openai:m", "-J", f"base_url={server.url}", "-J", "concurrency=4"]
        options += ["-p", "starter", "--limit", pairs, "-q", "--brief"]
        undisturbed = folder / "undisturbed"
        env = environment(OPENAI_API_KEY="none")
        ended = run(*options, "-o", undisturbed, env=env)
        assert ended.code == 0, ended.err
        right, key_of, runs = verdicts_of(undisturbed), keys_of_texts(undisturbed), 0
        calls_each = max(server.asked.values())
        while row.trials < kills:
            directory = folder / f"run{runs}"
            server.asked.clear()
            while True:
                held, before = finished(directory), server.asked.copy()
                command = ["env", "OPENAI_API_KEY=none", *EVENHAND, *options, "-o", directory]
                if row.trials < kills:
                    end = kill_at_random(command, moments, watch=watch, longest=3.0)
                else:
                    end = Kill(killed=False, code=start(command).wait())
                row.trials += end.killed
                now, asked = finished(directory), server.asked - before
                row.lost += len(held - now)
                # What isn't a presentation's text is the judge's own question to the server.
                keys = {name: key_of.get(content_hash(name)) for name in asked}
                row.asked_twice += sum(key in held for key in keys.values() if key is not None)
                row.outcomes["kills during the asking"] += end.killed and bool(asked)
                if not end.killed:
                    row.outcomes["runs finished"] += end.code == 0
                    row.wrong += end.code != 0 or verdicts_of(directory) != right
                    of_pairs = {name: n for name, n in server.asked.items() if content_hash(name) in key_of}
                    row.in_flight += sum(max(0, n - calls_each) for n in of_pairs.values())
                    break
            shutil.rmtree(directory)
            runs += 1
    return row


def write_log(path: Path, *, rows: int) -> Path:
    """A verdict log of the ``table`` format, both orders, some flips."""
    chance = random.Random(3)  # noqa: S311 - moments, not secrets
    lines = [
        json.dumps(
            {
                "pair_id": f"p{number}",
                "order": order,
                "outcome": chance.choice(["first", "second", "first", "tie"]),
                "source": f"s{number % 12}",
            }
        )
        for number in range(rows)
        for order in ("AB", "BA")
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def importing(folder: Path, *, kills: int, seed: int = 4, rows: int = 400) -> FaultRow:
    """``evenhand import``: after a kill there is no run, or one that holds all of the log or none of its answers."""
    row = FaultRow(
        fault="SIGKILL during `evenhand import`",
        checked="the journal has all of the log's answers or none; run again, verdicts as undisturbed",
    )
    moments, log = random.Random(seed), write_log(folder / "log.jsonl", rows=rows)  # noqa: S311 - moments, not secrets
    steps = ("journal.sqlite", "journal.sqlite-wal", "pairs-*", "verdicts-*", "run.json")
    options = ["import", "table", log, "--brief"]
    undisturbed = folder / "undisturbed"
    begun = time.monotonic()
    ended = run(*options, "-o", undisturbed)
    longest = time.monotonic() - begun
    assert ended.code == 0, ended.err
    right, number = verdicts_of(undisturbed), 0
    while row.trials < kills:
        directory = folder / f"run{number}"
        process = start([*EVENHAND, *options, "-o", directory])
        if moments.random() < 0.85:  # around each of the moments of writing, the commit's above all
            step = moments.choice(steps)
            while process.poll() is None and not any(directory.glob(step)):
                time.sleep(0.0005)
            time.sleep(moments.uniform(0, 0.05))
        else:
            time.sleep(moments.uniform(0.05, longest))
        process.kill()
        row.trials += process.wait() == -signal.SIGKILL
        held = len(finished(directory))
        row.lost += held not in (0, 2 * rows)
        row.outcomes["left nothing" if held == 0 else "left the whole log"] += 1
        if number % 5 == 0:
            again = run(*options, "-o", directory)
            row.wrong += again.code != 0 or verdicts_of(directory) != right
            row.outcomes["imported again"] += 1
        shutil.rmtree(directory, ignore_errors=True)
        number += 1
    return row


def report_writing(folder: Path, *, kills: int, seed: int = 5, pairs: int = 24) -> FaultRow:
    """``evenhand report`` into a folder that has a report: every file is the old one or the new one, whole."""
    row = FaultRow(
        fault="SIGKILL while the report's files are written",
        checked="every file is byte for byte the old or the new one; no temporary file is taken for one",
    )
    moments = random.Random(seed)  # noqa: S311 - moments, not secrets
    directory, options = folder / "run", ["-j", "simulated:position=0.6", "-p", "starter", "--limit", pairs]
    assert run("audit", *options, "-o", directory, "-q", "--brief").code == 0
    texts: dict[str, dict[str, bytes]] = {}
    for seed_of in ("200", "300"):
        assert run("report", directory, "-o", folder / seed_of, "--resamples", seed_of, "--brief").code == 0
        texts[seed_of] = _files(folder / seed_of)
    target = folder / "target"
    shutil.copytree(folder / "200", target)
    while row.trials < kills:
        command = [
            *EVENHAND,
            "report",
            directory,
            "-o",
            target,
            "--resamples",
            moments.choice(["200", "300"]),
            "--brief",
        ]
        before = {path: path.stat().st_mtime_ns for path in target.rglob("*") if path.name[0] != "." and path.is_file()}
        process = start(command)
        if moments.random() < 0.8:
            while process.poll() is None and all(path.stat().st_mtime_ns == t for path, t in before.items()):
                time.sleep(0.0005)
            time.sleep(moments.uniform(0, 0.03))
        else:
            time.sleep(moments.uniform(0.1, 2.0))
        process.kill()
        row.trials += process.wait() == -signal.SIGKILL
        found = _files(target)
        for name, data in found.items():
            row.lost += data not in (texts["200"].get(name), texts["300"].get(name))
        row.lost += len(texts["200"].keys() - found.keys())
        mixed = any(found[n] != texts["200"].get(n) for n in found) and any(
            found[n] != texts["300"].get(n) for n in found
        )
        row.outcomes["left old and new files side by side"] += mixed
    left = list(target.rglob("*.part"))
    row.remark = f"{len(left)} hidden temporary files (.NAME.PID.part) were left"
    assert run("report", directory, "-o", target, "--resamples", "200", "--brief").code == 0
    row.wrong += sum(data != texts["200"][name] for name, data in _files(target).items())
    return row


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(".part")
    }


def binary_writing(folder: Path, *, kills: int, seed: int = 6) -> FaultRow:
    """Parquet and safetensors, killed in the middle: the old file or none, never half."""
    row = FaultRow(
        fault="SIGKILL while Parquet and safetensors files are written",
        checked="the file is there whole (old or new) or not at all",
    )
    moments = random.Random(seed)  # noqa: S311 - moments, not secrets
    child = Path(__file__).with_name("writing_child.py")
    import polars as pl
    import safetensors.numpy

    while row.trials < kills:
        with subprocess.Popen([sys.executable, str(child), str(folder)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(moments.uniform(0, 0.15))
            process.kill()
            row.trials += process.wait() == -signal.SIGKILL
        for path in (folder / "table.parquet", folder / "tensors.safetensors"):
            if not path.exists():
                row.outcomes["left no file"] += 1
                continue
            try:
                if path.suffix == ".parquet":
                    table = pl.read_parquet(path.read_bytes())
                    whole = len(table) == 50_000 and table["x"].n_unique() == 1
                else:
                    tensors = safetensors.numpy.load(path.read_bytes())
                    whole = tensors["x"].size == 400_000 and len(set(tensors["x"][[0, -1]].tolist())) == 1
            except (pl.exceptions.PolarsError, safetensors.SafetensorError, EvenhandError):
                whole = False
            row.lost += not whole
            row.outcomes["left a whole file"] += whole
    return row


def collecting(folder: Path, *, kills: int, seed: int = 7, pairs: int = 40) -> FaultRow:
    """Activations being collected: no answer counts without its activation, none is asked twice."""
    from evenhand.probes.activation_files import ActivationStore

    row = FaultRow(
        fault="SIGKILL while activations are collected and packed into shards",
        checked="every recorded answer has its activation, readable; none recorded is asked again",
    )
    moments = random.Random(seed)  # noqa: S311 - moments, not secrets
    child = Path(__file__).parents[1] / "workflow" / "collect_child.py"
    runs = 0
    while row.trials < kills:
        directory, notes = folder / f"run{runs}", folder / f"notes{runs}"
        notes.touch()
        while True:
            command = [sys.executable, child, directory, notes, pairs]
            if row.trials < kills:
                end = kill_at_random(command, moments, watch=notes, longest=2.0)
            else:
                end = Kill(killed=False, code=start(command).wait())
            row.trials += end.killed
            held, lines = finished(directory), notes.read_text().splitlines()
            recorded = {line.removeprefix("recorded ") for line in lines if line.startswith("recorded")}
            row.lost += len(recorded - held)
            if held:
                store = ActivationStore(directory)
                row.lost += len(held - set(store.keys())) + len(held) - len(list(store.records(sorted(held))))
            if not end.killed:
                row.wrong += end.code != 0 or len(held) != 2 * pairs
                asked = [line for line in lines if line.startswith("asked")]
                row.in_flight += len(asked) - len(set(asked))
                row.outcomes["runs finished"] += end.code == 0
                break
        shutil.rmtree(directory)
        runs += 1
    return row
