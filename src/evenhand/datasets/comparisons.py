"""From questions and several models' answers to pairs: every two models, one pair for each turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from evenhand.datasets.base import LoadedPairs, sources_in_turn
from evenhand.records import Pair, content_hash

__all__ = ["Question", "compare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, turn by turn."""

    category: str
    turns: tuple[str, ...]


def compare(
    questions: Mapping[str, Question], answers: Mapping[str, Mapping[str, tuple[str | None, ...]]], *, spec: str
) -> LoadedPairs:
    """Make the pairs of every question.

    Parameters
    ----------
    questions
        By id.
    answers
        For each question's id and each model, its answers in the order of the turns; None where one failed.
    spec
        Of the data set.
    """
    models = sorted({model for given in answers.values() for model in given})
    left_out: Counter[str] = Counter()
    seen: set[tuple[str, frozenset[str]]] = set()
    kept: list[Pair] = []
    for identity, question in questions.items():
        for pair in _comparisons(identity, question, answers.get(identity, {}), models):
            if pair is None:
                left_out[_MISSING] += 1
            elif pair.response_a == pair.response_b:
                left_out[_IDENTICAL] += 1
            elif (text := (pair.instruction, frozenset((pair.response_a, pair.response_b)))) in seen:
                left_out[_REPEATED] += 1
            else:
                seen.add(text)
                kept.append(pair)
    unknown = sum(identity not in questions for identity in answers)
    kept.sort(key=lambda pair: content_hash(pair.id))
    return LoadedPairs(pairs=sources_in_turn(kept), spec=spec, notes=tuple(_notes(left_out, unknown=unknown)))


_IDENTICAL = "whose two responses are identical"
_REPEATED = "that repeat another's instruction and responses"
_MISSING = "for which a model's answer is missing"


def _notes(left_out: Mapping[str, int], *, unknown: int) -> Iterator[str]:
    for why in (_IDENTICAL, _REPEATED, _MISSING):
        if left_out.get(why):
            yield f"comparisons left out {why}: {left_out[why]:,}"
    if unknown:
        yield f"questions with answers but not among the questions, left out: {unknown:,}"


def _comparisons(
    identity: str, question: Question, given: Mapping[str, tuple[str | None, ...]], models: list[str]
) -> Iterator[Pair | None]:
    """A pair for every two models and every turn; None where an answer is missing."""
    for one, other in combinations(models, 2):
        a, b = (one, other) if _in_order(identity, one, other) else (other, one)
        for turn in range(1, len(question.turns) + 1):
            asked = question.turns[:turn]
            response_a, response_b = (_response(asked, given.get(model, ())[:turn]) for model in (a, b))
            if response_a is None or response_b is None:
                yield None
                continue
            yield Pair(
                id=f"mt_bench-{identity}-turn{turn}-{a}-vs-{b}",
                instruction=_instruction(asked),
                response_a=response_a,
                response_b=response_b,
                source=question.category,
                group=content_hash(question.turns[0])[:16],
                author_a=a,
                author_b=b,
                metadata=(("question_id", identity), ("turn", str(turn))),
            )


def _in_order(identity: str, one: str, other: str) -> bool:
    """Whether the first of two sorted models is A: by a hash, so in half of the questions."""
    return content_hash([identity, one, other])[0] in "01234567"


def _instruction(asked: tuple[str, ...]) -> str:
    if len(asked) == 1:
        return asked[0]
    shown = "\n\n".join(f"### Question {number}:\n{text}" for number, text in enumerate(asked, start=1))
    return (
        f"A user asks {len(asked)} questions, one after the other. The responses are whole conversations. Judge above "
        f"all the answer to the last question.\n\n{shown}"
    )


def _response(asked: tuple[str, ...], given: tuple[str | None, ...]) -> str | None:
    """The answer, or the whole conversation where there is more than one turn; None where an answer is missing."""
    answers = [text for text in given if text is not None]
    if len(answers) < len(asked):
        return None
    if len(asked) == 1:
        return answers[0]
    return "\n\n".join(
        f"### User:\n{question}\n\n### Assistant:\n{answer}" for question, answer in zip(asked, answers, strict=True)
    )
