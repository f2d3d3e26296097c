"""Results of promptfoo (``promptfoo eval -o results.json``, or ``.jsonl``).

``results.results`` is a list of one answer each, in JSON Lines a line each (``EvaluateResult`` of
``src/types/index.ts``, https://github.com/promptfoo/promptfoo). Two kinds of it are comparisons:

- *The judge is the provider under test*: ``vars`` hold question, answers, pair and order; ``response.output`` is what
  the judge wrote. Columns are mapped as for every such tool.
- *select-best* (``src/matchers/comparison.ts``): a grader saw the outputs of one test's prompts and providers as
  numbered texts and named one. Its own text is not kept; the one it named has ``pass``, and where its answer was no
  index none has.

**Which output select-best showed first** is not recorded. promptfoo shows a test's results as its store returns them,
by ``promptIdx`` or in the order in which they were finished. Where a file lists a test's results by rising
``promptIdx``, both are the same and the order is known; another test is excluded. With ``-j 1`` all are known.

An ``llm-rubric`` or ``g-eval`` assertion grades each output by itself: it says nothing of position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Unpack

from evenhand.errors import DataError
from evenhand.logs.base import Excluded, GrammarHint, LogEntry, VerdictLog
from evenhand.logs.column_map import ColumnMap
from evenhand.logs.documents import Document, Node, read_json_lines, read_json_object, short
from evenhand.logs.mapped import MappedLog, MappedOptions
from evenhand.logs.mapped_row import MappedRow, parse_mapped
from evenhand.logs.rows import PROMPT_NOT_RECORDED
from evenhand.records.completion import Completion, FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Order, Outcome, Preference, slot_of
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Presentation

__all__ = ["PromptfooLog"]

_ALONE = ("llm-rubric", "g-eval", "factuality", "model-graded-closedqa", "answer-relevance", "max-score")
"""Assertions that grade each output by itself."""

_SELECT_BEST = "select-best"

_UNORDERED = "its results are listed as they were finished, and promptfoo doesn't record which it showed first"

_LABELS = LabelSet(first="0", second="1")
"""promptfoo numbers the texts from 0."""

_RULES = (
    "promptfoo took the first whole number in the grader's text as the index of the best output; anything else, or an "
    "index that is none of the outputs', lets every output fail."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row(MappedRow):
    """A row of a judge under test, or of select-best (``best`` set)."""

    best: _Output | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    test: int
    prompt: int
    author: str
    question: str
    text: str
    passed: bool
    reason: str


class PromptfooLog(MappedLog):
    """Reader of promptfoo's JSON results."""

    name: ClassVar[str] = "promptfoo"
    tool: ClassVar[str] = "promptfoo"

    def __init__(self, **options: Unpack[MappedOptions]) -> None:
        # ``order=promptIdx``: the user knows that the texts were shown by their index.
        self.by_index = options.get("order") == "promptIdx"
        if self.by_index:
            options["order"] = None
        super().__init__(**options)
        self.select_best = False

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record is promptfoo's output object, or one result of its JSON Lines."""
        if not isinstance(record, dict):
            return False
        if {"testIdx", "promptIdx", "provider", "vars"} <= record.keys():
            return True
        inner = record.get("results")
        return isinstance(inner, dict) and {"results", "stats"} <= inner.keys()

    def records(self, path: Path) -> Document:
        """Read the results; what kind they are is told by their assertions."""
        if path.suffix.lower() == ".jsonl":
            document = read_json_lines(path)
            self.select_best = not self.given and any(_SELECT_BEST in _assertions(row) for row in document.rows)
            return document
        document = read_json_object(path)
        inner = document.rows[0].child("results")
        results = inner.items() if isinstance(inner.value, list) else inner.child("results").items()
        if not results:
            raise DataError("has no results", path=path)
        rows = tuple(Node(path=path, row=number, field="", value=node.value) for number, node in enumerate(results, 1))
        self.select_best = not self.given and any(_SELECT_BEST in _assertions(row) for row in rows)
        return replace(document, rows=rows)

    def load(self, path: Path) -> Document:
        """Read the results, and find the columns where the judge is under test."""
        if self.select_best_file(path):
            return self.records(path)
        return super().load(path)

    def select_best_file(self, path: Path) -> bool:
        """Whether the file's comparisons are select-best's."""
        document = self.records(path)
        if not self.select_best and not self.given:
            alone = sorted({kind for row in document.rows for kind in _assertions(row) if kind in _ALONE})
            if alone and not any(_has_order(row) for row in document.rows):
                raise DataError(
                    f"its assertions ({', '.join(alone)}) grade each output by itself, which says nothing of position",
                    path=path,
                    remedy="a judge under test needs its pair and order in vars; select-best compares two outputs",
                )
        return self.select_best

    def map_columns(self, places: Sequence[str], path: Path) -> ColumnMap:
        """Find the columns in ``vars``; what promptfoo itself writes has fixed places."""
        columns = super().map_columns(self.below("vars.", places), path)
        return columns.completed({"text": "response.output", "error": "response.error"})

    def parse(self, row: Node) -> MappedRow:
        """Check one result."""
        if self.select_best:
            return _output(row)
        record = dict(row.mapping())
        columns = dict(self.columns.places)
        name = _provider(row)
        if name:
            record["provider (name)"] = name
            columns.setdefault("model", "provider (name)")
        prompt = row.get("promptIdx")
        if prompt is not None and "condition" not in columns:
            record["prompt (name)"] = f"prompt {_index(prompt)}"
            columns["condition"] = "prompt (name)"
        response = row.get("response")
        if response is None and row.get("error") is not None:
            columns["error"] = "error"
        mapped = ColumnMap(places=tuple(columns.items()), guessed=self.columns.guessed)
        return self.parse_by(replace(row, value=record), mapped)

    def assemble(self, document: Document, parsed: Sequence[MappedRow]) -> VerdictLog:
        """Make the log of either kind."""
        if not self.select_best:
            return super().assemble(document, parsed)
        outputs = [(row.node, row.best) for row in parsed if isinstance(row, _Row) and row.best is not None]
        tests: dict[int, list[tuple[Node, _Output]]] = {}
        for node, output in outputs:
            tests.setdefault(output.test, []).append((node, output))
        condition = "promptfoo select-best"
        pairs: list[Pair] = []
        entries: list[LogEntry] = []
        excluded: list[Excluded] = []
        for test, found in tests.items():
            _check_two(found)
            ordered = sorted((output for _, output in found), key=lambda output: output.prompt)
            pair = _pair(test, ordered)
            pairs.append(pair)
            if ordered != [output for _, output in found] and not self.by_index:
                excluded.append(
                    Excluded(
                        pair_id=pair.id,
                        reason=_UNORDERED,
                    )
                )
                continue
            presentation = Presentation(
                key=document.key(self.name, pair.id, Order.AB, condition),
                pair_id=pair.id,
                condition=condition,
                order=Order.AB,
            )
            entries.append(LogEntry(presentation=presentation, completion=_completion(ordered)))
        if not entries:
            raise DataError(
                "no test tells which output was shown first: all are listed as they were finished",
                path=document.path,
                remedy="run promptfoo with -j 1, or say that they were shown by index: --set order=promptIdx",
            )
        judge = self.judge or "promptfoo-grader"
        return VerdictLog(
            format=self.name,
            pairs=tuple(pairs),
            entries=tuple(entries),
            conditions=(Condition(id=condition, prompt=condition, prompt_hash=PROMPT_NOT_RECORDED, labels=_LABELS),),
            judge=JudgeIdentity(spec=f"log:{self.name}:{judge}", model=self.model or judge),
            orders="single",
            log_rules=_RULES,
            grammars=((condition, GrammarHint(labels=_LABELS)),),
            file_sha256=document.sha256,
            notes=(
                "select-best shows each test's outputs in one order: no position figure",
                "the grader's own text is not kept: only which output it named",
            ),
            excluded=tuple(excluded),
        )


def _assertions(row: Node) -> tuple[str, ...]:
    """The kinds of assertion that a result's test has."""
    test = row.get("testCase") if isinstance(row.value, dict) else None
    listed = test.get("assert") if test is not None and isinstance(test.value, dict) else None
    values = listed.value if listed is not None and isinstance(listed.value, list) else []
    return tuple(str(one["type"]) for one in values if isinstance(one, Mapping) and isinstance(one.get("type"), str))


def _has_order(row: Node) -> bool:
    variables = row.get("vars")
    return (
        variables is not None
        and isinstance(variables.value, dict)
        and bool({"order", "swapped"} & variables.value.keys())
    )


def _index(node: Node) -> int:
    if isinstance(node.value, bool) or not isinstance(node.value, int) or not 0 <= node.value < 1 << 31:
        raise node.error(f"is {short(node.value)}, expected 0, 1, 2, …")
    return node.value


def _output(row: Node) -> _Row:
    """One output that select-best compared."""
    grading = row.get("gradingResult")
    parts = grading.get("componentResults") if grading is not None else None
    mine = [part for part in (parts.items() if parts is not None else ()) if _kind(part) == _SELECT_BEST]
    passed, reason = False, "it was not graded"
    if mine:
        verdict = mine[0].child("pass")
        if not isinstance(verdict.value, bool):
            raise verdict.error(f"expected true or false, got {short(verdict.value)}")
        passed, reason = verdict.value, _text(mine[0], "reason")
    name, prompt, response = _provider(row), row.child("prompt"), row.get("response")
    text = response.get("output") if response is not None else None
    best = _Output(
        test=_index(row.child("testIdx")),
        prompt=_index(row.child("promptIdx")),
        author=f"{name}, {_text(prompt, 'label')}" if _text(prompt, "label") else name,
        question=_question(row),
        text=text.value if text is not None and isinstance(text.value, str) else "",
        passed=passed,
        reason=reason,
    )
    table = parse_mapped(
        Node(path=row.path, row=row.row, field="", value={"id": f"promptfoo-{best.test}", "outcome": "unparsed"}),
        ColumnMap(places=(("pair_id", "id"), ("outcome", "outcome"))),
        labels=_LABELS,
        order=Order.AB,
    ).table
    return _Row(node=row, table=table, best=best)


def _provider(row: Node) -> str:
    """A provider's label, else its id; empty where it has neither."""
    provider = row.get("provider")
    if provider is None or isinstance(provider.value, str):
        return "" if provider is None else provider.text()
    return _text(provider, "label") or _text(provider, "id")


def _kind(part: Node) -> str | None:
    assertion = part.get("assertion") if isinstance(part.value, dict) else None
    kind = assertion.get("type") if assertion is not None and isinstance(assertion.value, dict) else None
    return kind.value if kind is not None and isinstance(kind.value, str) else None


def _text(node: Node, key: str) -> str:
    found = node.get(key)
    return "" if found is None else found.text()


def _question(row: Node) -> str:
    """The test's variables as text: what its outputs have in common."""
    variables = row.get("vars")
    values = variables.mapping() if variables is not None else {}
    texts = [value for value in values.values() if isinstance(value, str)]
    return (
        texts[0]
        if len(texts) == 1
        else "\n".join(f"{key}: {value}" for key, value in values.items() if isinstance(value, str))
    )


def _check_two(found: Sequence[tuple[Node, _Output]]) -> None:
    node = found[-1][0]
    if len(found) != 2:
        raise node.child("testIdx").error(
            f"has {len(found)} outputs to choose from, and a pair has two",
            remedy="compare two at a time: --filter-prompts or --filter-providers",
        )
    if found[0][1].prompt == found[1][1].prompt:
        raise node.child("promptIdx").error(f"the same test and prompt as row {found[0][0].row}")


def _pair(test: int, outputs: Sequence[_Output]) -> Pair:
    a, b = outputs
    return Pair(
        id=f"promptfoo-{test}",
        instruction=a.question,
        response_a=a.text,
        response_b=b.text,
        group="" if a.question else f"promptfoo-{test}",
        author_a=a.author or None,
        author_b=b.author or None,
    )


def _completion(outputs: Sequence[_Output]) -> Completion:
    a, b = outputs
    if a.passed == b.passed:
        failed = not a.reason.startswith("Invalid select-best verdict")
        if a.passed or not failed:
            why = "both passed" if a.passed else a.reason
            return Completion(
                text=None, finish_reason=FinishReason.UNKNOWN, log_outcome=Outcome.UNPARSED, log_note=short(why)
            )
        return Completion(
            text=None,
            finish_reason=FinishReason.ERROR,
            error=f"the log says: {short(a.reason)}",
            log_outcome=Outcome.ERROR,
        )
    chosen = Preference.A if a.passed else Preference.B
    return Completion(text=None, finish_reason=FinishReason.UNKNOWN, log_outcome=slot_of(chosen, Order.AB))
