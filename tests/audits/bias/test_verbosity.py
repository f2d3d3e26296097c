from dataclasses import replace

import numpy as np
import pytest

from audits.bias.changed import bias_data
from audits.bias.changed import sampler as changed_sampler
from audits.bias.observed import Truth, draw_pairs, judge, observed, pairs_of, sampler, verdict_frame
from evenhand.analysis import MEASURES
from evenhand.audits.bias.base import BiasAudit
from evenhand.audits.bias.features import NO_TEXTS
from evenhand.audits.bias.verbosity import NO_GOLD, VerbosityAudit
from evenhand.records import Pair
from evenhand.stats import Estimate, Refusal

AUDIT = VerbosityAudit()


def simulated(seed=0, *, gold=True, truth=None, count=160):
    rng = np.random.default_rng(seed)
    sample = draw_pairs(rng, count, length_by_quality=0.2)
    chose = judge(rng, sample, truth or Truth(length=1.5, slot=0.5))
    return sample, chose, observed(verdict_frame(sample, chose, gold=gold), pairs_of(sample))


def finding(data):
    (found,) = AUDIT.analyse(data, sampler(data))
    return found


def test_it_is_a_bias_audit_and_plans_padding_of_both():
    assert isinstance(AUDIT, BiasAudit)
    planned = [change.name for changes in AUDIT.plan(frozenset()) for change in changes]
    assert planned == ["padding=redundant:A", "padding=redundant:B"]
    supplied = AUDIT.plan(frozenset({("padding", "supplied"), ("tone", "hedged")}))
    assert [changes[0].name for changes in supplied][2:] == ["padding=supplied:A", "padding=supplied:B"]


def test_figures_by_a_second_count():
    sample, chose, data = simulated()
    found = finding(data)
    longer_is_a = sample.log_ratio > 0
    unlike = sample.log_ratio != 0
    took = chose == longer_is_a[:, None]
    against = (np.sign(sample.log_ratio) * sample.gold) == -1
    along = (np.sign(sample.log_ratio) * sample.gold) == 1
    first = np.column_stack([longer_is_a, ~longer_is_a])
    expected = {
        "longer_chosen": took[unlike].mean(),
        "longer_chosen_first": took[unlike][first[unlike]].mean(),
        "longer_chosen_second": took[unlike][~first[unlike]].mean(),
        "verbosity_bias_rate": took[against].mean(),
        "error_rate_agreeing": (~took[along]).mean(),
        "verbosity_excess": took[against].mean() - (~took[along]).mean(),
    }
    for name, value in expected.items():
        assert found.measure(name).value == pytest.approx(value), name
    table = dict(found.table)
    assert table["gold is the shorter response"] == against.sum()
    assert table["gold is the longer response"] == along.sum()
    assert (found.pairs, found.presentations) == (160, 320)


def test_length_is_found_at_equal_quality():
    *_, data = simulated()
    found = finding(data)
    assert found.measure("length_effect").interval.low > 0
    weaker, side, expected = found.tests
    assert weaker.p_value == max(side.p_value, expected.p_value) < 0.05
    assert side.p_value < 0.001
    assert weaker.name.endswith("at equal expected quality, the weaker of two")
    assert found.measure("length_effect_latent").interval.low > 0
    assert found.measure("length_per_quality").interval.method.startswith("Fieller")
    assert found.measure("length_per_quality_delta").interval.method.startswith("delta")
    assert "refitted" in found.measure("length_per_quality_bootstrap").interval.method
    assert found.measure("length_effect_unadjusted").value > found.measure("length_effect").value
    assert found.measure("length_effect_score") is None, "a generated verdict has no log odds"


def test_every_measure_is_in_the_table_of_measures():
    *_, data = simulated()
    assert {m.name for m in finding(data).measures} <= {m.name for m in MEASURES}


def test_without_gold_the_adjusted_figures_are_refused_and_nothing_is_tested():
    *_, data = simulated(gold=False)
    found = finding(data)
    for name in ("length_effect", "length_per_quality", "verbosity_bias_rate", "verbosity_excess"):
        assert found.measure(name) == Refusal(reason=NO_GOLD, n=0), name
    assert isinstance(found.measure("length_effect_unadjusted"), Estimate)
    assert isinstance(found.measure("longer_chosen"), Estimate)
    assert found.tests == ()
    assert "Not at equal quality: what is said of length here may be said of quality." in found.notes


def test_a_log_without_texts_is_told_so():
    *_, data = simulated()
    bare = {
        name: Pair(id=name, instruction="", response_a="", response_b="", group=p.group)
        for name, p in data.pairs.items()
    }
    found = finding(replace(data, pairs=bare))
    assert found.measure("length_effect") == Refusal(reason=NO_TEXTS)
    assert found.tests == ()


def test_ties_and_missing_verdicts_are_counted_and_never_a_choice():
    texts = {f"p{i}": Pair(id=f"p{i}", instruction="i", response_a="x" * (i + 2), response_b="y") for i in range(12)}
    table = {name: ("FS", "TT", "UF")[i % 3] for i, name in enumerate(texts)}
    data = replace(bias_data(table, {}, gold=dict.fromkeys(texts, "A")), pairs=texts)
    (found,) = AUDIT.analyse(data, changed_sampler(data))
    assert found.presentations == 4 * 2 + 4
    # A is longer throughout: chosen twice in FS, and B was chosen in UF.
    assert found.measure("longer_chosen").value == pytest.approx(8 / 12)
    assert any(note.startswith("Not in these figures: 12 of 24 presentations (50.0 %)") for note in found.notes)
    states = {(str(c.order), str(c.outcome)): c.count for c in found.outcomes}
    assert states["AB", "tie"] == 4
    assert states["AB", "unparsed"] == 4


def test_too_few_questions_are_refused_in_words():
    *_, data = simulated(count=8)
    assert finding(data).measure("length_effect").reason == "needs at least 5 clusters, has 4"


def test_scores_are_explained_where_the_readout_gives_them():
    sample, chose, _ = simulated()
    rng = np.random.default_rng(4)
    frame = verdict_frame(sample, chose, readout="first-token")
    a_over_b = 0.7 * sample.log_ratio + 1.4 * sample.gold + rng.normal(0, 0.1, 160)
    import polars as pl

    frame = frame.with_columns(log_odds=pl.Series(np.concatenate([a_over_b, -a_over_b])))
    found = finding(observed(frame, pairs_of(sample)))
    assert found.measure("length_effect_score").value == pytest.approx(0.7 * np.log(2), abs=0.05)
    assert found.measure("length_per_quality_score").value == pytest.approx(0.5, abs=0.05)


def test_padding_has_findings_of_its_own():
    pairs = {f"p{i}": "FS" for i in range(12)}
    data = bias_data(pairs, {"padding=redundant:A": pairs, "padding=redundant:B": dict.fromkeys(pairs, "FF")})
    found = AUDIT.analyse(data, changed_sampler(data))
    assert [f.subset for f in found] == ["length", "padding=redundant"]
    assert all(f.audit == "verbosity" for f in found)
