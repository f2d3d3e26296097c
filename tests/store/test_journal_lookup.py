from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.errors import StoreError
from evenhand.records import Order
from evenhand.store import Journal
from evenhand.store.connection import JOURNAL
from evenhand.store.journal_lookup import JournalLookup
from web.made_runs import PLAIN, failed, make_run, manifest, plan, said, small_pairs, small_run


def test_single_pairs_and_presentations_are_those_of_the_journal(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run", unanswered=3)
    with Journal.open(run, read_only=True) as journal:
        pairs, entries = journal.pairs(), list(journal.completions())
    with JournalLookup(run) as lookup:
        assert tuple(lookup.pairs()) == pairs
        assert [lookup.pair(n) for n in range(len(pairs))] == list(pairs)
        assert lookup.pair(len(pairs)) is None
        assert lookup.pair(-1) is None
        assert lookup.planned() == len(entries)
        assert [found.entry for found in lookup.entries()] == entries
        assert [found.ordinal for found in lookup.entries()] == list(range(len(entries)))
        some = lookup.entries_at([5, 0, 10**9, 2])
        assert [found.ordinal for found in some] == [5, 0, 2]
        assert [found.entry for found in some] == [entries[5], entries[0], entries[2]]


def test_the_latest_attempt_counts(tmp_path: Path) -> None:
    pairs = small_pairs()[:1]
    run = make_run(tmp_path / "run", pairs, lambda pair, presentation: failed("once"))
    with Journal.open(run) as journal:
        journal.record("k-0-0-AB-0", said("A"))
    with JournalLookup(run) as lookup:
        first, second = (found.entry.completion for found in lookup.entries())
    assert first is not None
    assert second is not None
    assert (first.text, second.error) == ("A", "once")


def test_the_version_changes_with_answers_plan_and_manifest_and_with_nothing_else(tmp_path: Path) -> None:
    pairs = small_pairs()
    run = small_run(tmp_path / "run", unanswered=2, changed=False, repeats=0)

    def version() -> str:
        with JournalLookup(run) as lookup:
            return lookup.version()

    first = version()
    assert version() == first
    with Journal.open(run) as journal:  # a writer that does nothing
        pending = journal.pending_keys()
    assert version() == first
    with Journal.open(run) as journal:
        journal.record(pending[0], said("A"))
    second = version()
    assert second != first
    with Journal.create(run, replace(manifest(pairs, (PLAIN,)), seed=7), pairs) as journal:
        journal.set_plan(plan(pairs, (PLAIN,), repeats=0))
    third = version()
    assert third not in (first, second)
    with Journal.create(run, replace(manifest(pairs, (PLAIN,)), seed=7), pairs) as journal:
        journal.set_plan(list(plan(pairs, (PLAIN,), repeats=0))[:-1])
    assert version() not in (first, second, third)


def test_a_look_up_reads_no_table_from_end_to_end(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run")
    asked: list[str] = []
    with JournalLookup(run) as lookup:
        lookup._reader.connection.set_trace_callback(asked.append)
        lookup.pair(1)
        lookup.entries_at([1, 2])
        lookup.version()
        lookup.planned()
    with closing(sqlite3.connect(run / JOURNAL)) as connection:
        plans = [row[3] for sql in asked for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    assert len(asked) > 6
    # The manifest is one row; plan and completions are read from one end, one row of them.
    scans = [plan for plan in plans if plan.startswith("SCAN")]
    assert set(scans) <= {"SCAN manifest", "SCAN plan", "SCAN completions"}
    assert all("LIMIT 1" in sql for sql in asked if "ORDER BY" in sql)


def test_it_sees_one_moment(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run", unanswered=1)
    with JournalLookup(run) as lookup:
        before = lookup.version()
        with Journal.open(run) as journal:
            journal.record(journal.pending_keys()[0], said("B"))
        assert lookup.version() == before
        assert list(lookup.entries())[-1].entry.completion is None


def test_damage_is_named(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run")
    with closing(sqlite3.connect(run / JOURNAL)) as connection:
        connection.execute("UPDATE pairs SET record = '{\"id\": 3}' WHERE ordinal = 1")
        connection.commit()
    with JournalLookup(run) as lookup:
        assert lookup.pair(0) is not None
        with pytest.raises(StoreError, match=rf"{JOURNAL}.*damaged"):
            lookup.pair(1)
    with pytest.raises(StoreError, match="not a run directory"):
        JournalLookup(tmp_path)


def test_orders_come_as_they_were_planned(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run", changed=False, repeats=0)
    with JournalLookup(run) as lookup:
        orders = [found.entry.presentation.order for found in lookup.entries()]
    assert orders[:4] == [Order.AB, Order.BA, Order.AB, Order.BA]
