import json

import pytest

from evenhand.records import Readout
from evenhand.workflow.collect import collect
from evenhand.workflow.collect_settings import CollectSettings
from workflow.capturing_judge import CapturingDouble, pairs, three_lines


@pytest.fixture
def runs(tmp_path):
    made = []
    for name, lost in (("one", 1), ("two", 4)):

        def write(number, ab, lost=lost):
            return "no A" if number == lost else three_lines("A" if ab or number % 3 == 0 else "B")

        collect(CapturingDouble(write), pairs(12), out=tmp_path / name)
        made.append(tmp_path / name)
    return made


def test_each_judge_s_pairs_and_those_they_share(evenhand, runs):
    done = evenhand("probe", "shared", *runs)
    assert done.code == 0
    assert "Usable for every judge: 10 of 12 pairs." in done.out
    assert "of 11 pairs in 6 question groups" in done.out
    assert "of 10 pairs in 6 question groups" in done.out
    assert "fewer than three lines" in done.out


def test_one_run_alone_shares_with_nobody(evenhand, runs):
    done = evenhand("probe", "shared", runs[0])
    assert done.code == 0
    assert "every judge" not in done.out


def test_as_json(evenhand, runs):
    found = json.loads(evenhand("probe", "shared", *runs, "--json").out)
    assert all("prompt_sha256" in each["subject"] for each in found["runs"])  # as probes.json names it
    assert found["shared"] == [f"p{n}" for n in range(12) if n not in (1, 4)]
    assert [run["retention"]["usable"] for run in found["runs"]] == [11, 11]
    assert found["runs"][0]["retention"]["lost"] == [{"why": "format: fewer than three lines", "pairs": 1}]
    assert [run["flip_rate_shared"]["n"] for run in found["runs"]] == [10, 10]


def test_runs_on_different_pairs_share_nothing(evenhand, runs, tmp_path):
    collect(CapturingDouble(), pairs(5), out=tmp_path / "three")
    done = evenhand("probe", "shared", runs[0], tmp_path / "three")
    assert done.code == 2
    assert "different pairs" in done.err
    assert evenhand("probe", "shared", tmp_path).code == 3


def test_compliance_stands_beside_a_flip_rate_of_first_tokens(evenhand, runs, tmp_path):
    settings = CollectSettings(readout=Readout.FIRST_TOKEN)
    ran = collect(CapturingDouble(lambda number, ab: "A"), pairs(12), out=tmp_path / "first", settings=settings)
    done = evenhand("probe", "shared", ran.directory)
    assert "Compliance: 100 % [54.1, 100] of the pairs led with a label in both orders" in done.out
    assert "no format was checked" in " ".join(done.out.split())
    (found,) = json.loads(evenhand("probe", "shared", ran.directory, "--json").out)["runs"]
    assert found["compliance"] == found["compliance_shared"] == ran.to_json()["compliance"]
    assert found["compliance"]["count"] == 12
    assert "Compliance" not in evenhand("probe", "shared", runs[0]).out
    assert json.loads(evenhand("probe", "shared", runs[0], "--json").out)["runs"][0]["compliance"] is None
