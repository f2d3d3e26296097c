"""Runs of a simulated judge on pairs whose gold is the response of higher quality, for tests of mitigations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from evenhand.judges import Answer, Judge, JudgeRequest, load_judge
from evenhand.records import Completion, Message, Pair, Preference
from evenhand.workflow import AuditSettings, audit

LABELS_TOLD = "position=1.0,noise=0.6"


def quality_pairs(n: int = 80, *, seed: int = 0, authors: bool = True) -> tuple[Pair, ...]:
    rng = np.random.default_rng(seed)
    pairs = []
    for i in range(n):
        a, b = rng.normal(0, 1.2, 2)
        texts = [f"<quality:{q:.3f}> {'word ' * int(rng.integers(3, 60))}".strip() + "." for q in (a, b)]
        pairs.append(
            Pair(
                id=f"p{i:03d}",
                instruction=f"Question {i}?",
                response_a=texts[0],
                response_b=texts[1],
                gold=Preference.A if a > b else Preference.B,
                author_a="alpha" if authors else None,
                author_b="beta" if authors else None,
            )
        )
    return tuple(pairs)


def judged_directory(
    directory: Path,
    pairs: Sequence[Pair] | None = None,
    *,
    spec: str = f"simulated:{LABELS_TOLD}",
    settings: AuditSettings | None = None,
) -> Path:
    audit(spec, quality_pairs() if pairs is None else pairs, settings=settings, out=directory)
    return directory


class Rewriting:
    """A judge whose text is made anew by a function of the prompt's messages."""

    def __init__(self, judge: Judge, text: Callable[[Sequence[Message]], str]) -> None:
        self._judge, self._text = judge, text

    def __getattr__(self, name: str) -> object:
        return getattr(self._judge, name)

    def __enter__(self) -> "Rewriting":
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        for answer in self._judge.answer(requests):
            completion: Completion = answer.completion
            text = self._text(requests[answer.index].messages)
            yield Answer(index=answer.index, completion=replace(completion, text=text))


def rewriting(text: Callable[[Sequence[Message]], str]) -> Rewriting:
    return Rewriting(load_judge("simulated:fair"), text)
