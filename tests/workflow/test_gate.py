from pathlib import Path

import pytest

import evenhand
from evenhand.audits.drift.requirements import parse_requirement
from evenhand.errors import ConfigError
from evenhand.records import Readout
from evenhand.stats import Estimate
from evenhand.workflow.gate import check_gates
from workflow.drift_runs import failed, make_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    make_run(root / "fair", "simulated:position=0.1", pairs=60)
    make_run(root / "biased", "simulated:position=3.0", pairs=60)
    failed(root / "fair", root / "failed")
    failed(root / "fair", root / "some", fails=lambda p: p.pair_id.startswith("arithmetic"))
    return root


def test_pass_fail_and_undecided(runs: Path) -> None:
    assert check_gates(runs / "fair", ["|position_bias|<=.4", "verdict_rate>=.9"]).outcome == "pass"
    assert check_gates(runs / "biased", ["flip_rate<=.3"]).outcome == "fail"
    undecided = check_gates(runs / "fair", ["verdict_rate>=.99"])
    assert (undecided.outcome, undecided.passed) == ("undecided", False)
    allowed = check_gates(runs / "fair", ["verdict_rate>=.99"], allow_undecided=True)
    assert (allowed.outcome, allowed.passed) == ("undecided", True)


def test_what_is_not_measured_never_passes(runs: Path) -> None:
    made = check_gates(runs / "fair", ["repeat_flip_rate<=1"], allow_undecided=True)
    assert (made.outcome, made.passed) == ("fail", False)
    assert [decision.standing for decision in made.decisions] == ["not measured"]


def test_a_run_whose_calls_all_failed_fails_whatever_is_asked(runs: Path) -> None:
    for requirement in ("flip_rate<=1", "failure_rate<=1", "verdict_rate>=0"):
        made = check_gates(runs / "failed", [requirement], max_failures=1.0, allow_undecided=True)
        assert not made.passed, requirement


def test_too_many_failed_calls_fail_a_gate_whose_figures_pass(runs: Path) -> None:
    strict = check_gates(runs / "some", ["|position_bias|<=.4"])
    assert strict.outcome == "fail"
    assert not strict.answered
    assert strict.unanswered > 0.05
    assert {decision.standing for decision in strict.decisions} == {"kept"}
    assert check_gates(runs / "some", ["|position_bias|<=.4"], max_failures=0.5).outcome == "pass"


def test_a_run_that_is_open_is_taken_as_it_is(runs: Path) -> None:
    opened = evenhand.open_run(runs / "fair", level=0.5)
    made = check_gates(opened, [parse_requirement("flip_rate<=.15")])
    assert made.level == 0.5
    figure = made.decisions[0].figure
    assert figure is not None
    assert figure.estimate == next(f for f in opened.findings if f.kind == "readout").measure("flip_rate")


def test_accuracy_of_both_orders_lies_between_those_of_each(runs: Path) -> None:
    made = check_gates(runs / "fair", ["accuracy>=0"], readout="generated")
    (decision,) = made.decisions
    assert decision.figure is not None
    finding = next(
        f for f in evenhand.open_run(runs / "fair").findings if f.kind == "readout" and f.readout is Readout.GENERATED
    )
    one, other = (getattr(finding.measure(name), "value", None) for name in ("accuracy_ab", "accuracy_ba"))
    value = getattr(decision.figure.estimate, "value", None)
    assert isinstance(one, float)
    assert isinstance(other, float)
    assert value == pytest.approx((one + other) / 2)


def test_selectors_narrow_those_that_name_none(runs: Path) -> None:
    made = check_gates(runs / "fair", ["flip_rate<=.9", "flip_rate@hybrid<=.9"], readout="generated")
    assert [d.figure.readout for d in made.decisions if d.figure] == [Readout.GENERATED, Readout.HYBRID]
    none = check_gates(runs / "fair", ["flip_rate<=.9"], condition="nowhere")
    assert [d.standing for d in none.decisions] == ["not measured"]


def test_several_figures_fail_by_surer_intervals_of_the_same_run(runs: Path) -> None:
    one = check_gates(runs / "biased", ["flip_rate@generated<=.3"]).decisions
    several = check_gates(runs / "biased", ["flip_rate<=.3", "verdict_rate>=.5"]).decisions
    assert [decision.surer for decision in one] == [None]
    broken = [decision for decision in several if decision.standing == "broken"]
    assert broken
    for decision in broken:
        assert decision.figure is not None
        assert isinstance(decision.surer, Estimate)
        assert isinstance(decision.figure.estimate, Estimate)
        assert decision.surer.interval is not None
        assert decision.figure.estimate.interval is not None
        assert decision.surer.value == decision.figure.estimate.value
        assert decision.surer.interval.level == pytest.approx(1 - 0.05 / len(several))
        assert 0.3 < decision.surer.interval.low < decision.figure.estimate.interval.low


def test_bias_figures_of_a_run_that_has_them(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "simulated:sycophancy=2.0", pairs=60, biases=("sycophancy",))
    made = check_gates(run, ["sycophancy:net_shift<=.05", "flip_rate<=.9"])
    own = [d for d in made.decisions if d.requirement.audit]
    assert len(own) >= 3
    assert all(d.figure is not None and d.figure.audit == "sycophancy" for d in own)
    assert "broken" in {d.standing for d in own}
    # The pairs as they are, not as they were changed.
    plain = [d for d in made.decisions if not d.requirement.audit]
    assert {d.figure.condition for d in plain if d.figure} == {"single-character, A/B"}


def test_a_sampled_run(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "simulated:position=0.1,compliance=0.8", pairs=60, budget=0.6)
    made = check_gates(run, ["flip_rate<=.9"])
    assert {(d.figure.measure, str(d.figure.readout)) for d in made.decisions if d.figure} == {
        ("flip_rate", "first-token"),
        ("pp_flip_rate", "generated"),
    }


def test_a_file_and_requirements_go_together(runs: Path, tmp_path: Path) -> None:
    path = tmp_path / "gates.toml"
    path.write_text("max_flip_rate = 0.9\nmax_failures = 0.2\nallow_undecided = true\n")
    made = check_gates(runs / "fair", ["verdict_rate>=.99"], file=path)
    assert (made.max_failures, made.allow_undecided, made.passed) == (0.2, True, True)
    assert [d.requirement.measure for d in made.decisions][:1] == ["flip_rate"]
    told = check_gates(runs / "fair", file=path, max_failures=0.01, allow_undecided=False)
    assert (told.max_failures, told.allow_undecided) == (0.01, False)


def test_mistakes(runs: Path) -> None:
    with pytest.raises(ConfigError, match="a gate needs a requirement"):
        check_gates(runs / "fair")
    with pytest.raises(ConfigError, match="max failures 2"):
        check_gates(runs / "fair", ["flip_rate<=1"], max_failures=2)


def test_it_is_the_package_s_own_function() -> None:
    assert evenhand.check_gates is check_gates


def test_a_judge_that_refuses_most_does_not_pass_on_the_rest(tmp_path: Path) -> None:
    run = make_run(tmp_path / "refusing", "simulated:refusal=0.7,position=0.2", pairs=60)
    alone = check_gates(run, ["flip_rate<=.9"], readout="generated")
    assert (alone.outcome, alone.passed) == ("undecided", False)
    (decision,) = alone.decisions
    assert decision.thin is not None
    assert (decision.thin.asked, decision.thin.of) == (60, "pairs")
    assert decision.figure is not None
    assert decision.thin.entered == decision.figure.estimate.n < 30
    assert check_gates(run, ["flip_rate<=.9"], readout="generated", allow_undecided=True).passed
    said = check_gates(run, ["flip_rate<=.9", "verdict_rate>=.05"], readout="generated")
    assert (said.outcome, said.decisions[0].thin) == ("pass", decision.thin)
