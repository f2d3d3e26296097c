"""Samples of lm-evaluation-harness (``--log_samples``): a judge under test as the harness's model.

One JSON line a document (``lm_eval/loggers/evaluation_tracker.py`` and ``evaluator.py`` of
https://github.com/EleutherAI/lm-evaluation-harness): ``doc`` is the data set's row, ``arguments`` what was asked,
``resps`` the answers, ``filtered_resps`` what the task's filter made of them, ``target`` the right answer. Numbers are
written as texts.

- *Multiple choice over labels*: each answer is the log-likelihood of one label after the prompt, and whether the label
  is what greedy decoding would write. That is the first-token readout, for labels of one character.
- *Generated text* (``generate_until``): ``resps`` holds the text.

Pair and order are columns of the data set, so they lie in ``doc``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Unpack

from evenhand.logs.base import VerdictLog
from evenhand.logs.chosen import choose
from evenhand.logs.column_map import ColumnMap
from evenhand.logs.documents import Document, Node, read_json_lines, short
from evenhand.logs.mapped import MappedLog, MappedOptions
from evenhand.logs.mapped_row import MappedRow, slot_label
from evenhand.records.completion import FirstToken, TokenLogProb
from evenhand.records.labels import LabelSet
from evenhand.records.outcome import Outcome

__all__ = ["LmEvalLog"]

_FILE = re.compile(r"samples_(.{1,200})_\d{4}-\d{2}-\d{2}T[\d.\-]{6,20}\.jsonl")
"""The harness's file name; the folder above is the model's name."""

_READ, _RIGHT = "(likeliest label)", "(right label)"
"""Places that the reader adds to a record, under names that no task can have."""

_ROUNDING = 1e-3
"""How far above 1 rounded log-likelihoods may sum."""

_TRUE = (True, "True", "true")
_FALSE = (False, "False", "false")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """One label's log-likelihood."""

    outcome: Outcome
    continuation: str
    logprob: float
    greedy: bool


class LmEvalLog(MappedLog):
    """Reader of ``samples_TASK_DATE.jsonl``.

    Parameters
    ----------
    filter
        Which filter's lines to take, where the task has several.
    """

    name: ClassVar[str] = "lm_eval"
    tool: ClassVar[str] = "lm-evaluation-harness"

    def __init__(self, *, filter: str | None = None, **options: Unpack[MappedOptions]) -> None:
        super().__init__(**options)
        self.filter = filter
        self.first_tokens: dict[int, FirstToken] = {}
        self.whole_labels = False

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record has the harness's documents and responses."""
        return isinstance(record, dict) and {"doc", "resps", "filtered_resps"} <= record.keys()

    def records(self, path: Path) -> Document:
        """Read the lines of one filter; what each answered is read beside it."""
        document = read_json_lines(path)
        task = _FILE.fullmatch(path.name)
        self.condition = self.name if task is None else task[1]
        self.first_tokens.clear()
        rows = choose(document.rows, "filter", self.filter, name_of=_filter_of, path=path)
        return replace(document, rows=tuple(rows))

    def map_columns(self, places: Sequence[str], path: Path) -> ColumnMap:
        """Find the columns in ``doc``; answers and target have fixed places."""
        return _with_answers(super().map_columns(self.below("doc.", places), path))

    def parse(self, row: Node) -> MappedRow:
        """Check one document with its answers."""
        choices = _choices(row, self.labels)
        record = dict(row.mapping())
        if choices:
            record[_READ] = str(_likeliest(choices))
            record.pop("resps")
            self._keep_first_token(row, choices)
        else:
            record["resps"] = _generated(row)
            record[_READ] = _filtered(row, self.labels)
            if record[_READ] is None:
                del record[_READ]
        right = _right(row, choices, self.labels)
        if right is not None:
            record[_RIGHT] = right
        columns = self.columns
        if _READ not in record:
            columns = columns.without(_READ)
        return self.parse_by(replace(row, value=record), columns)

    def assemble(self, document: Document, parsed: Sequence[MappedRow]) -> VerdictLog:
        """Make the log, with the first token's distribution where the labels are single characters."""
        if self.model is None and self.judge is None and _FILE.fullmatch(document.path.name):
            self.model = document.path.absolute().parent.name or None
        log = super().assemble(document, parsed)
        entries = tuple(
            replace(entry, completion=replace(entry.completion, first_token=self.first_tokens.get(row.node.row)))
            for entry, row in zip(log.entries, parsed, strict=True)
        )
        return replace(log, entries=entries)

    def rules(self, *, stated: bool) -> str:
        """How the harness decided: the likeliest label, or its filter."""
        if self.first_tokens or self.whole_labels:
            return "lm-evaluation-harness took the label of the largest log-likelihood, the first of equal ones."
        if stated:
            return "lm-evaluation-harness's filter took a label from the text; anything else it gave is no verdict."
        return "lm-evaluation-harness kept the text; its filter took no label from it."

    def notes(self, *, swapped_texts: bool) -> tuple[str, ...]:
        """What the numbers are."""
        found = list(super().notes(swapped_texts=swapped_texts))
        if self.first_tokens:
            found.append(
                "log-likelihoods of the labels alone: whether the judge led with a label is known from its greedy "
                "mark, which other token it led with is not"
            )
        if self.whole_labels:
            found.append("labels of several characters: their log-likelihoods are of whole words, not of a first token")
        return tuple(found)

    def _keep_first_token(self, row: Node, choices: Sequence[_Choice]) -> None:
        if any(len(choice.continuation.strip()) != 1 for choice in choices):
            self.whole_labels = True
            return
        total = math.fsum(math.exp(choice.logprob) for choice in choices)
        if total > 1 + _ROUNDING:
            raise row.child("filtered_resps").error(
                f"the labels' probabilities sum to {total:.3f}", remedy="log-likelihoods of one token each are expected"
            )
        tokens = {choice: TokenLogProb(text=choice.continuation, logprob=choice.logprob) for choice in choices}
        greedy = next((token for choice, token in tokens.items() if choice.greedy), TokenLogProb(text=""))
        self.first_tokens[row.row] = FirstToken(
            argmax=greedy,
            labels=tuple((choice.outcome, (token,)) for choice, token in tokens.items()),
            top=tuple(sorted(tokens.values(), key=lambda token: -(token.logprob or 0.0))),
        )


def _filter_of(row: Node) -> str | None:
    node = row.get("filter")
    return None if node is None else node.name()


def _with_answers(columns: ColumnMap) -> ColumnMap:
    fixed = {"text": "resps", "outcome": _READ, "correct": _RIGHT}
    if columns.place("preference"):
        del fixed["outcome"]
    if columns.place("gold"):
        del fixed["correct"]
    return columns.completed(fixed)


def _continuations(row: Node) -> list[tuple[str, str]]:
    """(context, continuation) of each request: ``gen_args_0.arg_1`` or, in older files, a list of pairs."""
    arguments = row.get("arguments")
    if arguments is None:
        return []
    if isinstance(arguments.value, Mapping):
        requests = [arguments.child(key) for key in arguments.mapping()]
        pairs = [
            (request.get("arg_0"), request.get("arg_1")) for request in requests if isinstance(request.value, dict)
        ]
    else:
        parts = [request.items() for request in arguments.items() if isinstance(request.value, list)]
        pairs = [(part[0], part[1]) for part in parts if len(part) == 2]
    return [
        (context.value, continuation.value)
        for context, continuation in pairs
        if context is not None
        and continuation is not None
        and isinstance(context.value, str)
        and isinstance(continuation.value, str)
    ]


def _choices(row: Node, labels: LabelSet) -> tuple[_Choice, ...]:
    """The labels with their log-likelihoods; empty where the answers are texts."""
    responses = row.child("resps")
    answers = [_number_and_mark(answer) for answer in responses.items()]
    if not answers or any(answer is None for answer in answers):
        return ()
    requests = _continuations(row)
    if len(requests) != len(answers):
        raise row.child("arguments").error(f"has {len(requests)} continuations for {len(answers)} log-likelihoods")
    choices: list[_Choice] = []
    for (context, continuation), answer in zip(requests, answers, strict=True):
        # Mutual information asks every label again without the prompt.
        if answer is None or (not context and len(answers) > 2):
            continue
        outcome = slot_label(continuation, labels)
        if outcome is None or any(choice.outcome is outcome for choice in choices):
            raise row.child("arguments").error(
                f"asks for {short(continuation)}, not once for each label of {labels.name}",
                remedy="--set labels=FIRST/SECOND as the task names the two slots",
            )
        logprob, greedy = answer
        if logprob > 0:
            raise responses.error(f"has {logprob}, a log-likelihood is at most 0")
        choices.append(_Choice(outcome=outcome, continuation=continuation, logprob=logprob, greedy=greedy))
    if not {Outcome.FIRST, Outcome.SECOND} <= {choice.outcome for choice in choices}:
        raise row.child("arguments").error(f"doesn't ask for both labels of {labels.name}")
    return tuple(choices)


def _number_and_mark(answer: Node) -> tuple[float, bool] | None:
    """(log-likelihood, greedy) of an answer, which may lie in a list of repeats; None where it is something else."""
    value = answer.value
    if isinstance(value, list) and value and isinstance(value[0], list):
        value = value[0]
    if not (isinstance(value, list) and len(value) == 2 and value[1] in (*_TRUE, *_FALSE)):
        return None
    number = value[0]
    if isinstance(number, str):
        try:
            number = float(number)
        except ValueError:
            return None
    # float("nan") and friends are refused with their place.
    return replace(answer, value=number).number(), value[1] in _TRUE


def _likeliest(choices: Sequence[_Choice]) -> Outcome:
    return max(choices, key=lambda choice: choice.logprob).outcome


def _generated(row: Node) -> str:
    """The first text of a document's first request."""
    value = row.child("resps")
    for _ in range(3):
        if not isinstance(value.value, list):
            break
        inner = value.items()
        if not inner:
            raise value.error("is an empty list, expected a text")
        value = inner[0]
    return value.text()


def _filtered(row: Node, labels: LabelSet) -> str | None:
    """What the filter took from the text, as an outcome; None where it took nothing away."""
    value = row.child("filtered_resps")
    for _ in range(2):
        inner = value.items() if isinstance(value.value, list) else ()
        value = inner[0] if inner else value
    if not isinstance(value.value, str) or value.value == _generated(row):
        return None
    return str(slot_label(value.value, labels) or Outcome.UNPARSED)


def _right(row: Node, choices: Sequence[_Choice], labels: LabelSet) -> str | None:
    """The target as a label: written out, or an index of the choices where labels are no numbers themselves."""
    node = row.get("target")
    if node is None or not isinstance(node.value, str | int) or isinstance(node.value, bool):
        return None
    text = str(node.value).strip()
    if slot_label(text, labels) is not None:
        # "1" is both a label and an index: then nothing is known.
        digits = any(label.isdigit() for label in labels.by_outcome.values())
        return None if digits and choices else text
    if choices and text.isascii() and text.isdigit() and int(text) < len(choices):
        return choices[int(text)].continuation.strip()
    return None
