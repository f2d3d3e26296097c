import json

import pytest

from evenhand.datasets.judgebench import JudgeBenchDataset
from evenhand.errors import DataError
from evenhand.records import Preference


def row(identity, label="A>B", **changes):
    return {
        "pair_id": identity,
        "original_id": None,
        "source": "math",
        "question": "1 + 1?",
        "response_model": "m",
        "response_A": "2",
        "response_B": "3",
        "label": label,
    } | changes


def write(folder, name, *rows):
    path = folder / f"dataset=judgebench,response_model={name}.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


def test_fields(tmp_path):
    write(tmp_path, "m", row("p", original_id=12))
    (pair,) = JudgeBenchDataset(path=tmp_path).pairs()
    assert (pair.id, pair.instruction, pair.response_a, pair.response_b) == ("p", "1 + 1?", "2", "3")
    assert (pair.source, pair.author_a, pair.author_b) == ("math", "m", "m")
    assert pair.metadata == (("original_id", "12"),)


def test_labels(tmp_path):
    write(tmp_path, "m", row("1"), row("2", "B>A"), row("3", "A=B"))
    golds = [pair.gold for pair in JudgeBenchDataset(path=tmp_path).pairs()]
    assert golds == [Preference.A, Preference.B, Preference.TIE]
    path = write(tmp_path, "m", row("1", "A<B"))
    with pytest.raises(DataError, match="row 1, field 'label': is 'A<B', expected A>B, B>A or A=B"):
        JudgeBenchDataset(path=path).pairs()


def test_the_question_groups_across_files_whatever_its_original_id(tmp_path):
    write(tmp_path, "m1", row("1", original_id=1), row("2", question="2 + 2?"))
    write(tmp_path, "m2", row("3", original_id=2), row("4", question="3 + 3?"))
    groups = {pair.id: pair.group for pair in JudgeBenchDataset(path=tmp_path).pairs()}
    assert groups["1"] == groups["3"]
    assert len(set(groups.values())) == 3


def test_sources_come_in_turn_and_files_in_name_order(tmp_path):
    write(tmp_path, "m2", row("3"))
    write(tmp_path, "m1", row("1"), row("2", source="law"))
    assert [pair.id for pair in JudgeBenchDataset(path=tmp_path).pairs()] == ["1", "2", "3"]


def test_judges_outputs_are_no_data(tmp_path):
    write(tmp_path, "m", row("1"))
    write(tmp_path, "m,judge_name=j,judge_model=k", row("2"))
    (tmp_path / "outputs").mkdir()
    write(tmp_path / "outputs", "m", row("3"))
    assert [pair.id for pair in JudgeBenchDataset(path=tmp_path).pairs()] == ["1"]


def test_a_pair_in_both_files_is_an_error(tmp_path):
    write(tmp_path, "m1", row("1"))
    write(tmp_path, "m2", row("1"))
    with pytest.raises(DataError, match="field 'pair_id': '1' is already the id of"):
        JudgeBenchDataset(path=tmp_path).pairs()


def test_nothing_to_read_is_an_error(tmp_path):
    with pytest.raises(DataError, match="holds no dataset=judgebench"):
        JudgeBenchDataset(path=tmp_path).pairs()
    with pytest.raises(DataError, match="no such file or directory"):
        JudgeBenchDataset(path=tmp_path / "absent").pairs()
