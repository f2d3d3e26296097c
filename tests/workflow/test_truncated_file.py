"""Truncated pairs as a pair file: read back, they are the same pairs with one text cut."""

import pytest

from evenhand.datasets import load_pairs
from evenhand.errors import ConfigError, DataError
from evenhand.mitigation.truncate import truncate_pair
from evenhand.records import Pair
from evenhand.workflow.truncated_file import write_truncated
from workflow.mitigation_runs import quality_pairs


def test_they_come_back_as_pairs(tmp_path):
    pairs = quality_pairs(20)
    found = write_truncated(tmp_path / "t.jsonl", pairs)
    again = load_pairs(str(tmp_path / "t.jsonl"))
    assert [pair.id for pair in again] == [pair.id for pair in pairs]
    for pair, whole in zip(again, pairs, strict=True):
        assert (pair.group, pair.gold, pair.author_a) == (whole.group, whole.gold, whole.author_a)
        assert (pair.response_a, pair.response_b) == (
            truncate_pair(whole).pair.response_a,
            truncate_pair(whole).pair.response_b,
        )
        assert dict(pair.metadata)["truncated"] in ("A", "B", "none")
    assert (found.pairs, sum(count for _, count in found.at)) == (20, 20)
    assert found.cut == 20 - dict(found.at).get("nothing", 0)


def test_a_run_without_texts_and_another_format_are_refused(tmp_path):
    empty = (Pair(id="p", instruction="", response_a="", response_b="", group="g"),)
    with pytest.raises(DataError, match="keeps no texts"):
        write_truncated(tmp_path / "t.jsonl", empty)
    with pytest.raises(ConfigError, match=r"\.jsonl"):
        write_truncated(tmp_path / "t.csv", quality_pairs(2))
