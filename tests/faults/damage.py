"""Files cut short, bits flipped, formats from the future: refused by name or read as before, never other figures."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

from evenhand.datasets import load_pairs
from evenhand.datasets.labels import read_labels
from evenhand.errors import EvenhandError
from evenhand.logs.read import read_log
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.saved import load_probe, save_probe
from evenhand.records import content_hash
from evenhand.store import Journal
from evenhand.store.codec import encode
from evenhand.store.history_file import read_history
from evenhand.store.label_store import LabelStore
from faults.command import NOTING, finished, run, start, verdicts_or_refusal
from faults.kills import write_log
from faults.table import FaultRow
from probes.saved_examples import saved_probe


def journal_cut(folder: Path, *, trials: int, seed: int = 11) -> FaultRow:
    """The journal, with and without its write-ahead log, cut at random offsets."""
    row = FaultRow(
        fault="journal cut short at a random byte",
        checked="refused in one line, or the same verdicts",
    )
    return _damaged_journal(folder, row, trials=trials, seed=seed, damage=_cut)


def journal_bits(folder: Path, *, trials: int, seed: int = 12) -> FaultRow:
    """Bits of the journal flipped: one, or eight anywhere, or a whole page overwritten."""
    row = FaultRow(
        fault="journal with flipped bits (1, 8, or a page of noise)",
        checked="refused in one line, or the same verdicts",
    )
    return _damaged_journal(folder, row, trials=trials, seed=seed, damage=_flip)


def wal_cut(folder: Path, *, trials: int, seed: int = 14) -> FaultRow:
    """The write-ahead log that a killed writer left, cut: what was written before the cut is there."""
    row = FaultRow(
        fault="write-ahead log of a killed run cut at a random byte",
        checked="refused, or an earlier state of the run: every answer as it was, those cut off counted as not asked",
    )
    chance, whole, part = random.Random(seed), folder / "whole", folder / "damaged"  # noqa: S311 - moments, not secrets
    notes = folder / "notes"
    notes.touch()
    command = [sys.executable, NOTING, notes, 0.005, "audit", "-j", "simulated:position=0.6", "--limit", 24]
    process = start([*command, "-q", "--brief", "-o", whole])
    while process.poll() is None and notes.read_text().count("recorded ") < 30:
        time.sleep(0.001)
    process.kill()
    process.wait()
    wal = (whole / "journal.sqlite-wal").read_bytes()
    before = _answers(whole)
    for _ in range(trials):
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        shutil.copyfile(whole / "journal.sqlite", part / "journal.sqlite")
        (part / "journal.sqlite-wal").write_bytes(_cut(wal, chance))
        row.trials += 1
        try:
            found = _answers(part)
        except EvenhandError as error:
            row.outcomes["refused"] += 1
            row.tracebacks += "\n" in str(error)
            continue
        row.wrong += not found.items() <= before.items()
        row.outcomes["read as an earlier state"] += 1
    return row


def _answers(directory: Path) -> dict[str, str]:
    with Journal.open(directory, read_only=True) as journal:
        return {
            entry.presentation.key: content_hash(encode(entry.completion))
            for entry in journal.completions()
            if entry.completion is not None
        }


def _damaged_journal(
    folder: Path, row: FaultRow, *, trials: int, seed: int, damage: Callable[[bytes, random.Random], bytes]
) -> FaultRow:
    chance, whole, part = random.Random(seed), folder / "whole", folder / "damaged"  # noqa: S311 - moments, not secrets
    assert run("audit", "-j", "simulated:position=0.6", "--limit", 24, "-q", "--brief", "-o", whole).code == 0
    right, data = verdicts_or_refusal(whole), (whole / "journal.sqlite").read_bytes()
    assert isinstance(right, str)
    for _ in range(trials):
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        (part / "journal.sqlite").write_bytes(damage(data, chance))
        _settle(row, right, lambda: verdicts_or_refusal(part))
    return row


def _settle(row: FaultRow, right: object, read: Callable[[], object]) -> None:
    """Read once more and count what came of it."""
    row.trials += 1
    try:
        found = read()
    except EvenhandError as error:
        found = error
    except Exception as error:  # a user would see a traceback: that is what is counted
        row.tracebacks += 1
        row.outcomes[f"ended in {type(error).__name__}"] += 1
        return
    if isinstance(found, EvenhandError):
        row.outcomes["refused"] += 1
        row.tracebacks += "\n" in str(found)
    else:
        row.outcomes["read as before"] += found == right
        row.wrong += found != right


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _flip(data: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(data)
    match chance.randrange(3):
        case 0 | 1 as kind:
            for _ in range(8 if kind else 1):
                damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        case _:
            begin = 4096 * chance.randrange(len(data) // 4096)
            damaged[begin : begin + 4096] = chance.randbytes(4096)
    return bytes(damaged)


def files_cut(folder: Path, *, trials: int, seed: int = 13) -> list[FaultRow]:
    """Every other file that is read: pair files, logs, labels, Parquet, history, probe, ``run.json``."""
    return [_file_cut(folder, name, trials=trials, seed=seed) for name in _READERS]


def _file_cut(folder: Path, name: str, *, trials: int, seed: int) -> FaultRow:
    row = FaultRow(fault=f"{name} cut short at a random byte", checked="refused by place, or a whole number of rows")
    chance = random.Random(f"{seed} {name}")  # noqa: S311 - moments, not secrets
    path, read = _READERS[name](folder)
    data = path.read_bytes()
    right = read(path)
    assert isinstance(right, list)
    prefixes = [content_hash(right[:count]) for count in range(len(right) + 1)]
    cut = folder / "cut" / path.name
    cut.parent.mkdir(exist_ok=True)
    for beside in path.parent.glob(f"{path.stem}.*"):  # the tensors that belong to a card
        shutil.copyfile(beside, cut.parent / beside.name)
    for _ in range(trials):
        row.trials += 1
        # Half of the cuts at a line's end, where text formats are most likely to read on.
        at = chance.randrange(len(data))
        if chance.random() < 0.5:
            at = data.rfind(b"\n", 0, at) + 1
        cut.write_bytes(data[:at])
        try:
            found = read(cut)
        except EvenhandError as error:
            row.outcomes["refused"] += 1
            row.tracebacks += "\n" in str(error)
            continue
        except Exception as error:
            row.tracebacks += 1
            row.outcomes[f"ended in {type(error).__name__}"] += 1
            continue
        known = content_hash(found) in prefixes
        if not known and path.suffix == ".csv" and content_hash(found[:-1]) in prefixes and data[at - 1] != 10:
            row.outcomes["read with the end of its last cell missing"] += 1
            continue
        row.outcomes["read as a shorter file, each row as before" if known else "read otherwise"] += 1
        row.wrong += not known
    if "read as a shorter file, each row as before" in row.outcomes:
        row.remark = (
            "cut at a line's end it is a shorter file: no format of lines can tell; reports name count and SHA-256"
        )
        if path.suffix == ".csv":
            row.remark += "; CSV needs no line end, so that a cut inside the very last cell can't be told either"
    return row


Made = tuple[Path, Callable[[Path], list[object]]]


def _pair_rows(path: Path) -> list[object]:
    return [pair.content_hash for pair in load_pairs(path)]


def _pairs_in(suffix: str) -> Callable[[Path], Made]:
    def make(folder: Path) -> Made:
        rows = [
            {
                "id": pair.id,
                "instruction": pair.instruction,
                "response_a": pair.response_a,
                "response_b": pair.response_b,
            }
            for pair in load_pairs("starter", limit=40)
        ]
        path = folder / f"pairs{suffix}"
        table = pl.DataFrame(rows)
        match suffix:
            case ".csv":
                table.write_csv(path)
            case ".parquet":
                table.write_parquet(path)
            case ".json":
                path.write_text(json.dumps(rows, indent=1))
            case _:
                path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path, _pair_rows

    return make


def _log(folder: Path) -> Made:
    def read(path: Path) -> list[object]:
        return [str(entry.completion.log_outcome) for entry in read_log("table", path).entries]

    return write_log(folder / "log.jsonl", rows=40), read


def _labels(folder: Path) -> Made:
    path = folder / "labels.csv"
    path.write_text("pair_id,preference,annotator\n" + "".join(f"p{n},{'AB'[n % 2]},ann\n" for n in range(60)))

    def read(path: Path) -> list[object]:
        found = read_labels(path, [f"p{n}" for n in range(60)])
        return [[label.pair_id, label.preference] for label in found.labels]

    return path, read


def _history(folder: Path) -> Made:
    path, made = folder / "history.jsonl", folder / "for-history"
    if not path.exists():
        for seed in range(3):
            directory = made / str(seed)
            options = ("-j", f"simulated:seed={seed}", "--limit", 24, "-q", "--brief", "-o", directory)
            assert run("audit", *options).code == 0
            assert run("history", "add", path, directory).code == 0

    def read(path: Path) -> list[object]:
        return [entry.run for entry in read_history(path)]

    return path, read


def _probe(folder: Path) -> Made:
    path = folder / "probe.json"
    save_probe(path, saved_probe())

    def read(path: Path) -> list[object]:
        return [load_probe(path).weights.tolist()]

    return path, read


def _probe_tensors(folder: Path) -> Made:
    path, read = _probe(folder)
    return path.with_suffix(".safetensors"), lambda cut: read(cut.with_suffix(".json"))


def _collected(folder: Path) -> Path:
    """A run with activations, packed into shards: those of a judge that computes nothing."""
    directory = folder / "collected"
    if not directory.exists():
        child = Path(__file__).parents[1] / "workflow" / "collect_child.py"
        assert start([sys.executable, child, directory, folder / "collecting", 10]).wait() == 0
    return directory


def _activations(name: str) -> Callable[[Path], Made]:
    def make(folder: Path) -> Made:
        kept = folder / "cut" / "activations"
        if not kept.exists():
            shutil.copytree(_collected(folder) / "activations", kept)
        keys = sorted(finished(_collected(folder)))

        def read(path: Path) -> list[object]:
            whole = kept / name
            before = whole.read_bytes()
            whole.write_bytes(path.read_bytes())
            try:
                records = list(ActivationStore(kept.parent).records(keys))
                return [[[str(r.key), *(content_hash(v.tolist()) for v in r.vectors.values())] for r in records]]
            finally:
                whole.write_bytes(before)

        return _collected(folder) / "activations" / name, read

    return make


_READERS: dict[str, Callable[[Path], Made]] = {
    "pair file (JSON Lines)": _pairs_in(".jsonl"),
    "pair file (JSON)": _pairs_in(".json"),
    "pair file (CSV)": _pairs_in(".csv"),
    "pair file (Parquet)": _pairs_in(".parquet"),
    "verdict log (JSON Lines)": _log,
    "label file (CSV)": _labels,
    "history file": _history,
    "probe card": _probe,
    "probe tensors": _probe_tensors,
    "activation shard": _activations("shard-0001.safetensors"),
    "index of activation shards": _activations("index.parquet"),
}


def newer(folder: Path) -> FaultRow:
    """A later version's journal, manifest, history line, probe card and activations: refused by name."""
    row = FaultRow(
        fault="file of a newer format (journal, manifest, history, probe card, activations, labels)",
        checked="refused with the words `newer` and `update Evenhand`; the file stays as it was",
    )
    directory = folder / "run"
    assert run("audit", "-j", "simulated:fair", "--limit", 24, "-q", "--brief", "-o", directory).code == 0
    assert run("history", "add", folder / "history.jsonl", directory).code == 0
    for path, arguments in _from_the_future(folder, directory):
        before = path.read_bytes()
        ended = run(*arguments)
        row.trials += 1
        refused = ended.code in (2, 3) and "newer" in ended.message and "update Evenhand" in ended.message
        row.outcomes["refused" if refused else f"not refused: {ended.message[:80]}"] += 1
        row.wrong += not refused
        row.tracebacks += ended.traceback
        row.lost += path.read_bytes() != before
    return row


def _from_the_future(folder: Path, directory: Path) -> Iterator[tuple[Path, list[object]]]:
    for number, change in enumerate(("version", "manifest")):
        later = folder / f"later{number}"
        shutil.copytree(directory, later)
        connection = sqlite3.connect(later / "journal.sqlite")
        if change == "version":
            connection.execute("PRAGMA user_version = 99")
        else:
            connection.execute("UPDATE manifest SET record = json_set(record, '$.schema_version', 99, '$.surprise', 1)")
            text = connection.execute("SELECT record FROM manifest").fetchone()[0]
            tree = json.loads(text)
            tree.pop("crc32")
            connection.execute("UPDATE manifest SET record = ?", (json.dumps(tree),))
        connection.commit()
        connection.close()
        yield later / "journal.sqlite", ["report", later]
        yield later / "journal.sqlite", ["compare", later, directory]
        yield (
            later / "journal.sqlite",
            ["audit", "-j", "simulated:fair", "--limit", 24, "-q", "--brief", "-o", later],
        )
    history = folder / "later.jsonl"
    line = json.loads((folder / "history.jsonl").read_text())
    history.write_text(json.dumps({**line, "schema": 99, "surprise": 1}) + "\n")
    yield history, ["history", "show", history]
    yield history, ["history", "add", history, directory]
    card, _ = _probe(folder)
    card.write_text(json.dumps({**json.loads(card.read_text()), "format_version": 99, "surprise": 1}))
    yield card, ["probe", "show", card]
    meta = _collected(folder) / "activations" / "meta.json"
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "format": 99, "surprise": 1}))
    yield meta, ["probe", "fit", meta.parents[1]]
    yield meta, ["probe", "shared", meta.parents[1]]
    labels = LabelStore(folder / "labels.sqlite", seed=1).path
    with sqlite3.connect(labels) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    yield labels, ["labels", "status", labels, "--run", directory]
    yield labels, ["labels", "export", labels, "--run", directory, "--out", folder / "exported.csv"]
