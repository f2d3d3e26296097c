"""Asking a judge to score each response by itself: one response a call, so that there is no order to be biased by."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.datasets.rows import read_json_lines
from evenhand.errors import ConfigError, DataError
from evenhand.judges import Generate, Judge, JudgeRequest
from evenhand.prompts.score_alone import SCALE, SCORE_ALONE_HASH, score_alone_messages
from evenhand.readouts.single_score import read_single_score
from evenhand.records import Completion, FinishReason, LabelSet, Pair
from evenhand.store import Journal
from evenhand.store.atomic import write_text_atomically
from evenhand.workflow.opened import JudgeSetup, opened

__all__ = ["ScoredAlone", "score_alone"]

_BUDGETS: Final = (16, 128)
"""Completion tokens: a score is one line; a judge that begins with words gets some room for them."""
_CHUNK: Final = 64
"""Pairs after which the file is written again: what an interruption can cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAlone:
    """What became of the pairs.

    Attributes
    ----------
    asked
        Pairs that were asked now; the others stood in the file.
    scored
        Pairs with a score for both responses.
    failed
        Pairs with a failed call; asked again by the next call.
    """

    path: Path
    pairs: int
    asked: int
    scored: int
    failed: int


def score_alone(
    directory: str | Path,
    judge: str | Judge,
    path: str | Path,
    *,
    setup: JudgeSetup | None = None,
    told: Callable[[int, int], None] | None = None,
) -> ScoredAlone:
    """Ask for every response of a run's pairs by itself, and keep the scores in a file.

    The file is what ``evenhand mitigate --alone`` reads. Pairs that stand in it are not asked again, except those with
    a failed call.

    Parameters
    ----------
    directory
        The run; its judge must be this one.
    judge
        A spec, or a judge that stays open.
    path
        A ``.jsonl`` file.
    told
        Called with (pairs done, pairs in all).

    Raises
    ------
    ConfigError
        Another judge than the run's, another extension, or a file that another judge or wording made.
    DataError
        The file can't be read, or the run keeps no texts.
    JudgeError
        The judge can't go on.
    StoreError
        The run can't be read, or the file not written.
    """
    path = Path(path)
    if path.suffix.lower() != ".jsonl":
        raise ConfigError(f"scores {path}: expected a name that ends in .jsonl")
    with Journal.open(Path(directory), read_only=True) as journal:
        manifest, pairs = journal.manifest, journal.pairs()
    if not any(pair.response_a or pair.response_b for pair in pairs):
        raise DataError("the run keeps no texts of the responses: nothing can be asked", path=str(directory))
    with opened(judge, setup) as ready:
        model = ready.identity.model
        if model != manifest.judge.model:
            raise ConfigError(f"{directory}: was judged by {manifest.judge.model}, not by {model}")
        rows = _known(path, model)
        left = [pair for pair in pairs if pair.id not in rows or rows[pair.id]["failed"]]
        for start in range(0, len(left), _CHUNK):
            chunk = left[start : start + _CHUNK]
            rows |= {str(row["pair_id"]): row for row in _asked(ready, chunk, model)}
            write_text_atomically(path, "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows.values()))
            if told is not None:
                told(len(pairs) - len(left) + start + len(chunk), len(pairs))
    own = [rows[pair.id] for pair in pairs]
    return ScoredAlone(
        path=path,
        pairs=len(pairs),
        asked=len(left),
        scored=sum(row["score_a"] is not None and row["score_b"] is not None for row in own),
        failed=sum(bool(row["failed"]) for row in own),
    )


def _known(path: Path, model: str) -> dict[str, dict[str, object]]:
    """Rows of an earlier call by pair id."""
    if not path.exists():
        return {}
    found = {}
    for row in read_json_lines(path):
        values = dict(row.values)
        if (values.get("judge"), values.get("prompt")) != (model, SCORE_ALONE_HASH) or "failed" not in values:
            raise ConfigError(f"{path}: row {row.number} was not made by {model} with this prompt; take another file")
        found[str(values["pair_id"])] = values
    return found


def _asked(judge: Judge, pairs: Sequence[Pair], model: str) -> Iterator[dict[str, object]]:
    requests = [_request(pair.instruction, text) for pair in pairs for text in (pair.response_a, pair.response_b)]
    answers: list[Completion | None] = [None] * len(requests)
    for answer in judge.answer(requests):
        answers[answer.index] = answer.completion
    for index, pair in enumerate(pairs):
        both = answers[2 * index], answers[2 * index + 1]
        tokens = [_tokens(completion) for completion in both]
        yield {
            "pair_id": pair.id,
            "score_a": _score(both[0]),
            "score_b": _score(both[1]),
            "tokens": None if None in tokens else sum(t for t in tokens if t is not None),
            "failed": any(each is None or each.finish_reason is FinishReason.ERROR for each in both),
            "text_a": None if both[0] is None else both[0].text,
            "text_b": None if both[1] is None else both[1].text,
            "judge": model,
            "prompt": SCORE_ALONE_HASH,
        }


def _request(instruction: str, response: str) -> JudgeRequest:
    return JudgeRequest(
        messages=score_alone_messages(instruction, response),
        labels=LabelSet(first="A", second="B"),  # of no meaning here: no first token is asked for
        first_token=False,
        generate=Generate.ALWAYS,
        budgets=_BUDGETS,
    )


def _score(completion: Completion | None) -> float | None:
    if completion is None or completion.text is None or completion.finish_reason is FinishReason.ERROR:
        return None
    cut = completion.finish_reason is FinishReason.LENGTH
    text = completion.text.rpartition("\n")[0] if cut else completion.text  # a cut number may be another one
    return read_single_score(text, SCALE)


def _tokens(completion: Completion | None) -> int | None:
    if completion is None or completion.usage.prompt_tokens is None or completion.usage.completion_tokens is None:
        return None
    return completion.usage.prompt_tokens + completion.usage.completion_tokens
