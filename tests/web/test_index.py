"""Lists of the index against a loop over all rows, and what a question costs at a million records."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evenhand.errors import StoreError
from evenhand.web import index as index_module
from evenhand.web.cube import COLUMNS
from evenhand.web.index import FOUND, Cursor, IndexRow, ListQuery, RunIndex, TooBroadError
from evenhand.web.index_build import build_index
from web.made_runs import OUTCOMES, served, small_run
from web.made_source import benchmark

MILLION = 1_000_000


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> RunIndex:
    folder = tmp_path_factory.mktemp("small")
    return served(small_run(folder / "run"), folder / "cache").index


@pytest.fixture(scope="module")
def medium(tmp_path_factory: pytest.TempPathFactory) -> RunIndex:
    folder = tmp_path_factory.mktemp("medium")
    return RunIndex(build_index(benchmark().MadeSource(directory=folder, count=3_000), folder))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> RunIndex:
    """250,000 pairs, two orders, two readouts: a million verdicts."""
    folder = tmp_path_factory.mktemp("large")
    return RunIndex(build_index(benchmark().MadeSource(directory=folder, count=MILLION // 4), folder))


def every_row(index: RunIndex) -> list[dict[str, float]]:
    """All rows with their codes, read without any of the code under test."""
    names = ("rid", "pair", "name", "pull", "close", *COLUMNS)
    with closing(sqlite3.connect(index.path)) as connection:
        wanted = ", ".join(f"{'c' if name in COLUMNS else 'r'}.{name}" for name in names)
        rows = connection.execute(f"SELECT {wanted} FROM rows r JOIN cells c USING (cell) ORDER BY rid")  # noqa: S608
        return [dict(zip(names, row, strict=True)) for row in rows]


def walked(index: RunIndex, query: ListQuery, *, size: int) -> list[IndexRow]:
    """The whole list, page after page."""
    found: list[IndexRow] = []
    after: Cursor | None = None
    while page := index.rows(query, after=after, limit=size):
        found += page
        after = page[-1].cursor
    return found


QUERIES = [
    {},
    {"relation": (0, 1)},
    {"readout": (1,), "ab": (0, 2)},
    {"source": (3,), "gold": (0,), "relation": (2,)},
    {"ab": (6,), "ba": (6,)},
    {"condition": (99,)},
]


@pytest.mark.parametrize("chosen", QUERIES)
@pytest.mark.parametrize("name", ["order", "id", "pull", "close"])
def test_pages_are_the_whole_list_in_order(medium: RunIndex, chosen: dict[str, tuple[int, ...]], name: str) -> None:
    sort = next(sort for sort in medium.sorts if sort.name == name)
    query = ListQuery(chosen=chosen, sort=sort)
    wanted = [row for row in every_row(medium) if all(not codes or row[f] in codes for f, codes in chosen.items())]
    wanted.sort(key=lambda row: (row[sort.column], row["rid"]))

    found = walked(medium, query, size=977)

    assert [row.rid for row in found] == [row["rid"] for row in wanted]
    assert medium.cube.total(chosen) == len(wanted)
    assert all(row.codes == {facet: wanted[n][facet] for facet in COLUMNS} for n, row in enumerate(found))


@pytest.mark.parametrize("chosen", QUERIES[:4])
@pytest.mark.parametrize("name", ["order", "id", "pull", "close"])
def test_going_back_shows_the_page_before(medium: RunIndex, chosen: dict[str, tuple[int, ...]], name: str) -> None:
    sort = next(sort for sort in medium.sorts if sort.name == name)
    query = ListQuery(chosen=chosen, sort=sort)
    first = medium.rows(query, limit=5)
    second = medium.rows(query, after=first[-1].cursor, limit=5)
    assert medium.rows(query, before=second[0].cursor, limit=5) == first
    assert medium.rows(query, before=first[0].cursor, limit=5) == ()
    last = walked(medium, query, size=977)[-1]
    assert medium.rows(query, after=last.cursor, limit=5) == ()


def test_rare_rows_are_found_however_far_apart(medium: RunIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    query = ListQuery(chosen={"ab": (5, 6), "ba": (5, 6)})
    wanted = [row.rid for row in walked(medium, query, size=10)]
    monkeypatch.setattr(index_module, "_NEAR", 1)
    assert [row.rid for row in walked(medium, query, size=10)] == wanted
    assert wanted == [row["rid"] for row in every_row(medium) if row["ab"] in (5, 6) and row["ba"] in (5, 6)]


def test_a_search_is_for_all_words_by_their_beginnings(medium: RunIndex) -> None:
    query = ListQuery(chosen={"readout": (0,)}, words=("explai", "RIVER"))
    found = walked(medium, query, size=100)
    assert found
    assert all("explain" in row.head and "river" in row.head for row in found)
    assert len(found) == 2 * 3_000 // 100
    assert medium.counted(query).total(query.chosen) == len(found)
    assert medium.counted(query).total({}) == 2 * len(found)
    assert medium.found_all(query)


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (("lock-first",), ["lock-first"]),
        (("lock",), ["lock-first", "lock-second"]),
        (("比较",), list(OUTCOMES)),
        (("较比",), []),
        (("words", "tie-and"), ["tie-and-choice"]),
        (("nothing-like-this",), []),
        (('"', "*", "AND", "(", "NEAR", "-x", "words:", "a OR b", "\x00", "\ud800"), []),
        (("'; DROP TABLE rows; --",), []),
    ],
)
def test_words_are_words_and_never_syntax(small: RunIndex, words: tuple[str, ...], ids: list[str]) -> None:
    query = ListQuery(chosen={"readout": (0,), "condition": (0,)}, words=words)
    assert sorted(row.pair_id for row in small.rows(query)) == sorted(ids)


def test_sqlite_without_full_text_search_finds_ids_by_their_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenhand.web.index_build.SEARCH", "CREATE VIRTUAL TABLE search USING no_such_module (x)")
    index = served(small_run(tmp_path / "run"), tmp_path / "cache").index
    assert not index.meta["searchable"]
    query = ListQuery(chosen={"readout": (0,), "condition": (0,)}, words=("lock",))
    assert [row.pair_id for row in index.rows(query)] == ["lock-first", "lock-second"]
    assert index.counted(query).total(query.chosen) == 2


def test_a_pair_is_found_by_its_id_and_has_all_its_rows(small: RunIndex) -> None:
    for ordinal, name in enumerate(OUTCOMES):
        assert small.find(name) == ordinal
        rows = small.rows_of(ordinal)
        assert {(row.codes["condition"], row.codes["readout"]) for row in rows} == {(0, 0), (0, 1), (1, 0), (1, 1)}
        assert all(row.pair == ordinal and row.pair_id == name for row in rows)
    assert small.find("no such") is None
    assert small.find("\ud800") is None
    assert small.rows_of(10**9) == ()


def test_where_a_row_stands_can_be_asked(small: RunIndex) -> None:
    for sort in small.sorts:
        query = ListQuery(chosen={}, sort=sort)
        rows = small.rows(query)
        assert [small.place(row.rid, sort) for row in rows] == [row.cursor for row in rows]


def test_log_odds_sort_the_strongest_pull_first_and_missing_ones_last(medium: RunIndex) -> None:
    pull = next(sort for sort in medium.sorts if sort.name == "pull")
    rows = medium.rows(ListQuery(chosen={}, sort=pull), limit=2_000)
    pulls = [None if row.ab is None or row.ba is None else abs(row.ab + row.ba) for row in rows]
    known = [value for value in pulls if value is not None]
    assert known == sorted(known, reverse=True)
    assert known[0] > known[-1]
    last = medium.rows(ListQuery(chosen={}, sort=pull), before=Cursor(key=1e308, rid=2**60), limit=10)
    assert all(row.ab is None for row in last)


# -- a million records -------------------------------------------------------------------------------------------


class Watched:
    """Every statement that the index is asked, its plan, and how many rows it gave."""

    def __init__(self, index: RunIndex, monkeypatch: pytest.MonkeyPatch) -> None:
        self.statements: dict[str, object] = {}
        self.rows = 0
        self.steps = 0
        real = sqlite3.connect
        watched = self

        class Connection(sqlite3.Connection):
            def execute(self, sql, values=(), /):
                watched.statements[sql] = values
                found = super().execute(sql, values).fetchall()
                watched.rows += len(found)
                return Answer(found)

            def set_progress_handler(self, _handler, _n):
                def tick():
                    watched.steps += 1
                    return 0

                super().set_progress_handler(tick, 1_000)

        class Answer(list):
            def fetchall(self):
                return self

            def fetchone(self):
                return self[0] if self else None

        monkeypatch.setattr(
            index_module.sqlite3, "connect", lambda *args, **more: real(*args, **{**more, "factory": Connection})
        )
        self.index, self.real = index, real

    def plans(self) -> Iterator[str]:
        with closing(self.real(self.index.path)) as connection:
            for sql, values in self.statements.items():
                for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values):
                    yield row[3]


BIG = re.compile(r"SCAN (rows|pairs|asked|r|p)\b")
"""A table that grows with the run, read from end to end (by an index or not)."""

STEPS = 1_500
"""Thousands of SQLite's instructions that a page may take. Reading all rows once takes more."""


@pytest.mark.parametrize("url", benchmark().PAGES.values(), ids=benchmark().PAGES.keys())
def test_every_page_follows_indexes_and_reads_a_bounded_number_of_rows(
    large: RunIndex, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from starlette.datastructures import QueryParams

    from evenhand.web.filters import facets_of, parse_state

    path, _, text = url.partition("?")
    facets = facets_of(large)
    query = (state := parse_state(QueryParams(text), facets)).query(facets, large)
    watched = Watched(large, monkeypatch)
    if "/pair/" in path:
        rows = large.rows_of(123_456)
        place = large.place(rows[0].rid, query.sort)
        assert large.rows(query, after=place, limit=1)
        assert large.rows(query, before=place, limit=1)
        assert large.find("pair-123456") == 123_456
        large.asked(123_456)
    else:
        large.counted(query)
        large.found_all(query)
        large.rows(query, after=state.after, before=state.before, limit=51)

    plans = list(watched.plans())
    assert plans
    assert [plan for plan in plans if BIG.search(plan)] == []
    assert watched.steps < STEPS
    assert watched.rows < 2 * FOUND + 200


def test_a_question_without_an_index_would_be_noticed(large: RunIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(large, monkeypatch)
    with large._open() as connection:
        connection.execute("SELECT COUNT(*) FROM rows WHERE +pair % 7 = 3 AND ab > 0.1")
    assert any(BIG.search(plan) for plan in watched.plans())
    assert watched.steps > STEPS


def test_a_common_word_is_cut_and_says_so(large: RunIndex) -> None:
    query = ListQuery(chosen={}, words=("explain",))
    assert not large.found_all(query)
    assert large.counted(query).total({}) == 2 * FOUND
    assert len(large.rows(query)) == 50


def test_a_question_that_takes_too_long_is_given_up(large: RunIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_STEPS", 10_000)
    with pytest.raises(TooBroadError, match="add a word or a filter"):
        large.counted(ListQuery(chosen={}, words=("explain",)))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "x.sqlite"
    broken.write_bytes(b"SQLite format 3\x00" + b"\xff" * 4_000)
    with pytest.raises(StoreError, match=r"x\.sqlite"):
        RunIndex(broken)
