from pathlib import Path

import pytest

import evenhand
from evenhand.audits.drift.tolerance import Tolerance
from evenhand.errors import ConfigError
from evenhand.records import LabelSet, Order, Readout
from evenhand.stats import Estimate, Refusal
from evenhand.workflow.compare import compare_runs
from workflow.drift_runs import failed, make_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judge before and after an update that made it prefer the first slot."""
    root = tmp_path_factory.mktemp("runs")
    make_run(root / "old", "simulated:position=0.2,repeat_noise=0.3", pairs=40, repeat=15)
    make_run(root / "new", "simulated:position=2.5,repeat_noise=0.3", pairs=40, repeat=15)
    make_run(root / "later", "simulated:position=0.2", skip=20, pairs=40)
    failed(root / "new", root / "failed")
    failed(root / "old", root / "half", fails=lambda p: p.order is Order.BA and p.pair_id.startswith("arithmetic"))
    return root


def test_a_drift_is_found_and_said_to_come_with_another_judge(runs: Path) -> None:
    made = compare_runs(runs / "old", runs / "new", tolerances={"flip_rate": 0.1})
    assert made.outcome == "broken"
    assert not made.passed()
    assert {difference.part for difference in made.differences} == {"judge"}
    assert (len(made.match.shared), made.match.left_out) == (40, 0)
    assert {scope.readout for scope in made.comparison.scopes} == {Readout.FIRST_TOKEN, Readout.GENERATED}
    scope = made.comparison.scopes[0]
    assert isinstance(scope.agreement.repeat_old, Estimate)
    assert isinstance(scope.agreement.turned_beyond_repeat, Estimate)
    assert scope.agreement.turned_beyond_repeat.value > 0.1


def test_the_figures_are_those_of_each_run_alone_where_nothing_is_left_out(runs: Path) -> None:
    made = compare_runs(runs / "old", runs / "new")
    scope = made.comparison.scopes[0]
    for directory, which in ((runs / "old", "old"), (runs / "new", "new")):
        finding = next(
            f for f in evenhand.open_run(directory).findings if f.readout is scope.readout and f.kind == "readout"
        )
        for name in ("flip_rate", "position_bias_strength", "verdict_rate", "compliance_pairs"):
            change = scope.measure(name)
            assert change is not None
            assert getattr(change, which) == finding.measure(name), name


def test_a_run_against_itself_changes_nothing_and_passes_what_it_can(runs: Path) -> None:
    made = compare_runs(runs / "old", runs / "old", tolerances=["flip_rate=.2"])
    assert made.outcome == "kept"
    assert made.passed(strict=True)
    assert made.differences == ()
    assert all(scope.changes == 0 for scope in made.comparison.scopes)


def test_undecided_passes_unless_strict(runs: Path) -> None:
    made = compare_runs(runs / "old", runs / "old", tolerances=["flip_rate=.001"])
    assert made.outcome == "undecided"
    assert made.passed()
    assert not made.passed(strict=True)


def test_a_run_whose_calls_all_failed_is_nothing_to_compare_and_never_passes(runs: Path) -> None:
    made = compare_runs(runs / "old", runs / "failed", tolerances=[Tolerance(measure="flip_rate", most=1.0)])
    assert made.outcome == "nothing"
    assert not made.compared
    assert not made.passed()
    assert any("new run is incomplete" in note for note in made.notes)
    assert compare_runs(runs / "old", runs / "failed").outcome == "nothing"


def test_pairs_in_one_run_only_are_counted(runs: Path) -> None:
    made = compare_runs(runs / "old", runs / "later")
    assert (len(made.match.shared), made.match.only_old, made.match.only_new) == (20, 20, 20)
    assert made.comparison.scopes[0].pairs == 20
    assert "data" in {difference.part for difference in made.differences}


def test_failed_calls_are_left_out_of_flips_and_counted_in_the_verdict_rate(runs: Path) -> None:
    made = compare_runs(runs / "old", runs / "half", readout="generated")
    (scope,) = made.comparison.scopes
    flips, verdicts = scope.measure("flip_rate"), scope.measure("verdict_rate")
    assert flips is not None
    assert verdicts is not None
    assert flips.left_out > 0
    assert isinstance(verdicts.difference, Estimate)
    assert verdicts.difference.value == pytest.approx(-flips.left_out / 80)
    assert isinstance(flips.difference, Estimate)
    assert flips.difference.value == 0.0


def test_conditions_are_matched_by_name_or_told(tmp_path: Path) -> None:
    old = make_run(tmp_path / "old", labels=(LabelSet.parse("A/B"), LabelSet.parse("X/Y")))
    new = make_run(tmp_path / "new", labels=(LabelSet.parse("X/Y"), LabelSet.parse("1/2")))
    one = make_run(tmp_path / "one", labels=(LabelSet.parse("C/D"),))
    shared = compare_runs(old, new)
    assert {scope.conditions.name for scope in shared.comparison.scopes} == {"single-character, X/Y"}
    told = compare_runs(old, new, condition="single-character, A/B", new_condition="single-character, 1/2")
    assert told.comparison.scopes[0].conditions.name == "single-character, A/B | single-character, 1/2"
    assert ("labels", "labels") in {(d.part, d.what) for d in told.differences}
    with pytest.raises(ConfigError, match="no condition in common: name one of each"):
        compare_runs(old, one)
    with pytest.raises(ConfigError, match="the new run has no condition 'single-character, A/B'"):
        compare_runs(old, new, condition="single-character, A/B")
    # A name is looked for in the run that it was given for: that one is to blame, or else told how to name its own.
    for named, message in (
        ({"new_condition": "nowhere"}, "the new run has no condition 'nowhere': it has .*1/2'$"),
        ({"condition": "nowhere"}, "the old run has no condition 'nowhere': it has .*X/Y'$"),
        (
            {"new_condition": "single-character, 1/2"},
            "the old run has no condition 'single-character, 1/2': .*; name its own with --condition$",
        ),
        ({"condition": "single-character, A/B"}, "; name its own with --new-condition$"),
    ):
        with pytest.raises(ConfigError, match=message):
            compare_runs(old, new, **named)
    # One condition each: a change of the prompt.
    other = make_run(tmp_path / "other", labels=(LabelSet.parse("1/2"),))
    assert compare_runs(one, other).comparison.scopes[0].conditions.new == "single-character, 1/2"


def test_a_sampled_readout_is_not_compared(tmp_path: Path, runs: Path) -> None:
    sampled = make_run(tmp_path / "sampled", "simulated:position=0.2", pairs=40, budget=0.5)
    made = compare_runs(runs / "old", sampled)
    assert Readout.GENERATED not in {scope.readout for scope in made.comparison.scopes}
    assert any("random sample" in note for note in made.notes)
    with pytest.raises(ConfigError, match="readout generated: not in both runs for all pairs"):
        compare_runs(runs / "old", sampled, readout="generated")


def test_a_hybrid_readout_is_compared_where_it_is_named(runs: Path) -> None:
    made = compare_runs(runs / "old", runs / "new", readout="hybrid")
    assert [scope.readout for scope in made.comparison.scopes] == [Readout.HYBRID]


def test_a_run_with_no_pair_in_common(tmp_path: Path, runs: Path) -> None:
    other = make_run(tmp_path / "other", skip=40, pairs=10)
    made = compare_runs(runs / "old", other, tolerances={"flip_rate": 0.5})
    assert made.outcome == "nothing"
    assert [d.standing for d in made.decisions] == ["not measured"]
    assert isinstance(made.decisions[0].estimate, Refusal)


def test_it_is_the_package_s_own_function() -> None:
    assert evenhand.compare_runs is compare_runs


def test_of_a_selective_run_order_ab_alone_is_compared(tmp_path: Path) -> None:
    from evenhand.workflow import live
    from workflow.capturing_judge import CapturingDouble, pairs
    from workflow.selective_examples import make_probe, settings, telling

    probe = make_probe(tmp_path / "probe.json")
    judge = CapturingDouble(telling)
    run = live.audit(judge, pairs(60), out=tmp_path / "run", settings=settings(probe))
    made = compare_runs(run, run)
    assert any("order AB alone is compared" in note for note in made.notes)
    scope = made.comparison.scopes[0]
    flips, slots = scope.measure("flip_rate"), scope.measure("first_slot_rate")
    assert flips is not None
    assert isinstance(flips.difference, Refusal)
    assert slots is not None
    assert isinstance(slots.old, Estimate)
    assert slots.old.n == 60


def test_a_sycophancy_that_rose_is_found_where_both_runs_looked_for_it(tmp_path: Path) -> None:
    old = make_run(tmp_path / "old", "simulated:sycophancy=0.2", pairs=50, biases=("sycophancy",))
    new = make_run(tmp_path / "new", "simulated:sycophancy=4", pairs=50, biases=("sycophancy",))
    made = compare_runs(old, new, readout="generated", tolerances={"net_shift": 0.05, "flip_rate": 0.5})
    subsets = {decision.subset: decision.standing for decision in made.decisions}
    assert subsets["endorsement=user"] == "broken"
    assert subsets[None] == "kept"
    assert made.outcome == "broken"
    # The pairs as they are changed in nothing.
    assert [scope.conditions.name for scope in made.comparison.scopes] == ["single-character, A/B"]
    plain = make_run(tmp_path / "plain", "simulated:sycophancy=4", pairs=50)
    without = compare_runs(old, plain, tolerances={"net_shift": 1.0})
    assert (without.comparison.biases, without.outcome) == ((), "not measured")
