from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from evenhand.errors import ConfigError, StoreError
from evenhand.records import Pair
from evenhand.store import Journal
from evenhand.web.index import ListQuery, RunIndex
from evenhand.web.index_build import build_index, default_cache, index_path, search_words
from evenhand.web.run_source import JournalSource
from hostile import pair_rows
from web.made_runs import make_run, said, small_run


def source(tmp_path: Path, **more: int) -> JournalSource:
    return JournalSource(directory=small_run(tmp_path / "run", **more))


def files(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_an_index_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    made, cache, told = source(tmp_path), tmp_path / "cache", []
    before = files(made.directory)
    path = build_index(made, cache, progress=lambda what, done, total: told.append((what, done, total)))

    assert path == index_path(made, cache)
    assert files(cache) == {path.name}
    assert files(made.directory) - {"journal.sqlite-shm", "journal.sqlite-wal"} == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert {what for what, _, _ in told} >= {"reading verdicts", "writing the index"}
    assert all(done <= total for _, done, total in told)

    written = path.stat().st_mtime_ns
    assert build_index(made, cache) == path
    assert path.stat().st_mtime_ns == written


def test_a_run_that_grows_gets_a_new_index_and_one_old_one_stays(tmp_path: Path) -> None:
    made, cache = source(tmp_path, unanswered=3), tmp_path / "cache"
    paths = [build_index(made, cache)]
    os.utime(paths[0], (1, 1))
    for _ in range(3):
        with Journal.open(made.directory) as journal:
            journal.record(journal.pending_keys()[0], said("B"))
        paths.append(build_index(made, cache))
        os.utime(paths[-1], (len(paths), len(paths)))
    assert len(set(paths)) == 4
    assert files(cache) == {paths[-1].name, paths[-2].name}
    assert RunIndex(paths[-1]).cube.counts.sum() > RunIndex(paths[-2]).cube.counts.sum() - 1


def test_other_runs_indexes_are_left_alone(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    one = build_index(JournalSource(directory=small_run(tmp_path / "one")), cache)
    two = build_index(JournalSource(directory=small_run(tmp_path / "two")), cache)
    assert files(cache) == {one.name, two.name}


def test_a_cache_that_cannot_be_written_names_the_option(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(ConfigError, match=r"file.*--cache"):
        build_index(source(tmp_path), blocked / "cache")


def test_what_was_begun_and_failed_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, cache = source(tmp_path), tmp_path / "cache"
    monkeypatch.setattr("evenhand.web.index_build.INDEXES", ("CREATE INDEX no_such ON nothing (x)",))
    with pytest.raises(StoreError, match="can't be written"):
        build_index(made, cache)
    assert files(cache) == set()


def test_hostile_ids_sources_and_instructions_are_indexed(tmp_path: Path) -> None:
    keys = ("id", "instruction", "response_a", "response_b", "source")
    pairs = [Pair(**{key: str(row[key]) for key in keys}) for row in pair_rows()]
    run = make_run(tmp_path / "run", pairs, lambda pair, presentation: said("A"))
    index = RunIndex(build_index(JournalSource(directory=run), tmp_path / "cache"))
    assert index.meta["pairs"] == len(pairs)
    assert index.cube.counts.sum() == 2 * len(pairs)
    for ordinal, pair in enumerate(pairs):
        assert index.find(pair.id) == ordinal
    assert len(index.rows(ListQuery(chosen={}, words=("qzmarkqz",)), limit=500)) > len(pairs)


def test_an_empty_run_has_an_empty_index(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [], lambda pair, presentation: said("A"))
    index = RunIndex(build_index(JournalSource(directory=run), tmp_path / "cache"))
    assert index.rows(ListQuery(chosen={})) == ()
    assert index.cube.total({}) == 0


def test_scripts_without_spaces_are_searched_by_character() -> None:
    assert search_words("a你好b").split() == ["a", "你", "好", "b"]
    assert search_words("plain words") == "plain words"


def test_the_default_is_the_users_cache() -> None:
    assert default_cache().parts[-2:] == ("evenhand", "serve")
