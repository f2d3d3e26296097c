"""Several judges: no difference is found among equals more often than promised, and a planted one is."""

import numpy as np
import pytest

from audits.judges.judge_tables import judge
from evenhand.analysis.sampler import Sampler
from evenhand.audits.judges.differences import MeasureDifferences, differences_of, shown_among_all
from evenhand.audits.judges.lined_up import JudgeTable, line_up
from evenhand.audits.judges.measures import JUDGE_MEASURES
from evenhand.stats import Estimate, binomial_test

pytestmark = pytest.mark.simulation

QUESTIONS, PER_QUESTION = 40, 2


def flips(rates: tuple[float, ...], rng: np.random.Generator) -> MeasureDifferences:
    """Judges of given flip rates; the two pairs of a question are alike, and judges err on the same hard questions."""
    ids = [f"q{i}-{j}" for i in range(QUESTIONS) for j in range(PER_QUESTION)]
    group = {name: name.partition("-")[0] for name in ids}
    hard = np.repeat(rng.normal(0, 0.8, QUESTIONS), PER_QUESTION)
    judges = []
    for place, rate in enumerate(rates):
        own = np.repeat(rng.normal(0, 0.8, QUESTIONS), PER_QUESTION)
        threshold = np.sqrt(1 + 0.64 + 0.64) * _quantile(rate)
        flipped = hard + own + rng.normal(0, 1, len(ids)) < threshold
        codes = {name: "FF" if flip else "FS" for name, flip in zip(ids, flipped, strict=True)}
        judges.append(judge(f"j{place}", codes, group=group))
    lined = line_up(judges)
    sampler = Sampler(clusters=lined.facts.group, seed=0, resamples=100, level=0.95)
    [family] = differences_of(lined, sampler, measures=["flip_rate"])
    return family


def _quantile(share: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf(share))


def test_among_equal_judges_any_difference_is_found_in_at_most_five_percent() -> None:
    rng = np.random.default_rng(1)
    runs = 200
    found = sum(bool(flips((0.3, 0.3, 0.3), rng).shown) for _ in range(runs))
    assert binomial_test(found, runs, p=0.05).p_value > 0.01 or found / runs < 0.05


def test_intervals_of_differences_hold_the_truth() -> None:
    rng = np.random.default_rng(2)
    runs, held = 200, 0
    for _ in range(runs):
        [only] = flips((0.2, 0.4), rng).differences
        assert isinstance(only.estimate, Estimate)
        assert only.estimate.interval is not None
        held += only.estimate.interval.low <= -0.2 <= only.estimate.interval.high
    assert held / runs > 0.95 - 3 * (0.95 * 0.05 / runs) ** 0.5


def test_a_planted_difference_is_found_and_its_sign_is_right() -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        family = flips((0.1, 0.1, 0.7), rng)
        assert {(each.first, each.second) for each in family.shown} >= {(0, 2), (1, 2)}
        for each in family.shown:
            assert isinstance(each.estimate, Estimate)
            if each.second == 2:
                assert each.estimate.value < 0


def alike(rng: np.random.Generator) -> JudgeTable:
    """One of many judges of one kind: it leans to the first slot, and has ties and lost answers."""
    codes = ("".join(rng.choice(list("FSTU"), 2, p=[0.5, 0.35, 0.1, 0.05])) for _ in range(QUESTIONS))
    names = [f"q{i}" for i in range(QUESTIONS)]
    gold = {name: "A" if i % 2 else "B" for i, name in enumerate(names)}
    return judge(f"j{rng.integers(1 << 60)}", dict(zip(names, codes, strict=True)), gold=gold)


def test_no_other_measure_is_named_of_equal_judges_in_more_than_five_percent() -> None:
    """Of eight measures, one is shown when looked at alone far more often."""
    rng, runs, named, alone = np.random.default_rng(4), 200, 0, 0
    others = [name for name in JUDGE_MEASURES if name not in ("flip_rate", "swap_minus_repeat")]
    for _ in range(runs):
        lined = line_up([alike(rng), alike(rng)])
        sampler = Sampler(clusters=lined.facts.group, seed=0, resamples=100, level=0.95)
        families = differences_of(lined, sampler, measures=others)
        named += bool(shown_among_all(families))
        alone += any(family.shown for family in families)
    assert named / runs <= 0.05
    assert alone / runs > 0.1
