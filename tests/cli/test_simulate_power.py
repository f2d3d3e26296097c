"""``evenhand simulate power`` as a person runs it: answers, files, JSON, and one line for every mistake."""

import json

import pytest


def test_the_answer_and_its_files(evenhand, tmp_path):
    done = evenhand("simulate", "power", "accuracy", "--effect", "0.1", "--discordance", "0.2", "--out", tmp_path / "p")
    assert done.code == 0, done.err
    assert "155 pairs" in done.out
    assert "310 judgments at 2 a pair" in " ".join(done.out.replace("│", " ").split())
    for name in ("power.json", "power.html", "power.md", "tables/power-curve.csv", "figures/power-curve.svg"):
        assert (tmp_path / "p" / name).is_file()


def test_json_is_all_of_stdout_and_a_simulation_is_part_of_it(evenhand, tmp_path):
    words = ("--effect", "0.1", "--simulate", "40", "--quiet", "--json", "--out", tmp_path)
    done = evenhand("simulate", "power", "win-rate", *words)
    assert done.code == 0, done.err
    tree = json.loads(done.out)
    assert tree["kind"] == "power"
    assert {table["id"] for table in tree["tables"]} == {"answer", "simulated", "curve"}
    assert json.loads((tmp_path / "power.json").read_text()) == tree


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("colour",), "question 'colour': expected one of flip-rate"),
        (("accuracy", "--effect", "0.5"), "raise --discordance"),
        (("shift", "--bias", "colour"), "bias 'colour'"),
        (("shift", "--simulate", "3"), "simulate is 3"),
        (("beyond-repeats", "--effect", "0.5"), "repeat rate"),
    ],
)
def test_mistakes_are_one_line_and_code_2(evenhand, tmp_path, words, message):
    done = evenhand("simulate", "power", *words, "--out", tmp_path / "p")
    assert done.code == 2
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "p").exists()


def test_a_pilot_that_is_no_run_cannot_be_used(evenhand, tmp_path):
    done = evenhand("simulate", "power", "flip-rate", "--run", tmp_path / "nowhere", "--out", tmp_path / "p")
    assert done.code == 3
    assert "not a run directory" in done.err


def test_a_file_in_the_way_is_told_before_the_work(evenhand, tmp_path):
    (tmp_path / "p").write_text("")
    done = evenhand("simulate", "power", "flip-rate", "--out", tmp_path / "p")
    assert done.code == 2
    assert "is a file, expected a folder" in done.err
