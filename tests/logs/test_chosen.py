from pathlib import Path

import pytest

from evenhand.errors import DataError
from evenhand.logs.chosen import choose, listed

FILE = Path("log.jsonl")


def pick(rows, wanted):
    return choose(rows, "judge", wanted, name_of=lambda row: row or None, path=FILE)


def test_one_name_needs_no_choice_and_rows_without_a_name_stay():
    assert pick(["a", "", "a"], None) == ["a", "", "a"]
    assert pick(["a", "", "b"], "a") == ["a", ""]
    assert pick(["", ""], "anything") == ["", ""]


def test_several_names_are_listed_with_the_option_to_choose():
    with pytest.raises(DataError, match=r"2 values of judge: 'a', 'b' \(choose one: --set judge=a\)"):
        pick(["a", "b"], None)
    with pytest.raises(DataError, match="no judge 'c': it has 'a', 'b'"):
        pick(["a", "b"], "c")


def test_long_lists_are_cut_and_counted():
    assert listed(str(number) for number in range(20)).endswith("'11' and 8 more")
