import pytest

from evenhand.analysis.study import Study, StudyColumn, StudyHeadline, StudyTable


def test_a_row_that_does_not_fit_its_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="row of 2 values under 1 columns"):
        StudyTable(id="t", title="T", caption="", columns=(StudyColumn(name="a", label="a"),), rows=((1, 2),))


def test_a_table_is_found_by_its_id() -> None:
    table = StudyTable(id="t", title="T", caption="", columns=(StudyColumn(name="a", label="a"),), rows=((1,),))
    headline = StudyHeadline(status="described", verdict="V", lead="L")
    study = Study(kind="power", title="", subtitle="", headline=headline, tables=(table,))
    assert study.table("t") is table
    assert study.table("other") is None


def test_a_row_may_print_its_shares_in_another_unit() -> None:
    columns = (
        StudyColumn(name="a", label="a"),
        StudyColumn(name="b", label="b", unit="share"),
        StudyColumn(name="c", label="c", unit="difference"),
        StudyColumn(name="n", label="n", unit="count"),
    )
    rows = (("x", 0.1, 0.1, 9), ("y", 0.1, 0.1, 9))
    table = StudyTable(id="t", title="T", caption="", columns=columns, rows=rows, row_units=(None, "number"))
    assert [table.unit(0, index) for index in range(4)] == ["text", "share", "difference", "count"]
    assert [table.unit(1, index) for index in range(4)] == ["text", "number", "number", "count"]
    with pytest.raises(ValueError, match="1 units for 2 rows"):
        StudyTable(id="t", title="T", caption="", columns=columns, rows=rows, row_units=("number",))
