import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.logs import read_log
from logs.samples import write_sample


def test_a_path_may_be_text(tmp_path):
    file = write_sample("judgebench", tmp_path)
    assert read_log("judgebench", str(file)) == read_log("judgebench", file)


def test_an_unknown_format_lists_those_that_exist(tmp_path):
    with pytest.raises(ConfigError, match="did you mean 'judgebench'"):
        read_log("judgbench", tmp_path)


def test_an_unknown_option_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"can't take these options \(colour\)"):
        read_log("table", tmp_path, colour="red")


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"absent\.csv: no such file"):
        read_log("table", tmp_path / "absent.csv")
