"""``evenhand simulate figures`` as a person runs it."""

import json


def test_the_figures_are_made_and_named(evenhand, tmp_path):
    done = evenhand("simulate", "figures", "--pairs", "40", "--runs", "6", "--quiet", "--out", tmp_path / "s")
    assert done.code == 0, done.err
    assert "Mitigation against bias strength" in done.out
    figures = {path.name for path in (tmp_path / "s/figures").iterdir()}
    assert figures == {
        "simulation-consistency.svg",
        "simulation-accuracy.svg",
        "simulation-length.svg",
        "simulation-mitigation-accuracy.svg",
        "simulation-mitigation-decided.svg",
    }


def test_the_same_seed_gives_the_same_json(evenhand, tmp_path):
    trees = []
    for name in ("a", "b"):
        words = ("--pairs", "40", "--runs", "6", "--seed", "3", "--json", "--quiet", "--out", tmp_path / name)
        done = evenhand("simulate", "figures", *words)
        assert done.code == 0, done.err
        trees.append(json.loads(done.out))
    assert trees[0]["tables"] == trees[1]["tables"]
    assert "seed" in json.dumps(trees[0]["facts"]).lower()


def test_bad_worlds_are_one_line_and_code_2(evenhand, tmp_path):
    done = evenhand("simulate", "figures", "--length-quality", "2", "--out", tmp_path)
    assert done.code == 2
    assert "length_quality=2.0: a correlation" in done.err
    assert evenhand("simulate", "figures", "--runs", "2", "--out", tmp_path).code == 2
