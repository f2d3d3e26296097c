import json
import subprocess
import sys
from dataclasses import replace

import pytest

from evenhand.errors import DataError, StoreError
from evenhand.records import Message, Order, Pair, Presentation
from evenhand.store import Journal, PlanCounts, Recording
from store.examples import ANSWER, FAILURE, RICH_ANSWER, manifest, pairs, presentations


def test_everything_comes_back_as_it_went_in(tmp_path):
    hostile = "lone \ud800, null \x00, " + "long " * 2_000_000
    given_pairs = [Pair(id="\udfff\x00", instruction=hostile, response_a="", response_b="\n", metadata=(("why", "x"),))]
    planned = [
        Presentation(
            key="k",
            pair_id="\udfff\x00",
            condition="c\ud800",
            order=Order.BA,
            repeat=1,
            messages=(Message(role="system", content="s"), Message(role="user", content=hostile)),
        )
    ]
    answer = replace(RICH_ANSWER, text=hostile)
    with Journal.create(tmp_path / "a" / "run", manifest(), given_pairs) as journal:
        journal.set_plan(planned)
        journal.record("k", answer)
    with Journal.open(tmp_path / "a" / "run", read_only=True) as journal:
        assert journal.manifest == manifest()
        assert journal.pairs() == tuple(given_pairs)
        assert list(journal.plan()) == planned
        (entry,) = journal.completions()
        assert entry.presentation == planned[0]
        assert entry.completion == answer
    assert json.loads((tmp_path / "a" / "run" / "run.json").read_text())["judge"]["spec"] == "scripted:x"


def test_an_answer_is_never_replaced(tmp_path):
    (first, *_) = planned = presentations(1)
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        journal.set_plan(planned)
        journal.record(first.key, ANSWER)
        for again in (ANSWER, FAILURE):
            with pytest.raises(StoreError, match="already answered"):
                journal.record(first.key, again)
        assert journal.attempts(first.key) == (ANSWER,)


def test_a_key_that_was_never_planned_is_refused(tmp_path):
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        with pytest.raises(StoreError, match="nowhere was never planned"):
            journal.record("nowhere", ANSWER)
        with pytest.raises(StoreError, match="no presentation nowhere"):
            journal.presentation("nowhere")


def test_many_are_recorded_all_or_none(tmp_path):
    planned = presentations(1)
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        journal.set_plan(planned)
        bad = [Recording(key=planned[0].key, completion=ANSWER), Recording(key="nowhere", completion=ANSWER)]
        with pytest.raises(StoreError, match="never planned"):
            journal.record_all(bad)
        assert journal.counts().finished == 0
        journal.record_all(Recording(key=presentation.key, completion=ANSWER) for presentation in planned)
        assert journal.counts().finished == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": "A/B-p0-BA"}, "is planned twice"),
        ({"pair_id": "p7"}, "the run has no pair 'p7'"),
        ({"key": ""}, "can't be a key"),
        ({"key": "\ud800"}, "can't be a key"),
        ({"key": "a\x00"}, "can't be a key"),
    ],
)
def test_a_plan_that_cannot_be_kept_is_refused_and_the_old_one_stays(tmp_path, change, message):
    planned = presentations(1)
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        journal.set_plan(planned)
        with pytest.raises(StoreError, match=message):
            journal.set_plan([replace(planned[0], **change), planned[1]])
        assert list(journal.plan()) == planned


def test_two_pairs_with_one_id_are_refused_before_anything_is_made(tmp_path):
    with pytest.raises(DataError, match="pair id 'p0' occurs more than once"):
        Journal.create(tmp_path / "run", manifest(), pairs(1) * 2)
    assert not (tmp_path / "run").exists()


def test_going_on_with_more_pairs_keeps_what_was_answered(tmp_path):
    with Journal.create(tmp_path, manifest(limit=2), pairs(2)) as journal:
        journal.set_plan(presentations(2))
        for presentation in presentations(2):
            journal.record(presentation.key, ANSWER)
    with Journal.create(tmp_path, manifest(limit=5), pairs(5)) as journal:
        journal.set_plan(presentations(5))
        assert journal.counts() == PlanCounts(planned=10, finished=4, errors=0, pending=6)
        assert journal.manifest.limit == 5
    assert json.loads((tmp_path / "run.json").read_text())["limit"] == 5


def test_a_run_opened_again_is_the_old_one_whole_until_it_has_a_new_plan(tmp_path):
    with Journal.create(tmp_path, manifest(limit=2), pairs(2)) as journal:
        journal.set_plan(presentations(2))
    before = (tmp_path / "run.json").read_text()
    with Journal.create(tmp_path, manifest(limit=3), pairs(3)) as journal:
        assert (journal.manifest.limit, len(journal.pairs())) == (3, 3)
        with Journal.open(tmp_path, read_only=True) as reader:
            assert (reader.manifest.limit, len(reader.pairs()), reader.counts().planned) == (2, 2, 4)
    with Journal.open(tmp_path, read_only=True) as reader:
        assert (reader.manifest.limit, len(reader.pairs()), reader.counts().planned) == (2, 2, 4)
        assert (tmp_path / "run.json").read_text() == before
        with Journal.create(tmp_path, manifest(limit=1), pairs(1)) as journal:
            journal.set_plan(presentations(1))
        assert (reader.manifest.limit, len(reader.pairs()), reader.counts().planned) == (2, 2, 4)
    with Journal.open(tmp_path, read_only=True) as reader:
        assert (reader.manifest.limit, len(reader.pairs()), reader.counts().planned) == (1, 1, 2)


def test_what_is_no_longer_planned_is_out_of_sight_but_not_lost(tmp_path):
    planned = presentations(2)
    with Journal.create(tmp_path, manifest(), pairs(2)) as journal:
        journal.set_plan(planned)
        journal.record(planned[0].key, ANSWER)
        journal.set_plan(planned[2:])
        assert journal.counts() == PlanCounts(planned=2, finished=0, errors=0, pending=2)
        assert journal.finished_keys() == frozenset()
        assert journal.attempts(planned[0].key) == (ANSWER,)
        with pytest.raises(StoreError, match="no presentation"):
            journal.presentation(planned[1].key)  # never asked and no longer planned
        journal.set_plan(planned)
        assert journal.finished_keys() == {planned[0].key}


def test_a_renamed_condition_with_the_same_key_is_shown_by_its_new_name(tmp_path):
    planned = presentations(1)
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        journal.set_plan(planned)
        journal.record(planned[0].key, ANSWER)
        journal.set_plan([replace(planned[0], condition="new name")])
        assert next(journal.completions()).presentation.condition == "new name"
        assert journal.counts().finished == 1


def test_reading_while_another_process_writes(tmp_path):
    planned = presentations(3)
    with Journal.create(tmp_path, manifest(), pairs(3)) as journal:
        journal.set_plan(planned)
        for count, presentation in enumerate(planned, start=1):
            journal.record(presentation.key, ANSWER)
            with Journal.open(tmp_path, read_only=True) as reader:
                assert reader.counts().finished == count
        script = (
            "import sys; from pathlib import Path; from evenhand.store import Journal\n"
            "with Journal.open(Path(sys.argv[1]), read_only=True) as journal: print(journal.counts().finished)"
        )
        child = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
        assert child.stdout.strip() == "6"
        with pytest.raises(StoreError, match="open for writing"):
            Journal.open(tmp_path)


def test_a_reader_may_not_write(tmp_path):
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        journal.set_plan(presentations(1))
    with Journal.open(tmp_path, read_only=True) as reader:
        with pytest.raises(StoreError, match="opened for reading only"):
            reader.record(presentations(1)[0].key, ANSWER)
        with pytest.raises(StoreError, match="opened for reading only"):
            reader.set_plan([])


def test_closing_twice_is_harmless_and_leaves_one_file_of_data(tmp_path):
    journal = Journal.create(tmp_path, manifest(), pairs(1))
    journal.close()
    journal.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["journal.sqlite", "run.json", "writer.lock"]


def test_a_manifest_of_a_newer_format_is_refused_and_not_written_over(tmp_path):
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        journal._connection.execute('UPDATE manifest SET record = \'{"schema_version": 99, "surprise": 1}\'')
    for _ in range(2):
        with pytest.raises(StoreError, match="run format 99 is newer"):
            Journal.create(tmp_path, manifest(), pairs(1))
