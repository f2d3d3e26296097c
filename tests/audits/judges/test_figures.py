from pathlib import Path

import pytest

import evenhand
from audits.judges.judge_tables import judge
from audits.tables import many, verdicts
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.audits.judges.figures import figures_of
from evenhand.audits.judges.measures import JUDGE_MEASURES
from evenhand.records import Outcome, Readout, verdict_table
from evenhand.stats import Estimate, Refusal
from evenhand.workflow.run_verdicts import read_run
from workflow.drift_runs import make_run


def test_the_figures_are_those_of_the_runs_own_report(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "simulated:position=1,tie=0.1,repeat_noise=0.3", pairs=40, repeat=15)
    read, own = read_run(run), evenhand.open_run(run)
    made = figures_of(
        read.table, conditions=[each.id for each in read.controls], readouts=read.readouts, seed=own.manifest.seed
    )
    checked = 0
    for scope in made.scopes:
        for finding in own.findings:
            if finding.kind in ("readout", "repeat") and finding.readout is scope.readout:
                for name in JUDGE_MEASURES:
                    if any(measure.name == name for measure in finding.measures) and not (
                        finding.kind == "repeat" and name == "flip_rate"
                    ):
                        assert scope.measure(name) == finding.measure(name), name
                        checked += 1
    assert checked >= 3 * len(JUDGE_MEASURES) - 3
    assert made.resampled_by == own.audit.resampled_by


def test_what_there_is_no_figure_for_says_why() -> None:
    made = figures_of(judge("x", many(FS=12)).table, conditions=["c"], readouts=[Readout.GENERATED])
    [scope] = made.scopes
    noise = scope.measure("repeat_flip_rate")
    assert isinstance(noise, Refusal)
    assert "--repeat" in noise.reason
    assert isinstance(scope.measure("flip_rate"), Estimate)
    assert made.find("c", Readout.FIRST_TOKEN) is None


@pytest.mark.parametrize("orders", ["AB", "single"])
def test_one_order_has_no_figure_that_needs_both(orders: str) -> None:
    made = figures_of(
        judge("x", many(FS=12, FF=4)).table,
        conditions=["c"],
        readouts=[Readout.GENERATED],
        orders=orders,  # type: ignore[arg-type]
    )
    [scope] = made.scopes
    assert isinstance(scope.measure("flip_rate"), Refusal)
    assert isinstance(scope.measure("verdict_rate"), Estimate)
    assert scope.presentations == (16 if orders == "AB" else 32)


def test_states_are_counted_over_both_orders() -> None:
    table = verdict_table(verdicts({**many(FS=10), "r": "RU", "x": "XE", "t": "TR"}))
    [scope] = figures_of(table, conditions=["c"], readouts=[Readout.GENERATED]).scopes
    assert [scope.count(outcome) for outcome in Outcome] == [10, 10, 1, 2, 1, 1, 1]


def test_a_judge_that_saw_each_response_by_itself_has_no_figure_of_slots_or_orders() -> None:
    table = judge("x", {f"p{i}": "F." if i % 2 else ".S" for i in range(12)}).table
    [scope] = figures_of(table, conditions=["c"], readouts=[Readout.GENERATED], orders="none").scopes
    assert scope.measure("first_slot_rate") == scope.measure("accuracy_ab") == Refusal(reason=NO_SLOTS)
    assert scope.measure("flip_rate") == Refusal(reason=NO_SLOTS)
    assert isinstance(scope.measure("verdict_rate"), Estimate)
