"""A columnar run answers every question that a journal is asked, as the run of the same log by rows does."""

import sqlite3

import pytest

from evenhand.errors import StoreError
from evenhand.logs.table import TableLog
from evenhand.records import DataIdentity, Pair, RunManifest
from evenhand.store import Journal, PlanCounts, Recording, describe
from evenhand.store.columnar_answers import ColumnarAnswers
from evenhand.store.columns import write_columns
from evenhand.store.connection import JOURNAL
from store.examples import ANSWER

ROWS = "pair_id,order,outcome,gold\nb,AB,first,A\nb,BA,error,A\na,AB,tie,\n"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def manifest_of(log):
    return RunManifest(
        kind="log",
        judge=log.judge,
        data=DataIdentity(spec="table:log.csv", pairs=2, sha256=""),
        conditions=log.conditions,
        readouts=("logged",),
    )


def by_column(log, directory):
    read = TableLog().read_columns(log)
    return Journal.create_columnar(directory, manifest_of(read), read.columns)


def by_row(log, directory):
    read = TableLog().read(log)
    journal = Journal.create(directory, manifest_of(read), read.pairs)
    journal.set_plan(entry.presentation for entry in read.entries)
    journal.record_all(Recording(key=e.presentation.key, completion=e.completion) for e in read.entries)
    return journal


def test_every_question_has_the_same_answer(tmp_path, log):
    with by_column(log, tmp_path / "c") as one, by_row(log, tmp_path / "r") as two:
        assert one.manifest == two.manifest
        assert one.pairs() == two.pairs()
        assert list(one.plan()) == list(two.plan())
        assert list(one.completions()) == list(two.completions())
        assert one.finished_keys() == two.finished_keys()
        assert one.answered_keys() == two.answered_keys()
        assert one.pending_keys() == two.pending_keys()
        assert one.counts() == two.counts() == PlanCounts(planned=3, finished=2, errors=1, pending=0)
        for key in (*two.finished_keys(), *two.pending_keys()):
            assert one.presentation(key) == two.presentation(key)
            assert one.attempts(key) == two.attempts(key)
        assert one.attempts("unknown") == ()
        with pytest.raises(StoreError, match="no presentation unknown"):
            one.presentation("unknown")
    with Journal.open(tmp_path / "c", read_only=True) as again, Journal.open(tmp_path / "r", read_only=True) as two:
        assert list(again.completions()) == list(two.completions())
        assert (again.columns is None, two.columns is None) == (False, True)
    assert describe(tmp_path / "c").counts == describe(tmp_path / "r").counts


def test_the_files_are_read_when_they_are_needed(tmp_path, log):
    files = write_columns(tmp_path, TableLog().read_columns(log).columns)
    answers = ColumnarAnswers(tmp_path, files)
    (tmp_path / files.verdicts).unlink()
    assert answers.counts().planned == 3
    with pytest.raises(StoreError, match="is gone"):
        answers.pairs()


def test_nothing_can_be_added(tmp_path, log):
    with by_column(log, tmp_path / "run") as journal:
        key = journal.pending_keys()[0]
        with pytest.raises(StoreError, match="imported here as columns"):
            journal.record(key, ANSWER)
        with pytest.raises(StoreError, match="imported here as columns"):
            journal.set_plan(list(journal.plan()))
        assert journal.counts().planned == 3


def test_a_later_run_takes_its_place_and_the_other_way_round(tmp_path, log):
    run = tmp_path / "run"
    pair = Pair(id="p", instruction="Q", response_a="1", response_b="2")
    with by_column(log, run) as journal:
        about = journal.manifest
        plan = [next(journal.plan())]
    plan = [type(plan[0])(key="k", pair_id="p", condition="table", order=plan[0].order)]
    with Journal.create(run, about, [pair]) as journal:
        assert journal.counts().planned == 3  # until the plan is set, the old run stands
        journal.set_plan(plan)
        journal.record("k", ANSWER)
        assert journal.counts() == PlanCounts(planned=1, finished=1)
    assert not list(run.glob("*.parquet"))
    assert version(run) == 1
    with by_column(log, run) as journal:
        assert journal.counts().planned == 3
        assert "k" in journal.answered_keys()  # out of sight, not deleted
        assert journal.attempts("k") == (ANSWER,)
    assert (len(list(run.glob("*.parquet"))), version(run)) == (2, 2)


def version(run):
    connection = sqlite3.connect(run / JOURNAL)
    try:
        return connection.execute("PRAGMA user_version").fetchone()[0]
    finally:
        connection.close()


def test_an_import_that_dies_before_its_transaction_leaves_the_old_run(tmp_path, log, monkeypatch):
    run = tmp_path / "run"
    with by_column(log, run) as journal:
        before = list(journal.completions())
    log.write_text(ROWS.replace("tie", "first"), encoding="utf-8")

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("evenhand.store.journal.replace_plan", killed)
        with pytest.raises(KeyboardInterrupt):
            by_column(log, run)
    with Journal.open(run, read_only=True) as journal:
        assert list(journal.completions()) == before
    with by_column(log, run) as journal:
        assert list(journal.completions()) != before
    assert len(list(run.glob("*.parquet"))) == 2


def test_damage_is_noticed_when_the_run_is_opened(tmp_path, log):
    run = tmp_path / "run"
    by_column(log, run).close()
    path = next(run.glob("verdicts-*.parquet"))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(StoreError, match="is damaged"):
        Journal.open(run, read_only=True)
    assert describe(run).counts.planned == 3
