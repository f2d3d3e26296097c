"""A run in which everything that others wrote is hostile, and every report that is made of it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from evenhand.judges import Answer, JudgeRequest, load_judge
from evenhand.records import Completion, FinishReason, JudgeIdentity, Pair, Preference
from evenhand.workflow import AuditSettings, audit
from hostile import FORMULAS, MARKUP, SHAPES, TEN_MEGABYTES, TERMINAL, pair_rows, short_texts

__all__ = ["hostile_pairs", "make_hostile_run", "write_labels"]


class HostileJudge:
    """A simulated judge whose name, settings, texts and errors mean harm; every ninth call fails."""

    def __init__(self, number: int = 0) -> None:
        self._judge = load_judge("simulated:position=0.7,noise=0.6")
        self._texts = [*short_texts().values(), *SHAPES.values()]
        self._number = number

    def __getattr__(self, name: str) -> object:
        return getattr(self._judge, name)

    def __enter__(self) -> HostileJudge:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(
            spec=f"{MARKUP['script']}:{TERMINAL['title']}{self._number}",
            model=f"{MARKUP['image']}{FORMULAS['equals']}",
            revision=MARKUP["attribute"],
            engine=TERMINAL["link"],
            settings=((MARKUP["svg"], FORMULAS["minus"]),),
        )

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        for number, answer in enumerate(self._judge.answer(requests)):
            text = self._texts[number % len(self._texts)]
            completion: Completion = replace(answer.completion, text=f"{text}\nFinal verdict: {'AB'[number % 2]}")
            if number % 9 == 8:
                completion = Completion(text=None, finish_reason=FinishReason.ERROR, error=text or "empty")
            elif number == 10:
                completion = replace(completion, text="x" * TEN_MEGABYTES)
            yield Answer(index=answer.index, completion=completion)


def hostile_pairs() -> tuple[Pair, ...]:
    """One pair a text of the corpus, every field hostile."""
    return tuple(
        Pair(
            id=str(row["id"]),
            instruction=str(row["instruction"]),
            response_a=str(row["response_a"]),
            response_b=str(row["response_b"]),
            gold=Preference(row["gold"]),
            source=str(row["source"]),
            author_a=MARKUP["iframe"],
            author_b=FORMULAS["equals"] if number % 2 else TERMINAL["clipboard"],
            metadata=tuple((str(k), str(v)) for k, v in dict(row["metadata"]).items()),  # type: ignore[call-overload]
        )
        for number, row in enumerate(pair_rows())
    )


def make_hostile_run(directory: Path, *, number: int = 0) -> Path:
    """The run, in ``directory``."""
    settings = AuditSettings(resamples=100, repeat=10)
    audit(HostileJudge(number), hostile_pairs(), settings=settings, out=directory)
    return directory


def write_labels(path: Path) -> Path:
    """Labels of the run's pairs by two people whose names are hostile."""
    with path.open("w", newline="", encoding="utf-8", errors="surrogatepass") as file:
        rows = csv.writer(file)
        rows.writerow(["pair_id", "preference", "annotator"])
        for number, pair in enumerate(hostile_pairs()):
            if pair.id.isprintable():
                rows.writerow([pair.id, "AB"[number % 2], MARKUP["image"]])
                rows.writerow([pair.id, "ABA"[number % 3], FORMULAS["equals"]])
    return path


def read_json(path: Path) -> object:
    """Strictly: UTF-8, and no number that JSON lacks."""

    def refuse(name: str) -> float:
        raise ValueError(name)

    return json.loads(path.read_bytes().decode("utf-8"), parse_constant=refuse)
