"""JudgeBench outputs: one JSON line a pair, with the judgments of both orders (Tan et al. 2025, arXiv:2410.12784)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from evenhand.errors import DataError
from evenhand.logs.base import GrammarHint, LogEntry, VerdictLog
from evenhand.logs.documents import Document, Node, read_json_lines, short
from evenhand.logs.rows import PROMPT_NOT_RECORDED, RowLog
from evenhand.records.completion import Completion, FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Order, Outcome, Preference, preference_of
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Message, Presentation

__all__ = ["JudgeBenchLog", "PublishedJudgeBenchScore", "published_score"]

_LABEL = {"A>B": Preference.A, "B>A": Preference.B}
_DECISION = {"A>B": Outcome.FIRST, "B>A": Outcome.SECOND, "A=B": Outcome.TIE}
"""A judgment's decision speaks of what the prompt calls A and B: the first and the second slot of *that* prompt."""

_RULES = (
    "JudgeBench's judge read the one [[…]] verdict that its text holds, strong and slight preferences alike, after "
    "asking once more where there was none; several different verdicts, even of one direction, or none are null."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judgment:
    text: str | None
    prompt: str | None
    decision: str | None
    recorded: bool
    model: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    node: Node
    pair: Pair
    judge_name: str
    judgments: tuple[_Judgment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedJudgeBenchScore:
    """JudgeBench's score by its published rule (``utils/metrics.py``), and what the rule's counts hold.

    The second game's decision is flipped to identity. Each game adds 1 if it equals the label, −1 if it is the
    opposite, 0 else (a tie, a null); a pair is correct where the sum is above 0, incorrect below, tied at 0.

    Attributes
    ----------
    pairs, correct, incorrect, tied
        Pairs, and how the rule scored them.
    inconsistent
        Pairs whose two decisions differ in any way: a flip, a tie against a decision, a null against a decision.
    nulls
        Pairs with a null in at least one game.
    flips, tie_changes
        Ours beside it: both decided and opposite; one tie and one decided. Pairs with a null are in neither.
    """

    pairs: int
    correct: int
    incorrect: int
    tied: int
    inconsistent: int
    nulls: int
    flips: int
    tie_changes: int

    @property
    def correct_percent(self) -> float:
        """The published figure: correct pairs of all pairs, in percent."""
        return 100 * self.correct / self.pairs


class JudgeBenchLog(RowLog[_Row]):
    """Reader of a JudgeBench outputs file (JSON Lines): ``judgments[0]`` shows A first, ``judgments[1]`` B first."""

    name: ClassVar[str] = "judgebench"

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record has JudgeBench's judgments."""
        return isinstance(record, dict) and {"judgments", "pair_id"} <= record.keys()

    def load(self, path: Path) -> Document:
        """Read the lines."""
        return read_json_lines(path)

    def parse(self, row: Node) -> _Row:
        """Check one pair with its judgments."""
        label = row.child("label").text()
        if label not in _LABEL:
            raise row.child("label").error(f"is {short(label)}, expected A>B or B>A")
        judgments = row.child("judgments")
        games = judgments.items()
        if len(games) not in (1, 2):
            raise judgments.error(f"expected 1 or 2 judgments, got {len(games)}")
        optional = {key: node.name() for key in ("source", "response_model") if (node := row.get(key))}
        original = row.get("original_id")
        return _Row(
            node=row,
            pair=Pair(
                id=row.child("pair_id").name(),
                instruction=row.child("question").text(),
                response_a=row.child("response_A").text(),
                response_b=row.child("response_B").text(),
                gold=_LABEL[label],
                source=optional.get("source", ""),
                author_a=optional.get("response_model"),
                author_b=optional.get("response_model"),
                metadata=() if original is None else (("original_id", original.name_or_integer()),),
            ),
            judge_name=node.name() if (node := row.get("judge_name")) else "unknown",
            judgments=tuple(_judgment(game) for game in games),
        )

    def assemble(self, document: Document, parsed: Sequence[_Row]) -> VerdictLog:
        """Make pairs and entries of the parsed lines."""
        condition = self.judge or _same(parsed, [row.judge_name for row in parsed], "judge_name")
        model = self.model or _model(parsed)
        seen: dict[str, int] = {}
        entries: list[LogEntry] = []
        for row in parsed:
            if row.pair.id in seen:
                raise row.node.child("pair_id").error(f"{short(row.pair.id)} is in row {seen[row.pair.id]} too")
            seen[row.pair.id] = row.node.row
            for judgment, order in zip(row.judgments, (Order.AB, Order.BA), strict=False):
                prompt = () if judgment.prompt is None else (Message(role="user", content=judgment.prompt),)
                presentation = Presentation(
                    key=document.key(self.name, row.pair.id, order, condition),
                    pair_id=row.pair.id,
                    condition=condition,
                    order=order,
                    messages=prompt,
                )
                entries.append(LogEntry(presentation=presentation, completion=_completion(judgment)))
        labels = LabelSet(first="A", second="B", tie="A=B")
        hint = GrammarHint(labels=labels, nouns=("Assistant",), comparison=True)
        single = sum(len(row.judgments) == 1 for row in parsed)
        return VerdictLog(
            format=self.name,
            pairs=tuple(row.pair for row in parsed),
            entries=tuple(entries),
            conditions=(Condition(id=condition, prompt=condition, prompt_hash=PROMPT_NOT_RECORDED, labels=labels),),
            judge=JudgeIdentity(spec=f"log:judgebench:{condition}", model=model),
            orders="single" if single == len(parsed) else "both",
            log_rules=_RULES,
            grammars=((condition, hint),),
            file_sha256=document.sha256,
            notes=(f"{single} of {len(parsed)} pairs were judged in one order only",) if single else (),
        )


def published_score(log: VerdictLog) -> PublishedJudgeBenchScore:
    """Score a log by JudgeBench's published rule.

    Raises
    ------
    DataError
        The log is no JudgeBench log, or a pair was not judged in both orders.

    References
    ----------
    Tan et al., "JudgeBench: A Benchmark for Evaluating LLM-based Judges", 2025, arXiv:2410.12784;
    ``utils/metrics.py`` of its repository.
    """
    if log.format != "judgebench":
        raise DataError(f"expected a judgebench log, got {log.format}")
    games: dict[str, dict[Order, str | None]] = {pair.id: {} for pair in log.pairs}
    for entry in log.entries:
        games[entry.presentation.pair_id][entry.presentation.order] = _decision(entry)
    counts = dict.fromkeys(("correct", "incorrect", "tied", "inconsistent", "nulls", "flips", "tie_changes"), 0)
    for pair in log.pairs:
        game = games[pair.id]
        if len(game) != 2:
            raise DataError(f"pair {pair.id!r} was judged in one order only, the published rule needs both")
        first, second = game[Order.AB], game[Order.BA]
        points = sum(0 if one not in ("A", "B") else (1 if one == pair.gold else -1) for one in (first, second))
        counts["correct" if points > 0 else "incorrect" if points < 0 else "tied"] += 1
        counts["inconsistent"] += first != second
        counts["nulls"] += first is None or second is None
        counts["flips"] += {first, second} == {"A", "B"}
        counts["tie_changes"] += {first, second} in ({"A", "tie"}, {"B", "tie"})
    return PublishedJudgeBenchScore(pairs=len(log.pairs), **counts)


def _decision(entry: LogEntry) -> str | None:
    """A decision in identity terms as text; an unknown one as it was written, None for a null."""
    outcome = entry.completion.log_outcome
    preference = None if outcome is None else preference_of(outcome, entry.presentation.order)
    return entry.completion.log_note if preference is None else str(preference)


def _judgment(game: Node) -> _Judgment:
    if game.value is None:
        return _Judgment(text=None, prompt=None, decision=None, recorded=False, model=None)
    if "decision" not in game.mapping():
        raise game.error("has no decision")
    decision = game.get("decision")
    inner = game.child("judgment")
    response, prompt, model = inner.get("response"), inner.get("prompt"), inner.get("judge_model")
    return _Judgment(
        text=None if response is None else response.text(),
        prompt=None if prompt is None else prompt.text(),
        decision=None if decision is None else decision.text(),
        recorded=True,
        model=None if model is None else model.name(),
    )


def _completion(judgment: _Judgment) -> Completion:
    if not judgment.recorded:
        problem = "the log holds no judgment"
        return Completion(text=None, finish_reason=FinishReason.ERROR, error=problem, log_outcome=Outcome.ERROR)
    known = judgment.decision is None or judgment.decision in _DECISION
    return Completion(
        text=judgment.text,
        finish_reason=FinishReason.NOT_GENERATED if judgment.text is None else FinishReason.UNKNOWN,
        log_outcome=Outcome.UNPARSED
        if judgment.decision is None
        else _DECISION.get(judgment.decision, Outcome.UNPARSED),
        log_note=None if known else f"decision {short(judgment.decision)}",
    )


def _model(parsed: Sequence[_Row]) -> str:
    named = [(row, one.model) for row in parsed for one in row.judgments if one.model is not None]
    return _same([row for row, _ in named], [model for _, model in named], "judge_model") if named else "unknown"


def _same(rows: Sequence[_Row], values: Sequence[str], field: str) -> str:
    for row, value in zip(rows, values, strict=True):
        if value != values[0]:
            raise DataError(
                f"is {short(value)}, but row {rows[0].node.row} has {short(values[0])}: a log is of one judge",
                path=row.node.path,
                row=row.node.row,
                field=field,
                remedy="split the file by judge",
            )
    return values[0]
