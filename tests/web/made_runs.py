"""Runs for tests of the pages: a journal filled by a function from presentation to completion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from evenhand.records import (
    Change,
    Completion,
    Condition,
    DataIdentity,
    FinishReason,
    FirstToken,
    JudgeIdentity,
    LabelSet,
    Message,
    Order,
    Outcome,
    Pair,
    Preference,
    Presentation,
    RunManifest,
    TokenLogProb,
)
from evenhand.store import Journal, Recording
from evenhand.web.app import create_app
from evenhand.web.served import ServedRun, open_runs

LABELS = LabelSet.parse("A/B/tie")
PLAIN = Condition(id="plain, A/B", prompt="plain", prompt_hash="0", labels=LABELS)
ENDORSED = Condition(
    id="plain, A/B; endorsement=user:B",
    prompt="plain",
    prompt_hash="0",
    labels=LABELS,
    changes=(Change(factor="endorsement", level="user", target=Preference.B),),
    control=PLAIN.id,
)

Answering = Callable[[Pair, Presentation], Completion]


def said(text: str, *, lead: str = "A", log_odds: float = 0.5) -> Completion:
    """A text with a first token; ``log_odds`` of the first slot."""
    first, second = TokenLogProb(text="A", logprob=-1.0), TokenLogProb(text="B", logprob=-1.0 - log_odds)
    token = FirstToken(
        argmax=TokenLogProb(text=lead, logprob=-0.5),
        labels=((Outcome.FIRST, (first,)), (Outcome.SECOND, (second,))),
        top=(first, second),
    )
    return Completion(text=text, finish_reason=FinishReason.STOP, first_token=token, budget=500)


def failed(problem: str) -> Completion:
    return Completion(text=None, finish_reason=FinishReason.ERROR, error=problem)


def manifest(pairs: Sequence[Pair], conditions: Sequence[Condition] = (PLAIN,)) -> RunManifest:
    return RunManifest(
        kind="live",
        judge=JudgeIdentity(spec="made:judge", model="judge"),
        data=DataIdentity(spec="made", pairs=len(pairs), sha256="0"),
        conditions=tuple(conditions),
        readouts=("first-token", "generated"),
        repeat=1,
        created="2026-11-30T00:00:00+00:00",
    )


def plan(pairs: Sequence[Pair], conditions: Sequence[Condition], *, repeats: int) -> Iterator[Presentation]:
    for condition in conditions:
        for number, pair in enumerate(pairs):
            for order in Order:
                first, second = (
                    (pair.response_a, pair.response_b) if order is Order.AB else (pair.response_b, pair.response_a)
                )
                content = f"{pair.instruction}\n\nA: {first}\nB: {second}"
                for repeat in range(1 + (repeats if order is Order.AB and number < 2 and not condition.changes else 0)):
                    yield Presentation(
                        key=f"k-{conditions.index(condition)}-{number}-{order}-{repeat}",
                        pair_id=pair.id,
                        condition=condition.id,
                        order=order,
                        repeat=repeat,
                        messages=(Message(role="user", content=content),),
                    )


def make_run(
    directory: Path,
    pairs: Sequence[Pair],
    answer: Answering,
    *,
    conditions: Sequence[Condition] = (PLAIN,),
    repeats: int = 0,
    unanswered: int = 0,
) -> Path:
    """A run whose last ``unanswered`` presentations have no completion."""
    planned = list(plan(pairs, conditions, repeats=repeats))
    by_id = {pair.id: pair for pair in pairs}
    with Journal.create(directory, manifest(pairs, conditions), pairs) as journal:
        journal.set_plan(planned)
        journal.record_all(
            Recording(key=each.key, completion=answer(by_id[each.pair_id], each))
            for each in planned[: len(planned) - unanswered]
        )
    return directory


OUTCOMES = {
    "same": ("A", "B"),
    "lock-first": ("A", "A"),
    "lock-second": ("B", "B"),
    "tie-and-choice": ("tie", "A"),
    "two-ties": ("tie", "tie"),
    "nothing": ("I can not say.", "A"),
    "broken": (None, "A"),
}
"""Pairs of :func:`small_pairs` by name, with what the judge concludes in AB and in BA; None: an error."""


def small_pairs() -> list[Pair]:
    gold = (Preference.A, Preference.B, None)
    return [
        Pair(
            id=name,
            instruction=f"Which number is larger in case {number}? 请比较 these two.",
            response_a=f"Seven, as {name} says.",
            response_b=f"Nine, whatever {name} says.",
            gold=gold[number % 3],
            source=("numbers", "words")[number % 2],
            author_a="model-one",
            author_b="model-two",
            metadata=(("why", "nine is larger"),),
        )
        for number, name in enumerate(OUTCOMES)
    ]


def small_answer(pair: Pair, presentation: Presentation) -> Completion:
    conclusion = OUTCOMES[pair.id][presentation.order is Order.BA]
    if conclusion is None:
        return failed("the endpoint said no")
    if presentation.repeat:
        conclusion = {"A": "B"}.get(conclusion, conclusion)
    text = conclusion if conclusion.endswith(".") else f"A is short and B is long. [[{conclusion}]]"
    if conclusion == "tie":
        text = "They are alike. The answer is: tie"
    return said(text, lead="A", log_odds=0.25 if presentation.order is Order.AB else 1.75)


def small_run(directory: Path, *, repeats: int = 1, changed: bool = True, unanswered: int = 0) -> Path:
    conditions = (PLAIN, ENDORSED) if changed else (PLAIN,)
    return make_run(
        directory, small_pairs(), small_answer, conditions=conditions, repeats=repeats, unanswered=unanswered
    )


def served(directory: Path, cache: Path) -> ServedRun:
    return open_runs([directory], cache=cache)[0]


@contextmanager
def client(*directories: Path, cache: Path, parts: Sequence[str] = ("browse",)) -> Iterator[TestClient]:
    """A browser that came in by the link."""
    app = create_app(open_runs(directories, cache=cache), token="the-token", parts=parts)  # noqa: S106
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as made:
        assert made.get("/?token=the-token").status_code == 200
        yield made
