"""Is self-preference found where it is planted, and told from better, longer and other judges' responses? Seeded.

400 audits know a false positive rate of .05 to a standard error of .011; two of these are allowed above it.
"""

import numpy as np
import pytest

from audits.bias.observed import Truth, draw_authored, judge_authored
from evenhand.analysis.scope import PairFacts, WideTable
from evenhand.audits.bias.judges_compared import ComparedJudges, JudgeVerdicts
from evenhand.audits.bias.self_model import fit_self, own_term
from evenhand.records import Readout

pytestmark = pytest.mark.simulation

AUDITS = 400
MOST = 0.05 + 2 * 0.011
FAMILIES = 4


def compared(rng, truths, *, count=200, gold=True, **authors):
    """What ``compare_judges`` makes of the runs; family 3 is no judge's."""
    pairs = draw_authored(rng, count, FAMILIES, **authors)
    codes = np.arange(count)
    facts = PairFacts(ids=(), group=pairs.group, source=codes * 0, gold=codes * 0, n_groups=count // 2, n_sources=1)
    empty = WideTable(facts=facts, scopes=(), conditions=())
    chose = [np.where(judge_authored(rng, pairs, truth, j), 1, -1) for j, truth in enumerate(truths)]
    own = np.array([pairs.own(j) for j in range(len(truths))])
    return ComparedJudges(
        judges=tuple(
            JudgeVerdicts(name=f"judge{j}", wide=empty, pairs={}, condition="c", readout=Readout.GENERATED)
            for j in range(len(truths))
        ),
        families=tuple(f"family{j}" for j in range(len(truths))),
        facts=facts,
        chose=np.array(chose, dtype=np.int8),
        own=own.astype(np.int8),
        neutral=own == 0,
        length=pairs.log_ratio,
        gold=np.sign(pairs.quality) if gold else np.full(count, np.nan),
        unknown=0,
    )


def found(truths, *, audits=AUDITS, seed=0, which="linear", **options):
    """Share of audits whose test is below .05, and the mean coefficient, per judge; and that of any after Holm."""
    rng = np.random.default_rng(seed)
    p_values, values = [], []
    for _ in range(audits):
        made = compared(rng, truths, **options)
        regression = getattr(fit_self(made, made.facts.group, level=0.95), which)
        terms = [regression.term(own_term(judge.name)) for judge in made.judges]
        p_values.append([term.test.p_value for term in terms])
        values.append([term.estimate.value for term in terms])
    below = np.array(p_values)
    return np.mean(below <= 0.05, axis=0), np.mean(values, axis=0), np.mean(below.min(axis=1) <= 0.05 / below.shape[1])


@pytest.mark.parametrize("which", ["linear", "odds"])
@pytest.mark.parametrize(
    ("truths", "options"),
    [
        ((Truth(slot=0.8), Truth(slot=-0.5), Truth()), {"better": (1.5,)}),
        ((Truth(length=1.5), Truth(slot=-0.5), Truth()), {"better": (0.5,), "longer": (0.6,)}),
    ],
    ids=["a family that is better", "a family that writes longer, for a judge that likes length"],
)
def test_better_or_longer_responses_are_no_self_preference(truths, options, which):
    rates, _, family = found(truths, which=which, **options)
    assert family <= MOST, "any of the three, Holm-adjusted"
    assert rates.mean() <= 0.05 + 2 * 0.0065
    assert rates.max() <= 0.05 + 3 * 0.011, "the worst of three, by chance"


def test_other_judges_self_preference_is_not_laid_at_this_ones_door():
    rates, *_ = found((Truth(), Truth(own=1.5), Truth(own=1.0)), better=(1.0,))
    assert rates[0] <= MOST
    assert (rates[1:] > 0.9).all()


def test_a_sharper_judge_of_a_better_family_needs_gold_to_be_told_apart():
    sharp = (Truth(quality=4.0, noise=0.0), Truth(quality=0.8), Truth(quality=0.8))
    with_gold, *_ = found(sharp, better=(1.0,))
    assert with_gold[0] <= MOST
    without, *_ = found(sharp, better=(1.0,), gold=False, audits=100)
    assert without[0] > 0.8, "the limit that the finding's note states"


def test_planted_self_preference_is_found_and_recovered():
    # Beside a lean to a slot, a better and longer family, and a judge that likes length.
    truths = (Truth(own=1.0, slot=0.8), Truth(slot=-0.5), Truth(length=1.0))
    rates, *_ = found(truths, better=(1.0,), longer=(0.5,), count=400, audits=150)
    assert rates[0] > 0.9
    assert (rates[1:] <= 0.05 + 3 * 0.018).all()
    plain = (Truth(own=1.0, noise=0.0), Truth(noise=0.0), Truth(noise=0.0))
    _, values, _ = found(plain, which="odds", audits=150)
    assert values[0] == pytest.approx(1.0, abs=0.08)
    assert values[1:] == pytest.approx([0, 0], abs=0.06)
