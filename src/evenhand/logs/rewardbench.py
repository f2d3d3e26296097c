"""Per-prompt results of RewardBench: chosen and rejected, and whether the chosen one won.

``scripts/run_generative.py`` and ``scripts/run_rm.py`` (https://github.com/allenai/reward-bench) save one object of
columns to ``eval-set-scores/MODEL.json``: ``id``, ``subset``, ``results``, ``text_chosen``, ``text_rejected``,
``model``, ``model_type`` and, for reward models, ``scores_chosen`` and ``scores_rejected``. A list of records or JSON
Lines of the same fields are read too.

- *Generative judges*: ``results`` is 1 where the chosen response won, 0 where the rejected one did, and **0.5 where no
  verdict was found or the provider failed**: a state here, never a tie. Which was shown first is drawn by
  ``np.random.rand()`` without a seed and **not saved**, nor is the judge's text. So nothing can be said of position,
  and such a file is refused unless its rows have ``is_shuffled`` (the script's own name for it) or the import is told.
- *Reward models*: each response was scored by itself. There was no order; ``pairs=by-score`` makes pairs all the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Unpack

from evenhand.errors import ConfigError, DataError
from evenhand.logs.base import GrammarHint, LogEntry, VerdictLog
from evenhand.logs.documents import Document, Node, decode_json, decode_text, read_bytes, read_json_lines, short
from evenhand.logs.mt_bench_grades import pointwise_order
from evenhand.logs.rows import PROMPT_NOT_RECORDED, RowLog, RowOptions
from evenhand.records.completion import Completion, FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Order, Outcome, Preference, slot_of
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Presentation

__all__ = ["RewardBenchLog"]

_LABELS = LabelSet(first="A", second="B")
"""RewardBench's prompts ask for ``[[A]]`` or ``[[B]]`` and offer no tie."""

_RULES = {
    "judge": (
        "RewardBench looked for [[A]], then [[B]] anywhere in the text; neither, or a failed call, was stored as 0.5 "
        "and counted as half a success."
    ),
    "scores": "RewardBench took the response with the higher score; equal scores count as a loss of the chosen one.",
}

_ORDERS = {"chosen-first": Order.AB, "rejected-first": Order.BA}

_NO_ORDER = (
    "doesn't say which response was shown first: RewardBench draws it and doesn't save it, so nothing can be said of "
    "position"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    node: Node
    pair: Pair
    kind: Literal["judge", "scores"]
    order: Order
    result: float
    scores: tuple[float, float] | None
    text: str | None
    model: str | None


class RewardBenchLog(RowLog[_Row]):
    """Reader of RewardBench's per-prompt results. The chosen response is identity A and the gold preference.

    Parameters
    ----------
    model
        The judge's name, where the file doesn't have it.
    order
        ``chosen-first`` or ``rejected-first``, where a changed script showed every pair so.
    pairs
        ``by-score``: make pairs of a reward model's scores. No figure on slots speaks of it.
    """

    name: ClassVar[str] = "rewardbench"

    def __init__(self, *, order: str | None = None, pairs: str | None = None, **options: Unpack[RowOptions]) -> None:
        super().__init__(**options)
        if order is not None and order not in _ORDERS:
            raise ConfigError(f"order {order!r}: expected chosen-first or rejected-first")
        if pairs not in (None, "by-score"):
            raise ConfigError(f"pairs {pairs!r}: expected by-score, or nothing for a generative judge")
        self.order = None if order is None else _ORDERS[order]
        self.by_score = pairs == "by-score"

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record, or an object of columns, has RewardBench's results."""
        if not isinstance(record, dict):
            return False
        if record.keys() == {"chosen", "rejected"} and all(map(_is_number, record.values())):
            return True
        return "results" in record and bool({"text_chosen", "scores_chosen", "chosen"} & record.keys())

    def load(self, path: Path) -> Document:
        """Read an object of columns, a list of records, or JSON Lines."""
        data = read_bytes(path)
        text = decode_text(data, path)
        if path.suffix.lower() == ".jsonl":
            return read_json_lines(path)
        value = decode_json(text, path=path)
        records = _records(value, path) if isinstance(value, dict) else value
        if not isinstance(records, list):
            raise DataError(f"expected an object of columns or a list of records, got {short(records)}", path=path)
        if not records:
            raise DataError("has no records", path=path)
        rows = tuple(Node(path=path, row=number, field="", value=record) for number, record in enumerate(records, 1))
        return Document(path=path, sha256=hashlib.sha256(data).hexdigest(), rows=rows)

    def parse(self, row: Node) -> _Row:
        """Check one prompt's result."""
        scores = _scores(row)
        result = _result(row, scores)
        kind: Literal["judge", "scores"] = "judge" if scores is None else "scores"
        if kind == "scores" and not self.by_score:
            raise (row.get("scores_chosen") or row.child("chosen")).error(
                "each response was scored by itself, which says nothing of position",
                remedy="make pairs of the scores all the same: --set pairs=by-score",
            )
        pair = _pair(row)
        source, text, model = row.get("model"), row.get("judgment"), self.model
        return _Row(
            node=row,
            pair=pair,
            kind=kind,
            order=pointwise_order(pair.id) if kind == "scores" else self._order(row),
            result=result,
            scores=scores,
            text=None if text is None else text.text(),
            model=model if source is None else source.name(),
        )

    def assemble(self, document: Document, parsed: Sequence[_Row]) -> VerdictLog:
        """Make pairs and entries."""
        kind, model = _same(parsed, "kind"), _same(parsed, "model") or "unknown"
        _refuse_duplicates(parsed)
        condition = f"{model}, RewardBench"
        texts = any(row.text is not None for row in parsed)
        return VerdictLog(
            format=self.name,
            pairs=tuple(row.pair for row in parsed),
            entries=tuple(_entry(document, self.name, row, condition) for row in parsed),
            conditions=(Condition(id=condition, prompt=condition, prompt_hash=PROMPT_NOT_RECORDED, labels=_LABELS),),
            judge=JudgeIdentity(spec=f"log:{self.name}:{self.judge or model}", model=model),
            orders="single",
            slots_seen=kind != "scores",
            log_rules=_RULES[kind],
            grammars=((condition, GrammarHint(labels=_LABELS, nouns=("Assistant",))),),
            file_sha256=document.sha256,
            notes=_notes(kind, parsed, told=self.order is not None, texts=texts),
        )

    def _order(self, row: Node) -> Order:
        node = row.get("is_shuffled")
        if node is not None:
            if not isinstance(node.value, bool):
                raise node.error(
                    f"is {short(node.value)}, expected true (the rejected response was shown first) or false"
                )
            return Order.BA if node.value else Order.AB
        if self.order is None:
            raise row.error(
                _NO_ORDER, remedy="save is_shuffled with each row, or judge the pairs again with evenhand audit"
            )
        return self.order


def _records(value: Mapping[str, object], path: Path) -> list[object]:
    """Turn an object of columns into records; a plain value holds for every record."""
    lengths = {key: len(column) for key, column in value.items() if isinstance(column, list)}
    length = lengths.get("results")
    if length is None:
        raise DataError("has no list of results", path=path, field="results", remedy="a file of averages has no pairs")
    for key, found in lengths.items():
        if found != length:
            raise DataError(f"has {found} values, results has {length}", path=path, field=key)
    return [
        {key: column[index] if isinstance(column, list) else column for key, column in value.items()}
        for index in range(length)
    ]


def _result(row: Node, scores: tuple[float, float] | None) -> float:
    """1, 0 or 0.5; of bare scores by RewardBench's rule, by which equal scores are a loss."""
    if scores is not None and "results" not in row.mapping():
        return float(scores[0] > scores[1])
    node = row.child("results")
    result = node.number()
    if result not in (0, 0.5, 1):
        raise node.error(
            f"is {result:g}, expected 0, 0.5 or 1", remedy="RewardBench 2 chooses among four responses: it has no pairs"
        )
    return result


def _scores(row: Node) -> tuple[float, float] | None:
    """The two scores; None for a judge, which has none (PairRM and its like have null)."""
    nodes = [row.get(key) for key in ("scores_chosen", "scores_rejected")]
    if nodes == [None, None]:
        # `rewardbench --save_all` writes the two scores and nothing else.
        bare = [row.get(key) for key in ("chosen", "rejected")]
        nodes = [node if node is not None and _is_number(node.value) else None for node in bare]
    numbers = [_score(node) for node in nodes if node is not None]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _score(node: Node) -> float:
    inner = node.items() if isinstance(node.value, list) else (node,)
    if len(inner) != 1:
        raise node.error(f"has {len(inner)} values, expected one")
    return inner[0].number()


def _pair(row: Node) -> Pair:
    question, chosen, rejected = _texts(row)
    number, subset = row.get("id"), row.get("subset") or row.get("subsets")
    name = str(row.row) if number is None else number.name_or_integer()
    source = "" if subset is None else subset.name()
    pair_id = f"rewardbench-{source}-{name}" if source else f"rewardbench-{name}"
    return Pair(
        id=pair_id,
        instruction=question,
        response_a=chosen,
        response_b=rejected,
        gold=Preference.A,
        source=source,
        group="" if question else pair_id,
        author_a=_author(row, "chosen_model"),
        author_b=_author(row, "rejected_model"),
    )


def _author(row: Node, key: str) -> str | None:
    node = row.get(key)
    return None if node is None else node.name()


def _texts(row: Node) -> tuple[str, str, str]:
    """Question, chosen and rejected response: from messages, plain texts, or nothing."""
    found = [
        row.get(key) or row.get(plain) for key, plain in (("text_chosen", "chosen"), ("text_rejected", "rejected"))
    ]
    if found[0] is None or found[1] is None or any(_is_number(node.value) for node in found if node is not None):
        return "", "", ""
    prompt = row.get("prompt")
    asked = prompt.text() if prompt is not None and isinstance(prompt.value, str) else ""
    chosen, rejected = (_talk(node) for node in (found[0], found[1]))
    return asked or chosen[0], chosen[1], rejected[1]


def _talk(node: Node) -> tuple[str, str]:
    """(what the user asked, what the assistant said) of a conversation; a plain text is an answer."""
    if isinstance(node.value, str):
        return "", node.value
    turns = [(turn.child("role").text(), turn.child("content").text()) for turn in node.items()]
    return tuple("\n\n".join(text for role, text in turns if (role == "assistant") is said) for said in (False, True))  # type: ignore[return-value]


def _same(rows: Sequence[_Row], field: str) -> str:
    first = rows[0]
    for row in rows:
        mine, theirs = getattr(row, field), getattr(first, field)
        if mine != theirs:
            problem = f"is {short(mine)}, but row {first.node.row} has {short(theirs)}: a log is of one judge"
            raise DataError(problem, path=row.node.path, row=row.node.row, field=field, remedy="split the file")
    return getattr(first, field) or ""


def _refuse_duplicates(rows: Sequence[_Row]) -> None:
    seen: dict[str, _Row] = {}
    for row in rows:
        earlier = seen.setdefault(row.pair.id, row)
        if earlier is not row:
            raise row.node.error(f"the same id and subset as row {earlier.node.row}")


def _entry(document: Document, name: str, row: _Row, condition: str) -> LogEntry:
    note = None if row.scores is None else f"scores {row.scores[0]:g} and {row.scores[1]:g}"
    return LogEntry(
        presentation=Presentation(
            key=document.key(name, row.pair.id, row.order, condition),
            pair_id=row.pair.id,
            condition=condition,
            order=row.order,
        ),
        completion=Completion(
            text=row.text,
            finish_reason=FinishReason.UNKNOWN,
            log_outcome=_outcome(row),
            log_note=note or ("stored as 0.5" if row.result == 0.5 else None),
        ),
    )


def _outcome(row: _Row) -> Outcome:
    if row.scores is not None and row.scores[0] == row.scores[1]:
        return Outcome.TIE
    if row.result == 0.5:
        return Outcome.UNPARSED
    return slot_of(Preference.A if row.result == 1 else Preference.B, row.order)


def _notes(kind: str, rows: Sequence[_Row], *, told: bool, texts: bool) -> tuple[str, ...]:
    notes = []
    if kind == "scores":
        notes.append(
            "each response was scored by itself: none was shown first, and the order written is drawn from a hash of "
            "the pair's id. No figure on slots speaks of this model"
        )
        equal = sum(row.scores is not None and row.scores[0] == row.scores[1] for row in rows)
        if equal:
            notes.append(f"{equal} of {len(rows)} pairs have equal scores: ties here, a loss of the chosen one there")
    else:
        half = sum(row.result == 0.5 for row in rows)
        notes.append("each pair was shown in one order: no position figure")
        notes.append(
            f"{half} of {len(rows)} results are 0.5: no verdict was found, or the call failed; both are unparsed"
        )
        if told:
            notes.append("the order is as the import was told, not as the file says")
        if not texts:
            notes.append("the judge's text is not kept")
    return tuple(notes)
