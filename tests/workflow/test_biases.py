"""Bias audits of runs that are there: one or several, live or imported."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import evenhand
from evenhand.errors import ConfigError, StoreError
from evenhand.judges import Answer, Judge, JudgeRequest, load_judge
from evenhand.records import JudgeIdentity, Pair, Preference
from evenhand.stats import Estimate
from evenhand.workflow import AuditRun, AuditSettings, ReadoutChoice

FIRST = AuditSettings(readout=ReadoutChoice.FIRST_TOKEN, resamples=100)


class Named:
    """A simulated judge under the name of a real model."""

    def __init__(self, judge: Judge, model: str) -> None:
        self._judge, self._model = judge, model

    def __getattr__(self, name: str) -> object:
        return getattr(self._judge, name)

    @property
    def identity(self) -> JudgeIdentity:
        return replace(self._judge.identity, model=self._model)

    def __enter__(self) -> Named:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        yield from self._judge.answer(requests)


def authored(count: int = 40) -> list[Pair]:
    authors = (("gpt-4o", "claude-3"), ("qwen2", "gpt-4o"), ("claude-3", "qwen2"))
    return [
        Pair(
            id=f"p{i}",
            instruction=f"Question {i}?",
            response_a=f"An answer {i}. <author:{authors[i % 3][0]}>",
            response_b=f"Another answer {i}. <author:{authors[i % 3][1]}>",
            author_a=authors[i % 3][0],
            author_b=authors[i % 3][1],
            gold=Preference.A if i % 2 else Preference.B,
        )
        for i in range(count)
    ]


def judged(
    model: str, out: Path, *, spec: str = "simulated:noise=0.5", pairs: Sequence[Pair] | None = None
) -> AuditRun:
    with load_judge(spec) as judge:
        return evenhand.audit(Named(judge, model), pairs or authored(), out=out, settings=FIRST)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> list[AuditRun]:
    folder = tmp_path_factory.mktemp("three")
    own = "simulated:noise=0.5,self_preference=4,family=gpt"
    return [
        judged("gpt-4o", folder / "a", spec=own),
        judged("claude-3", folder / "b"),
        judged("qwen2", folder / "c"),
    ]


def test_one_run_is_asked_what_it_has_something_for(three: list[AuditRun]) -> None:
    found = evenhand.biases(three[0], resamples=100)
    assert {finding.audit for finding in found.findings} == {"verbosity", "rationale"}
    assert found.across is None
    [(name, reason)] = found.refused
    assert name == "self-preference"
    assert reason.startswith("needs the verdicts of at least 2 judges")
    assert reason in found.study().headline.meaning[-1]


def test_several_judges_show_self_preference_together(three: list[AuditRun], tmp_path: Path) -> None:
    found = evenhand.biases([run.directory for run in three], resamples=100)
    assert found.refused == ()
    assert found.across is not None
    by_judge = {finding.subset: finding.measure("self_preference") for finding in found.across.findings}
    assert list(by_judge) == ["gpt-4o", "claude-3", "qwen2"]
    own = by_judge["gpt-4o"]
    assert isinstance(own, Estimate)
    assert own.interval is not None
    assert own.interval.low > 0.1
    assert [run.name for run in found.runs] == ["gpt-4o", "claude-3", "qwen2"]
    study = found.study()
    assert "self-preference (gpt-4o)" in study.headline.verdict
    written = found.write_report(str(tmp_path), command="evenhand biases a b c")
    assert json.loads(written.json.read_text(encoding="utf-8"))["command"] == "evenhand biases a b c"


def test_only_what_was_asked_for_is_looked_at(three: list[AuditRun]) -> None:
    found = evenhand.biases(three, ["self-preference"], resamples=100)
    assert {finding.audit for finding in found.findings} == {"self-preference"}
    alone = evenhand.biases(three, ["verbosity"], resamples=100)
    assert (alone.across, alone.refused) == (None, ())
    every = evenhand.biases(three[:1], ["all"], resamples=100)
    assert {"tone", "interaction", "recency"} <= {finding.audit for finding in every.findings}
    assert every.refused[0][0] == "self-preference"


def test_judges_of_other_texts_are_not_compared_and_an_explicit_wish_fails(
    three: list[AuditRun], tmp_path: Path
) -> None:
    other = [replace(pair, response_a="Quite another answer.") for pair in authored(10)]
    apart = judged("claude-3", tmp_path, pairs=other)
    found = evenhand.biases([three[0], apart], resamples=100)
    assert found.across is None
    assert "two runs mean different responses" in found.refused[0][1]
    with pytest.raises(evenhand.DataError, match="two runs mean different responses"):
        evenhand.biases([three[0], apart], ["self-preference"], resamples=100)


def test_runs_of_one_judge_are_told_apart_by_their_folders(three: list[AuditRun], tmp_path: Path) -> None:
    again = judged("gpt-4o", tmp_path / "again")
    found = evenhand.biases([three[0], again], ["verbosity"], resamples=100)
    assert [run.name for run in found.runs] == ["gpt-4o (a)", "gpt-4o (again)"]
    same = judged("gpt-4o", tmp_path / "a")
    paths = [run.name for run in evenhand.biases([three[0], same], ["verbosity"], resamples=100).runs]
    assert paths == [f"gpt-4o ({three[0].directory})", f"gpt-4o ({same.directory})"]


def test_one_run_is_not_two_judges_however_its_folder_is_spelt(three: list[AuditRun]) -> None:
    folder = three[0].directory
    with pytest.raises(evenhand.ConfigError, match="is named twice"):
        evenhand.biases([folder, folder / ".." / folder.name], resamples=100)


def test_a_live_runs_changes_are_looked_at_as_when_it_was_made(tmp_path: Path) -> None:
    settings = replace(FIRST, biases=("tone", "verbosity"))
    run = evenhand.audit("simulated:position=0.5", "starter", limit=8, out=tmp_path, settings=settings)
    found = evenhand.biases(run.directory, ["verbosity", "tone"], resamples=100)
    assert run.biases is not None
    assert found.findings == run.biases.findings
    assert found.runs[0].left_out == run.left_out
    assert found.runs[0].counts == run.counts
    default = evenhand.biases(run, resamples=100)
    assert {finding.audit for finding in default.findings} == {"tone", "verbosity", "rationale"}
    other = evenhand.biases(run, ["tone"], seed=9, resamples=100)
    assert [f.subset for f in other.findings] == [f.subset for f in run.biases.findings if f.audit == "tone"]


def test_one_readout_alone_is_a_family_of_its_own(tmp_path: Path) -> None:
    settings = AuditSettings(biases=("tone",), resamples=100)
    run = evenhand.audit("simulated:position=0.5", "starter", limit=8, out=tmp_path, settings=settings)
    found = evenhand.biases(run, ["tone"], readout="generated", resamples=100)
    assert {str(finding.readout) for finding in found.findings} == {"generated"}


def test_an_imported_log_is_asked_what_verdicts_as_they_are_show(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    rows = [
        {"pair_id": f"p{i}", "order": order, "outcome": "first" if (i % 3 == 0) == (order == "AB") else "second"}
        for i in range(12)
        for order in ("AB", "BA")
    ]
    log.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run = evenhand.import_log("table", log, out=tmp_path / "run")
    found = evenhand.biases(run.directory, resamples=100)
    assert {finding.audit for finding in found.findings} == {"verbosity", "rationale"}
    assert all(not isinstance(finding.measures[0].estimate, Estimate) for finding in found.findings)
    assert found.study().headline.status in ("failed", "described")


@pytest.mark.parametrize(
    ("runs", "more", "said"),
    [
        ([], {}, "no run: expected the directory"),
        (["a", "a"], {}, "run a is named twice"),
        ("a", {"names": "tone"}, "names are 'tone': expected a sequence"),
        ("a", {"names": ["tune"]}, "unknown bias audit 'tune'"),
        ("a", {"tolerance": 1.5}, "tolerance is 1.5"),
        ("a", {"readout": "logits"}, "readout 'logits': expected"),
        ("a", {"readout": "generated"}, "has no readout generated"),
    ],
)
def test_what_cannot_be_is_refused(
    three: list[AuditRun], monkeypatch: pytest.MonkeyPatch, runs: object, more: dict[str, object], said: str
) -> None:
    monkeypatch.chdir(three[0].directory.parent)
    with pytest.raises(ConfigError, match=said):
        evenhand.biases(runs, **more)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a run directory"):
        evenhand.biases(tmp_path)
