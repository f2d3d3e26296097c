"""What a journal's own tables tell."""

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.errors import DataError, StoreError
from evenhand.records import Completion, FinishReason, Usage
from evenhand.store import Journal, PlanCounts, TokenTotals
from evenhand.store.connection import connect_reader, connect_writer
from evenhand.store.recorded_answers import RecordedAnswers
from store.examples import ANSWER, FAILURE, RICH_ANSWER, manifest, pairs, presentations


def test_states_are_counted_apart(tmp_path):
    planned = presentations(2)
    with Journal.create(tmp_path, manifest(), pairs(2)) as journal:
        assert journal.counts() == PlanCounts(planned=0, finished=0, errors=0, pending=0)
        journal.set_plan(planned)
        journal.record(planned[0].key, FAILURE)
        journal.record(planned[0].key, ANSWER)
        journal.record(planned[1].key, FAILURE)
        journal.record(planned[1].key, replace(FAILURE, error="again"))
        assert journal.counts() == PlanCounts(planned=4, finished=1, errors=1, pending=2)
        assert journal.finished_keys() == {planned[0].key}
        assert journal.attempted_keys() == {planned[0].key, planned[1].key}
        assert journal.pending_keys() == tuple(presentation.key for presentation in planned[1:])
        latest = [entry.completion for entry in journal.completions()]
        assert latest == [ANSWER, replace(FAILURE, error="again"), None, None]
        assert journal.attempts(planned[0].key) == (FAILURE, ANSWER)
        assert journal.attempts(planned[3].key) == ()


def test_a_key_may_have_no_presentation_and_a_presentation_no_answer(tmp_path):
    planned = presentations(2)
    with Journal.create(tmp_path, manifest(), pairs(2)) as journal:
        journal.set_plan(planned)
        journal.record(planned[3].key, FAILURE)
        journal.record(planned[3].key, ANSWER)
        journal.set_plan(planned[:2])
    reader = connect_reader(tmp_path)
    told = RecordedAnswers(reader.connection, tmp_path / "journal.sqlite")
    assert told.manifest() == manifest()
    assert told.pairs() == tuple(pairs(2))
    assert told.presentation(planned[0].key) == planned[0]
    assert told.presentation(planned[3].key) == planned[3]  # asked earlier, no longer planned
    assert told.presentation(planned[2].key) is None
    assert told.answered_keys() == {planned[3].key}
    assert told.attempted_keys() == {planned[3].key}
    assert told.finished_keys() == frozenset()
    assert told.pending_keys() == (planned[0].key, planned[1].key)
    reader.close()


def test_tokens_are_those_of_every_attempt_whatever_is_planned(tmp_path):
    planned = presentations(2)
    with Journal.create(tmp_path, manifest(), pairs(2)) as journal:
        journal.set_plan(planned)
        journal.record(planned[0].key, replace(FAILURE, usage=Usage(prompt_tokens=7, completion_tokens=0)))
        journal.record(planned[0].key, ANSWER)
        journal.record(planned[1].key, RICH_ANSWER)
        journal.record(planned[2].key, FAILURE)
        journal.record(planned[2].key, Completion(text="B", finish_reason=FinishReason.STOP))
        journal.set_plan(planned[:1])
        assert journal.token_totals() == TokenTotals(answers=3, prompt_tokens=117, completion_tokens=5, untold=1)


def test_a_journal_without_a_manifest_never_began(tmp_path):
    connection = connect_writer(tmp_path, create=True)
    with pytest.raises(StoreError, match=r"run/journal\.sqlite: the journal is empty: its run was stopped"):
        RecordedAnswers(connection, Path("run/journal.sqlite")).manifest()
    connection.close()


def test_a_record_changed_by_another_program_is_named_with_its_file(tmp_path):
    planned = presentations(1)
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        journal.set_plan(planned)
        journal.record(planned[0].key, ANSWER)
        journal._connection.execute('UPDATE completions SET record = \'{"text": 5, "finish_reason": "stop"}\'')
        with pytest.raises(DataError, match=r"journal\.sqlite: completion\.text: expected a text, got 5"):
            list(journal.completions())
        journal._connection.execute("UPDATE pairs SET record = '[]'")
        with pytest.raises(DataError, match=r"journal\.sqlite: pair: expected an object"):
            journal.pairs()
        journal._connection.execute("UPDATE presentations SET record = x'ff'")
        with pytest.raises((DataError, StoreError), match=r"journal\.sqlite"):
            list(journal.plan())


def test_an_iterator_left_halfway_outlives_its_journal_without_a_word(tmp_path):
    with Journal.create(tmp_path, manifest(), pairs(2)) as journal:
        journal.set_plan(presentations(2))
        left = journal.completions()
        next(left)
    left.close()  # an error here, at collection, would be a warning that no one can catch


def test_states_without_a_verdict_are_answers_all_the_same(tmp_path):
    planned = presentations(2)
    reasons = [FinishReason.LENGTH, FinishReason.FILTERED, FinishReason.NOT_GENERATED, FinishReason.UNKNOWN]
    with Journal.create(tmp_path, manifest(), pairs(2)) as journal:
        journal.set_plan(planned)
        for presentation, reason in zip(planned, reasons, strict=True):
            journal.record(presentation.key, Completion(text=None, finish_reason=reason))
        assert journal.counts().finished == 4
