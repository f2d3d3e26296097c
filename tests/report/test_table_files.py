"""Tables as files: each twice, whole, and none of an earlier report beside them."""

import pytest

from evenhand.errors import StoreError
from evenhand.report.model import Cell, Column, Table
from evenhand.report.table_files import write_tables
from evenhand.report.tables import table_csv, table_latex


def made(name):
    return Table(
        id=name,
        title=f"Title of {name}",
        caption="A caption.",
        columns=(Column(label="name", numeric=False),),
        rows=((Cell(text=name),),),
    )


def test_each_table_is_a_csv_and_a_latex_file(tmp_path):
    one, two = made("one"), made("two")
    paths = write_tables([one, two], tmp_path, names=["one", "two"])
    assert [path.name for path in paths] == ["one.csv", "two.csv", "one.tex", "two.tex"]
    assert (tmp_path / "one.csv").read_bytes() == table_csv(one).encode()
    assert (tmp_path / "two.tex").read_bytes() == table_latex(two).encode()


def test_tables_that_a_report_no_longer_has_are_removed(tmp_path):
    write_tables([made("one"), made("two")], tmp_path, names=["one", "two"])
    for own in ("mine.csv", "two.txt"):
        (tmp_path / own).write_text("the user's")
    write_tables([made("one")], tmp_path, names=["one", "two"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "one.csv", "one.tex", "two.txt"]


def test_a_place_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StoreError, match=r"one\.csv: can't be written"):
        write_tables([made("one")], tmp_path / "nowhere", names=["one"])
