import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.logs import read_log_columns


def test_a_table_of_verdicts_is_read_as_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("pair_id,order,outcome\np,AB,first\n", encoding="utf-8")
    log = read_log_columns("table", path, model="m")
    assert (log.judge.model, log.orders, log.columns.presentations.height) == ("m", "single", 1)


def test_a_table_with_texts_and_other_formats_are_not(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("pair_id,order,text\np,AB,A\n", encoding="utf-8")
    assert read_log_columns("table", path) is None
    assert read_log_columns("judgebench", path) is None


def test_what_is_wrong_is_said_as_ever(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_log_columns("table", tmp_path / "absent.csv")
    with pytest.raises(ConfigError, match="can't take these options"):
        read_log_columns("table", tmp_path / "absent.csv", round="first")
