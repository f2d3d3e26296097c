"""From a run directory to a report and a policy, through the real files."""

import math

import numpy as np
import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.probes.policy import PolicyRule
from evenhand.probes.policy_file import load_policy
from evenhand.probes.saved import load_probe
from evenhand.probes.triage_question import TriageQuestion
from evenhand.records import file_sha256
from evenhand.stats import Refusal
from evenhand.workflow.collect import collect
from evenhand.workflow.triage import triage_run
from workflow.capturing_judge import CapturingDouble, pairs
from workflow.triage_runs import triage_data, triage_directory


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return triage_directory(tmp_path_factory.mktemp("run"))


def asked(score="probe", **settings):
    return TriageQuestion(score=score, splits=3, resamples=200, **settings)


def test_a_run_is_read_scored_and_timed(run):
    report = triage_run(run, question=asked()).report
    data = triage_data(run)
    assert (report.pairs, report.flips) == (len(data), data.flips.sum())
    assert report.point("probe", 0.3).missed.value < report.point("random", 0.3).missed.value - 0.2
    assert report.times[0].overhead.writing > 0
    assert report.times[0].both_orders == pytest.approx(2.0 * 2 * 240)
    assert len(report.authors) == 3
    assert report.policy is None
    assert any("--plain" in note for note in report.notes)


def test_a_raw_score_costs_no_extraction(run):
    report = triage_run(run, question=asked("confidence", budget=0.3)).report
    assert report.times[0].overhead.seconds == 0
    assert report.times[0].saved.value == report.times[0].judging_saved.value


def test_a_plain_run_tells_what_extraction_costs(run, tmp_path):
    plain = triage_directory(tmp_path, seconds=1.0)
    pairs = len(triage_data(run))
    raw, probed = (
        triage_run(run, question=asked(score, budget=0.5), plain=plain).report.times[0]
        for score in ("confidence", "probe")
    )
    assert raw.plain
    assert probed.plain
    # Seconds of pairs that can't be scored are those of the run itself.
    assert raw.judging - probed.judging == pytest.approx(-pairs * 1.0)
    assert raw.both_orders == probed.both_orders == pytest.approx(2 * pairs + 2 * 2.0 * (240 - pairs))


def test_a_raw_score_has_no_policy_for_an_audit_takes_none(run, tmp_path):
    for name in ("confidence", "margin", "random"):
        with pytest.raises(ConfigError, match="takes a saved probe's scores only"):
            triage_run(run, question=asked(name, max_missed=0.2), save=tmp_path / "p.json")
    assert not list(tmp_path.iterdir())


def test_a_fits_margin_is_not_the_small_margin(run):
    report = triage_run(run, question=asked("margin", budget=0.3)).report
    assert report.question.score == "small-margin"
    assert any("a fit's margin is a model of the signed margin" in note for note in report.notes)


def test_a_fitted_policy_brings_its_own_probe_and_calibrates_on_the_other_half(run, tmp_path):
    made = triage_run(run, question=asked(max_missed=0.2), save=tmp_path / "p.json")
    policy, probe, data = load_policy(made.policy), load_probe(made.probe), triage_data(run)
    assert policy.probe_sha256 == file_sha256(made.probe)
    assert made.probe == tmp_path / "p.probe.json"
    assert policy.guarantee.startswith("in expectation")
    trained = probe.card.trained_on
    assert trained.groups + policy.calibrated_on.groups == len(set(data.groups))
    rest = data.rows([i for i in range(len(data)) if not probe.overlap(data.rows([i])).groups])
    assert len(rest) == policy.calibrated_on.pairs
    scores = probe.probabilities(rest)
    assert (rest.flips & (scores < policy.threshold)).sum() == policy.calibrated_on.missed


def test_a_budget_policy_is_fitted_on_everything_and_promises_nothing(run, tmp_path):
    made = triage_run(run, question=asked(budget=0.3), save=tmp_path / "p.json")
    policy = load_policy(made.policy)
    assert (policy.rule, policy.budget, policy.guarantee) == (PolicyRule.BUDGET, 0.3, None)
    assert load_probe(made.probe).card.trained_on.pairs == len(triage_data(run))


def test_a_saved_policy_is_told_with_its_own_figures(run, tmp_path):
    made = triage_run(run, question=asked(max_missed=0.2), save=tmp_path / "my policy")
    assert made.policy == tmp_path / "my policy.json"
    policy, probe, data = load_policy(made.policy), load_probe(made.probe), triage_data(run)
    rest = data.rows(~probe.card.trained_on.holds(data))
    assert made.report.policy_swaps == pytest.approx((probe.probabilities(rest) >= policy.threshold).mean())
    assert made.report.use == (
        "evenhand audit --judge JUDGE --pairs PAIRS --swap selective "
        f"--probe '{tmp_path}/my policy.probe.json' --policy '{tmp_path}/my policy.json'"
    )
    budget = triage_run(run, question=asked(budget=0.3), save=tmp_path / "b")
    assert budget.report.policy_swaps == pytest.approx(0.3, abs=0.01)


def test_nothing_is_said_of_a_probe_on_the_questions_it_was_fitted_on(run, tmp_path):
    own = triage_run(run, question=asked(budget=0.3), save=tmp_path / "first.json").probe
    report = triage_run(run, question=asked(max_missed=0.2), probe=own).report
    assert report.in_sample
    assert report.saving is None
    assert report.guarantee("probe").reason.startswith("in-sample: the probe was fitted on these questions")
    assert all(p.missed.reason.startswith("in-sample") for p in report.budgets if p.score == "probe")
    with pytest.raises(ConfigError, match="it would be calibrated on the questions that the probe was fitted on"):
        triage_run(run, question=asked(max_missed=0.2), probe=own, save=tmp_path / "second.json")
    assert not (tmp_path / "second.json").exists()


def test_questions_that_a_probe_was_trained_on_are_left_out(run, tmp_path):
    half = triage_run(run, question=asked(max_missed=0.2), save=tmp_path / "p.json").probe
    data, probe = triage_data(run), load_probe(half)
    rest = data.rows(~probe.card.trained_on.holds(data))
    assert 0 < len(rest) < len(data)
    made = triage_run(
        run, question=asked(max_missed=0.2, delta=0.2), probe=half, largest=5, save=tmp_path / "again.json"
    )
    report, policy = made.report, load_policy(made.policy)
    assert (report.pairs, report.flips) == (len(rest), rest.flips.sum())
    assert any(f"{len(data) - len(rest)} pairs in all" in note for note in report.notes)
    # Pairs that are left out cost nothing; those that can't be scored are asked in both orders.
    assert report.times[0].both_orders == pytest.approx(2.0 * 2 * (len(rest) + 240 - len(data)))
    assert policy.probe_sha256 == file_sha256(half)
    assert made.probe is None
    assert "approximate" not in policy.guarantee
    assert (policy.calibrated_on.pairs, policy.calibrated_on.largest_group) == (len(rest), 5)
    assert policy.too_large_groups(["a"] * 6)


def test_a_probe_of_an_earlier_policy_of_that_name_is_removed(run, tmp_path):
    half = triage_run(run, question=asked(max_missed=0.2), save=tmp_path / "p.json").probe
    kept = triage_run(run, question=asked(budget=0.3), probe=half, save=tmp_path / "p.json")
    assert kept.removed is None
    assert half.exists(), "it is the policy's own"
    triage_run(run, question=asked(budget=0.3), save=tmp_path / "q.json")
    made = triage_run(run, question=asked(budget=0.3), probe=half, save=tmp_path / "q.json")
    assert made.removed == tmp_path / "q.probe.json"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "p.json",
        "p.probe.json",
        "p.probe.safetensors",
        "q.json",
    ]
    (tmp_path / "r.probe.json").write_text("mine")
    assert triage_run(run, question=asked(budget=0.3), probe=half, save=tmp_path / "r").removed is None
    assert (tmp_path / "r.probe.json").read_text() == "mine"


def test_too_few_flips_to_promise_save_a_policy_that_swaps_everything(run, tmp_path):
    made = triage_run(run, question=asked("combined", max_missed=0.001), save=tmp_path / "p.json")
    policy = load_policy(made.policy)
    assert policy.threshold == -math.inf
    assert "kept by swapping every pair" in policy.guarantee
    assert made.report.policy_swaps == 1.0


def test_a_judge_without_seconds_has_no_net_time(tmp_path):
    folder = triage_directory(tmp_path, count=60, seconds=None, authors=False)
    report = triage_run(folder, question=asked("confidence")).report
    assert report.times == Refusal(reason="the judge doesn't tell the seconds of its answers", n=0)
    assert isinstance(report.leaderboard[1].kendall, Refusal)
    assert not isinstance(report.leaderboard[1].accuracy, Refusal)


def test_what_cant_be_done(run, tmp_path):
    with pytest.raises(ConfigError, match="add --budget or --max-missed"):
        triage_run(run, question=asked(), save=tmp_path / "p.json")
    empty = tmp_path / "empty"
    collect(CapturingDouble(lambda n, ab: "no idea"), pairs(4), out=empty)
    with pytest.raises(DataError, match="no pair was judged in both orders"):
        triage_run(empty)
    with pytest.raises(ConfigError, match="no score 'oracle'"):
        triage_run(run, question=asked("oracle"))
    assert not list(tmp_path.glob("*.json"))


def test_the_same_seed_gives_the_same_report(run):
    first, second = (triage_run(run, question=asked(max_missed=0.2)).report for _ in range(2))
    assert first.guarantees == second.guarantees
    assert first.budgets == second.budgets
    assert np.array_equal([e.swapped for e in first.leaderboard], [e.swapped for e in second.leaderboard])
