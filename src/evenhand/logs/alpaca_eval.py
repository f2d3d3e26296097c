"""AlpacaEval annotations: one soft preference a row, with the judge's raw first-token log probabilities.

A row was shown in one order only, and the file says which only by implication. AlpacaEval 2's prompt shows one response
under the identifier ``m`` and then the other under ``M``; its ``logprob_parser`` stores 2 − p(m) / (p(m) + p(M)), and
where the two responses had been switched for the prompt, 3 minus that. So the stored number and the log probabilities
together tell the order, unless both labels were equally likely. (Prompt ``alpaca_eval_clf``, ``completion_parsers.py``
and ``processors.py`` of https://github.com/tatsu-lab/alpaca_eval.)
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from evenhand.errors import DataError
from evenhand.logs.alpaca_eval_win_rate import (
    PREFERENCE,
    PublishedWinRate,
    leaderboard_win_rate,
    published_win_rate,
    recomputed_win_rate,
)
from evenhand.logs.base import Excluded, GrammarHint, LogEntry, VerdictLog
from evenhand.logs.documents import Document, Node, read_json_array, short
from evenhand.logs.rows import PROMPT_NOT_RECORDED, RowLog
from evenhand.records import first_token_of
from evenhand.records.completion import Completion, FinishReason, FirstToken
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.outcome import Order, Outcome, Preference, slot_of
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition, Presentation

__all__ = [
    "LABELS",
    "AlpacaEvalLog",
    "PublishedWinRate",
    "leaderboard_win_rate",
    "published_win_rate",
    "recomputed_win_rate",
    "seeded_order",
]

LABELS = LabelSet(first="m", second="M", case_sensitive=True)
"""AlpacaEval 2's identifiers: the response shown first is ``m``."""

_TOLERANCE = 1e-6
"""Preferences are stored with 10 decimals; two readings closer than this are not told apart."""

_ENOUGH_TO_TRUST_THE_SEED = 20
"""Rows that must all agree with the seeded rule before it decides one: by chance that has probability 2⁻²⁰."""

_FINISH = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH, "content_filter": FinishReason.FILTERED}

_RULES = (
    "AlpacaEval took the probability of M over that of m and M at the first token, a label outside the returned top "
    "tokens counted as probability 0, as a soft preference; here above 1.5 is output_2, below output_1, 1.5 a tie."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    node: Node
    pair: Pair
    annotator: str
    preference: float | None
    completion: Completion
    order: Order | None
    why_no_order: str


class AlpacaEvalLog(RowLog[_Row]):
    """Reader of an AlpacaEval ``annotations.json`` of an annotator that reads first-token log probabilities.

    ``output_1`` (the reference) is identity A, ``output_2`` (the model) is B.
    """

    name: ClassVar[str] = "alpaca_eval"

    @classmethod
    def recognises(cls, record: object) -> bool:
        """Whether a record has AlpacaEval's preference beside two outputs."""
        return isinstance(record, dict) and {"instruction", "output_1", "output_2", "preference"} <= record.keys()

    def load(self, path: Path) -> Document:
        """Read the file."""
        return read_json_array(path)

    def parse(self, row: Node) -> _Row:
        """Check one annotation and infer its order from the numbers."""
        preference = _preference(row)
        names = {key: node.name() for key in ("generator_1", "generator_2", "dataset") if (node := row.get(key))}
        completion = _completion(row.get("raw_completion"))
        order, why = _order(preference, completion.first_token)
        stored = () if preference is None else ((PREFERENCE, repr(preference)),)
        return _Row(
            node=row,
            pair=Pair(
                id=f"alpaca_eval-{row.row}",
                instruction=row.child("instruction").text(),
                response_a=row.child("output_1").text(),
                response_b=row.child("output_2").text(),
                source=names.get("dataset", ""),
                author_a=names.get("generator_1"),
                author_b=names.get("generator_2"),
                metadata=stored,
            ),
            annotator=node.name() if (node := row.get("annotator")) else "unknown",
            preference=preference,
            completion=completion,
            order=order,
            why_no_order=why,
        )

    def assemble(self, document: Document, parsed: Sequence[_Row]) -> VerdictLog:
        """Make pairs and entries; rows of unknown order are excluded with their reason."""
        condition = self.judge or _same(parsed, "annotator", [row.annotator for row in parsed])
        seed_holds = _seed_holds(parsed)
        entries: list[LogEntry] = []
        excluded: list[Excluded] = []
        seeded = 0
        for row in parsed:
            order = row.order
            if order is None and seed_holds:
                order = seeded_order(row.pair.instruction)
                seeded += 1
            if order is None:
                excluded.append(Excluded(pair_id=row.pair.id, reason=row.why_no_order))
                continue
            key = document.key(self.name, row.pair.id, order, condition)
            entries.append(
                LogEntry(
                    presentation=Presentation(key=key, pair_id=row.pair.id, condition=condition, order=order),
                    completion=_with_outcome(row.completion, _outcome(row.preference, order)),
                )
            )
        if not entries:
            raise DataError(
                f"no row tells which response was shown first: {parsed[0].why_no_order}",
                path=document.path,
                remedy="annotations with raw first-token log probabilities are needed",
            )
        return VerdictLog(
            format=self.name,
            pairs=tuple(row.pair for row in parsed),
            entries=tuple(entries),
            conditions=(Condition(id=condition, prompt=condition, prompt_hash=PROMPT_NOT_RECORDED, labels=LABELS),),
            judge=JudgeIdentity(spec=f"log:alpaca_eval:{condition}", model=self.model or condition),
            orders="single",
            log_rules=_RULES,
            grammars=((condition, GrammarHint(labels=LABELS)),),
            file_sha256=document.sha256,
            notes=_notes(entries, seeded),
            excluded=tuple(excluded),
        )


def seeded_order(instruction: str) -> Order:
    """Order that AlpacaEval's seeded shuffle gives an instruction (seed 0, its default).

    It draws once from Python's own generator, seeded by the text ``is_switched_outputs`` + instruction + ``0``.

    Examples
    --------
    >>> seeded_order("What are the names of some famous actors that started their careers on Broadway?")
    <Order.BA: 'BA'>
    """
    generator = random.Random(f"is_switched_outputs{instruction}0")  # noqa: S311 - the published rule, not a secret
    return Order.BA if generator.choices([False, True], k=1)[0] else Order.AB


def _preference(row: Node) -> float | None:
    if "preference" not in row.mapping():
        raise row.error("has no preference", remedy="null says that there is none")
    node = row.get("preference")
    if node is None or (isinstance(node.value, float) and math.isnan(node.value)):
        return None
    number = node.number()
    if number != 0 and not 1 <= number <= 2:
        raise node.error(f"is {number}, expected 1 to 2, 0 for a tie, or null")
    return number


def _completion(node: Node | None) -> Completion:
    """Take text, finish reason and the first position's log probabilities; each may be absent."""
    if node is None:
        return Completion(text=None, finish_reason=FinishReason.UNKNOWN)
    if isinstance(node.value, str):  # annotators without log probabilities store the bare text
        return Completion(text=node.value, finish_reason=FinishReason.UNKNOWN)
    text, finish = node.get("text"), node.get("finish_reason")
    return Completion(
        text=None if text is None else text.text(),
        finish_reason=FinishReason.UNKNOWN if finish is None else _FINISH.get(finish.text(), FinishReason.UNKNOWN),
        first_token=_first_token(node),
    )


def _first_token(node: Node) -> FirstToken | None:
    logprobs = node.get("logprobs")
    content = None if logprobs is None else logprobs.get("content")
    positions = () if content is None else content.items()
    if not positions:
        return None
    top: dict[str, float] = {}
    for entry in positions[0].child("top_logprobs").items():
        token = entry.child("token").text()
        if token in top:
            raise entry.error(f"token {short(token)} is listed twice")
        top[token] = _logprob(entry.child("logprob"))
    return first_token_of(top, LABELS) if top else None


def _logprob(node: Node) -> float:
    number = node.number()
    if number > 0:
        raise node.error(f"is {number}, a natural-log probability is at most 0")
    return number


def _order(preference: float | None, first: FirstToken | None) -> tuple[Order | None, str]:
    """Tell the order in which the row was shown, or why it can't be told."""
    if preference is None:
        return None, "it has no preference"
    if first is None:
        return None, "it has no first-token log probabilities"
    probability = _published_probability(first)
    if probability is None:
        return None, "neither m nor M is among the returned tokens"
    straight, switched = 2 - probability, 1 + probability
    fits_straight = abs(preference - straight) <= _TOLERANCE
    fits_switched = abs(preference - switched) <= _TOLERANCE
    if fits_straight and fits_switched:
        return None, "m and M are equally likely, so its preference fits both orders"
    if not fits_straight and not fits_switched:
        return None, f"its preference {preference} follows from its log probabilities in neither order"
    return (Order.AB if fits_straight else Order.BA), ""


def _published_probability(first: FirstToken) -> float | None:
    """Published p(m) / (p(m) + p(M)): exact tokens only, an absent one counted as 0; None where both are."""
    known = {token.text: token.logprob for token in first.top if token.logprob is not None}
    first_log, second_log = known.get(LABELS.first), known.get(LABELS.second)
    if first_log is None or second_log is None:
        return None if first_log is second_log else float(first_log is not None)
    # exp overflows beyond 709, where the ratio is 0 to double precision.
    return 1 / (1 + math.exp(min(second_log - first_log, 700.0)))


def _seed_holds(parsed: Sequence[_Row]) -> bool:
    told = [row for row in parsed if row.order is not None]
    return len(told) >= _ENOUGH_TO_TRUST_THE_SEED and all(
        seeded_order(row.pair.instruction) is row.order for row in told
    )


def _outcome(preference: float | None, order: Order) -> Outcome:
    if preference is None:
        return Outcome.UNPARSED
    if preference in (0, 1.5):
        return Outcome.TIE
    return slot_of(Preference.B if preference > 1.5 else Preference.A, order)


def _with_outcome(completion: Completion, outcome: Outcome) -> Completion:
    return Completion(
        text=completion.text,
        finish_reason=completion.finish_reason,
        first_token=completion.first_token,
        log_outcome=outcome,
    )


def _notes(entries: Sequence[LogEntry], seeded: int) -> tuple[str, ...]:
    differs = sum(
        entry.completion.text is not None
        and entry.completion.first_token is not None
        and entry.completion.text != entry.completion.first_token.argmax.text
        for entry in entries
    )
    notes = [
        "each pair was shown in one order, inferred from its preference and log probabilities: no position figure",
        f"the text is one token that AlpacaEval sampled at temperature 1: in {differs} of {len(entries)} rows it is "
        "not the most probable token",
    ]
    if seeded:
        notes.append(
            f"order by AlpacaEval's seeded shuffle where a row's numbers don't tell it: in {seeded} of {len(entries)}; "
            "it agrees with every row whose numbers do"
        )
    return tuple(notes)


def _same(parsed: Sequence[_Row], field: str, values: Sequence[str]) -> str:
    for row, value in zip(parsed, values, strict=True):
        if value != values[0]:
            problem = f"is {short(value)}, but row {parsed[0].node.row} has {short(values[0])}: a log is of one judge"
            raise DataError(problem, path=row.node.path, row=row.node.row, field=field, remedy="split the file")
    return values[0]
