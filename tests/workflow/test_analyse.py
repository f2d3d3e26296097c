"""A journal is audited as it is: whole, cut short, opened again; what it lacks is not looked for."""

from pathlib import Path

import pytest

import evenhand
from evenhand.analysis import FindingKind
from evenhand.errors import StoreError
from evenhand.records import Ask, Order
from evenhand.store import Journal
from evenhand.workflow import AuditSettings
from workflow.broken_runs import broken_off


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> evenhand.AuditRun:
    return evenhand.audit("simulated:position=1.5,compliance=0.6", "starter", out=tmp_path_factory.mktemp("run"))


def test_a_stopped_budget_run_estimates_from_the_prefix_of_its_draw(tmp_path: Path) -> None:
    judge, settings = "simulated:position=1.5,compliance=0.6", AuditSettings(budget=0.5, repeat=0)
    whole = evenhand.audit(judge, "starter", limit=60, out=tmp_path / "whole", settings=settings)
    (complete,) = whole.audit.select(FindingKind.PREDICTION_POWERED)
    assert dict(complete.table)["pairs generated for"] == 30
    assert not any("drawn pairs" in note or "not in the draw" in note for note in complete.notes)
    with Journal.open(whole.directory, read_only=True) as journal:
        plan = [p.pair_id for p in journal.plan() if p.ask is Ask.WRITTEN and p.order is Order.AB]
        length = {pair.id: len(pair.instruction + pair.response_a + pair.response_b) for pair in journal.pairs()}
    # A batch of sixteen was answered; of the next one the ten pairs with the longest prompts.
    answered = {*plan[:16], *sorted(plan[16:], key=lambda pair_id: -length[pair_id])[:10]}
    stopped = evenhand.open_run(
        broken_off(whole, tmp_path / "cut", answered=lambda p: p.ask is Ask.FIRST or p.pair_id in answered)
    )
    (found,) = stopped.audit.select(FindingKind.PREDICTION_POWERED)
    prefix = next(place for place, pair_id in enumerate(plan) if pair_id not in answered)
    assert dict(found.table)["pairs generated for"] == prefix < len(answered) == 26
    assert any(note.startswith("4 of 30 drawn pairs") for note in found.notes)
    assert stopped.to_polars().filter(readout="generated").height == 52


def test_a_run_opens_with_the_same_findings(run: evenhand.AuditRun) -> None:
    opened = evenhand.open_run(run.directory)
    assert opened.audit == run.audit
    assert opened.execution is None
    assert opened.to_polars().equals(run.to_polars())


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"not a run|no journal|does not exist"):
        evenhand.open_run(tmp_path)


def test_answers_are_counted_while_they_are_read(run: evenhand.AuditRun) -> None:
    assert run.answers is not None
    assert run.answers.answered == run.counts.finished
    assert run.to_json()["answers"]["answered"] == run.counts.finished
    assert evenhand.open_run(run.directory).answers == run.answers


def test_without_labels_nothing_is_read_for_people(run: evenhand.AuditRun, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("people were looked for in a run without labels")

    monkeypatch.setattr("evenhand.workflow.run_labels.people_of_run", refuse)
    opened = evenhand.open_run(run.directory)
    assert opened.humans is None
    assert opened.human_study() is None
    assert opened.to_json()["humans"] is None
