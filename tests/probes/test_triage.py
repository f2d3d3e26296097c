"""The whole evaluation on planted pairs: what is asked is answered, for every score, and refusals stay refusals."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.probes.triage import triage, within_budget
from evenhand.probes.triage_leaderboard import authorship
from evenhand.probes.triage_question import ALPHAS, BUDGETS, TriageQuestion
from evenhand.probes.triage_scores import CONFIDENCE, MARGIN, RANDOM, RiskScore, ScoreKind, raw_scores
from evenhand.probes.triage_time import Overhead, PairSeconds
from evenhand.stats import Refusal
from probes.triage_examples import triage_data

DATA = triage_data(300)
N = len(DATA)
GOOD = RiskScore(name="probe", kind=ScoreKind.FROZEN, values=next(iter(DATA.activations.values()))[:, 0].astype(float))
SCORES = {"probe": GOOD, "combined": Refusal(reason="too few", n=N), **raw_scores(DATA, seed=0)}
AUTHORS = authorship([("ada", "bob", "cyd")[i % 3] for i in range(N)], [("bob", "cyd", "dee")[i % 3] for i in range(N)])


def run(*, data=DATA, scores=SCORES, seconds=None, authors=AUTHORS, progress=None, **asked):
    question = TriageQuestion(**({"score": "probe", "splits": 4, "resamples": 200} | asked))
    return triage(
        data,
        scores,
        question,
        authors=authors,
        gold=[None] * len(data),
        seconds=PairSeconds(ab=np.ones(N), ba=np.ones(N)) if seconds is None else seconds,
        overhead=Overhead(scoring=1.0),
        notes=("a note",),
        progress=progress,
    )


def test_without_a_policy_the_whole_trade_off_is_shown():
    found = run()
    assert {(p.score, p.budget) for p in found.budgets} == {(name, b) for name in SCORES for b in BUDGETS}
    assert [name for name, _ in found.guarantees] == list(SCORES)
    assert tuple(g.alpha for g in found.guarantee("probe")) == ALPHAS
    assert found.guarantee("combined") == Refusal(reason="too few", n=N)
    assert found.closely == "probe, 30 % swapped"
    assert [t.policy for t in found.times] == [f"probe, {b} % swapped" for b in (10, 30, 50, 70)]
    assert found.leaderboard[0].policy == "order AB alone"
    assert {e.policy for e in found.leaderboard} >= {found.closely, "confidence, as many", "random, as many"}
    assert found.saving is None
    assert (found.pairs, found.flips, found.notes) == (N, DATA.flips.sum(), ("a note",))
    assert {(s.name, s.kind, s.refusal) for s in found.scores} >= {
        ("probe", "frozen", None),
        ("combined", "", "too few"),
    }


def test_a_budget_is_looked_at_alone():
    found = run(budget=0.4)
    assert {p.budget for p in found.budgets} == {0.4}
    assert all(not isinstance(g, Refusal) and g == () for name, g in found.guarantees if name != "combined")
    assert found.saving == pytest.approx(0.3)
    assert found.closely == "probe, 40 % swapped"
    swapped = within_budget(GOOD, DATA, 0.4, seed=0)
    kept = DATA.flips & ~swapped
    assert found.point("probe", 0.4).missed.count == kept.sum()
    assert found.leaderboard[1].swapped == pytest.approx(swapped.mean())
    assert found.times[0].judging == pytest.approx(N + swapped.sum())


def test_a_promise_is_looked_at_alone_and_saves_what_the_splits_save():
    found = run(max_missed=0.2)
    (promise,) = found.guarantee("probe")
    assert promise.alpha == 0.2
    assert found.saving == pytest.approx((1 - promise.mean_swapped) / 2)
    assert found.closely == "probe, at most 20 % missed"
    # Every pair by a threshold from the other half: near the mean of the splits.
    assert found.leaderboard[1].swapped == pytest.approx(promise.mean_swapped, abs=0.15)


def test_with_high_probability_less_is_saved():
    assert run(max_missed=0.2, delta=0.1).saving <= run(max_missed=0.2).saving


def test_the_score_asked_for_can_be_any_that_is_there():
    for name in (CONFIDENCE, MARGIN, RANDOM):
        found = run(score=name, budget=0.3)
        assert found.closely == f"{name}, 30 % swapped"
        assert f"{name}, as many" not in {e.policy for e in found.leaderboard}
    with pytest.raises(ConfigError, match="no score 'oracle'; there are probe, combined, confidence"):
        run(score="oracle")
    with pytest.raises(ConfigError, match="'combined' can't be used: too few; there are probe, confidence"):
        run(score="combined")


def test_without_seconds_or_authors_the_rest_stands():
    found = run(seconds=Refusal(reason="untold", n=0), authors=authorship([None] * N, [None] * N))
    assert found.times == Refusal(reason="untold", n=0)
    assert found.authors == ()
    assert isinstance(found.leaderboard[1].largest_error, Refusal)
    unknown = run(seconds=PairSeconds(ab=np.full(N, np.nan), ba=np.ones(N)))
    assert isinstance(unknown.times, Refusal)
    with pytest.raises(DataError, match="rows"):
        run(authors=authorship(["a"], ["b"]))


def test_progress_counts_every_split_of_every_usable_score():
    told = []
    run(progress=lambda what, done, total: told.append((what, done, total)))
    assert {total for _, _, total in told} == {5 * 4}
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert {what for what, _, _ in told} == {f"splits, {name}" for name in SCORES if name != "combined"}


def test_the_same_question_has_the_same_answer_in_any_order_of_the_pairs():
    rows = np.random.default_rng(0).permutation(N)
    data = DATA.rows(rows)
    scores = {"probe": replace(GOOD, values=GOOD.values[rows]), **raw_scores(data, seed=0)}
    plain, mixed = (
        run(data=d, scores=s, authors=replace(AUTHORS, a=AUTHORS.a[r], b=AUTHORS.b[r]), max_missed=0.2)
        for d, s, r in (
            (DATA, {k: v for k, v in SCORES.items() if k != "combined"}, np.arange(N)),
            (data, scores, rows),
        )
    )
    assert [g[0].first for _, g in plain.guarantees] == [g[0].first for _, g in mixed.guarantees]
    assert [g[0].mean_missed for _, g in plain.guarantees] == [g[0].mean_missed for _, g in mixed.guarantees]
    assert [e.largest_error.value for e in plain.leaderboard] == pytest.approx(
        [e.largest_error.value for e in mixed.leaderboard]
    )
