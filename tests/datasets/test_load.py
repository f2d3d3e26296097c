import json

import pytest

from evenhand.datasets import load_dataset, load_pairs
from evenhand.datasets.judgebench import JudgeBenchDataset
from evenhand.datasets.llmbar import LlmBarDataset
from evenhand.datasets.starter import StarterDataset
from evenhand.datasets.table import TableDataset
from evenhand.errors import ConfigError, DataError


@pytest.fixture
def pair_file(tmp_path):
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"id": i, "instruction": "x", "response_a": "y", "response_b": "z", "source": i[0]} for i in ("a1", "a2", "b1")
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("starter", StarterDataset),
        ("judgebench:some/where", JudgeBenchDataset),
        ("llmbar:C:\\pairs", LlmBarDataset),
        ("table:odd:name.csv", TableDataset),
        ("pairs.csv", TableDataset),
        ("dir/odd:name.csv", TableDataset),
        ("C:\\pairs.csv", TableDataset),
    ],
)
def test_specs_find_their_data_set_and_come_back_from_it(spec, kind):
    dataset = load_dataset(spec)
    assert type(dataset) is kind
    assert dataset.spec == spec.removeprefix("table:")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("judgbench:x", "did you mean 'judgebench'"),
        ("startr", "did you mean 'starter'"),
        ("judgebench", "judgebench:PATH"),
        ("llmbar:", "llmbar:PATH"),
        ("starter:x", "takes no path"),
        ("", "empty"),
        ("  ", "empty"),
    ],
)
def test_specs_that_cannot_be_meant(spec, problem):
    with pytest.raises(ConfigError, match=problem):
        load_dataset(spec)


def test_a_path_is_a_file_whatever_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "starter").write_text("")
    with pytest.raises(DataError, match="no extension"):
        load_pairs((tmp_path / "starter").relative_to(tmp_path))
    assert len(load_pairs("starter")) == 60


@pytest.mark.parametrize("spec", ["nul\0.csv", "x" * 5000 + ".csv", "x" * 5000, "nul\0"])
def test_names_that_no_file_can_have_are_errors_like_others(spec):
    with pytest.raises((DataError, ConfigError)):
        load_pairs(spec)


def test_a_limit_takes_a_file_from_its_beginning(pair_file):
    assert [pair.id for pair in load_pairs(pair_file, limit=2)] == ["a1", "a2"]
    assert load_pairs(str(pair_file), limit=99) == load_pairs(pair_file)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_an_error(limit, pair_file):
    with pytest.raises(ConfigError, match=f"limit is {limit}"):
        load_pairs(pair_file, limit=limit)


def test_a_limit_does_not_hide_a_bad_row(pair_file):
    with pair_file.open("a") as file:
        file.write("nonsense\n")
    with pytest.raises(DataError, match="row 4"):
        load_pairs(pair_file, limit=1)


@pytest.mark.parametrize("name", ["p.jsonl", "p.csv"])
def test_no_pairs_is_an_error(tmp_path, name):
    (tmp_path / name).write_text("")
    with pytest.raises(DataError, match="holds no pairs"):
        load_pairs(tmp_path / name)
