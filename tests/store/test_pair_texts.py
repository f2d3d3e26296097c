import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from evenhand.errors import DataError, EvenhandError
from evenhand.records import (
    Completion,
    DataIdentity,
    FinishReason,
    JudgeIdentity,
    Order,
    Pair,
    Presentation,
    RunManifest,
)
from evenhand.store import Journal
from evenhand.store.pair_texts import PairTexts, read_pair_texts

IDS = ("plain", 'it\'s "quoted"', "π/ünïcode", "a'); DROP TABLE pairs;--", "")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    pairs = [Pair(id=name, instruction=f"ask {name}", response_a="a", response_b="b") for name in IDS]
    manifest = RunManifest(
        kind="live",
        judge=JudgeIdentity(spec="s:fair", model="fair"),
        conditions=(),
        readouts=("generated",),
        data=DataIdentity(spec="x", pairs=len(pairs), sha256="0"),
    )
    plan = [
        Presentation(key=f"k{index}{order}", pair_id=pair.id, condition="c", order=order)
        for index, pair in enumerate(pairs)
        for order in Order
    ]
    with Journal.create(tmp_path / "run", manifest, pairs) as journal:
        journal.set_plan(plan)
        for shown in plan[:-1]:
            journal.record(shown.key, Completion(text=None, finish_reason=FinishReason.ERROR, error="down"))
            journal.record(shown.key, Completion(text=f"of {shown.key}", finish_reason=FinishReason.STOP))
    return tmp_path / "run"


@pytest.mark.parametrize("name", IDS)
def test_any_id_finds_its_pair_and_its_latest_answers_alone(run: Path, name: str) -> None:
    found = read_pair_texts(run, [name])
    assert [pair.instruction for pair in found.pairs] == [f"ask {name}"]
    assert [entry.presentation.order for entry in found.entries] == [Order.AB, Order.BA]
    assert {entry.presentation.pair_id for entry in found.entries} == {name}
    texts = [entry.completion and entry.completion.text for entry in found.entries]
    assert texts == [f"of k{IDS.index(name)}AB", None if name == IDS[-1] else f"of k{IDS.index(name)}BA"]


def test_what_is_not_there_is_passed_over(run: Path, tmp_path: Path) -> None:
    assert read_pair_texts(run, ["nobody"]) == PairTexts()
    assert read_pair_texts(run, []) == PairTexts()
    assert read_pair_texts(tmp_path / "nowhere", ["plain"]) == PairTexts()
    assert len(read_pair_texts(run, [*IDS, "nobody", "plain"]).pairs) == len(IDS)


def test_a_record_that_was_changed_is_refused_by_name(run: Path) -> None:
    with closing(sqlite3.connect(run / "journal.sqlite")) as connection, connection:
        connection.execute("UPDATE pairs SET record = replace(record, 'ask plain', 'ask stain') WHERE ordinal = 0")
    with pytest.raises(DataError, match=r"journal\.sqlite"):
        read_pair_texts(run, ["plain"])


def test_what_is_no_json_is_an_error_of_ours(run: Path) -> None:
    with closing(sqlite3.connect(run / "journal.sqlite")) as connection, connection:
        connection.execute("UPDATE pairs SET record = '{' WHERE ordinal = 0")
    with pytest.raises(EvenhandError, match=r"journal\.sqlite"):
        read_pair_texts(run, ["plain"])
