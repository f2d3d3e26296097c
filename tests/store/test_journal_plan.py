"""A plan takes the place of another."""

import sqlite3
from dataclasses import replace

import pytest

from evenhand.errors import StoreError
from evenhand.records import Pair
from evenhand.store.connection import connect_writer, transaction
from evenhand.store.journal_plan import StagedRun, check_plan, replace_plan
from evenhand.store.recorded_answers import RecordedAnswers
from store.examples import manifest, pairs, presentations


@pytest.fixture
def connection(tmp_path):
    connection = connect_writer(tmp_path, create=True)
    yield connection
    connection.close()


def told(connection, tmp_path):
    return RecordedAnswers(connection, tmp_path)


def answered(connection, key):
    connection.execute(
        "INSERT INTO completions (key, attempt, finish_reason, record) VALUES (?, 1, 'stop', '{}')", (key,)
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": "A/B-p0-BA"}, "presentation of pair 'p0': its key A/B-p0-BA is planned twice"),
        ({"pair_id": "p7"}, "the run has no pair 'p7'"),
        ({"key": ""}, "'' can't be a key"),
        ({"key": "\ud800"}, "can't be a key"),
        ({"key": "a\nb"}, "can't be a key"),
    ],
)
def test_what_can_t_be_kept_is_refused(change, message):
    one, two = presentations(1)
    check_plan([one, two], pairs(1))
    with pytest.raises(StoreError, match=message):
        check_plan([replace(one, **change), two], pairs(1))


def test_staged_pairs_and_manifest_take_the_place_of_those_before(connection, tmp_path):
    StagedRun(manifest=manifest(limit=3), pairs=tuple(pairs(3))).write(connection)
    other = Pair(id="z", instruction="?", response_a="1", response_b="2")
    StagedRun(manifest=manifest(limit=1), pairs=(other,)).write(connection)
    assert told(connection, tmp_path).pairs() == (other,)
    assert told(connection, tmp_path).manifest().limit == 1


def test_a_plan_keeps_what_was_answered_and_drops_what_never_was(connection, tmp_path):
    planned = presentations(2)
    StagedRun(manifest=manifest(), pairs=tuple(pairs(2))).write(connection)
    replace_plan(connection, planned)
    answered(connection, planned[0].key)
    replace_plan(connection, planned[:1:-1])
    journal = told(connection, tmp_path)
    assert list(journal.plan()) == [planned[3], planned[2]]
    assert journal.presentation(planned[0].key) == planned[0]
    assert journal.presentation(planned[1].key) is None


def test_a_presentation_planned_again_is_known_by_its_latest_description(connection, tmp_path):
    (first, _) = presentations(1)
    StagedRun(manifest=manifest(), pairs=tuple(pairs(1))).write(connection)
    replace_plan(connection, [first])
    answered(connection, first.key)
    replace_plan(connection, [replace(first, condition="new name")])
    assert [each.condition for each in told(connection, tmp_path).plan()] == ["new name"]


def test_a_plan_that_breaks_off_leaves_the_old_one(connection, tmp_path):
    planned = presentations(1)
    StagedRun(manifest=manifest(), pairs=tuple(pairs(1))).write(connection)
    replace_plan(connection, planned)
    twice = [planned[0], planned[0]]  # a key is unique: the second fails after the old plan is deleted
    with pytest.raises(sqlite3.IntegrityError), transaction(connection):
        replace_plan(connection, twice)
    assert list(told(connection, tmp_path).plan()) == planned
