from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.errors import StoreError
from evenhand.store import Journal
from evenhand.web.served import StaleError, open_runs
from evenhand.web.state import NotFoundError
from web.made_runs import PLAIN, manifest, plan, said, served, small_pairs, small_run


def test_a_run_is_as_of_its_index_until_it_is_read_again(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run", unanswered=1, changed=False, repeats=0)
    opened = served(run, tmp_path / "cache")
    assert not opened.changed()
    before = opened.index.meta
    with Journal.open(run) as journal:
        journal.record(journal.pending_keys()[0], said("A"))
    assert opened.changed()
    assert opened.index.meta == before

    opened.rebuild(wait=60)
    assert not opened.rebuilding
    assert not opened.changed()
    assert opened.failure is None
    assert opened.index.meta["version"] != before["version"]


def test_a_rebuild_that_fails_keeps_the_old_index_and_says_why(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run")
    opened = served(run, tmp_path / "cache")
    index = opened.index
    (run / "journal.sqlite").unlink()
    opened.rebuild(wait=60)
    assert opened.failure is not None
    assert "not a run directory" in opened.failure
    assert opened.index is index


def test_another_plan_under_an_old_index_is_noticed(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run", changed=False, repeats=0)
    opened = served(run, tmp_path / "cache")
    assert len(opened.presentations(0)) == 2
    pairs = small_pairs()
    with Journal.create(run, replace(manifest(pairs), seed=1), pairs) as journal:
        journal.set_plan(reversed(list(plan(pairs, (PLAIN,), repeats=0))))
    with pytest.raises(StaleError, match="refresh"):
        opened.presentations(0)


def test_pairs_outside_the_run_are_not_there(tmp_path: Path) -> None:
    opened = served(small_run(tmp_path / "run"), tmp_path / "cache")
    assert opened.pair_count == len(small_pairs())
    for ordinal in (-1, opened.pair_count, 2**80):
        with pytest.raises(NotFoundError):
            opened.pair(ordinal)
    assert opened.find("lock-first") == 1


def test_several_runs_keep_their_order(tmp_path: Path) -> None:
    names = ["b", "a"]
    opened = open_runs([small_run(tmp_path / name) for name in names], cache=tmp_path / "cache")
    assert [(run.number, run.name) for run in opened] == [(0, "b"), (1, "a")]
    assert opened[0].as_of_text.endswith(" UTC")
    with pytest.raises(StoreError, match="not a run"):
        open_runs([tmp_path / "nothing"], cache=tmp_path / "cache")
