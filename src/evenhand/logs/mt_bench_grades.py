"""Pairs of MT-bench's single grades: each answer was scored by itself, so there was no order to be biased by.

``run_judge_single`` of ``fastchat/llm_judge/common.py`` stores the number in ``[[…]]`` as ``score`` and -1 where it
found none. FastChat itself compares two scores as a tie where they differ by at most 0.1 (``TIE_DELTA``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import DataError
from evenhand.logs.base import GrammarHint, LogEntry, VerdictLog
from evenhand.logs.chosen import listed
from evenhand.logs.documents import Document, Node
from evenhand.logs.prompt_blocks import PromptTexts, texts_in
from evenhand.logs.rows import PROMPT_NOT_RECORDED
from evenhand.records.completion import Completion, FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Order, Outcome, Preference, slot_of
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Presentation

__all__ = ["TIE_DELTA", "Grade", "grade_log", "parse_grade", "pointwise_order"]

TIE_DELTA = 0.1
"""FastChat's ``TIE_DELTA``: scores no further apart are a tie."""

_NO_SCORE = -1

_LABELS = LabelSet(first="A", second="B", tie="C")

_RULES = (
    "FastChat scored each answer by itself; here the higher score wins, a difference of at most 0.1 is a tie "
    "(FastChat's own rule), and -1 on either side is no verdict."
)

_NOTE = (
    "each answer was graded by itself: no answer was shown first, and which is called A is drawn from a hash of the "
    "pair's id. No figure on slots speaks of this judge"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """One answer's score."""

    node: Node
    question: str
    turn: int
    model: str
    score: float
    texts: PromptTexts | None


def parse_grade(row: Node) -> Grade:
    """Check one single grade."""
    prompt, turn = row.get("user_prompt"), row.get("turn")
    return Grade(
        node=row,
        question=row.child("question_id").name_or_integer(),
        turn=2 if turn is not None and turn.value == 2 else 1,
        model=row.child("model").name(),
        score=row.child("score").number(),
        texts=None if prompt is None else texts_in(prompt.text()),
    )


def pointwise_order(pair_id: str) -> Order:
    """The order written for responses that nobody showed side by side: drawn from the id, so that it means nothing.

    Examples
    --------
    >>> pointwise_order("q3"), pointwise_order("q1")
    (<Order.AB: 'AB'>, <Order.BA: 'BA'>)
    """
    return Order.BA if hashlib.sha256(pair_id.encode("utf-8", "surrogatepass")).digest()[0] % 2 else Order.AB


def grade_log(name: str, document: Document, grades: Sequence[Grade], *, judge: str, model: str | None) -> VerdictLog:
    """Pair the grades of two models, question by question and turn by turn.

    Parameters
    ----------
    model
        The two models as ``FIRST,SECOND``; None where the file has exactly two.

    Raises
    ------
    DataError
        A model is not there, more than two were given without a choice, or an answer was graded twice.
    """
    first, second = _two(grades, model, document.path)
    found: dict[tuple[str, int], dict[str, Grade]] = {}
    for grade in grades:
        models = found.setdefault((grade.question, grade.turn), {})
        if models.setdefault(grade.model, grade) is not grade:
            raise grade.node.child("model").error(
                f"the same question, turn and model as row {models[grade.model].node.row}"
            )
    condition = f"{judge}, single grades"
    pairs: list[Pair] = []
    entries: list[LogEntry] = []
    for (question, turn), models in found.items():
        if first not in models or second not in models:
            continue
        pair = _pair(question, turn, models[first], models[second])
        order = pointwise_order(pair.id)
        pairs.append(pair)
        entries.append(
            LogEntry(
                presentation=Presentation(
                    key=document.key(name, pair.id, order, condition),
                    pair_id=pair.id,
                    condition=condition,
                    order=order,
                ),
                completion=Completion(
                    text=None,
                    finish_reason=FinishReason.UNKNOWN,
                    log_outcome=_outcome(models[first].score, models[second].score, order),
                    log_note=f"scores {models[first].score:g} and {models[second].score:g}",
                ),
            )
        )
    if not pairs:
        raise DataError("no question was graded for both models", path=document.path)
    return VerdictLog(
        format=name,
        pairs=tuple(pairs),
        entries=tuple(entries),
        conditions=(Condition(id=condition, prompt="single grades", prompt_hash=PROMPT_NOT_RECORDED, labels=_LABELS),),
        judge=JudgeIdentity(spec=f"log:{name}:{judge}", model=judge),
        orders="single",
        slots_seen=False,
        log_rules=_RULES,
        grammars=((condition, GrammarHint(labels=_LABELS)),),
        file_sha256=document.sha256,
        notes=(_NOTE,),
    )


def _two(grades: Sequence[Grade], model: str | None, path: Path) -> tuple[str, str]:
    names = list(dict.fromkeys(grade.model for grade in grades))
    wanted = names if model is None else [part.strip() for part in model.split(",")]
    if len(wanted) != 2 or len(set(wanted)) != 2:
        example = ",".join(names[:2])
        raise DataError(
            f"has single grades of {len(names)} models: {listed(names)}",
            path=path,
            remedy=f"choose two: --set model={example}",
        )
    for name in wanted:
        if name not in names:
            raise DataError(f"has no grades of {name!r}: it has {listed(names)}", path=path)
    return wanted[0], wanted[1]


def _pair(question: str, turn: int, a: Grade, b: Grade) -> Pair:
    known = a.texts is not None and b.texts is not None and a.texts.instruction == b.texts.instruction
    return Pair(
        id=f"mt_bench-{question}-turn{turn}-{a.model}-vs-{b.model}",
        instruction=a.texts.instruction if known and a.texts else "",
        response_a=a.texts.first if known and a.texts else "",
        response_b=b.texts.first if known and b.texts else "",
        group=f"mt_bench-{question}",
        author_a=a.model,
        author_b=b.model,
        metadata=(("turn", str(turn)),),
    )


def _outcome(a: float, b: float, order: Order) -> Outcome:
    if _NO_SCORE in (a, b):
        return Outcome.UNPARSED
    if abs(a - b) <= TIE_DELTA:
        return Outcome.TIE
    return slot_of(Preference.A if a > b else Preference.B, order)
