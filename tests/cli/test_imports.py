import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rows = [
        {"pair_id": f"q{i}", "order": order, "text": "Response A is better.", "outcome": "first"}
        for i in range(8)
        for order in ("AB", "BA")
    ]
    path = tmp_path / "theirs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_import_writes_a_run_that_report_reads(evenhand: Run, log: Path, tmp_path: Path) -> None:
    first = evenhand("import", "table", log, "--out", tmp_path / "run")
    again = evenhand("report", tmp_path / "run")
    assert (first.code, again.code) == (0, 0)
    assert "flip rate" in first.out
    assert first.out == again.out


def test_report_as_json_and_elsewhere(evenhand: Run, log: Path, tmp_path: Path) -> None:
    evenhand("import", "table", log, "--out", tmp_path / "run")
    done = evenhand("report", tmp_path / "run", "--json", "--level", 0.9, "--out", tmp_path / "elsewhere")
    assert json.loads(done.out) == json.loads((tmp_path / "elsewhere" / "audit.json").read_text(encoding="utf-8"))


def test_inspect_says_what_is_there_and_imports_nothing(evenhand: Run, log: Path, tmp_path: Path) -> None:
    done = evenhand("import", "--inspect", log)
    assert done.code == 0
    assert "format table, 16 rows" in done.out
    assert "to import: evenhand import table" in done.out
    assert [path.name for path in tmp_path.iterdir()] == ["theirs.jsonl"]


def test_inspect_names_row_and_field_of_a_problem(evenhand: Run, log: Path) -> None:
    log.write_text(log.read_text(encoding="utf-8").replace('"order": "BA"', '"order": "XX"', 1), encoding="utf-8")
    done = evenhand("import", "--inspect", log)
    assert done.code == 2
    assert "row 2" in done.out
    assert "order" in done.out


def test_what_to_type_next_is_whole(evenhand: Run, log: Path) -> None:
    deep = log.parent / ("my logs " + "d" * 150)
    deep.mkdir()
    moved = log.rename(deep / "theirs.jsonl")
    assert f"to import: evenhand import table '{moved}'\n" in evenhand("import", "--inspect", moved).out


def test_a_file_that_no_format_knows_names_all_formats_and_the_way_of_a_table(evenhand: Run, log: Path) -> None:
    log.write_text('{"score": 3}\n', encoding="utf-8")
    done = evenhand("import", "--inspect", log)
    assert done.code == 2
    assert "table, trace_csv)" in done.out
    assert "evenhand import table FILE --map" in done.out


def test_inspect_as_json(evenhand: Run, log: Path) -> None:
    found = json.loads(evenhand("import", "--inspect", "--json", log).out)
    assert found["importable"] is True
    assert found["rows"] == 16


def test_an_option_of_the_format(evenhand: Run, log: Path, tmp_path: Path) -> None:
    evenhand("import", "table", log, "--out", tmp_path / "run", "--set", "model=gpt-4")
    manifest = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert manifest["judge"]["model"] == "gpt-4"
    assert evenhand("import", "table", log, "--set", "colour=red").code == 2


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    rows = [
        {"inputs": {"id": f"q{i}"}, "metadata": {"shown": order}, "outputs": {"said": "Response A is better."}}
        for i in range(8)
        for order in ("AB", "BA")
    ]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


MAPPED = ("--map", "pair_id=inputs.id", "--map", "order=metadata.shown", "--map", "text=outputs.said")


def test_columns_are_mapped(evenhand: Run, runs: Path, tmp_path: Path) -> None:
    unmapped = evenhand("import", "--inspect", runs)
    assert (unmapped.code, "--map pair_id=COLUMN" in unmapped.out) == (2, True)
    mapped = evenhand("import", "--inspect", "trace_csv", runs, *MAPPED)
    assert mapped.code == 0
    assert "8 of 8 pairs are there in both orders" in mapped.out
    # The command that it names is the one that works.
    assert " ".join(MAPPED) in mapped.out
    done = evenhand("import", "trace_csv", runs, *MAPPED, "--out", tmp_path / "run", "--json")
    assert done.code == 0
    assert "columns guessed" not in done.out


def test_a_bad_mapping_is_bad_usage(evenhand: Run, runs: Path, log: Path) -> None:
    bad = evenhand("import", "trace_csv", runs, "--map", "ordr=x")
    assert (bad.code, "was 'order' meant?" in bad.err) == (2, True)
    nothing_to_map = evenhand("import", "judgebench", log, "--map", "order=x")
    assert nothing_to_map.code == 2
    assert "'judgebench' has columns of its own, so leave out --map" in nothing_to_map.err
    assert "table, deepeval, inspect, lm_eval, promptfoo, trace_csv)" in nothing_to_map.err
    unknown = evenhand("import", "judgments", log, "--map", "order=x")
    assert (unknown.code, "unknown log 'judgments'" in unknown.err) == (2, True)
    missing = evenhand("import", "--inspect", log.parent / "nowhere.csv", "--map", "order=x")
    assert (missing.code, "nowhere.csv" in missing.out, "Traceback" in missing.err) == (2, True, False)


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """A table of one's own names."""
    lines = [f"q{i},{order},Response A is better." for i in range(8) for order in ("AB", "BA")]
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["item,order,said", *lines]), encoding="utf-8")
    return path


def test_a_table_with_other_names_is_imported_by_its_map(evenhand: Run, named: Path, tmp_path: Path) -> None:
    plain = evenhand("import", "--inspect", "table", named)
    assert plain.code == 2
    assert "evenhand import table FILE --map pair_id=…" in plain.out
    words = ("--map", "pair_id=item", "--map", "text=said")
    done = evenhand("import", "table", named, *words, "--out", tmp_path / "run", "--json")
    assert done.code == 0, done.err
    assert "a table whose columns are mapped is read as trace_csv\n" in done.err
    manifest = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert manifest["data"]["spec"].startswith("trace_csv:")
    inspected = evenhand("import", "--inspect", "table", named, *words)
    assert (inspected.code, "8 of 8 pairs are there in both orders" in inspected.out) == (0, True)
    assert f"to import: evenhand import trace_csv {named} --map pair_id=item --map text=said\n" in inspected.out
    wrong = evenhand("import", "table", named, "--map", "pair_id=itme")
    assert (wrong.code, "was 'item' meant?" in wrong.err) == (2, True)


def test_a_map_is_enough_to_inspect_a_table_of_unknown_names(evenhand: Run, log: Path) -> None:
    done = evenhand("import", "--inspect", log, "--map", "preference=outcome")
    assert "read as trace_csv" in done.err
