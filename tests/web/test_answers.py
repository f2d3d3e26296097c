from __future__ import annotations

from dataclasses import replace

from evenhand.records import Ask, Completion, FinishReason, Order, Outcome, Presentation, Readout
from evenhand.store import JournalEntry
from evenhand.web.answers import read_answers
from evenhand.workflow.read import read_verdicts
from web.made_runs import PLAIN, failed, manifest, said, small_pairs

READOUTS = (Readout.FIRST_TOKEN, Readout.GENERATED)


def entry(
    completion: Completion | None, *, order: Order = Order.AB, condition: str = PLAIN.id, ask: Ask = Ask.OPEN
) -> JournalEntry:
    presentation = Presentation(key="k", pair_id="same", condition=condition, order=order, ask=ask)
    return JournalEntry(presentation=presentation, completion=completion)


def test_readings_are_those_of_the_runs_own_table() -> None:
    entries = [
        entry(said("A is good. [[B]]")),
        entry(said("I can not say.", lead="The")),
        entry(failed("no")),
        entry(replace(said("Let me think"), finish_reason=FinishReason.LENGTH)),
        entry(said("[[tie]]"), order=Order.BA),
    ]
    answers = read_answers(entries, PLAIN, READOUTS, live=True)
    table = read_verdicts(manifest(small_pairs()), small_pairs(), entries)
    found = [
        (each.readout.value, each.reading.outcome.value, each.preference and each.preference.value, answer.compliant)
        for answer in answers
        for each in answer.readings
    ]
    assert found == list(table.select("readout", "outcome", "preference", "compliant").iter_rows())


def test_what_decided_is_where_it_stands() -> None:
    text = "A is short.\n\nMy final verdict is [[B]]. Thanks."
    (answer,) = read_answers([entry(said(text))], PLAIN, READOUTS, live=True)
    assert answer.span is not None
    assert "[[B]]" in text[slice(*answer.span)]
    assert answer.lead is Outcome.FIRST
    assert answer.text == text


def test_no_text_decides_nothing() -> None:
    for completion in (failed("x"), Completion(text=None, finish_reason=FinishReason.NOT_GENERATED), said("No idea.")):
        (answer,) = read_answers([entry(completion)], PLAIN, READOUTS, live=True)
        assert answer.span is None


def test_other_conditions_are_left_out_and_numbers_stay() -> None:
    entries = [entry(said("A"), condition="other"), entry(None), entry(said("B"), ask=Ask.WRITTEN)]
    answers = read_answers(entries, PLAIN, READOUTS, live=True)
    assert [answer.number for answer in answers] == [1, 2]
    assert answers[0].completion is None
    assert answers[0].readings == ()
    assert answers[0].text is None
    assert [each.readout for each in answers[1].readings] == [Readout.GENERATED]
    assert answers[1].asked_openly


def test_a_logs_own_reading_stands_beside_ours() -> None:
    completion = replace(said("[[A]]"), log_outcome=Outcome.SECOND)
    (answer,) = read_answers([entry(completion)], PLAIN, (Readout.GENERATED, Readout.LOGGED), live=False)
    assert [(each.readout, each.reading.outcome) for each in answer.readings] == [
        (Readout.GENERATED, Outcome.FIRST),
        (Readout.LOGGED, Outcome.SECOND),
    ]
