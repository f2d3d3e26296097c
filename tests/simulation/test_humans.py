"""Judges beside people, repeated: win rates cover without the judge's bias, and one as good as a person has gap 0."""

import numpy as np
import pytest

from audits.humans.label_tables import labelled, sampler
from evenhand.audits.humans.agreement import judge_agreement
from evenhand.audits.humans.by_flip import agreement_by_flip
from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.audits.humans.win_rate import win_rates
from evenhand.datasets.labels import Label
from evenhand.records import Preference
from evenhand.stats import Estimate

pytestmark = pytest.mark.simulation

RUNS, PAIRS, GROUPS, LABELLED = 400, 400, 200, 80


def once(rng: np.random.Generator) -> tuple[LabelledPairs, float]:
    """Two pairs a question; the judge agrees with people four times of five and favours A in half of the rest."""
    group = np.arange(PAIRS) % GROUPS
    easy = rng.normal(0, 0.8, GROUPS)[group]
    people = (easy + rng.logistic(size=PAIRS) < 0).astype(np.int8)  # 1: B
    wrong = rng.random(PAIRS) < 0.2
    judge = np.where(wrong, np.where(rng.random(PAIRS) < 0.75, 0, 1), people).astype(np.int8)
    chosen = set(rng.choice(GROUPS, LABELLED // 2, replace=False).tolist())
    preferences = (Preference.A, Preference.B)
    labels = tuple(
        (Label(pair_id=str(i), preference=preferences[people[i]], row=i),) if group[i] in chosen else ()
        for i in range(PAIRS)
    )
    pairs = LabelledPairs(
        judge="j",
        ids=tuple(map(str, range(PAIRS))),
        clusters=group.astype(np.int64),
        ab=judge,
        ba=judge,
        labels=labels,
        authors=((None, None),) * PAIRS,
    )
    return pairs, float(np.mean(people == 0))


def test_win_rates_cover_what_people_would_give_and_are_narrower_than_labels_alone() -> None:
    covered, narrower, errors, judge_errors = [], [], [], []
    for seed in range(RUNS):
        rng = np.random.default_rng([11, seed])
        pairs, true = once(rng)
        [rate] = win_rates(pairs, clusters=pairs.clusters, rng=rng, resamples=100)
        assert isinstance(rate.powered, Estimate)
        assert isinstance(rate.labels_alone, Estimate)
        assert isinstance(rate.judge_alone, Estimate)
        assert rate.powered.interval is not None
        assert rate.labels_alone.interval is not None
        covered.append(rate.powered.interval.low <= true <= rate.powered.interval.high)
        widths = [i.high - i.low for i in (rate.powered.interval, rate.labels_alone.interval)]
        narrower.append(widths[0] < widths[1])
        errors.append(rate.powered.value - true)
        judge_errors.append(rate.judge_alone.value - true)
    assert 0.92 <= np.mean(covered) <= 0.99
    assert np.mean(narrower) >= 0.9
    assert abs(np.mean(errors)) <= 0.01
    assert np.mean(judge_errors) >= 0.03


def test_win_rates_near_1_from_few_labels_cover() -> None:
    """Where people nearly always prefer A, an interval as wide on both sides (Student's) covers in 3 of 4 cases."""
    covered, true = [], 0.95
    for seed in range(300):
        rng = np.random.default_rng([12, seed])
        people = np.where(rng.random(200) < true, "A", "B")
        judge = np.where(rng.random(200) < 0.8, people, np.where(people == "A", "B", "A"))
        said = np.where(np.isin(np.arange(200), rng.choice(200, 30, replace=False)), people, "-")
        pairs = labelled(*[f"{j}{j}|{h}" for j, h in zip(judge, said, strict=True)])
        [rate] = win_rates(pairs, clusters=pairs.clusters, rng=rng, resamples=100)
        assert isinstance(rate.powered, Estimate)
        assert rate.powered.interval is not None
        covered.append(rate.powered.interval.low <= true <= rate.powered.interval.high)
    assert np.mean(covered) >= 0.92


@pytest.mark.parametrize("annotators", [2, 3, 4])
def test_a_judge_as_good_as_a_person_has_gap_0_however_many_people_label(annotators: int) -> None:
    gaps, beyond = [], []
    for seed in range(200):
        rng = np.random.default_rng([13, annotators, seed])
        rows = []
        for _ in range(120):
            true = "AB"[int(rng.random() < 0.5)]
            right = 0.5 if rng.random() < 0.3 else 0.85  # a pair may be one on which nobody can do better than guess
            said = [true if rng.random() < right else "BA"["AB".index(true)] for _ in range(annotators + 1)]
            rows.append(f"{said[0]}{said[0]}|{''.join(said[1:])}")
        pairs = labelled(*rows)
        gap = judge_agreement(pairs, sampler(pairs)).gap
        assert isinstance(gap, Estimate)
        assert gap.interval is not None
        gaps.append(gap.value)
        beyond.append(not gap.interval.low <= 0 <= gap.interval.high)
    # The consensus of all against that of the others was 17 points too low with two people, 20 too high with three.
    assert abs(np.mean(gaps)) <= 0.01
    assert np.mean(beyond) <= 0.08


@pytest.mark.parametrize("annotators", [2, 6])
@pytest.mark.parametrize(("spread", "least", "most"), [(0.0, 0.0, 0.06), (0.1, 0.07, 0.24)])
def test_intervals_hold_what_other_questions_would_change_and_not_other_people(
    annotators: int, spread: float, least: float, most: float
) -> None:
    """The judge is right as often as people are on average; how often it is called below those few who labelled."""
    below = []
    for seed in range(200):
        rng = np.random.default_rng([18, annotators, seed])
        right = np.clip([0.8, *rng.normal(0.8, spread, annotators)], 0.5, 1.0)
        true = rng.random(300) < 0.5
        said = np.array([np.where(rng.random(300) < share, true, ~true) for share in right]).astype(int)
        rows = [f"{'AB'[own[0]] * 2}|{''.join('AB'[each] for each in own[1:])}" for own in said.T]
        gap = judge_agreement(pairs := labelled(*rows), sampler(pairs, resamples=100)).gap
        assert isinstance(gap, Estimate)
        assert gap.interval is not None
        below.append(gap.interval.high < 0)
    assert least <= np.mean(below) <= most


def test_win_rates_cover_where_people_labelled_a_few_whole_groups() -> None:
    """Six groups of five pairs, which people and the judge get right or wrong together."""
    covered = []
    for seed in range(300):
        rng = np.random.default_rng([14, seed])
        group = np.repeat(np.arange(60), 5)
        people = np.where(rng.normal(0, 2.0, 60)[group] + rng.logistic(size=300) > 0, "A", "B")
        wrong = (rng.random(60) < 0.2)[group]
        judge = np.where(wrong, np.where(people == "A", "B", "A"), people)
        said = np.where(np.isin(group, rng.choice(60, 6, replace=False)), people, "-")
        rows = [f"{j}{j}|{h}" for j, h in zip(judge, said, strict=True)]
        pairs = labelled(*rows, clusters=group.tolist())
        [rate] = win_rates(pairs, clusters=pairs.clusters, rng=rng, resamples=100)
        assert isinstance(rate.powered, Estimate)
        assert rate.powered.interval is not None
        covered.append(rate.powered.interval.low <= 0.5 <= rate.powered.interval.high)
    assert np.mean(covered) >= 0.91


@pytest.mark.parametrize(
    ("count", "per_question", "on_flips", "on_others"),
    [(60, 1, 0.8, 0.8), (120, 3, 0.8, 0.8), (120, 1, 0.6, 0.9), (200, 4, 0.6, 0.85), (80, 2, 0.95, 0.95)],
)
def test_flips_minus_others_is_covered_and_seldom_found_where_there_is_none(
    count: int, per_question: int, on_flips: float, on_others: float
) -> None:
    """Two people a pair; three pairs of ten flip; pairs of one question are as hard as each other."""
    spread = np.random.default_rng(9).normal(0, 0.8, 400_000)

    def share(typical: float, ease: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-(np.log(typical / (1 - typical)) + ease)))

    true = float(share(on_flips, spread).mean() - share(on_others, spread).mean())
    group = np.arange(count) // per_question
    covered, found = [], []
    for seed in range(RUNS):
        rng = np.random.default_rng([17, seed])
        flip = rng.random(count) < 0.3
        same = rng.random(count) < share(np.where(flip, on_flips, on_others), rng.normal(0, 0.8, count)[group])
        rows = [f"{'AB' if f else 'AA'}|{'AA' if s else 'AB'}" for f, s in zip(flip, same, strict=True)]
        pairs = labelled(*rows, clusters=group.tolist())
        split = agreement_by_flip(pairs, sampler(pairs, resamples=100))
        assert split is not None
        if isinstance(split.difference, Estimate) and split.difference.interval is not None:
            covered.append(split.difference.interval.low <= true <= split.difference.interval.high)
            found.append(split.difference.interval.high < 0)
    assert len(covered) > 0.9 * RUNS
    assert np.mean(covered) >= 0.92
    if on_flips == on_others:
        assert np.mean(found) <= 0.05
    else:
        assert np.mean(found) >= 0.6
