"""Everything that reads what strangers wrote, each as one function of bytes: for Hypothesis, and for atheris.

A target writes the bytes where a user's file would lie and reads them as the command does. It may end well or in an
:class:`evenhand.errors.EvenhandError`; :func:`check` fails for anything else, and for an error that is no help.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from evenhand.errors import EvenhandError

LONGEST_MESSAGE = 2_000
"""Characters of an error: a line that a person reads, whatever the file holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One reader.

    Attributes
    ----------
    name
        Such as ``pairs.csv``.
    read
        Takes the file, which lies alone in its folder.
    file
        Its name.
    seeds
        Files that can be read, or nearly: what mutations begin with.
    named
        Whether an error must name the file.
    """

    name: str
    read: Callable[[Path], object]
    file: str
    seeds: tuple[bytes, ...] = ()
    named: bool = True
    beside: Mapping[str, bytes] = field(default_factory=dict)


def check(target: Target, data: bytes, folder: Path) -> EvenhandError | None:
    """Read ``data``; AssertionError where an error is no line that names the file, any other error as it comes."""
    path = folder / target.file
    path.write_bytes(data)
    for name, beside in target.beside.items():
        if name != target.file:
            (folder / name).write_bytes(beside)
    try:
        target.read(path)
    except EvenhandError as error:
        text = str(error)
        assert text.strip(), "an error without words"
        assert "\n" not in text, f"an error of several lines: {text[:200]!r}"
        assert "\r" not in text, f"an error of several lines: {text[:200]!r}"
        assert len(text) <= LONGEST_MESSAGE + len(str(path)), f"an error of {len(text)} characters: {text[:200]!r}"
        assert not target.named or target.file.rpartition(".")[0] in text, f"the file is not named: {text[:200]!r}"
        return error
    return None


def check_anywhere(target: Target, data: bytes) -> EvenhandError | None:
    """:func:`check` in a folder of its own: what atheris calls."""
    with tempfile.TemporaryDirectory(prefix="evenhand-fuzz-") as folder:
        return check(target, data, Path(folder))


def _lines(rows: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _csv(rows: list[dict[str, object]]) -> bytes:
    import polars as pl

    buffer = io.BytesIO()
    pl.DataFrame(rows, strict=False).write_csv(buffer)
    return buffer.getvalue()


def _parquet(rows: list[dict[str, object]]) -> bytes:
    import polars as pl

    buffer = io.BytesIO()
    pl.DataFrame(rows, strict=False).write_parquet(buffer)
    return buffer.getvalue()


def formats(rows: list[dict[str, object]]) -> dict[str, bytes]:
    """The rows in each format of a table, by its suffix."""
    return {
        ".jsonl": _lines(rows),
        ".json": json.dumps(rows).encode(),
        ".csv": _csv(rows),
        ".parquet": _parquet(rows),
    }


_PAIRS: list[dict[str, object]] = [
    {
        "id": f"p{number}",
        "instruction": "2+2?",
        "response_a": "4",
        "response_b": f"5 {number}",
        "gold": ("A", "B", "tie", "")[number % 4],
        "source": "s",
        "topic": "sums",
    }
    for number in range(4)
]
_LABELS: list[dict[str, object]] = [
    {"pair_id": f"p{number}", "preference": "A", "annotator": "ann", "date": "2026-11-30"} for number in range(4)
]
_SCORES: list[dict[str, object]] = [{"pair_id": f"p{number}", "score_a": 1.5, "score_b": 2} for number in range(4)]
_VARIANTS: list[dict[str, object]] = [
    {"pair_id": f"p{number}", "target": "A", "factor": "tone", "level": "hedged", "text": "Perhaps 4."}
    for number in range(4)
]


_VERDICTS: list[dict[str, object]] = [
    {"pair_id": f"p{number}", "order": "AB", "outcome": "first", "text": "A"} for number in (1, 2, 3, 4)
]


def table_rows(kind: str) -> list[dict[str, object]]:
    """Four rows that a reader takes."""
    kinds = {"pairs": _PAIRS, "labels": _LABELS, "scores": _SCORES, "variants": _VARIANTS, "log table": _VERDICTS}
    return kinds[kind]


def _of_tables() -> list[Target]:
    from evenhand.datasets import load_pairs
    from evenhand.datasets.labels import read_labels
    from evenhand.datasets.response_scores import read_response_scores
    from evenhand.perturbations.variants import load_variants
    from evenhand.records import Pair

    ids = [f"p{number}" for number in range(4)]
    pairs = [Pair(id=name, instruction="2+2?", response_a="4", response_b="5") for name in ids]
    readers: dict[str, tuple[list[dict[str, object]], Callable[[Path], object]]] = {
        "pairs": (_PAIRS, load_pairs),
        "labels": (_LABELS, lambda path: read_labels(path, ids)),
        "scores": (_SCORES, lambda path: read_response_scores(path, ids)),
        "variants": (_VARIANTS, lambda path: load_variants(path, pairs)),
    }
    made = [
        Target(name=f"{kind}{suffix}", read=read, file=f"{kind}{suffix}", seeds=(data,))
        for kind, (rows, read) in readers.items()
        for suffix, data in formats(rows).items()
    ]
    benchmark = {"question": "q", "response_A": "a", "response_B": "b", "label": "A>B", "pair_id": "1", "source": "s"}
    llmbar = [{"input": "q", "output_1": "a", "output_2": "b", "label": 1}]
    return [
        *made,
        Target(
            name="judgebench pairs",
            read=lambda path: load_pairs(f"judgebench:{path}"),
            file="bench.jsonl",
            seeds=(_lines([benchmark]),),
        ),
        Target(
            name="llmbar pairs",
            read=lambda path: load_pairs(f"llmbar:{path}"),
            file="dataset.json",
            seeds=(json.dumps(llmbar).encode(),),
        ),
    ]


def _of_logs() -> list[Target]:
    from evenhand.logs import inspect, read_log
    from evenhand.registry import available
    from logs.samples import write_sample

    def reads(name: str) -> Callable[[Path], object]:
        def read(path: Path) -> object:
            inspect(path)  # a damaged file is a result there, never an error
            inspect(path, name)
            return read_log(name, path)

        return read

    targets = []
    for name in available("logs"):
        with tempfile.TemporaryDirectory() as folder:
            sample = Path(write_sample(name, Path(folder)))
            if sample.is_dir():
                sample = next(path for path in sample.rglob("*") if path.is_file())
            targets.append(
                Target(name=f"log {name}", read=reads(name), file=f"log{sample.suffix}", seeds=(sample.read_bytes(),))
            )
    for suffix, data in formats(_VERDICTS[:1]).items():
        targets.append(Target(name=f"log table{suffix}", read=reads("table"), file=f"log{suffix}", seeds=(data,)))
    return targets


_GATES = b"""max_flip_rate = 0.15
max_failures = 0.02
[[require]]
measure = "flip_rate"
max = 0.2
readout = "generated"
"""


def _of_settings() -> list[Target]:
    from evenhand.prompts import load_prompt
    from evenhand.prompts.load import available_prompts, prompt_file
    from evenhand.workflow.bias_across import read_families
    from evenhand.workflow.gate_file import read_gates

    prompts = tuple(prompt_file(name).encode() for name in available_prompts())
    return [
        Target(name="prompt", read=load_prompt, file="prompt.toml", seeds=prompts),
        Target(name="gates", read=read_gates, file="gates.toml", seeds=(_GATES,)),
        Target(
            name="families", read=read_families, file="families.json", seeds=(b'{"gpt-4": "openai", "llama": "meta"}',)
        ),
    ]


def _history_seed() -> bytes:
    from evenhand.store.history_file import HistoryEntry, HistoryFigure, add_entry

    figure = HistoryFigure(
        condition="c", readout="generated", measure="flip_rate", value=0.2, low=0.1, high=0.3, standard_error=0.05,
        n=40, clusters=20, pairs=40,
    )  # fmt: skip
    entry = HistoryEntry(
        run="ab", created="2026-11-30T12:00:00+00:00", added="2026-11-30T12:00:00+00:00", judge="x:y", judge_hash="1",
        data="starter", data_hash="2", settings_hash="3", planned=80, finished=80, level=0.95, figures=(figure,),
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.jsonl"
        add_entry(path, entry)
        return path.read_bytes()


def _of_stores() -> list[Target]:
    from evenhand.probes.activation_meta import read_meta
    from evenhand.probes.saved import load_probe, save_probe
    from evenhand.store import Journal
    from evenhand.store.history_file import read_history
    from evenhand.store.parquet import read_verdicts
    from probes.saved_examples import saved_probe
    from store.examples import ANSWER, manifest, pairs, presentations

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_probe(folder / "probe.json", saved_probe())
        probe = {file: (folder / file).read_bytes() for file in ("probe.json", "probe.safetensors")}
        with Journal.create(folder / "run", manifest(), pairs(2)) as journal:
            journal.set_plan(presentations(2))
            journal.record(presentations(2)[0].key, ANSWER)
        run = (folder / "run" / "journal.sqlite").read_bytes()

    def read_journal(path: Path) -> object:
        with Journal.open(path.parent, read_only=True) as journal:
            return (journal.manifest, journal.pairs(), list(journal.completions()), journal.counts())

    return [
        Target(name="history", read=read_history, file="history.jsonl", seeds=(_history_seed(),)),
        Target(name="probe card", read=load_probe, file="probe.json", seeds=(probe["probe.json"],), beside=probe),
        Target(
            name="probe tensors",
            read=lambda path: load_probe(path.with_suffix(".json")),
            file="probe.safetensors",
            seeds=(probe["probe.safetensors"],),
            beside=probe,
        ),
        Target(name="activations", read=read_meta, file="meta.json", seeds=(b'{"format": "evenhand activations"}',)),
        Target(name="journal", read=read_journal, file="journal.sqlite", seeds=(run,)),
        Target(name="verdicts", read=read_verdicts, file="verdicts.parquet", seeds=(_parquet(_PAIRS),)),
    ]


def _of_texts() -> list[Target]:
    """What a judge writes and what a server sends: no file, and no error at all."""
    from evenhand.errors import JudgeError
    from evenhand.judges.openai.reply import read_reply
    from evenhand.readouts import DecisionGrammar, parse_decision, read
    from evenhand.readouts.scores import decide, stated_scores
    from evenhand.readouts.single_score import read_single_score
    from evenhand.readouts.three_lines import read_three_lines
    from evenhand.records import Completion, FinishReason, LabelSet, Readout

    labels = [LabelSet.parse(name) for name in ("A/B", "1/2")]

    def judged(path: Path) -> object:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        for one in labels:
            for grammar in (
                DecisionGrammar.of(one),
                DecisionGrammar(labels=one, comparison=True),
                DecisionGrammar(labels=one, scale=(1, 10)),
            ):
                parse_decision(text, grammar, complete=grammar.comparison)
                decide(text, grammar, complete=not grammar.comparison)
                stated_scores(text, grammar)
            read_three_lines(text, one)
            for reason in (FinishReason.STOP, FinishReason.LENGTH):
                read(Completion(text=text, finish_reason=reason), one, tuple(Readout), expected=True)
        return read_single_score(text, (1, 10))

    def replied(path: Path) -> object:
        try:
            data = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            return None
        try:
            return read_reply(data) if isinstance(data, dict) else None
        except JudgeError:
            return None

    reply = {"model": "m", "choices": [{"finish_reason": "stop", "message": {"content": "A"}, "logprobs": None}]}
    texts = (
        b"Final verdict: [[A]]",
        b'<think>first A</think>\n{"winner": "B", "score": 7}',
        b"Verdict: A\nConfidence: 80\nReason: it is long",
        b"Score of A: 7\nScore of B: 9/10\n7 9",
        "I’m sorry, but I can’t. **B** \\boxed{A}".encode(),
    )
    return [
        Target(name="judge text", read=judged, file="text", seeds=texts, named=False),
        Target(name="server reply", read=replied, file="reply", seeds=(json.dumps(reply).encode(),), named=False),
    ]


@cache
def targets() -> dict[str, Target]:
    """Every target by its name."""
    made = [*_of_tables(), *_of_logs(), *_of_settings(), *_of_stores(), *_of_texts()]
    return {target.name: target for target in made}
