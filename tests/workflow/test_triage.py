"""From a run directory to a report and a policy, through the real files."""

import math

import numpy as np
import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.probes.policy import PolicyRule, choose, load_policy
from evenhand.probes.saved import load_probe
from evenhand.probes.triage import TriageQuestion
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


def test_a_raw_policy_is_calibrated_on_every_pair(run, tmp_path):
    made = triage_run(run, question=asked("confidence", max_missed=0.2), floor=0.25, save=tmp_path / "p.json")
    policy = load_policy(made.policy)
    data = triage_data(run)
    assert (policy.rule, policy.score, policy.probe_sha256, made.probe) == (
        PolicyRule.MAX_MISSED,
        "confidence",
        None,
        None,
    )
    assert (policy.calibrated_on.pairs, policy.calibrated_on.flips) == (len(data), data.flips.sum())
    assert policy.floor == 0.25
    assert made.report.policy == policy
    chosen = choose(policy, -data.confidence, data.pair_ids, seed=0)
    assert (data.flips & ~chosen.certain).sum() == policy.calibrated_on.missed
    assert policy.calibrated_on.missed <= 0.2 * data.flips.sum()


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


def test_a_saved_probe_is_calibrated_here_and_kept_by_its_checksum(run, tmp_path):
    other = triage_run(run, question=asked(budget=0.3), save=tmp_path / "first.json").probe
    made = triage_run(
        run, question=asked(max_missed=0.2, delta=0.2), probe=other, largest=5, save=tmp_path / "second.json"
    )
    policy = load_policy(made.policy)
    assert policy.probe_sha256 == file_sha256(other)
    assert made.probe is None
    # It was fitted on these very questions.
    assert policy.guarantee.startswith("approximate, not proved, because the probe was fitted on some")
    assert policy.calibrated_on.largest_group == 5
    assert policy.too_large_groups(["a"] * 6)


def test_too_few_flips_to_promise_save_a_policy_that_swaps_everything(run, tmp_path):
    made = triage_run(run, question=asked("confidence", max_missed=0.001), save=tmp_path / "p.json")
    policy = load_policy(made.policy)
    assert policy.threshold == -math.inf
    assert "kept by swapping every pair" in policy.guarantee


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
