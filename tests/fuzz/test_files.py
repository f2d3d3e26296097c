"""Every reader on files that mean harm: it reads them, or says in one line which file is wrong; never a traceback."""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import DataError, EvenhandError
from evenhand.registry import available
from fuzz.hostile_files import WHOLE, changed
from fuzz.targets import check, check_anywhere, formats, table_rows, targets
from hostile import short_texts

NAMES = sorted(targets())
STEP = 12
"""Of the changed seeds every twelfth, other ones for each target: all of them take minutes."""

NEVER_READ = {"activations", "verdicts", "log table.json", "variants.json"}
"""Targets whose seeds are refused: a beginning without its rest, and an ending that this reader doesn't take."""

PIECES = [
    *(text.encode("utf-8", "surrogatepass") for text in short_texts().values()),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"\\",
        b",",
        b":",
        b"\n",
        b"\r",
        b"\0",
        b"=",
        b"'",
        b"\xff",
        b"\xed\xa0\x80",
        b"1e999",
    ),
    *(b"null", b"NaN", b'"A"', b"<think>", b"[[B]]", b"9" * 400, b"[" * 3_000, b"A\n" * 500),
]


def test_every_log_format_is_a_target() -> None:
    assert {f"log {name}" for name in available("logs")} <= set(NAMES)
    assert len(NAMES) > 35


@pytest.mark.parametrize("name", NAMES)
def test_the_seeds_can_be_read(name: str) -> None:
    target = targets()[name]
    errors = [check_anywhere(target, seed) for seed in target.seeds]
    assert name in NEVER_READ or errors == [None] * len(errors)


@pytest.mark.parametrize("name", NAMES)
def test_hostile_files_are_read_or_refused_in_one_line(name: str, tmp_path: Path) -> None:
    target = targets()[name]
    # What a judge writes is read in forty ways: in linear time, but each takes its time.
    longest = None if target.named else 60_000
    refused = [check(target, data[:longest], tmp_path) for data in WHOLE.values()]
    # A text of a judge and a server's reply are never refused; each file is, where it is nothing of its kind.
    assert target.named == (sum(error is not None for error in refused) > len(WHOLE) // 4)
    cases = [case for seed in target.seeds for case in changed(seed).values()]
    for data in itertools.islice(cases, NAMES.index(name) % STEP, None, STEP):
        check(target, data, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_mutated_files_are_read_or_refused_in_one_line(name: str) -> None:
    target = targets()[name]

    @settings(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def run(data: st.DataObject) -> None:
        seed = data.draw(st.sampled_from(target.seeds))
        for _ in range(data.draw(st.integers(1, 4))):
            at, until = sorted(data.draw(st.tuples(*[st.integers(0, len(seed))] * 2)))
            new = data.draw(st.sampled_from(PIECES) | st.binary(max_size=8) | st.just(seed[at:until]))
            until = min(until, at + data.draw(st.sampled_from([0, 1, 8, 1_000_000])))
            seed = seed[:at] + new + seed[until:]
        check_anywhere(target, seed)

    run()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize(
    "kind", ["folder", "loop", "dangling", "pipe", "device", "endless", "missing", "long", "null", "lines"]
)
@pytest.mark.parametrize("name", [name for name in NAMES if targets()[name].named])
def test_what_is_no_file_is_refused_and_never_waited_for(name: str, kind: str, tmp_path: Path) -> None:
    target = targets()[name]
    path = tmp_path / target.file
    match kind:
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path)
        case "dangling":
            path.symlink_to(tmp_path / "nowhere")
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/null")
        case "endless":
            path.symlink_to("/dev/zero")
        case "long":
            path = tmp_path / ("n" * 300 + target.file)
        case "null":
            path = tmp_path / f"a\0{target.file}"
        case "lines":
            path = tmp_path / f"a\nb/{target.file}"
        case _:
            pass
    with pytest.raises(EvenhandError) as caught:
        target.read(path)
    assert "\n" not in str(caught.value)


BAD_CELLS = {
    "pairs": ("gold", "C"),
    "labels": ("preference", "C"),
    "scores": ("score_a", "much"),
    "log table": ("outcome", "C"),
    "variants": ("target", "C"),
}
"""A field of each table, and a value that it can't have."""


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".parquet"])
@pytest.mark.parametrize("kind", BAD_CELLS)
def test_an_error_of_a_cell_has_file_row_field_and_what_is_expected(kind: str, suffix: str, tmp_path: Path) -> None:
    if f"{kind}{suffix}" in NEVER_READ:
        pytest.skip("this reader doesn't take the format")
    field, value = BAD_CELLS[kind]
    rows = table_rows(kind)
    error = check(
        targets()[f"{kind}{suffix}"], formats([*rows[:2], {**rows[2], field: value}, *rows[3:]])[suffix], tmp_path
    )
    assert isinstance(error, DataError)
    assert Path(str(error.path)).suffix == suffix
    assert error.row in (3, 4)  # a spreadsheet counts the header
    assert error.field == field
    assert repr(value) in str(error)
    assert "expected" in str(error) or error.remedy


def test_an_error_names_the_row_and_the_field() -> None:
    row = b'{"id": "p", "instruction": "?", "response_a": "a", "response_b": "b", "gold": "A"}\n'
    bad = row.replace(b'"A"', b'"C"').replace(b'"p"', b'"q"')
    with tempfile.TemporaryDirectory() as folder:
        error = check(targets()["pairs.jsonl"], row + bad, Path(folder))
    assert "pairs.jsonl, row 2, field 'gold': is 'C', expected A, B, tie or empty" in str(error)
