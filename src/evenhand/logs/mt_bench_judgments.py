"""MT-bench's model judgments as FastChat writes them: pairwise comparisons in both orders.

One JSON line a question, turn and pair of models, from ``fastchat/llm_judge/common.py`` (``play_a_match_pair``,
https://github.com/lm-sys/FastChat). Game 1 shows ``model_1``'s answer as assistant A, game 2 ``model_2``'s.
``g1_winner`` and ``g2_winner`` are identities already (``model_1``, ``model_2``), or ``tie``, or ``error`` where no
verdict was found in the text. A text ``$ERROR$`` is what FastChat writes when the provider gave no answer at all.

Files of single grades (``…_single.jsonl``) have a score for each answer by itself. They say nothing of position; see
:mod:`evenhand.logs.mt_bench_grades`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Unpack

from evenhand.errors import ConfigError, DataError
from evenhand.logs.base import GrammarHint, LogEntry, VerdictLog
from evenhand.logs.chosen import choose
from evenhand.logs.documents import Document, Node, read_json_lines, short
from evenhand.logs.mt_bench_grades import Grade, grade_log, parse_grade
from evenhand.logs.prompt_blocks import PromptTexts, exchanged, texts_in, texts_missing
from evenhand.logs.rows import PROMPT_NOT_RECORDED, RowLog, RowOptions
from evenhand.records.completion import Completion, FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Order, Outcome, Preference, slot_of
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Message, Presentation

__all__ = ["PROVIDER_ERROR", "MtBenchJudgmentsLog"]

PROVIDER_ERROR = "$ERROR$"
"""``API_ERROR_OUTPUT`` of FastChat and of what grew out of it: there was no answer."""

_WINNER = {"model_1": Preference.A, "model_2": Preference.B, "tie": Preference.TIE}

_LABELS = LabelSet(first="A", second="B", tie="C")
"""``[[A]]``, ``[[B]]``, and ``[[C]]`` for a tie."""

_RULES = (
    "FastChat looked for [[A]], then [[B]], then [[C]] (a tie) anywhere in the text, so that a text with two of them "
    "reads as the first of that list; none of them is 'error'. Game 2's letters were mapped back to the models."
)

_MANY = 5
"""Prompts that must all be readable texts and not exchanged before the file's layout itself is doubted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Game:
    order: Order
    text: str
    prompt: str | None
    winner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    node: Node
    question: str
    turn: int
    models: tuple[str, str]
    judge: str
    prompt: str
    source: str
    games: tuple[_Game, ...]
    grade: Grade | None = None

    @property
    def pair_id(self) -> str:
        """One pair is one turn of one question, answered by two models."""
        return f"mt_bench-{self.question}-turn{self.turn}-{self.models[0]}-vs-{self.models[1]}"


class MtBenchJudgmentsLog(RowLog[_Row]):
    """Reader of FastChat's ``model_judgment`` files. ``model_1`` is identity A, ``model_2`` is B.

    Parameters
    ----------
    judge
        The judge model, where the file has several.
    model
        Keep the pairs that this model is one side of.
    pairs
        ``by-score`` makes pairs of single grades; see :func:`evenhand.logs.mt_bench_grades.grade_log`.
    """

    name: ClassVar[str] = "mt_bench_judgments"

    def __init__(self, *, pairs: str | None = None, **options: Unpack[RowOptions]) -> None:
        super().__init__(**options)
        if pairs not in (None, "by-score"):
            raise ConfigError(f"pairs {pairs!r}: expected by-score, or nothing for a file of comparisons")
        self.by_score = pairs == "by-score"

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record has FastChat's two games, or a single grade."""
        if not isinstance(record, dict):
            return False
        return {"question_id", "g1_winner", "g2_winner"} <= record.keys() or (
            {"question_id", "judgment", "score", "model", "judge"} <= record.keys() and "games" not in record
        )

    def load(self, path: Path) -> Document:
        """Read the lines."""
        return read_json_lines(path)

    def parse(self, row: Node) -> _Row:
        """Check one comparison, or one single grade."""
        judge, prompt = _judge(row.child("judge"))
        turn = row.get("turn")
        number = 1 if turn is None else turn.value
        if isinstance(number, bool) or number not in (1, 2):
            raise row.child("turn").error(f"is {short(number)}, expected 1 or 2")
        grade = parse_grade(row) if "score" in row.mapping() and "g1_winner" not in row.mapping() else None
        if grade is not None and not self.by_score:
            raise row.error(
                "is a single grade: each answer was scored by itself, which says nothing of position",
                remedy="import the _pair.jsonl file, or make pairs of the scores: --set pairs=by-score",
            )
        if "m1_score" in row.mapping():
            raise row.child("m1_score").error(
                "both games are the same two single grades", remedy="a pairwise judge's file is needed"
            )
        source = row.get("category")
        return _Row(
            node=row,
            question=row.child("question_id").name_or_integer(),
            turn=int(str(number)),
            models=(row.child("model").name(), "")
            if grade
            else (row.child("model_1").name(), row.child("model_2").name()),
            judge=judge,
            prompt=prompt,
            source="" if source is None else source.name(),
            games=() if grade else tuple(_game(row, key, order) for key, order in (("g1", Order.AB), ("g2", Order.BA))),
            grade=grade,
        )

    def assemble(self, document: Document, parsed: Sequence[_Row]) -> VerdictLog:
        """Make pairs and entries of one judge's lines."""
        rows = choose(parsed, "judge", self.judge, name_of=lambda row: row.judge, path=document.path)
        grades = [row.grade for row in rows if row.grade is not None]
        if grades and len(grades) < len(rows):
            raise DataError("mixes comparisons and single grades", path=document.path)
        if grades:
            return grade_log(self.name, document, grades, judge=rows[0].judge, model=self.model)
        kept = [row for row in rows if self.model in (None, *row.models)]
        if not kept:
            choose(rows, "model", self.model, name_of=lambda row: row.models[0], path=document.path)
            raise DataError(f"has no model {short(self.model)}", path=document.path)
        _refuse_duplicates(kept)
        texts = [_texts(row) for row in kept]
        _check_exchange(document, kept)
        conditions = {f"{row.judge}/{row.prompt}": row.prompt for row in kept}
        hint = GrammarHint(labels=_LABELS, nouns=("Assistant",))
        return VerdictLog(
            format=self.name,
            pairs=tuple(_pair(row, found) for row, found in zip(kept, texts, strict=True)),
            entries=tuple(_entry(document, self.name, row, game) for row in kept for game in row.games),
            conditions=tuple(
                Condition(id=name, prompt=prompt, prompt_hash=PROMPT_NOT_RECORDED, labels=_LABELS)
                for name, prompt in conditions.items()
            ),
            judge=JudgeIdentity(spec=f"log:{self.name}:{kept[0].judge}", model=kept[0].judge),
            orders="both",
            log_rules=_RULES,
            grammars=tuple((name, hint) for name in conditions),
            file_sha256=document.sha256,
            notes=_notes(kept, texts),
        )


def _judge(node: Node) -> tuple[str, str]:
    """The judge's model and its prompt's name; older files have the model alone."""
    if isinstance(node.value, str):
        return node.name(), "unknown prompt"
    parts = node.items()
    if len(parts) != 2:
        raise node.error(f"expected [model, prompt], got {len(parts)} elements")
    return parts[0].name(), parts[1].name()


def _game(row: Node, key: str, order: Order) -> _Game:
    winner, prompt = row.child(f"{key}_winner"), row.get(f"{key}_user_prompt")
    name = winner.text()
    if name != "error" and name not in _WINNER:
        raise winner.error(f"is {short(name)}, expected model_1, model_2, tie or error")
    return _Game(
        order=order,
        text=row.child(f"{key}_judgment").text(),
        prompt=None if prompt is None else prompt.text(),
        winner=name,
    )


def _refuse_duplicates(rows: Sequence[_Row]) -> None:
    seen: dict[tuple[str, ...], _Row] = {}
    for row in rows:
        key = (row.question, str(row.turn), *sorted(row.models))
        earlier = seen.setdefault(key, row)
        if earlier is not row:
            problem = f"the same question, turn and models as row {earlier.node.row}"
            raise row.node.child("question_id").error(problem, remedy="was the file appended to? keep one of the two")
        if row.models[0] == row.models[1]:
            raise row.node.child("model_2").error("is the same model as model_1")


def _texts(row: _Row) -> PromptTexts | None:
    """The texts of game 1's prompt, if game 2's shows the same in exchanged slots."""
    found = [None if game.prompt is None else texts_in(game.prompt) for game in row.games]
    one, other = found
    return one if one is not None and other is not None and exchanged(one, other) else None


def _check_exchange(document: Document, rows: Sequence[_Row]) -> None:
    """Refuse a file whose prompts all show that game 2 was not swapped: then its orders are not what they are named."""
    prompts = [tuple(game.prompt for game in row.games) for row in rows]
    same = [pair for pair in prompts if pair[0] is not None and pair[0] == pair[1]]
    if len(same) >= _MANY and len(same) == len(rows):
        raise DataError("both games of every row have the same prompt: game 2 was not swapped", path=document.path)


def _pair(row: _Row, texts: PromptTexts | None) -> Pair:
    return Pair(
        id=row.pair_id,
        instruction="" if texts is None else texts.instruction,
        response_a="" if texts is None else texts.first,
        response_b="" if texts is None else texts.second,
        source=row.source,
        # Both turns, and every pair of models, share a question: they are resampled together.
        group=f"mt_bench-{row.question}",
        author_a=row.models[0],
        author_b=row.models[1],
        metadata=(("turn", str(row.turn)),),
    )


def _entry(document: Document, name: str, row: _Row, game: _Game) -> LogEntry:
    condition = f"{row.judge}/{row.prompt}"
    failed = game.text.strip() == PROVIDER_ERROR
    outcome = (
        Outcome.ERROR
        if failed
        else slot_of(_WINNER[game.winner], game.order)
        if game.winner in _WINNER
        else Outcome.UNPARSED
    )
    return LogEntry(
        presentation=Presentation(
            key=document.key(name, row.pair_id, game.order, condition),
            pair_id=row.pair_id,
            condition=condition,
            order=game.order,
            messages=() if game.prompt is None else (Message(role="user", content=game.prompt),),
        ),
        completion=Completion(
            text=None if failed else game.text,
            finish_reason=FinishReason.ERROR if failed else FinishReason.UNKNOWN,
            error="the log says: $ERROR$" if failed else None,
            log_outcome=outcome,
        ),
    )


def _notes(rows: Sequence[_Row], texts: Sequence[PromptTexts | None]) -> tuple[str, ...]:
    notes: list[str] = []
    notes += texts_missing(texts, prompts=any(game.prompt is not None for row in rows for game in row.games))
    if any(row.turn == 2 for row in rows):
        notes.append("the two turns of a question are pairs of their own in one question group")
    return tuple(notes)
