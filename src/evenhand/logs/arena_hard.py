"""Arena-Hard's model judgments: a model against a baseline, in both orders, on a five-step scale.

Two layouts of https://github.com/lmarena/arena-hard-auto, both JSON Lines, one line a question and model:

- v0.1 (``gen_judgment.py``): ``question_id``, ``model``, ``judge``, ``games`` of ``user_prompt``, ``judgment`` and
  ``score``; the baseline's name is in the run's configuration only.
- v2.0: ``uid``, ``category``, ``model``, ``judge``, ``baseline``, ``games`` of ``prompt`` (messages), ``judgment``
  (with ``answer``) and ``score``; a game is null where the provider gave nothing.

In both, game 1 shows the *baseline* as assistant A and game 2 the model (``show_result.py`` credits the model with the
second game's ``A>B`` and the baseline with the first's). So the baseline is identity A, game 1 is order AB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Unpack

from evenhand.errors import DataError
from evenhand.logs.base import GrammarHint, LogEntry, VerdictLog
from evenhand.logs.chosen import choose
from evenhand.logs.documents import Document, Node, read_json_lines_of, short
from evenhand.logs.mt_bench_judgments import PROVIDER_ERROR
from evenhand.logs.prompt_blocks import PromptTexts, exchanged, texts_in, texts_missing
from evenhand.logs.rows import PROMPT_NOT_RECORDED, RowLog, RowOptions
from evenhand.records.completion import Completion, FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Order, Outcome
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Message, Presentation

__all__ = ["ArenaHardLog"]

_SCORES = {
    **dict.fromkeys(("A>B", "A>>B", "B<A", "B<<A"), Outcome.FIRST),
    **dict.fromkeys(("B>A", "B>>A", "A<B", "A<<B"), Outcome.SECOND),
    **dict.fromkeys(("A=B", "B=A"), Outcome.TIE),
}
"""The labels that ``show_result.py`` knows, in slot terms; a strong preference is a preference."""

_LABELS = LabelSet(first="A", second="B", tie="A=B")

_RULES = {
    False: (
        "Arena-Hard v0.1 read the [[…]] labels of the text: one label, or the same one again, is the score; none asks "
        "the judge once more to finish, and no label after that, or two different ones, is null."
    ),
    True: "Arena-Hard v2.0 read the last [[…]] label of the text in capitals, else the last one in single brackets.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Game:
    text: str | None
    messages: tuple[Message, ...]
    score: str | None
    recorded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    node: Node
    second_layout: bool
    question: str
    source: str
    model: str
    baseline: str | None
    judge: str
    games: tuple[_Game, ...]

    @property
    def pair_id(self) -> str:
        """One question, answered by the baseline and by a model."""
        return f"arena_hard-{self.question}-{self.model}"


class ArenaHardLog(RowLog[_Row]):
    """Reader of Arena-Hard's ``model_judgment`` files, given as one file or as the judge's folder of them.

    Parameters
    ----------
    judge, model
        Which to take, where there are several; without ``model`` every model stays, each with its own pairs.
    baseline
        The baseline's name, for a v0.1 file, which doesn't have it.
    """

    name: ClassVar[str] = "arena_hard"

    def __init__(self, *, baseline: str | None = None, **options: Unpack[RowOptions]) -> None:
        super().__init__(**options)
        self.baseline = baseline

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record has Arena-Hard's games."""
        return (
            isinstance(record, dict)
            and {"games", "model", "judge"} <= record.keys()
            and bool({"uid", "question_id"} & record.keys())
        )

    def load(self, path: Path) -> Document:
        """Read the lines of the file, or of every ``.jsonl`` file in the folder."""
        return read_json_lines_of(path)

    def parse(self, row: Node) -> _Row:
        """Check one question with its games."""
        second_layout = "uid" in row.mapping()
        games = row.child("games").items()
        if len(games) != 2:
            raise row.child("games").error(
                f"expected 2 games, got {len(games)}",
                remedy="a run with `pairwise: False` scores each answer by itself and says nothing of position",
            )
        category, baseline = row.get("category"), row.get("baseline")
        return _Row(
            node=row,
            second_layout=second_layout,
            question=row.child("uid" if second_layout else "question_id").name_or_integer(),
            source="" if category is None else category.name(),
            model=row.child("model").name(),
            baseline=self.baseline if baseline is None else baseline.name(),
            judge=row.child("judge").name(),
            games=tuple(_game(game) for game in games),
        )

    def assemble(self, document: Document, parsed: Sequence[_Row]) -> VerdictLog:
        """Make pairs and entries of one judge's lines."""
        rows = choose(parsed, "judge", self.judge, name_of=lambda row: row.judge, path=document.path)
        if self.model is not None:
            rows = choose(rows, "model", self.model, name_of=lambda row: row.model, path=document.path)
        if len({row.second_layout for row in rows}) > 1:
            raise DataError("mixes the layouts of v0.1 and v2.0", path=document.path, remedy="import them one by one")
        _refuse_duplicates(rows)
        judge, second_layout = rows[0].judge, rows[0].second_layout
        condition = f"{judge}, Arena-Hard {'v2.0' if second_layout else 'v0.1'}"
        texts = [_texts(row) for row in rows]
        hint = GrammarHint(labels=_LABELS, nouns=("Assistant",), comparison=True)
        return VerdictLog(
            format=self.name,
            pairs=tuple(_pair(row, found) for row, found in zip(rows, texts, strict=True)),
            entries=tuple(
                _entry(document, self.name, row, game, order, condition)
                for row in rows
                for game, order in zip(row.games, (Order.AB, Order.BA), strict=True)
            ),
            conditions=(Condition(id=condition, prompt=condition, prompt_hash=PROMPT_NOT_RECORDED, labels=_LABELS),),
            judge=JudgeIdentity(spec=f"log:{self.name}:{judge}", model=judge),
            orders="both",
            log_rules=_RULES[second_layout],
            grammars=((condition, hint),),
            file_sha256=document.sha256,
            notes=_notes(rows, texts),
        )


def _game(game: Node) -> _Game:
    if game.value is None:
        return _Game(text=None, messages=(), score=None, recorded=False)
    if "score" not in game.mapping():
        raise game.error("has no score", remedy="null says that there was no verdict")
    score = game.get("score")
    if score is not None and not isinstance(score.value, str):
        raise score.error(
            f"is {short(score.value)}, expected a label such as A>B", remedy="a single grade has no order"
        )
    judgment = game.get("judgment")
    inner = judgment.get("answer") if judgment is not None and isinstance(judgment.value, dict) else judgment
    return _Game(
        text=None if inner is None else inner.text(),
        messages=_messages(game),
        score=None if score is None else score.text().strip(),
        recorded=True,
    )


def _messages(game: Node) -> tuple[Message, ...]:
    """The prompt: a text in v0.1 (a list where it has images), messages in v2.0."""
    prompt = game.get("user_prompt")
    if prompt is not None and isinstance(prompt.value, str):
        return (Message(role="user", content=prompt.text()),)
    found = []
    listed = game.get("prompt")
    for message in () if listed is None else listed.items():
        role, content = message.child("role").text(), message.child("content")
        if isinstance(content.value, str) and role in ("system", "user", "assistant"):
            found.append(Message(role=role, content=content.value))  # type: ignore[arg-type]  # one of the three
    return tuple(found)


def _refuse_duplicates(rows: Sequence[_Row]) -> None:
    seen: dict[str, _Row] = {}
    for row in rows:
        earlier = seen.setdefault(row.pair_id, row)
        if earlier is not row:
            field = "uid" if row.second_layout else "question_id"
            raise row.node.child(field).error(
                f"the same question and model as row {earlier.node.row} of {earlier.node.path.name}"
            )


def _texts(row: _Row) -> PromptTexts | None:
    found = [next((texts_in(m.content) for m in game.messages if m.role == "user"), None) for game in row.games]
    one, other = found
    return one if one is not None and other is not None and exchanged(one, other) else None


def _pair(row: _Row, texts: PromptTexts | None) -> Pair:
    return Pair(
        id=row.pair_id,
        instruction="" if texts is None else texts.instruction,
        response_a="" if texts is None else texts.first,
        response_b="" if texts is None else texts.second,
        source=row.source,
        group=f"arena_hard-{row.question}",
        author_a=row.baseline,
        author_b=row.model,
    )


def _entry(document: Document, name: str, row: _Row, game: _Game, order: Order, condition: str) -> LogEntry:
    failed = not game.recorded or (game.text is not None and game.text.strip() == PROVIDER_ERROR)
    outcome = Outcome.ERROR if failed else _SCORES.get(game.score or "", Outcome.UNPARSED)
    why = "the game is null" if not game.recorded else "the log says: $ERROR$"
    return LogEntry(
        presentation=Presentation(
            key=document.key(name, row.pair_id, order, condition),
            pair_id=row.pair_id,
            condition=condition,
            order=order,
            messages=game.messages,
        ),
        completion=Completion(
            text=None if failed else game.text,
            finish_reason=FinishReason.ERROR
            if failed
            else FinishReason.NOT_GENERATED
            if game.text is None
            else FinishReason.UNKNOWN,
            error=why if failed else None,
            log_outcome=outcome,
            # The grade: strong preferences, and labels that are none of the five.
            log_note=None if failed or game.score is None else f"score {short(game.score)}",
        ),
    )


def _notes(rows: Sequence[_Row], texts: Sequence[PromptTexts | None]) -> tuple[str, ...]:
    notes = [
        "identity A is the baseline, B the model; strong labels (A>>B) are kept in each answer's note, and count once"
    ]
    if rows[0].baseline is None:
        notes.append("the file doesn't name the baseline: --set baseline=NAME")
    notes += texts_missing(texts, prompts=any(game.messages for row in rows for game in row.games))
    if not rows[0].second_layout and any(game.text is not None for row in rows for game in row.games):
        notes.append("a text may hold several attempts: where the first had no label the judge was asked to continue")
    return tuple(notes)
