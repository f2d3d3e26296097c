import json
import zipfile

import pytest

from evenhand.errors import ConfigError
from evenhand.logs import inspect
from evenhand.logs.inspection import guess_format, guesses
from logs.samples import (
    FORMATS,
    OBJECTS,
    ROWS,
    alpaca_rows,
    table_rows,
    write_csv,
    write_json,
    write_lines,
    write_rows,
    write_sample,
)


@pytest.mark.parametrize("log_format", FORMATS)
def test_the_format_is_guessed_and_a_sound_file_is_importable(tmp_path, log_format):
    file = write_sample(log_format, tmp_path)
    found = inspect(file)
    assert (found.format, found.problems, found.importable) == (log_format, (), True)
    assert found == inspect(file, log_format)
    assert found.rows > 0


def test_a_directory_and_a_jsonl_table_are_guessed(tmp_path):
    assert guess_format(write_sample("llmbar", tmp_path).parent) == "llmbar"
    assert guess_format(write_lines(tmp_path / "verdicts.jsonl", table_rows())) == "table"


def capabilities(found):
    return {one.name: (one.supported, one.why) for one in found.supports}


def test_capabilities_are_counted(tmp_path):
    single = capabilities(inspect(write_json(tmp_path / "annotations.json", alpaca_rows())))
    assert single["position figures"] == (False, "0 of 6 pairs are there in both orders")
    assert single["first-token readout and compliance"][0]
    assert single["accuracy"] == (False, "0 of 6 pairs have a gold preference")
    both = capabilities(inspect(write_csv(tmp_path / "verdicts.csv", table_rows())))
    assert both["position figures"] == (True, "2 of 2 pairs are there in both orders")
    assert both["generated readout"] == (True, "3 of 4 presentations have the text")
    assert both["first-token readout and compliance"][0] is False


def test_every_bad_row_is_listed_with_its_field(tmp_path):
    rows = table_rows()
    rows[0]["order"] = "AA"
    rows[2]["outcome"] = "lost"
    found = inspect(write_csv(tmp_path / "verdicts.csv", rows))
    assert [(one.row, one.field) for one in found.problems] == [(1, "order"), (3, "outcome")]
    assert not found.importable
    assert found.supports


def test_what_concerns_several_rows_is_listed_too(tmp_path):
    rows = table_rows()
    found = inspect(write_csv(tmp_path / "verdicts.csv", [*rows, rows[0]]))
    assert (found.problems[0].row, found.problems[0].field) == (5, "pair_id")
    assert found.supports == ()


def test_very_many_problems_are_cut_and_counted(tmp_path):
    rows = [{"pair_id": f"p{number}", "order": "x", "outcome": "first"} for number in range(250)]
    found = inspect(write_csv(tmp_path / "verdicts.csv", rows))
    assert len(found.problems) == 201
    assert found.problems[-1].problem == "and 50 more rows with problems"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"a": 1}', "[1]", "[[1]]", "{", "\x00", "[" * 100_000])
def test_what_no_format_recognises_is_a_problem_and_no_error(tmp_path, content):
    file = tmp_path / "log.json"
    file.write_text(content)
    found = inspect(file)
    assert (found.format, found.rows, len(found.problems)) == (None, 0, 1)


def test_an_absent_file_is_a_problem_and_an_unknown_format_an_error(tmp_path):
    assert "no such file" in inspect(tmp_path / "absent.json").problems[0].problem
    with pytest.raises(ConfigError, match="unknown log"):
        inspect(tmp_path, "csv")


@pytest.mark.parametrize("log_format", sorted(OBJECTS))
def test_an_object_is_guessed_on_one_line_and_on_many(tmp_path, log_format):
    file = write_rows(log_format, tmp_path / "log.json", ROWS[log_format]())
    assert guesses(file) == (log_format,)
    file.write_text(json.dumps(json.loads(file.read_text()), indent=2))
    assert guesses(file) == (log_format,)


def test_an_archive_is_known_by_its_members(tmp_path):
    file = tmp_path / "log.eval"
    for name, expected in (("header.json", ("inspect",)), ("_journal/start.json", ("inspect",)), ("other.json", ())):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(name, "{")
        assert guesses(file) == expected


def test_a_table_is_known_by_its_columns(tmp_path):
    file = write_csv(tmp_path / "runs.csv", ROWS["trace_csv"]())
    assert guesses(file) == ("trace_csv",)
    # What no tool wrote is held against the plain format, which says what is missing.
    other = inspect(write_csv(tmp_path / "other.csv", [{"id": "p1", "ordre": "AB"}]))
    assert (other.format, "no column 'pair_id'" in other.problems[0].problem) == ("table", True)
    # A table that already has the plain names needs no mapping.
    plain = [{**row, "inputs.x": "", "outputs.y": ""} for row in table_rows()]
    assert guesses(write_csv(tmp_path / "both.csv", plain)) == ("table",)


def test_an_ambiguous_file_lists_what_it_may_be(tmp_path):
    record = {**ROWS["judgebench"]()[0], **ROWS["arena_hard"]()[0]}
    found = inspect(write_lines(tmp_path / "log.jsonl", [record]))
    assert (found.format, found.importable) == (None, False)
    assert found.problems[0].problem.startswith("it may be arena_hard or judgebench: say which")
    assert guess_format(tmp_path / "log.jsonl") is None
    assert inspect(tmp_path / "log.jsonl", "arena_hard").importable


def test_a_folder_is_known_by_what_is_in_it(tmp_path):
    write_lines(tmp_path / "judge" / "model.jsonl", ROWS["arena_hard"]())
    assert guesses(tmp_path / "judge") == ("arena_hard",)
    (tmp_path / "empty").mkdir()
    assert "can't be read" in inspect(tmp_path / "empty").problems[0].problem


@pytest.mark.parametrize(("name", "text"), [("log.jsonl", ""), ("log.json", "\n \r\n"), ("log.jsonl", "\ufeff\n")])
def test_an_empty_file_is_called_empty(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [problem.problem for problem in inspect(tmp_path / name).problems] == ["is empty, expected JSON"]


def test_options_reach_the_format(tmp_path):
    file = write_lines(tmp_path / "log.jsonl", [{**row, "judge": "x"} for row in ROWS["arena_hard"]()])
    assert inspect(file, None, judge="x").importable
    assert "no judge 'y'" not in str(inspect(file, None, judge="x").problems)
    with pytest.raises(ConfigError, match="can't take these options"):
        inspect(file, None, nonsense="y")


def test_a_parquet_table_is_known_by_its_columns(tmp_path):
    import polars as pl

    pl.DataFrame(ROWS["trace_csv"]()).write_parquet(tmp_path / "runs.parquet")
    assert guesses(tmp_path / "runs.parquet") == ("trace_csv",)
    (tmp_path / "runs.parquet").write_bytes(b"PAR1")
    assert guesses(tmp_path / "runs.parquet") == ("table",)


def test_columns_that_belong_to_another_format_s_records_are_a_table(tmp_path):
    file = write_csv(tmp_path / "samples.csv", [{"doc": "", "resps": "", "filtered_resps": ""}])
    assert guesses(file) == ("table",)
    assert guesses(tmp_path / "absent.csv") == ("table",)
