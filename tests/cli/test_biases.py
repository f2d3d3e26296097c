"""``evenhand audit --bias`` and ``evenhand biases``, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand.cli.biases import _complete

JUDGE = "simulated:position=0.3,sycophancy=2.0"


@pytest.fixture
def audit(evenhand, tmp_path):
    """Make a run of few pairs in a folder of its own."""

    def run(*words: object, folder: str = "run"):
        few = ("--limit", 8, "--readout", "first-token", "--resamples", 100, "--out", tmp_path / folder)
        return evenhand("audit", "--judge", JUDGE, *few, *words)

    return run


@pytest.fixture
def biased(audit, tmp_path) -> Path:
    assert audit("--bias", "sycophancy", "--quiet").code == 0
    return tmp_path / "run"


def test_an_audit_says_what_it_asks_prints_the_headline_and_writes_the_study(audit, tmp_path):
    done = audit("--bias", "sycophancy,tone", "--bias", "rationale")
    assert done.code == 0
    assert "bias audits sycophancy, tone, rationale: 256 presentations under 16 changed conditions" in done.err
    assert "noise is measured on 8 of 8 pairs" in done.err
    assert "All comparisons" in done.out
    assert "Sycophancy: verdicts with and without the change" not in done.out
    assert f"Biases: {tmp_path / 'run' / 'biases.html'}" in done.out
    for name in ("report.html", "biases.html", "biases.json", "biases.md", "tables/biases-comparisons.csv"):
        assert (tmp_path / "run" / name).is_file()


def test_an_audits_json_holds_the_biases_apart(audit):
    tree = json.loads(audit("--bias", "tone", "--json").out)
    assert {finding["audit"] for finding in tree["biases"]["findings"]} == {"tone"}
    assert {finding["kind"] for finding in tree["biases"]["findings"]} == {"bias"}
    assert all("audit" not in finding for finding in tree["findings"])
    assert json.loads(audit("--json").out)["biases"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bias", "tone", "--vary", "labels"), "leave out vary"),
        (("--bias", "tone", "--budget", "0.5"), "leave out budget"),
        (("--bias", "tone", "--swap", "selective", "--probe", "p.json", "--swap-budget", ".1"), "a selective swap"),
        (("--bias", "tune"), "unknown bias audit 'tune'; did you mean 'tone'?"),
        (("--bias", "self-preference"), "evenhand biases RUN RUN"),
        (("--variants", "mine.csv"), "say in biases which ones"),
        (("--bias", "tone", "--variants", "absent.csv"), "absent.csv: can't be read"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(evenhand, tmp_path, words, said):
    done = evenhand("audit", "--judge", JUDGE, "--limit", 8, "--out", tmp_path / "run", *words)
    assert done.code == 2
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_dry_run_tells_control_and_changes_apart_and_writes_nothing(audit, tmp_path):
    done = audit("--bias", "tone", "--dry-run")
    assert done.code == 0
    assert "8 pairs, 1 condition: 88 presentations" in done.out
    assert "control: 24 presentations" in done.out
    assert "changes: 64 presentations under 4 conditions" in done.out
    assert not (tmp_path / "run").exists()


def test_the_list_says_what_each_audit_asks_and_needs(evenhand):
    done = evenhand("biases", "--list")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 100
    said = " ".join(done.out.split())
    assert "sycophancy: " in said
    assert "asks beside the control: 24 presentations of each pair (12 changed conditions in both orders)" in said
    assert "self-preference: Does a judge prefer what it wrote itself" in said
    listed = json.loads(evenhand("biases", "--list", "--json").out)["audits"]
    assert [audit["name"] for audit in listed][-1] == "self-preference"
    assert next(audit for audit in listed if audit["name"] == "tone")["presentations"] == 8


def test_a_finished_run_is_looked_at_again(evenhand, biased):
    done = evenhand("biases", biased)
    assert done.code == 0
    assert "Sycophancy: verdicts with and without the change" in done.out
    assert "Verbosity" in done.out
    said = " ".join(done.out.replace("│", " ").split())
    assert "Not looked at: self-preference (needs the verdicts of at least 2 judges" in said
    assert (biased / "biases" / "biases.html").is_file()


def test_one_audit_one_readout_as_json_into_another_folder(evenhand, biased, tmp_path):
    out = tmp_path / "study"
    done = evenhand("biases", biased, "--bias", "sycophancy", "--readout", "first-token", "--json", "--out", out)
    assert done.code == 0
    tree = json.loads(done.out)
    assert (tree["kind"], tree["title"]) == ("biases", "simulated")
    assert {table["id"] for table in tree["tables"]} >= {"comparisons", "sycophancy"}
    assert not any("verbosity" in table["id"] for table in tree["tables"])
    assert (out / "biases.json").is_file()
    assert not (biased / "biases").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "no run: name the directory of at least one"),
        (("absent",), 3, "not a run directory"),
        (("RUN", "--bias", "tune"), 2, "unknown bias audit 'tune'"),
        (("RUN", "--readout", "logits"), 2, "readout 'logits': expected"),
        (("RUN", "--readout", "generated"), 2, "has no readout generated (it has first-token)"),
        (("RUN", "--tolerance", "0"), 2, "tolerance is 0.0"),
        (("RUN", "--out", "FILE"), 2, "is a file, expected a folder"),
    ],
)
def test_what_cannot_be_looked_at_is_refused_in_one_line(evenhand, biased, tmp_path, words, code, said):
    (tmp_path / "file").touch()
    given = {"RUN": biased, "FILE": tmp_path / "file", "absent": tmp_path / "absent"}
    done = evenhand("biases", *(given.get(word, word) for word in words))
    assert done.code == code
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_families_are_read_even_where_nothing_asks_for_them_and_that_is_told(evenhand, biased, tmp_path):
    """A mistyped file, or one that can't matter with one run, passed in silence."""
    done = evenhand("biases", biased, "--families", tmp_path / "absent.json")
    assert done.code == 2
    assert "absent.json" in done.err
    families = tmp_path / "families.json"
    families.write_text('{"gpt-4": "openai"}', encoding="utf-8")
    done = evenhand("biases", biased, "--families", families, "--resamples", 100, "--brief")
    assert done.code == 0
    assert "--families had no effect: self-preference was not looked at" in done.err


def test_names_are_completed() -> None:
    assert _complete("self") == ["self-preference"]
    assert _complete("tone,self") == ["tone,self-preference"]
    assert "verbosity" in _complete("")
