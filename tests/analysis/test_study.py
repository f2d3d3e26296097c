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
