"""All mitigations at once: what is asked for is made or refused by name, and the tests are one family."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.mitigation.all_effects import KINDS, Truncation, chosen_kinds, measure_all
from evenhand.mitigation.examples import judged


def made(seed=0, *, judge="j", n=120, position=0.8):
    rng = np.random.default_rng(seed)
    gold = np.random.default_rng(99).integers(0, 2, n)
    quality = np.where(gold == 0, 0.8, -0.8)
    odds = quality[:, None] + rng.normal(0, 1, (n, 1)) + np.array([position, -position]) + rng.normal(0, 0.4, (n, 2))
    return judged(
        ["".join("AB"[int(v <= 0)] for v in row) for row in odds],
        gold="".join("AB"[g] for g in gold),
        judge=judge,
        log_odds=odds,
        tokens=np.full((n, 2), 100.0),
        length_a=np.random.default_rng(5).integers(50, 900, n),
        length_b=np.random.default_rng(6).integers(50, 900, n),
        authors=[("x", "y")] * n,
    )


def test_one_judge_has_no_panel_and_everything_else():
    found = measure_all([made()], resamples=100)
    names = [effect.mitigation for effect in found.effects]
    assert names == [
        "order AB",
        "order BA",
        "one order, drawn at random",
        "tie on conflict",
        "averaged probabilities",
        "confidence-weighted",
        "length penalty",
        "recalibrated (slot bias), one order",
        "recalibrated (slot bias), both orders",
    ]
    assert {each.mitigation for each in found.not_made} == {
        "averaged scores",
        "independent scores",
        "recalibration (isotonic)",
    }
    assert (len(found.selections), len(found.penalties), len(found.systems), len(found.calibrations)) == (1, 1, 1, 1)
    assert found.agreements == ()
    penalty = next(effect for effect in found.effects if effect.mitigation == "length penalty")
    assert penalty.against == "averaged log-odds of A"


def test_all_tests_are_one_family():
    found = measure_all([made()], resamples=100)
    tests = [effect.test for effect in found.effects if effect.test is not None]
    tests += [each.scores.test for calibration in found.calibrations for each in calibration.maps]
    assert found.tests == len(tests) > 4
    assert all(f"Holm-adjusted over {found.tests} mitigations" in test.name for test in tests)


def test_a_panel_is_compared_with_one_judge_and_others_stay_as_they_are():
    judges = [made(seed, judge=f"j{seed}") for seed in range(3)]
    alone, together = measure_all(judges[:1], resamples=100), measure_all(judges, resamples=100)
    panels = [effect for effect in together.effects if effect.judge == "panel of 3"]
    assert [(effect.mitigation, effect.against) for effect in panels] == [
        ("one judge, drawn at random", None),
        ("panel: majority", "one judge, drawn at random"),
        ("panel: weighted by accuracy", "one judge, drawn at random"),
        ("panel: Dawid-Skene", "one judge, drawn at random"),
    ]
    assert [effect.presentations for effect in panels] == [2.0, 6.0, 6.0, 6.0]
    assert len(together.agreements) == 6
    own = {e.judge: e.agreement.value for e in together.effects if e.mitigation == "tie on conflict"}
    assert {name: estimate.value for name, estimate in together.alone} == pytest.approx(own)
    assert [name for name, _ in together.model_accuracy] == ["j0", "j1", "j2"]
    for one, other in zip(alone.effects, together.effects, strict=False):
        assert replace(one, test=None) == replace(other, test=None)


@pytest.mark.parametrize("kind", KINDS)
def test_only_what_is_asked_for(kind):
    found = measure_all([made()], resamples=100, only=[kind])
    has = {
        "order": any(effect.mitigation == "tie on conflict" for effect in found.effects),
        "selection": bool(found.selections),
        "length-control": bool(found.systems),
        "length-penalty": bool(found.penalties),
        "recalibration": bool(found.calibrations),
        "panel": any(each.mitigation == "panel" for each in found.not_made),
        "truncation": False,
    }
    assert [name for name, there in has.items() if there] == ([kind] if kind != "truncation" else [])


def test_a_truncated_run_is_compared_on_the_same_pairs():
    pairs = made()
    better = np.where(np.arange(120)[:, None] < 100, pairs.gold[:, None].repeat(2, axis=1), np.int8(-1)).astype(np.int8)
    cut = replace(pairs, preference=better, asked=better >= 0, tokens=np.full((120, 2), 60.0))
    found = measure_all([pairs], resamples=100, only=["truncation"], truncations=[Truncation(judge="j", pairs=cut)])
    [effect] = found.effects
    assert (effect.mitigation, effect.missing, effect.gain.n) == ("truncated to equal length", 20, 100)
    assert (effect.presentations, effect.tokens) == (1.0, pytest.approx(0.6))
    assert effect.bought() == "helps"
    assert effect.on_flips is None


def test_no_order_is_told_once_a_rule():
    found = measure_all([judged([".."] * 5, gold="A" * 5)], resamples=100)
    assert found.effects == ()
    assert {each.mitigation for each in found.not_made} >= {"order AB", "tie on conflict", "selection effect"}


def test_unknown_kinds_are_refused_by_name():
    with pytest.raises(ConfigError, match="mitigation 'swap': expected one of order"):
        chosen_kinds(["order", "swap"])
    assert chosen_kinds([]) == KINDS
    assert chosen_kinds(["panel", "order"]) == ("order", "panel")
