import json

import pytest

from evenhand.datasets.llmbar import LlmBarDataset
from evenhand.errors import DataError
from evenhand.records import Preference


def row(n, label):
    return {"input": f"Question {n}", "output_1": "one", "output_2": "two", "label": label}


def subset(root, name, *rows):
    path = root / name / "dataset.json"
    path.parent.mkdir()
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_subsets_are_sources_in_turn(tmp_path):
    subset(tmp_path, "Natural", row(0, 1), row(1, 2))
    subset(tmp_path, "GPTInst", row(2, 2), row(3, 1))
    pairs = LlmBarDataset(path=tmp_path).pairs()
    assert [(p.id, p.source, p.gold) for p in pairs] == [
        ("llmbar-GPTInst-0", "GPTInst", Preference.B),
        ("llmbar-Natural-0", "Natural", Preference.A),
        ("llmbar-GPTInst-1", "GPTInst", Preference.A),
        ("llmbar-Natural-1", "Natural", Preference.B),
    ]
    assert (pairs[0].response_a, pairs[0].response_b) == ("one", "two")


def test_a_file_and_its_directory_are_the_same_subset(tmp_path):
    path = subset(tmp_path, "Natural", row(0, 1), row(1, 2))
    assert LlmBarDataset(path=path).pairs() == LlmBarDataset(path=path.parent).pairs()


def test_pairs_on_one_instruction_share_a_group_across_subsets(tmp_path):
    subset(tmp_path, "Natural", row(0, 1))
    subset(tmp_path, "Manual", row(0, 2), row(1, 2))
    groups = {pair.id: pair.group for pair in LlmBarDataset(path=tmp_path).pairs()}
    assert groups["llmbar-Natural-0"] == groups["llmbar-Manual-0"] != groups["llmbar-Manual-1"]


@pytest.mark.parametrize("label", [0, 3, "1", None, True, 1.0])
def test_another_label_is_an_error(tmp_path, label):
    subset(tmp_path, "Natural", row(0, 1), row(1, label))
    with pytest.raises(DataError, match=r"row 2, field 'label': .*expected 1 or 2"):
        LlmBarDataset(path=tmp_path).pairs()


def test_nothing_to_read_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"no dataset\.json"):
        LlmBarDataset(path=tmp_path).pairs()
    with pytest.raises(DataError, match="no such file or directory"):
        LlmBarDataset(path=tmp_path / "absent").pairs()
