"""From journal entries to the verdict table: every readout its row, failures counted, nothing invented."""

from dataclasses import replace

import polars as pl
import pytest

from evenhand.errors import DataError
from evenhand.records import (
    Ask,
    Completion,
    Condition,
    DataIdentity,
    FinishReason,
    FirstToken,
    GrammarHint,
    JudgeIdentity,
    LabelSet,
    Order,
    Outcome,
    Pair,
    Preference,
    Presentation,
    Readout,
    RunManifest,
    TokenLogProb,
)
from evenhand.store import JournalEntry
from evenhand.workflow.read import read_verdicts

AB = LabelSet.parse("A/B")
PAIR = Pair(id="p", instruction="?", response_a="yes", response_b="no", group="g", source="s", gold=Preference.B)
CONDITION = Condition(id="c", prompt="single", prompt_hash="1", labels=AB)
MANIFEST = RunManifest(
    kind="live",
    judge=JudgeIdentity(spec="x:y", model="y"),
    data=DataIdentity(spec="made up", pairs=1, sha256="00"),
    conditions=(CONDITION,),
    readouts=("first-token", "generated", "hybrid"),
)
FAILED = Completion(text=None, finish_reason=FinishReason.ERROR, error="the wire broke")


def first_token(*, argmax: str, a: float = -3.0, b: float = -1.0) -> FirstToken:
    return FirstToken(
        argmax=TokenLogProb(text=argmax, logprob=-0.5),
        labels=(
            (Outcome.FIRST, (TokenLogProb(text="A", logprob=a),)),
            (Outcome.SECOND, (TokenLogProb(text="B", logprob=b),)),
        ),
    )


def wrote(text: str, **more: object) -> Completion:
    return Completion(text=text, finish_reason=FinishReason.STOP, **more)


def table(completion: Completion | None, *, order: Order = Order.AB, manifest: RunManifest = MANIFEST) -> pl.DataFrame:
    entry = JournalEntry(
        presentation=Presentation(key="k", pair_id="p", condition="c", order=order), completion=completion
    )
    return read_verdicts(manifest, [PAIR], [entry])


def outcomes(frame: pl.DataFrame) -> dict[str, str]:
    return dict(frame.select("readout", "outcome").iter_rows())


def test_each_readout_has_its_row() -> None:
    frame = table(wrote("The answer is A.", first_token=first_token(argmax="The")))
    assert outcomes(frame) == {"first-token": "second", "generated": "first", "hybrid": "first"}
    assert dict(frame.select("readout", "generated").iter_rows()) == {
        "first-token": False,
        "generated": True,
        "hybrid": True,
    }
    assert frame["compliant"].to_list() == [False] * 3
    assert frame.row(0, named=True) | {"pair_id": "p", "group": "g", "source": "s", "gold": "B"} == frame.row(
        0, named=True
    )


def test_a_compliant_presentation_is_read_by_its_first_token() -> None:
    frame = table(wrote("B, though the answer is A.", first_token=first_token(argmax="B")))
    assert outcomes(frame)["hybrid"] == "second"
    assert frame["compliant"].to_list() == [True] * 3
    assert frame["lead"].to_list() == ["second"] * 3
    assert frame.filter(readout="hybrid")["generated"].to_list() == [False]
    assert frame.filter(readout="first-token")["log_odds"].to_list() == [pytest.approx(-2.0)]


def test_preference_follows_the_order() -> None:
    for order, preference in ((Order.AB, "A"), (Order.BA, "B")):
        frame = table(wrote("The answer is A."), order=order).filter(readout="generated")
        assert frame["preference"].to_list() == [preference]


def test_a_failed_judgment_is_an_error_under_every_readout() -> None:
    frame = table(FAILED)
    assert outcomes(frame) == dict.fromkeys(("first-token", "generated", "hybrid"), "error")
    assert frame["preference"].null_count() == 3


def test_what_was_not_asked_yet_has_no_row() -> None:
    assert table(None).height == 0


def test_only_the_runs_readouts_are_read() -> None:
    manifest = replace(MANIFEST, readouts=("generated",))
    assert outcomes(table(wrote("[[B]]", first_token=first_token(argmax="B")), manifest=manifest)) == {
        "generated": "second"
    }


def test_a_logs_own_reading_stands_beside_ours_and_not_beside_itself() -> None:
    manifest = replace(MANIFEST, kind="log", readouts=("generated", "logged"))
    frame = table(wrote("[[B]]", log_outcome=Outcome.FIRST), manifest=manifest)
    assert outcomes(frame) == {"generated": "second", "logged": "first"}
    assert dict(frame.select("readout", "log_outcome").iter_rows()) == {"generated": "first", "logged": None}
    assert outcomes(table(wrote("[[B]]"), manifest=manifest)) == {"generated": "second"}


@pytest.mark.parametrize(
    ("hint", "text", "outcome"),
    [
        (GrammarHint(labels=AB, comparison=True), "[[B>>A]]", "second"),
        (None, "[[B>>A]]", "unparsed"),
        (GrammarHint(labels=AB, case_insensitive=True), "The answer is b.", "second"),
        (GrammarHint(labels=AB, parenthesised=True), "(B)", "second"),
        (GrammarHint(labels=AB, parenthesised=True), "B", "unparsed"),
        (GrammarHint(labels=AB, nouns=("Essay",)), "For me Essay B is better.", "second"),
        (GrammarHint(labels=AB, nouns=("Essay",)), "For me Response B is better.", "second"),  # ours stay known
    ],
)
def test_a_conditions_grammar_is_used(hint: GrammarHint | None, text: str, outcome: str) -> None:
    manifest = replace(MANIFEST, conditions=(replace(CONDITION, grammar=hint),))
    assert outcomes(table(wrote(text), manifest=manifest))["generated"] == outcome


def test_what_a_live_judge_did_not_give_is_a_state_and_a_log_is_not_blamed() -> None:
    silent = wrote("A", note="endpoint refuses logprobs")
    live = table(silent)
    assert outcomes(live) == {"first-token": "unparsed", "generated": "first", "hybrid": "unparsed"}
    assert live["compliant"].to_list() == [None] * 3
    assert outcomes(table(silent, manifest=replace(MANIFEST, kind="log"))) == {"generated": "first"}


def test_a_presentation_is_read_in_the_way_it_was_asked() -> None:
    manifest = replace(MANIFEST, readouts=tuple(Readout))
    answer = wrote("B", first_token=first_token(argmax="A", a=-0.5))
    for ask, expected in (
        (Ask.OPEN, {"first-token": "first", "generated": "second", "hybrid": "first"}),
        (Ask.FIRST, {"first-token": "first"}),
        (Ask.WRITTEN, {"generated": "second"}),
        (Ask.PREFILLED, {"prefilled": "first"}),
        (Ask.CONSTRAINED, {"constrained": "second"}),
    ):
        presentation = Presentation(key="k", pair_id="p", condition="c", order=Order.AB, ask=ask)
        frame = read_verdicts(manifest, [PAIR], [JournalEntry(presentation=presentation, completion=answer)])
        assert outcomes(frame) == expected


@pytest.mark.parametrize(
    ("field", "what"), [("condition", "the run has no condition 'other'"), ("pair_id", "the run has no pair 'other'")]
)
def test_what_the_run_has_not_is_named_and_never_a_traceback(field, what):
    presentation = replace(Presentation(key="k", pair_id="p", condition="c", order=Order.AB), **{field: "other"})
    with pytest.raises(DataError, match=what):
        read_verdicts(MANIFEST, [PAIR], [JournalEntry(presentation=presentation, completion=wrote("A"))])
