"""MT-Bench: pairs of models' answers to 80 two-turn questions (Zheng et al., arXiv:2306.05685)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.datasets.base import Dataset, LoadedPairs, require_path
from evenhand.datasets.comparisons import Question, compare
from evenhand.datasets.fields import required_text, wrong_value
from evenhand.datasets.hub import HubDataset, HubTable, hub_request
from evenhand.datasets.rows import Row, read_json_lines, require_file
from evenhand.errors import DataError
from evenhand.records import Pair

__all__ = ["MtBenchDataset"]

_QUESTIONS = "question.jsonl"
_ANSWERS = "model_answer"
_FAILED: Final = "$ERROR$"
"""What FastChat writes for an answer that an API failed to give (``API_ERROR_OUTPUT``): no response."""
_TABLES = (HubTable(repository="lmsys/mt_bench_human_judgments", split="gpt4_pair"),)
"""Its 2,400 rows are all pairs of six models on 80 questions and both turns, each with both conversations."""
_CATEGORIES = ("writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities")
"""Of questions 81 to 160, ten each, as in FastChat's ``question.jsonl``; the hub's rows don't name them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MtBenchDataset:
    """FastChat's layout: ``question.jsonl`` and ``model_answer/*.jsonl``, one file a model, in one directory.

    Every two models that answered a question make one pair for its first turn and one for its second: with the six
    published models 80 questions x 15 pairs x 2 turns = 2,400. (FastChat's ``choices`` may hold several answers; the
    first counts.) A first-turn pair is the question and the two answers. A second-turn pair shows both turns, as
    FastChat's prompt ``pair-v2-multi-turn`` does: its responses are the whole conversations, under the headings
    ``### User:`` and ``### Assistant:``, and its instruction gives both questions and asks, as that prompt does, to
    look at the answer to the second above all.

    Which of two models is A is decided by a hash of the question's id and the models' names, the same for both turns:
    in the alphabet's order, a weak model would always be A. The group is the first turn's question, for both turns;
    the source is the category; the authors are the models. There is no gold preference. Sources come in turn, and
    within one the order is that of a hash of the ids, so that a prefix mixes categories, questions, models and turns.

    Left out and counted (:attr:`LoadedPairs.notes`): comparisons whose responses are identical, which nobody can
    decide; those that repeat another's instruction and two responses; those for which one of the two has no answer, or
    the one that FastChat writes for a failed call. ``mt_bench:hub`` makes the same pairs from the six models'
    conversations on the hub.

    Attributes
    ----------
    path
        The directory, such as FastChat's ``fastchat/llm_judge/data/mt_bench``.
    """

    path: Path

    @property
    def spec(self) -> str:
        """``mt_bench:DIR``."""
        return f"mt_bench:{self.path}"

    @classmethod
    def from_spec(cls, rest: str | None) -> Dataset:
        """Build it from a directory, or from ``hub`` or ``hub@REVISION``."""
        if (asked := hub_request("mt_bench", rest)) is not None:
            return HubDataset(name="mt_bench", tables=_TABLES, revision=asked.revision, make=_from_hub)
        return cls(path=require_path("mt_bench", rest))

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, categories in turn."""
        return self.read().pairs

    def read(self) -> LoadedPairs:
        """The pairs, and how many comparisons were left out.

        Raises
        ------
        DataError
            There is no question file or no answers, a row or field can't be read, or an answer is there twice.
        """
        if not self.path.is_dir():
            raise DataError("no such directory", path=self.path, remedy=f"give the directory that holds {_QUESTIONS}")
        require_file(self.path / _QUESTIONS)
        questions = _read_questions(read_json_lines(self.path / _QUESTIONS))
        files = sorted((self.path / _ANSWERS).glob("*.jsonl"))
        if not files:
            raise DataError(f"holds no {_ANSWERS}/*.jsonl", path=self.path, remedy="put one file a model there")
        answers = _Answers()
        for file in files:
            for row in read_json_lines(file):
                answers.add(_question_id(row), required_text(row, "model_id"), _turns_of_answer(row), row)
        return compare(questions, answers.turns, spec=self.spec)


class _Answers:
    """Each model's turns by question and model, and the row that each came from."""

    def __init__(self) -> None:
        self.turns: dict[str, dict[str, tuple[str | None, ...]]] = {}
        self._places: dict[tuple[str, str], Row] = {}

    def add(self, question: str, model: str, turns: Sequence[str | None], row: Row) -> None:
        """Take one model's answer to one question; a second one is an error."""
        if not model.strip():
            raise wrong_value(row, "model_id", "a text that isn't blank")
        first = self._places.setdefault((question, model), row)
        if first is not row:
            raise DataError(
                f"{model} has answered question {question} already in {first.path}, row {first.number}",
                path=row.path,
                row=row.number,
                field="question_id",
                remedy="keep one answer of each model",
            )
        self.turns.setdefault(question, {})[model] = tuple(turns)

    def add_again(self, question: str, model: str, turns: Sequence[str | None], row: Row, *, field: str) -> None:
        """Take a conversation that other rows show too: it must be the same there, or go on from it."""
        known = self.turns.setdefault(question, {}).get(model, ())
        shorter = min(len(known), len(turns))
        if tuple(known[:shorter]) != tuple(turns[:shorter]):
            first = self._places[question, model]
            raise DataError(
                f"differs from {model}'s conversation on question {question} in row {first.number}",
                path=row.path,
                row=row.number,
                field=field,
            )
        if len(turns) > len(known):
            self._places[question, model] = row
            self.turns[question][model] = tuple(turns)


def _read_questions(rows: Iterable[Row]) -> dict[str, Question]:
    questions: dict[str, Question] = {}
    for row in rows:
        identity = _question_id(row)
        if identity in questions:
            raise DataError(f"question {identity} is there twice", path=row.path, row=row.number, field="question_id")
        turns = _texts(row, "turns", row.values.get("turns"))
        questions[identity] = Question(category=required_text(row, "category"), turns=turns)
    return questions


def _question_id(row: Row) -> str:
    match row.values.get("question_id"):
        case int() as number if not isinstance(number, bool):
            return str(number)
        case str() as text if text.strip():
            return text
        case _:
            raise wrong_value(row, "question_id", "a whole number or a text")


def _turns_of_answer(row: Row) -> tuple[str | None, ...]:
    choices = row.values.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise wrong_value(row, "choices", "a list whose first item has turns")
    return tuple(_given(text) for text in _texts(row, "choices[0].turns", choices[0].get("turns")))


def _texts(row: Row, field: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(text, str) for text in value):
        raise DataError("expected a list of texts, not empty", path=row.path, row=row.number, field=field)
    return tuple(value)


def _given(text: str) -> str | None:
    return None if text == _FAILED else text


def _from_hub(tables: Mapping[str, Sequence[Row]], spec: str) -> LoadedPairs:
    questions: dict[str, Question] = {}
    answers = _Answers()
    for row in (row for rows in tables.values() for row in rows):
        identity = _question_id(row)
        for side in ("a", "b"):
            field = f"conversation_{side}"
            asked, given = _conversation(row, field)
            known = questions.get(identity)
            shorter = min(len(asked), len(known.turns) if known is not None else 0)
            if known is not None and known.turns[:shorter] != asked[:shorter]:
                raise DataError(
                    f"asks something else than other rows of question {identity}",
                    path=row.path,
                    row=row.number,
                    field=field,
                )
            if known is None or len(asked) > len(known.turns):
                questions[identity] = Question(category=_category(identity), turns=asked)
            answers.add_again(identity, required_text(row, f"model_{side}"), given, row, field=field)
    return compare(questions, answers.turns, spec=spec)


def _conversation(row: Row, field: str) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    """Questions and answers of a chat in which user and assistant take turns."""
    messages = row.values.get(field)
    if not isinstance(messages, list) or not messages or len(messages) % 2:
        raise wrong_value(row, field, "messages of user and assistant in turn")
    texts = []
    for place, message in enumerate(messages):
        role = "assistant" if place % 2 else "user"
        content = message.get("content") if isinstance(message, Mapping) else None
        if not isinstance(content, str) or message.get("role") != role:
            raise DataError(f"expected a text by the {role}", path=row.path, row=row.number, field=f"{field}[{place}]")
        texts.append(content)
    return tuple(texts[::2]), tuple(_given(text) for text in texts[1::2])


def _category(identity: str) -> str:
    place = int(identity) - 81 if identity.isascii() and identity.isdigit() else -1
    return _CATEGORIES[place // 10] if 0 <= place < 80 else ""
