"""``evenhand triage`` as a person runs it: exit codes, files, and one line for every mistake."""

import json

import pytest

from evenhand.probes.policy_file import load_policy
from workflow.triage_runs import triage_directory


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return triage_directory(tmp_path_factory.mktemp("run"), count=160)


QUICK = ("--splits", "2", "--resamples", "100", "--quiet")


def test_the_trade_off(run, evenhand, tmp_path):
    done = evenhand("triage", run, *QUICK, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "What a budget buys" in done.out
    assert "The smallest budget with a promise" in done.out
    assert "Net time" in done.out
    assert (tmp_path / "out/triage.svg").is_file()
    assert (tmp_path / "out/triage.html").is_file()
    assert f"Report: {tmp_path / 'out/triage.html'}" in done.out
    assert not (run / "triage").exists()


def test_json_is_all_of_stdout_and_the_report_lies_in_the_run(run, evenhand):
    done = evenhand("triage", run, *QUICK, "--score", "confidence", "--budget", "0.3", "--json")
    assert done.code == 0, done.err
    tree = json.loads(done.out)
    assert tree["closely"] == "confidence, 30 % swapped"
    assert tree["command"].startswith("evenhand triage")
    assert json.loads((run / "triage/triage.json").read_text()) == tree


def test_a_policy_is_saved_and_named(run, evenhand, tmp_path):
    path = tmp_path / "policy.json"
    words = ("--max-missed", "0.3", "--confidence-level", "0.8", "--floor", "0.2", "--save", path, "--brief")
    done = evenhand("triage", run, *QUICK, *words, "--out", tmp_path)
    assert done.code == 0, done.err
    assert f"Policy: {path}" in done.out
    assert f"Probe:  {tmp_path / 'policy.probe.json'}" in done.out
    policy = load_policy(path)
    assert (policy.alpha, policy.delta, policy.floor) == (0.3, 0.2, 0.2)
    # The saved probe can be used at once.
    again = evenhand(
        "triage",
        run,
        *QUICK,
        "--budget",
        "0.5",
        "--brief",
        "--probe",
        tmp_path / "policy.probe.json",
        "--out",
        tmp_path,
    )
    assert again.code == 0, again.err


def test_the_gate(run, evenhand, tmp_path):
    words = ("triage", run, *QUICK, "--score", "random", "--brief", "--out", tmp_path)
    assert evenhand(*words, "--budget", "0.38", "--require-saving", "0.3").code == 0
    own = tmp_path / "own"
    assert evenhand("triage", run, *QUICK, "--budget", "0.3", "--save", own, "--out", tmp_path).code == 0
    untold = evenhand(
        "triage", run, *QUICK, "--probe", tmp_path / "own.probe.json", "--budget", "0.3", "--require-saving", "0.1"
    )
    assert untold.code == 1
    assert "gate failed: nothing can be told of a probe on the questions that it was fitted on" in untold.err
    assert "Nothing can be said of this probe on the questions it was trained on" in " ".join(untold.out.split())
    failed = evenhand(*words, "--budget", "0.5", "--require-saving", "0.3")
    assert failed.code == 1
    assert "gate failed: the policy saves 25.0 % of the judgments, less than 30 %" in failed.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--budget", "0.3", "--max-missed", "0.1"), "give one"),
        (("--budget", "2"), "budget is 2.0"),
        (("--max-missed", "0.1", "--confidence-level", "1"), "--confidence-level 1.0: expected a probability"),
        (
            ("--max-missed", "0.1", "--confidence-level", "0.9999999999999999"),
            "--confidence-level 0.9999999999999999: too",
        ),
        (("--budget", "0.1", "--confidence-level", "0.9"), "use --max-missed"),
        (("--score", "confidence", "--budget", "0.3", "--save", "p"), "no policy of confidence is saved"),
        (("--require-saving", "0.1"), "needs a policy"),
        (("--save", "p.json"), "add --budget or --max-missed"),
        (("--score", "oracle"), "no score 'oracle'"),
        (("--probe", "nowhere.json"), "nowhere.json"),
        (("--fit", "nowhere"), "nowhere"),
        (("--probe", "a", "--fit", "b"), "give one of them"),
    ],
)
def test_mistakes_end_in_one_line_and_2(run, evenhand, words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = evenhand("triage", run, *QUICK, *words)
    assert done.code == 2, done.out
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_no_collection(evenhand, tmp_path):
    done = evenhand("triage", tmp_path)
    assert done.code == 3
    assert "not a run directory" in done.err


def test_a_policy_neither_replaces_its_probe_nor_is_nameless(evenhand, tmp_path):
    for words, said in (
        (("--probe", tmp_path / "p", "--save", tmp_path / "p.json"), "would replace the file that is read"),
        (("--save", ""), "expected a file's name"),
        (("--save", tmp_path), "is a folder"),
    ):
        done = evenhand("triage", tmp_path / "run", "--budget", ".3", *words)
        assert done.code == 2
        assert said in done.err
        assert done.err.count("\n") == 1
