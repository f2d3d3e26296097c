from dataclasses import replace

import numpy as np
import pytest

from audits.bias.observed import Truth, authored_run, draw_authored, judge_authored
from evenhand.analysis import MEASURES, FindingKind
from evenhand.audits.bias.judges_compared import judge_verdicts
from evenhand.audits.bias.self_preference import NO_GOLD, NO_NEUTRAL, ONE_JUDGE, self_preference
from evenhand.errors import ConfigError
from evenhand.stats import Estimate, Refusal

FAMILIES = {f"family{j}-{kind}": f"F{j}" for j in range(4) for kind in ("judge", "writer")}


def audited(truths, *, families=4, count=240, seed=0, gold=True, **options):
    rng = np.random.default_rng(seed)
    pairs = draw_authored(rng, count, families, better=(0.7,))
    chose = [judge_authored(rng, pairs, truth, j) for j, truth in enumerate(truths)]
    runs = [authored_run(pairs, c, model=f"family{j}-judge", gold=gold) for j, c in enumerate(chose)]
    judges = [judge_verdicts(run) for run in runs]
    return pairs, chose, self_preference(judges, families=FAMILIES, resamples=200, **options)


BIASED = (Truth(own=2.0), Truth(), Truth(slot=0.5))


def test_the_judge_that_prefers_its_own_is_found_and_the_others_are_not():
    *_, result = audited(BIASED)
    assert [f.subset for f in result.findings] == ["family0-judge", "family1-judge", "family2-judge"]
    first, *others = result.findings
    assert first.measure("self_preference").interval.low > 0
    assert first.measure("self_preference_odds").interval.low > 0
    assert first.tests[-1].p_value < 0.01
    assert "Holm-adjusted over 3" in first.tests[-1].name
    for other in others:
        assert other.measure("self_preference").interval.low < 0 < other.measure("self_preference").interval.high
    for finding in result.findings:
        assert finding.kind is FindingKind.BIAS
        assert finding.audit == "self-preference"
        assert {m.name for m in finding.measures} <= {m.name for m in MEASURES}


def test_shares_by_a_second_count():
    pairs, chose, result = audited(BIASED)
    own = pairs.own(0)
    rows = own != 0
    mine = (chose[0] == (own > 0)[:, None])[rows]
    neutral = [np.where((pairs.own(j) == 0)[:, None], chose[j] == (own > 0)[:, None], np.nan) for j in (1, 2)]
    theirs = np.nanmean(np.array(neutral)[:, rows], axis=0)
    finding = result.findings[0]
    assert finding.measure("own_share").value == pytest.approx(mine.mean())
    assert finding.measure("own_share_others").value == pytest.approx(theirs.mean())
    assert finding.measure("self_preference_difference").value == pytest.approx(mine.mean() - theirs.mean())
    assert (finding.pairs, finding.presentations) == (rows.sum(), 2 * rows.sum())


def test_one_judge_alone_is_refused_with_the_reason():
    *_, result = audited((Truth(own=2.0),))
    (finding,) = result.findings
    for name in ("self_preference", "self_preference_odds", "self_preference_difference", "own_share_others"):
        assert finding.measure(name).reason == ONE_JUDGE
    assert isinstance(finding.measure("own_share"), Estimate)
    assert finding.tests == ()


def test_two_families_alone_show_only_the_sum():
    *_, result = audited((Truth(own=2.0), Truth()), families=2)
    assert result.findings[0].measure("self_preference") == Refusal(reason=NO_NEUTRAL)
    assert result.findings[0].tests == ()


def test_a_judge_whose_family_wrote_nothing_is_told_so():
    *_, result = audited((Truth(), Truth(), Truth()), families=2)
    assert result.findings[2].measure("self_preference").reason == (
        "no pair sets a response of F2 against another family's (families go by names, unless they are given)"
    )
    assert isinstance(result.findings[0].measure("self_preference"), Estimate), "the third judge is of neither family"


def test_without_gold_the_figures_are_shown_and_nothing_is_tested():
    *_, result = audited(BIASED, gold=False)
    finding = result.findings[0]
    assert isinstance(finding.measure("self_preference"), Estimate)
    assert finding.tests == ()
    assert NO_GOLD in finding.notes
    *_, known = audited(BIASED)
    assert known.findings[0].tests[0].caveat is None
    assert NO_GOLD not in known.findings[0].notes


def test_pairs_without_gold_are_left_out_of_the_fit_and_counted():
    rng = np.random.default_rng(0)
    pairs = draw_authored(rng, 240, 4)
    runs = []
    for j, truth in enumerate(BIASED):
        run = authored_run(pairs, judge_authored(rng, pairs, truth, j), model=f"family{j}-judge")
        bare = {name: replace(pair, gold=None) if name < "p00040" else pair for name, pair in run.pairs.items()}
        runs.append(judge_verdicts(replace(run, pairs=bare)))
    result = self_preference(runs, families=FAMILIES, resamples=200)
    assert result.findings[0].notes[-1].endswith("other pairs have: 40 pairs.")
    assert result.findings[0].measure("self_preference").n < 3 * 2 * 200
    assert result.findings[0].presentations == 2 * np.count_nonzero(pairs.own(0)), "the plain figures keep them"


def test_order_of_judges_makes_no_difference():
    rng = np.random.default_rng(1)
    pairs = draw_authored(rng, 200, 4)
    runs = [
        authored_run(pairs, judge_authored(rng, pairs, t, j), model=f"family{j}-judge") for j, t in enumerate(BIASED)
    ]
    one = self_preference([judge_verdicts(r) for r in runs], families=FAMILIES, resamples=200)
    other = self_preference([judge_verdicts(r) for r in reversed(runs)], families=FAMILIES, resamples=200)
    by_name = {f.subset: f for f in other.findings}
    for finding in one.findings:
        for measure in finding.measures:
            again = by_name[finding.subset].measure(measure.name)
            assert again.value == pytest.approx(measure.estimate.value, abs=1e-8)
            assert again.interval.low == pytest.approx(measure.estimate.interval.low, abs=1e-8)


def test_a_negative_seed_is_an_error():
    with pytest.raises(ConfigError, match="seed is -1"):
        self_preference([], seed=-1)
