"""LLMBar evaluator results: ``result.json``, both orders of every pair (Zeng et al. 2024, arXiv:2310.07641)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Unpack

from evenhand.errors import ConfigError
from evenhand.logs.base import GrammarHint, LogEntry, VerdictLog
from evenhand.logs.documents import Document, Node, read_json_array, short
from evenhand.logs.llmbar_statistics import (
    DecidedStatistics,
    LlmBarStatistics,
    decided_statistics,
    published_statistics,
)
from evenhand.logs.rows import PROMPT_NOT_RECORDED, RowLog, RowOptions, state_without_verdict
from evenhand.records.completion import Completion, FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Order, Preference, slot_of
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Presentation

__all__ = ["DecidedStatistics", "LlmBarLog", "LlmBarStatistics", "decided_statistics", "published_statistics"]

_KEYS = (("swap = False", Order.AB), ("swap = True", Order.BA))
"""The format's names of the two orders: without a swap ``output_1`` is shown first."""

_FINISH = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
    # LLMBar's evaluate.py writes these two when the provider refuses, or when no room is left for an answer.
    "content management policy": FinishReason.FILTERED,
    "0 is less than the minimum of": FinishReason.ERROR,
}

_RULES = (
    "LLMBar searched the text for a pattern per label, 'Output (a) is better' or any line that begins 'Output (a)' by "
    "evaluator, tried (a) before (b) so that a text matching both reads as (a), and mapped the label to the output; no "
    "match is None."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    order: Order
    text: str
    finish: str
    winner: Preference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    number: int
    instruction: str
    output_1: str
    output_2: str
    gold: Preference
    rounds: int
    answers: tuple[_Answer, ...]


class LlmBarLog(RowLog[_Row]):
    """Reader of LLMBar's ``result.json``, given as the file or as the directory that holds it.

    Parameters
    ----------
    judge, model, subset
        Evaluator (such as ``GPT-4/Vanilla``), model and subset; taken from the directories above the file else.
    round
        ``final`` (what LLMBar's statistics use) or ``first``. A *Swap* evaluator asks a second time, with both
        explanations in the prompt, where its two first answers conflict: its final round mixes two prompts.
    """

    name: ClassVar[str] = "llmbar"

    def __init__(
        self,
        *,
        subset: str | None = None,
        round: Literal["final", "first"] = "final",
        **options: Unpack[RowOptions],
    ) -> None:
        super().__init__(**options)
        if round not in ("final", "first"):
            raise ConfigError(f"round {round!r}: expected final or first")
        self.subset = subset
        self.round = round

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record has LLMBar's results beside two outputs."""
        return isinstance(record, dict) and {"results", "output_1", "output_2", "label"} <= record.keys()

    def load(self, path: Path) -> Document:
        """Read the file, or ``result.json`` of a directory."""
        return read_json_array(path / "result.json" if path.is_dir() else path)

    def parse(self, row: Node) -> _Row:
        """Check one pair with its rounds."""
        label = row.child("label")
        if isinstance(label.value, bool) or label.value not in (1, 2):
            raise label.error(f"is {short(label.value)}, expected 1 or 2")
        rounds = row.child("results").items()
        # A round that is a list is an auxiliary text (a metric, a reference answer), not a comparison.
        comparisons = [item for item in rounds if isinstance(item.value, dict)]
        if not comparisons or not isinstance(rounds[-1].value, dict):
            raise row.child("results").error("its last round is no comparison of the two outputs")
        chosen = comparisons[-1] if self.round == "final" else comparisons[0]
        return _Row(
            number=row.row,
            instruction=row.child("input").text(),
            output_1=row.child("output_1").text(),
            output_2=row.child("output_2").text(),
            gold=Preference.A if label.value == 1 else Preference.B,
            rounds=len(comparisons),
            answers=tuple(_answer(chosen.child(key), order) for key, order in _KEYS),
        )

    def assemble(self, document: Document, parsed: Sequence[_Row]) -> VerdictLog:
        """Make pairs and entries, named after the directories where the options don't say."""
        subset, model, evaluator = self._names(document.path)
        condition = f"{model}/{evaluator}" if self.round == "final" else f"{model}/{evaluator}, first round"
        pairs: list[Pair] = []
        entries: list[LogEntry] = []
        for row in parsed:
            pair = Pair(
                id=f"llmbar-{subset}-{row.number - 1}",
                instruction=row.instruction,
                response_a=row.output_1,
                response_b=row.output_2,
                gold=row.gold,
                source=subset,
            )
            pairs.append(pair)
            entries.extend(
                LogEntry(
                    presentation=Presentation(
                        key=document.key(self.name, pair.id, answer.order, condition),
                        pair_id=pair.id,
                        condition=condition,
                        order=answer.order,
                    ),
                    completion=_completion(answer, final_of=row.rounds if self.round == "final" else 1),
                )
                for answer in row.answers
            )
        labels = LabelSet(first="a", second="b")
        hint = GrammarHint(labels=labels, nouns=("Output",), parenthesised=True, case_insensitive=True)
        return VerdictLog(
            format=self.name,
            pairs=tuple(pairs),
            entries=tuple(entries),
            conditions=(
                Condition(id=condition, prompt=f"LLMBar {evaluator}", prompt_hash=PROMPT_NOT_RECORDED, labels=labels),
            ),
            judge=JudgeIdentity(
                spec=f"log:llmbar:{self.judge or f'{model}/{evaluator}'}",
                model=model,
                settings=(("evaluator", evaluator), ("round", self.round)),
            ),
            orders="both",
            log_rules=_RULES,
            grammars=((condition, hint),),
            file_sha256=document.sha256,
            notes=self._notes(parsed),
        )

    def _names(self, path: Path) -> tuple[str, str, str]:
        """Subset, model and evaluator, from …/SUBSET[/evaluators]/MODEL/EVALUATOR/result.json or the options."""
        above = [part for part in path.absolute().parts[:-1] if part != "evaluators"]
        evaluator, model, subset = [*above[::-1], "", "", ""][:3]
        if self.judge is not None:
            evaluator = self.judge.rpartition("/")[2]
            model = self.judge.rpartition("/")[0] or model
        return self.subset or subset or "unknown", self.model or model or "unknown", evaluator or "unknown"

    def _notes(self, parsed: Sequence[_Row]) -> tuple[str, ...]:
        again = sum(row.rounds > 1 for row in parsed)
        if not again:
            return ()
        if self.round == "first":
            return (
                f"{again} of {len(parsed)} pairs were asked again by the evaluator; only the first answers are here",
            )
        return (
            f"for {again} of {len(parsed)} pairs, whose first answers conflicted, the final answer comes from another "
            "prompt that shows both explanations: position figures mix two prompts (round=first imports the first one)",
        )


def _answer(node: Node, order: Order) -> _Answer:
    if node.get("completion") is None:
        raise node.error(
            "has no completion: a Rating evaluator scores each output alone, so its log has no order",
            remedy="import a comparison evaluator's result.json",
        )
    completion = node.child("completion")
    parts = completion.items()
    if len(parts) != 2:
        raise completion.error(f"expected [text, finish reason], got {len(parts)} elements")
    winner = node.get("winner")
    if winner is None and "winner" not in node.mapping():
        raise node.error("has no winner")
    if winner is not None and winner.value not in ("1", "2"):
        raise winner.error(f"is {short(winner.value)}, expected '1', '2' or null")
    chosen = None if winner is None else (Preference.A if winner.value == "1" else Preference.B)
    finish = parts[1].text()
    if chosen is not None and _FINISH.get(finish) is FinishReason.ERROR:
        raise completion.error(f"a winner beside the error {short(finish)}")
    return _Answer(order=order, text=parts[0].text(), finish=finish, winner=chosen)


def _completion(answer: _Answer, *, final_of: int) -> Completion:
    reason = _FINISH.get(answer.finish, FinishReason.UNKNOWN)
    failed = reason is FinishReason.ERROR
    notes = []
    if final_of > 1:
        notes.append(f"round {final_of}, asked after conflicting answers")
    if answer.finish and answer.finish not in _FINISH:
        notes.append(f"finish reason {short(answer.finish)}")
    return Completion(
        text=None if failed else answer.text,
        finish_reason=reason,
        error=f"the log says: {answer.finish}" if failed else None,
        log_outcome=state_without_verdict(reason) if answer.winner is None else slot_of(answer.winner, answer.order),
        log_note="; ".join(notes) or None,
    )
