import io
import json

import polars as pl
import pytest

from evenhand.datasets.rows import FORMATS, read_rows
from evenhand.errors import DataError


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def rows_of(path):
    return [(row.number, dict(row.values)) for row in read_rows(path)]


def error_of(path):
    with pytest.raises(DataError) as caught:
        list(read_rows(path))
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return caught.value


class TestJsonLines:
    def test_bom_crlf_and_blank_lines_are_allowed_and_lines_keep_their_number(self, tmp_path):
        path = write(tmp_path / "p.jsonl", b'\xef\xbb\xbf{"a": "1"}\r\n\r\n   \n{"a": "\xc3\xa9"}')
        assert rows_of(path) == [(1, {"a": "1"}), (4, {"a": "é"})]

    def test_unicode_line_separators_do_not_end_a_line(self, tmp_path):
        text = "one\u2028two\u2029three\x85four\x0bfive"
        path = write(tmp_path / "p.jsonl", json.dumps({"a": text}, ensure_ascii=False))
        assert rows_of(path) == [(1, {"a": text})]

    def test_lone_surrogates_and_null_characters_are_kept(self, tmp_path):
        path = write(tmp_path / "p.jsonl", '{"a": "x\\ud800y\\u0000z"}\n')
        assert rows_of(path) == [(1, {"a": "x\ud800y\0z"})]

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            (b'{"a": 1', "not valid JSON"),
            (b'{"a": "', "row 2: is not valid JSON (Invalid control character at column 8)"),
            (b"[1]", "is a list, expected an object"),
            (b"null", "is null, expected an object"),
            (b"true", "is true or false, expected an object"),
            (b'"x"', "is a text, expected an object"),
            (b'{"a": 1, "a": 2}', "key 'a' is there twice"),
            (b'{"a": ' + b"9" * 5000 + b"}", "can't be read"),
            (b"[" * 200_000, "nested too deep"),
            (b'{"a": "\xff"}', "byte 8 of line 2 (0xff) is not UTF-8"),
        ],
    )
    def test_a_bad_line_is_named(self, tmp_path, line, problem):
        error = error_of(write(tmp_path / "p.jsonl", b'{"a": 0}\n' + line + b"\n"))
        assert problem in str(error)
        assert error.row == 2

    def test_utf16_is_called_so(self, tmp_path):
        assert "UTF-16" in str(error_of(write(tmp_path / "p.jsonl", '{"a": 1}'.encode("utf-16"))))

    def test_rows_before_a_bad_line_come_out_first(self, tmp_path):
        rows = read_rows(write(tmp_path / "p.jsonl", b'{"a": 0}\nnonsense\n'))
        assert next(rows).values == {"a": 0}
        with pytest.raises(DataError):
            next(rows)


class TestJson:
    def test_a_list_of_objects_is_read(self, tmp_path):
        path = write(tmp_path / "p.json", b'\xef\xbb\xbf[\r\n{"a": 1},\n{"a": null}]')
        assert rows_of(path) == [(1, {"a": 1}), (2, {"a": None})]

    def test_an_object_or_many_is_an_error_with_a_remedy(self, tmp_path):
        assert ".jsonl" in str(error_of(write(tmp_path / "p.json", '{"a": 1}')))
        assert "p.json: is empty, expected a list" in str(error_of(write(tmp_path / "p.json", "\n ")))
        assert "Extra data at line 2" in str(error_of(write(tmp_path / "p.json", '{"a": 1}\n{"a": 2}')))

    def test_an_item_that_is_no_object_is_named(self, tmp_path):
        assert error_of(write(tmp_path / "p.json", '[{"a": 1}, "x"]')).row == 2


class TestCsv:
    def test_cells_stay_text_as_written(self, tmp_path):
        path = write(tmp_path / "p.csv", 'a,b\n007,1e5\nNA,=1+1\n"line\r\nbreak, ""quoted""", x \n')
        assert rows_of(path) == [
            (2, {"a": "007", "b": "1e5"}),
            (3, {"a": "NA", "b": "=1+1"}),
            (4, {"a": 'line\r\nbreak, "quoted"', "b": " x "}),
        ]

    def test_bom_and_blank_lines_are_allowed_and_rows_keep_their_number(self, tmp_path):
        assert rows_of(write(tmp_path / "p.csv", b"\xef\xbb\xbfa,b\r\n\r\n1,2\r\n")) == [(3, {"a": "1", "b": "2"})]

    def test_cells_far_beyond_the_csv_module_default_are_read(self, tmp_path):
        text = "x" * 1_000_000
        assert rows_of(write(tmp_path / "p.csv", f"a,b\n{text},\n")) == [(2, {"a": text, "b": ""})]

    @pytest.mark.parametrize(
        ("content", "row", "problem"),
        [
            ("a,b\n1,2\n1\n", 3, "has 1 cells, the header has 2"),
            ("a,b\n1,2,3\n", 2, "has 3 cells, the header has 2"),
            ('a,b\n1,2\n1,"2\n', 3, "not valid CSV"),
            ('a,b\n1,"2" x\n', 2, "not valid CSV"),
            ("a,a\n1,2\n", 1, "column 'a' is there twice"),
            (",a\n0,1\n", 1, "column 1 has no name"),
            ("a;b\n1;2\n", 1, "separate columns by commas"),
            (b"a,b\n1,2\n1,\xe9\n", 3, "0xe9"),
        ],
    )
    def test_a_bad_row_is_named(self, tmp_path, content, row, problem):
        error = error_of(write(tmp_path / "p.csv", content))
        assert problem in str(error)
        assert error.row == row


class TestParquet:
    def test_types_are_kept_and_glob_characters_mean_nothing(self, tmp_path):
        path = tmp_path / "a[1]*.parquet"
        pl.DataFrame({"a": ["x", None], "n": [1, 2]}).write_parquet(buffer := io.BytesIO())
        path.write_bytes(buffer.getvalue())
        assert rows_of(path) == [(1, {"a": "x", "n": 1}), (2, {"a": None, "n": 2})]

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"nothing of the kind", b"PAR1" + b"\0" * 100 + b"PAR1"])
    def test_a_file_that_is_none_is_an_error(self, tmp_path, content):
        assert "not a readable Parquet file" in str(error_of(write(tmp_path / "p.parquet", content)))


class TestFiles:
    @pytest.mark.parametrize("name", ["p.txt", "p", "p.jsonl.gz", "p.xlsx"])
    def test_another_extension_lists_those_that_work(self, tmp_path, name):
        message = str(error_of(write(tmp_path / name, "")))
        assert all(extension in message for extension in FORMATS)

    def test_extensions_may_be_in_capitals(self, tmp_path):
        assert rows_of(write(tmp_path / "P.CSV", "a\n1\n")) == [(2, {"a": "1"})]

    def test_absent_files_and_directories_are_told_apart(self, tmp_path):
        assert "no such file" in str(error_of(tmp_path / "p.csv"))
        assert "directory" in str(error_of(tmp_path))
        (tmp_path / "d.csv").mkdir()
        assert "directory" in str(error_of(tmp_path / "d.csv"))

    @pytest.mark.parametrize("name", ["p.jsonl", "p.csv"])
    def test_an_empty_file_has_no_rows(self, tmp_path, name):
        assert rows_of(write(tmp_path / name, "")) == []
