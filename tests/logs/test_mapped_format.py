"""A map goes to the format that reads by any names; one with columns of its own refuses it."""

import pytest

from evenhand.errors import ConfigError
from evenhand.logs import read_log
from evenhand.logs.mapped_format import MAPPED_TABLE, mapped_format
from evenhand.logs.read import open_format
from evenhand.logs.trace_csv import TraceCsvLog
from evenhand.registry import BUILT_IN


def test_a_table_is_read_by_the_mapped_format_and_others_by_themselves():
    assert mapped_format("table") == MAPPED_TABLE
    assert BUILT_IN["logs"][MAPPED_TABLE].endswith(TraceCsvLog.__name__)
    for name in ("inspect", "lm_eval", "deepeval", "promptfoo", "trace_csv"):
        assert mapped_format(name) == name


@pytest.mark.parametrize("name", ["judgebench", "llmbar", "alpaca_eval", "arena_hard"])
def test_a_format_with_columns_of_its_own_takes_no_map(name):
    with pytest.raises(ConfigError, match=f"{name}.* has columns of its own, so leave out --map .*table, deepeval"):
        mapped_format(name)
    with pytest.raises(ConfigError, match="has columns of its own"):
        open_format(name, map="pair_id=q")


def test_a_format_of_another_package_is_asked_itself():
    assert mapped_format("somebody:Else") == "somebody:Else"


def test_a_table_takes_a_map(tmp_path):
    path = tmp_path / "verdicts.csv"
    path.write_text("q,shown,said\n1,AB,[[A]]\n1,BA,[[B]]\n")
    mapped = read_log("table", path, map="pair_id=q,order=shown,text=said")
    assert mapped == read_log(MAPPED_TABLE, path, map="pair_id=q,order=shown,text=said")
    assert [entry.presentation.pair_id for entry in mapped.entries] == ["1", "1"]
