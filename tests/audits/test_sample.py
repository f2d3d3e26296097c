"""Which pairs are generated for: at random, reproducibly, growing with the budget."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.tables import verdicts
from evenhand.analysis.wide import widen
from evenhand.audits.sample import (
    FLOOR,
    SampleDesign,
    SampleStratum,
    choose_sample,
    compliance_strata,
    strata_codes,
    stratum_sizes,
)
from evenhand.errors import ConfigError
from evenhand.records import Readout, verdict_table

COMPLIANT, NON_COMPLIANT, UNKNOWN = SampleStratum


def strata(compliant: int, other: int = 0, unknown: int = 0) -> dict[str, SampleStratum]:
    kinds = [COMPLIANT] * compliant + [NON_COMPLIANT] * other + [UNKNOWN] * unknown
    return {f"p{i}": kind for i, kind in enumerate(kinds)}


def test_strata_come_from_both_first_tokens() -> None:
    compliant = {"a": "++", "b": "+-", "c": "--", "d": "+?", "e": "++"}
    outcomes = {"a": "FS", "b": "FF", "c": "SS", "d": "FE", "e": "F."}
    table = verdict_table(verdicts(outcomes, readout=Readout.FIRST_TOKEN, compliant=compliant))
    wide = widen(table)
    found = compliance_strata(wide.scopes[0], facts=wide.facts, pair_ids=[*outcomes, "never asked"])
    assert found == {
        "a": COMPLIANT,
        "b": NON_COMPLIANT,
        "c": NON_COMPLIANT,
        "d": UNKNOWN,
        "e": UNKNOWN,
        "never asked": UNKNOWN,
    }
    assert strata_codes(wide.scopes[0], np.array([1, 3])).tolist() == [1, 2]


def test_a_pair_id_that_no_table_can_hold_keeps_its_stratum() -> None:
    name = "p\udc80"
    wide = widen(verdict_table(verdicts({name: "FS"}, readout=Readout.FIRST_TOKEN, compliant={name: "++"})))
    assert compliance_strata(wide.scopes[0], facts=wide.facts, pair_ids=[name]) == {name: COMPLIANT}
    assert choose_sample({name: COMPLIANT}, fraction=1.0, seed=0).pairs == (name,)


def test_before_any_answer_all_pairs_are_unknown() -> None:
    wide = widen(verdict_table([]))
    assert compliance_strata(None, facts=wide.facts, pair_ids=["a"]) == {"a": UNKNOWN}


def test_the_sample_does_not_depend_on_the_order_of_pairs() -> None:
    pairs = strata(60, 30, 10)
    turned = dict(reversed(pairs.items()))
    one, other = choose_sample(pairs, fraction=0.2, seed=3), choose_sample(turned, fraction=0.2, seed=3)
    assert one == other
    assert one.pairs != choose_sample(pairs, fraction=0.2, seed=4).pairs
    assert len(set(one.pairs)) == len(one.pairs) == 20


@settings(deadline=None)
@given(
    compliant=st.integers(0, 80),
    other=st.integers(0, 80),
    unknown=st.integers(0, 5),
    small=st.floats(0.01, 1),
    large=st.floats(0.01, 1),
)
def test_a_larger_budget_keeps_a_smaller_one_s_sample(
    compliant: int, other: int, unknown: int, small: float, large: float
) -> None:
    pairs = strata(compliant, other, unknown)
    if not pairs:
        return
    low, high = sorted([small, large])
    one, more = choose_sample(pairs, fraction=low, seed=0), choose_sample(pairs, fraction=high, seed=0)
    assert more.pairs[: len(one.pairs)] == one.pairs
    for plan in (one, more):
        assert sum(s.drawn for s in plan.strata) == len(plan.pairs) == -(-round(plan.fraction * len(pairs), 9) // 1)
        assert Counter(pairs[p] for p in plan.pairs) == {s.stratum: s.drawn for s in plan.strata if s.drawn}
        assert all(s.drawn >= min(2, s.pairs) for s in plan.strata) or len(plan.pairs) < 6
        assert all(0 <= s.probability <= 1 for s in plan.strata)


def test_everything_is_drawn_at_a_budget_of_one() -> None:
    plan = choose_sample(strata(7, 2, 1), fraction=1.0, seed=0)
    assert sorted(plan.pairs) == sorted(strata(7, 2, 1))
    assert {s.probability for s in plan.strata} == {1.0}


def test_a_fraction_is_not_rounded_up_by_its_own_rounding() -> None:
    # 0.07 * 100 is 7.000000000000001 in floating point.
    assert len(choose_sample(strata(100), fraction=0.07, seed=0).pairs) == 7


def test_small_strata_get_enough_to_be_estimated() -> None:
    assert stratum_sizes({"a": 1_980, "b": 20}, count=200)["b"] == FLOOR
    assert stratum_sizes({"a": 475, "b": 25}, count=25) == {"a": 22, "b": 3}
    assert stratum_sizes({"a": 499, "b": 1}, count=25) == {"a": 24, "b": 1}
    assert stratum_sizes({"a": 300, "b": 100}, count=80) == {"a": 60, "b": 20}


def test_each_pair_of_a_stratum_is_equally_likely() -> None:
    pairs = strata(20, 10)
    seeds = 2_000
    drawn = Counter(p for seed in range(seeds) for p in choose_sample(pairs, fraction=0.2, seed=seed).pairs)
    sizes = {s.stratum: s for s in choose_sample(pairs, fraction=0.2, seed=0).strata}
    for pair, stratum in pairs.items():
        p = sizes[stratum].probability
        assert abs(drawn[pair] / seeds - p) < 4.5 * (p * (1 - p) / seeds) ** 0.5


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.01, float("nan")])
def test_a_fraction_outside_is_refused(fraction: float) -> None:
    with pytest.raises(ConfigError, match="budget is"):
        choose_sample(strata(5), fraction=fraction, seed=0)


def test_no_pairs_and_negative_seeds_are_refused() -> None:
    with pytest.raises(ConfigError, match="no pairs"):
        choose_sample({}, fraction=0.1, seed=0)
    with pytest.raises(ConfigError, match="seed is -1"):
        choose_sample(strata(5), fraction=0.1, seed=-1)


@pytest.mark.parametrize(("fraction", "seed", "message"), [(0.0, 0, "budget is 0"), (1.5, 0, "1.5"), (0.5, -1, "seed")])
def test_a_design_has_a_share_and_a_seed(fraction: float, seed: int, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SampleDesign(fraction=fraction, seed=seed)
