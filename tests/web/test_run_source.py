from __future__ import annotations

import re
from pathlib import Path
from shutil import rmtree

import pytest

from evenhand.errors import StoreError
from evenhand.store import Journal, connection
from evenhand.web import run_source as module
from evenhand.web.index import ListQuery
from evenhand.web.run_source import JournalSource, TableSource, open_source
from evenhand.web.served import ServedRun
from evenhand.workflow.imported import import_log
from evenhand.workflow.run_verdicts import read_run
from web.made_runs import said, small_pairs, small_run


def test_chunks_are_the_verdicts_of_the_run_whatever_their_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import polars as pl

    run = small_run(tmp_path / "run", unanswered=2)
    monkeypatch.setattr(module, "CHUNK", 5)
    chunks = list(JournalSource(directory=run).chunks())
    assert len(chunks) > 3
    assert pl.concat([chunk.verdicts for chunk in chunks]).equals(read_run(run).table)
    asked = [each for chunk in chunks for each in chunk.asked]
    assert [each.ordinal for each in asked] == list(range(chunks[0].planned))
    with Journal.open(run, read_only=True) as journal:
        assert [each.pair_id for each in asked] == [entry.pair_id for entry in journal.plan()]
    assert [chunk.done for chunk in chunks] == sorted({chunk.done for chunk in chunks})
    assert chunks[-1].done == chunks[-1].planned


def test_a_writer_is_not_held_up(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run", unanswered=1)
    source = JournalSource(directory=run)
    assert source.pair(0) == small_pairs()[0]
    before = source.version()
    with Journal.open(run) as journal:
        journal.record(journal.pending_keys()[0], said("B"))
        assert source.version() != before


def test_single_pairs_and_presentations(tmp_path: Path) -> None:
    source = JournalSource(directory=small_run(tmp_path / "run"))
    assert source.pair(99) is None
    assert [entry.presentation.key for entry in source.entries([1, 0])] == ["k-0-0-AB-1", "k-0-0-AB-0"]


def test_a_table_gives_the_same_rows_and_no_texts_of_the_judge(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run")
    table = ServedRun(number=0, source=TableSource(directory=run), cache=tmp_path / "one")
    journal = ServedRun(number=0, source=JournalSource(directory=run), cache=tmp_path / "two")
    query = ListQuery(chosen={})
    assert table.index.rows(query) == journal.index.rows(query)
    assert table.pair(3) == journal.pair(3)
    assert table.presentations(3) == ()
    assert len(journal.presentations(3)) == 4


def test_a_journal_that_cannot_be_read_in_place_is_copied_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = small_run(tmp_path / "run")
    wanted = ServedRun(number=0, source=open_source(run), cache=tmp_path / "one").presentations(3)
    in_place = connection._open_in_place
    opened: list[Path] = []

    def only_elsewhere(path: Path) -> connection.ReadConnection | None:
        opened.append(path)
        return None if path.parent == run else in_place(path)

    monkeypatch.setattr(connection, "_open_in_place", only_elsewhere)
    source = open_source(run)
    assert isinstance(source, JournalSource)
    assert source.copy is not None
    folder = Path(source.copy.name)
    served = ServedRun(number=0, source=source, cache=tmp_path / "two")
    assert served.presentations(3) == wanted
    assert not served.changed()
    assert [path.parent for path in opened].count(run) == 1
    assert served.directory == run
    source.copy.cleanup()
    assert not folder.exists()


def test_a_run_of_columns_is_served_whole(tmp_path: Path) -> None:
    rows = [f"p{n},{order},{('first', 'second')[n % 2]},Q{n}?" for n in range(30) for order in ("AB", "BA")]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["pair_id,order,outcome,instruction", *rows]), encoding="utf-8")
    run = import_log("table", log, out=tmp_path / "run", resamples=100).directory
    source = open_source(run)
    assert isinstance(source, TableSource)
    assert list(source.pairs()) == list(read_run(run).pairs)

    opened = ServedRun(number=0, source=source, cache=tmp_path / "cache")
    assert opened.pair(7).instruction == "Q7?"
    assert opened.find("p7") == 7
    row = opened.index.rows_of(7)[0]
    assert (row.codes["ab"], row.codes["ba"]) == (1, 1)
    assert not opened.changed()
    import_log("table", log, out=run, resamples=100, model="other")
    assert opened.changed()


def test_the_source_follows_from_the_directory(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run")
    assert isinstance(open_source(run), JournalSource)
    with pytest.raises(StoreError, match="not a run directory"):
        open_source(tmp_path)


@pytest.mark.parametrize("source", [TableSource, JournalSource])
def test_a_run_that_is_deleted_while_it_is_served_is_told(
    tmp_path: Path, source: type[TableSource | JournalSource]
) -> None:
    run = small_run(tmp_path / "run")
    served = ServedRun(number=0, source=source(directory=run), cache=tmp_path / "cache")
    assert not served.changed()
    rmtree(run)
    with pytest.raises(StoreError, match=re.escape(str(run))):
        served.changed()
