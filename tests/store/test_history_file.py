import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.history_examples import entry, figure
from evenhand.errors import DataError, StoreError
from evenhand.store.history_file import add_entry, read_history


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "history.jsonl"
    entries = [entry(0, 0.1, baseline=True), entry(1, None), replace(entry(2, 0.2), note="a,\n\u2028b\ud800")]
    for each in entries:
        add_entry(path, each)
    assert list(read_history(path)) == entries
    assert len(path.read_bytes().splitlines()) == 3


def test_the_same_run_is_refused_and_replaced_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    for each in (entry(0, 0.1), entry(1, 0.2), entry(2, 0.3)):
        add_entry(path, each)
    before = path.read_bytes()
    with pytest.raises(DataError, match=r"row 2: this run of 2026-01-02T.* is in the history already \(--replace"):
        add_entry(path, entry(1, 0.9))
    assert path.read_bytes() == before
    add_entry(path, entry(1, 0.9), replace=True)
    assert [each.figures[0].value for each in read_history(path)] == [0.1, 0.9, 0.3]


@pytest.mark.parametrize(
    ("line", "field", "said"),
    [
        ("{", None, "not a line of JSON"),
        ("[" * 100_000, None, "not a line of JSON"),
        ("\xff", None, "not a line of JSON"),
        ("[]", None, "not a JSON object"),
        ('{"schema": 2}', "schema", "newer than the 1"),
        ('{"schema": true}', "schema", "expected 1"),
        ("{}", "schema", "expected 1"),
        ('{"schema": 1}', "run", "is missing"),
    ],
)
def test_a_line_that_is_no_entry_is_refused_with_its_row(
    tmp_path: Path, line: str, field: str | None, said: str
) -> None:
    path = tmp_path / "h.jsonl"
    add_entry(path, entry(0, 0.1))
    path.write_bytes(path.read_bytes() + line.encode("latin-1") + b"\n")
    with pytest.raises(DataError, match=said) as error:
        read_history(path)
    assert (error.value.path, error.value.row, error.value.field) == (path, 2, field)
    before = path.read_bytes()
    with pytest.raises(DataError):
        add_entry(path, entry(1, 0.2))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"planned": True}, "planned"),
        ({"planned": -1}, "planned"),
        ({"planned": 10**400}, "planned"),
        ({"level": "0.95"}, "level"),
        ({"judge": None}, "judge"),
        ({"baseline": 1}, "baseline"),
        ({"colour": "red"}, "colour"),
        ({"figures": {}}, "figures"),
        ({"figures": [3]}, "figures, 1"),
    ],
)
def test_every_field_is_checked(tmp_path: Path, change: dict[str, object], field: str) -> None:
    path = tmp_path / "h.jsonl"
    add_entry(path, entry(0, 0.1))
    tree = {**json.loads(path.read_text()), **change}
    path.write_text(json.dumps(tree) + "\n")
    with pytest.raises(DataError) as error:
        read_history(path)
    assert (error.value.row, error.value.field) == (1, field)


@pytest.mark.parametrize("value", ["1e999", "NaN", "-Infinity", '"x"', "true", "[]"])
def test_a_figure_is_a_number_or_nothing(tmp_path: Path, value: str) -> None:
    path = tmp_path / "h.jsonl"
    add_entry(path, entry(0, 0.1))
    path.write_text(path.read_text().replace('"value": 0.1', f'"value": {value}'))
    with pytest.raises(DataError) as error:
        read_history(path)
    assert error.value.row == 1


def test_a_line_that_was_broken_off_is_named(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    add_entry(path, entry(0, 0.1))
    add_entry(path, entry(1, 0.1))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"row 2: the last line has no end.*\(remove that line\)"):
        read_history(path)


def test_a_missing_file_and_a_folder_are_told_plainly(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="can't be read"):
        read_history(tmp_path / "none.jsonl")
    with pytest.raises(StoreError, match="can't be written"):
        add_entry(tmp_path, entry(0, 0.1))


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from audits.history_examples import entry
from evenhand.store.history_file import add_entry
path, first = Path(sys.argv[1]), int(sys.argv[2])
for number in range(first, first + 20):
    add_entry(path, replace(entry(0, 0.1), run=f"run{number}"))
    add_entry(path, replace(entry(0, 0.2), run=f"run{number}"), replace=True)
"""


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path, tests = tmp_path / "h.jsonl", Path(__file__).parents[1]
    words = [sys.executable, "-c", WRITER, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(tests)}
    writers = [subprocess.Popen([*words, str(first)], env=environment) for first in (0, 20, 40)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    found = read_history(path)
    assert sorted(each.run for each in found) == sorted(f"run{number}" for number in range(60))
    assert {each.figures[0].value for each in found} == {0.2}


def test_a_figure_is_found_by_its_scope() -> None:
    made = replace(entry(0, 0.1), figures=(figure(0.1), figure(0.2, readout="hybrid")))
    found = made.figure("flip_rate", condition="c", readout="hybrid")
    assert found is not None
    assert found.value == 0.2
    assert made.figure("accuracy", condition="c", readout="hybrid") is None


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("h") / "h.jsonl"
    path.write_bytes(data)
    if not data:
        assert read_history(path) == ()
    else:
        with pytest.raises(DataError):
            read_history(path)


def test_one_run_in_two_lines_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    for each in (entry(0, 0.1), entry(1, 0.2)):
        add_entry(path, each)
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(DataError, match="is the same run as row 1") as error:
        read_history(path)
    assert (error.value.row, error.value.field) == (3, "run")


@pytest.mark.parametrize("level", [0, 1, 7, -0.5])
def test_a_level_lies_between_0_and_1(tmp_path: Path, level: float) -> None:
    path = tmp_path / "h.jsonl"
    add_entry(path, replace(entry(0, 0.1), level=level))
    with pytest.raises(DataError, match="can't be its value") as error:
        read_history(path)
    assert error.value.field == "level"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_and_a_device_are_no_history(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path(os.devnull)):
        with pytest.raises(DataError, match="is a pipe or a device"):
            read_history(path)
        with pytest.raises(DataError, match="is a pipe or a device"):
            add_entry(path, entry(0, 0.1))
