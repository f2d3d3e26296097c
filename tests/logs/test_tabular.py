import csv

import pytest

from evenhand.errors import DataError
from evenhand.logs.tabular import read_table


def table(tmp_path, content, name="verdicts.csv"):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return file


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "has no header"),
        ("a,b\n", "has no records"),
        ("a,a\n1,2\n", "names 'a' twice"),
        ("a,b\n1,2\n1,2,3\n", "row 2: has 3 fields, the header has 2"),
        ('a,b\n1,"2\n', "row 1: is not CSV"),
        (b"a\n\xff\n", "is not UTF-8"),
    ],
)
def test_damaged_csv_is_an_error_with_its_row(tmp_path, content, problem):
    with pytest.raises(DataError, match=problem):
        read_table(table(tmp_path, content))


def test_long_fields_are_read_and_the_csv_module_s_limit_is_restored(tmp_path):
    before = csv.field_size_limit()
    text = "x" * 1_000_000
    rows = read_table(table(tmp_path, f'a,b\n1,"{text}\n""end"""\n')).rows
    assert rows[0].value == {"a": "1", "b": f'{text}\n"end"'}
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"not parquet at all"])
def test_damaged_parquet_is_an_error(tmp_path, content):
    with pytest.raises(DataError, match="Parquet"):
        read_table(table(tmp_path, content, "verdicts.parquet"))


def test_an_unknown_suffix_is_named(tmp_path):
    with pytest.raises(DataError, match=r"suffix '\.xlsx'"):
        read_table(tmp_path / "verdicts.xlsx")
