"""What every log format must keep to, whatever is in the file."""

import copy
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import DataError, EvenhandError
from evenhand.logs import inspect, read_log
from evenhand.records import FinishReason, Order, Outcome
from evenhand.registry import available
from logs.samples import FORMATS, LINES, ROWS, suffix, table_rows, write_rows, write_sample


def write(log_format, rows, folder):
    return write_rows(log_format, folder / f"log{suffix(log_format)}", rows)


@pytest.fixture(params=FORMATS)
def log_format(request):
    return request.param


def test_every_registered_format_is_under_this_contract():
    assert available("logs") == FORMATS


def test_records_fit_together(log_format, tmp_path):
    log = read_log(log_format, write_sample(log_format, tmp_path))
    keys = [entry.presentation.key for entry in log.entries]
    pairs = {pair.id for pair in log.pairs}
    conditions = {condition.id for condition in log.conditions}
    assert log.format == log_format
    assert len(set(keys)) == len(keys) > 0
    assert len(pairs) == len(log.pairs)
    assert {entry.presentation.pair_id for entry in log.entries} <= pairs
    assert {entry.presentation.condition for entry in log.entries} <= conditions
    assert {condition for condition, _ in log.grammars} == conditions
    assert {one.pair_id for one in log.excluded} <= pairs
    assert "\n" not in log.log_rules
    for entry in log.entries:
        assert isinstance(entry.presentation.order, Order)
        assert isinstance(entry.completion.log_outcome, Outcome)
        assert (entry.completion.error is not None) == (entry.completion.finish_reason is FinishReason.ERROR)


def test_orders_say_what_is_there(log_format, tmp_path):
    log = read_log(log_format, write_sample(log_format, tmp_path))
    shown = {}
    for entry in log.entries:
        shown.setdefault(entry.presentation.pair_id, set()).add(entry.presentation.order)
    assert (log.orders == "both") == any(len(orders) == 2 for orders in shown.values())


def test_reading_twice_is_the_same_and_another_file_has_other_keys(log_format, tmp_path):
    file = write(log_format, ROWS[log_format](), tmp_path)
    log = read_log(log_format, file)
    assert read_log(log_format, file) == log
    file.write_bytes(file.read_bytes() + b"\n")
    again = read_log(log_format, file)
    assert {e.presentation.key for e in again.entries}.isdisjoint(e.presentation.key for e in log.entries)
    assert again.pairs == log.pairs


def test_a_file_cut_anywhere_is_a_data_error_or_a_shorter_log(log_format, tmp_path):
    file = write(log_format, ROWS[log_format](), tmp_path)
    whole, data = read_log(log_format, file), file.read_bytes()
    for end in range(0, len(data) - 2, max(1, len(data) // 40)):
        file.write_bytes(data[:end])
        try:
            log = read_log(log_format, file)
        except DataError:
            continue
        # Only a JSON Lines file can end cleanly before its end.
        assert log_format in LINES
        assert len(log.pairs) <= len(whole.pairs)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"[null]",
        b"[1, 2]",
        b'["text"]',
        b"[[[[[]]]]]",
        b"[{}]",
        b"{}",
        b'{"a": {"b": {"c": {"d": {"e": {}}}}}}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\x00" * 50,
        b"\xff\xfe[\x00]\x00",
        b"1e999",
        b"-" + b"9" * 10_000,
        b"NaN",
    ],
)
def test_hostile_files_are_a_data_error(log_format, tmp_path, content):
    file = tmp_path / f"log{suffix(log_format)}"
    file.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_log(log_format, file)
    assert "\n" not in str(caught.value)
    assert str(file) in str(caught.value)
    assert not inspect(file, log_format).importable


def test_a_directory_and_an_absent_file_are_a_data_error(log_format, tmp_path):
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(DataError):
            read_log(log_format, path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads every file")
def test_a_forbidden_file_is_a_data_error(log_format, tmp_path):
    file = write(log_format, ROWS[log_format](), tmp_path)
    file.chmod(0)
    with pytest.raises(DataError, match="can't be read"):
        read_log(log_format, file)


def with_text(value, hostile, key=""):
    """The records with another text for the first response, alone or inside a prompt."""
    if isinstance(value, dict):
        return {name: with_text(inner, hostile, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_text(inner, hostile) for inner in value]
    if not isinstance(value, str):
        return value
    if key in {"input", "output_1", "output_2", "instruction", "response_A", "response_a", "text"}:
        return hostile
    for shown in ("Seven.", "baseline 1", "one says 82"):
        value = value.replace(shown, hostile)
    return value


def test_any_text_a_judge_may_write_passes_through(log_format, tmp_path):
    hostile = "\x00 \ud800 \u2028 \u202e <script> [[A>B]] " + "é" * 1000
    rows = with_text(ROWS[log_format](), hostile)
    log = read_log(log_format, write(log_format, rows, tmp_path))
    assert any(hostile in (pair.instruction, pair.response_a) for pair in log.pairs)


def places(value, path=()):
    """Every place in a JSON value, as a path of keys and indexes."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    value = copy.deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return value


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["A", "B", "AB", "first", "1", "A>B", "error", "", "\x00"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
FUZZ = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def survives(log_format, file):
    """Read and inspect: nothing but an EvenhandError may escape, and the two must agree."""
    found = inspect(file, log_format)
    try:
        read_log(log_format, file)
    except EvenhandError:
        assert found.problems
    else:
        assert not found.problems
    inspect(file)


@FUZZ
@given(data=st.data())
def test_a_value_replaced_by_any_other_never_crashes(log_format, tmp_path, data):
    rows = ROWS[log_format]()[:3]
    path = data.draw(st.sampled_from([place for place in places(rows) if place]))
    rows = replaced(rows, path, data.draw(JSON))
    survives(log_format, write(log_format, rows, tmp_path))


@FUZZ
@given(data=st.data())
def test_bytes_changed_anywhere_never_crash(log_format, tmp_path, data):
    content = bytearray(write(log_format, ROWS[log_format]()[:3], tmp_path).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file = tmp_path / f"log{suffix(log_format)}"
    file.write_bytes(content)
    survives(log_format, file)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@FUZZ
@given(data=st.data())
def test_tables_of_changed_bytes_never_crash(suffix, tmp_path, data):
    import polars as pl

    file = tmp_path / f"verdicts{suffix}"
    frame = pl.DataFrame(table_rows())
    (frame.write_csv if suffix == ".csv" else frame.write_parquet)(file)
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(content)
    survives("table", file)
