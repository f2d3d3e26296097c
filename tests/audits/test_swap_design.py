from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.audits.swap_design import PairRisk, SwapDesign, SwapStratum, check_floor, draw_swaps, floor_size
from evenhand.errors import ConfigError

RISKS = st.lists(
    st.tuples(st.none() | st.floats(0, 1), st.sampled_from([True, False, None])), min_size=1, max_size=60
).map(lambda drawn: [PairRisk(pair_id=f"p{i}", risk=r, decided=d) for i, (r, d) in enumerate(drawn)])


def strata(design):
    return {p.pair_id: p.stratum for p in design.pairs}


@given(RISKS, st.floats(0.01, 1), st.floats(0.01, 1), st.integers(1, 10), st.integers(0, 5))
def test_every_pair_has_its_place_and_the_certain_ones_are_drawn(risks, share, floor, minimum, seed):
    design = draw_swaps(risks, share=share, floor=floor, minimum=minimum, seed=seed)
    assert [p.pair_id for p in design.pairs] == [r.pair_id for r in risks]
    for stratum in SwapStratum:
        own = [p for p in design.pairs if p.stratum is stratum]
        assert sorted(p.place for p in own) == list(range(len(own)))
        drawn = [p for p in own if p.drawn]
        assert {p.place for p in drawn} == set(range(len(drawn)))
        assert len(drawn) == (len(own) if stratum.certain else floor_size(len(own), floor=floor, minimum=minimum))
    assert sorted(design.drawn()) == sorted(p.pair_id for p in design.pairs if p.drawn)
    known = [p for p in design.pairs if p.risk is not None]
    high = [p.risk for p in known if p.stratum is SwapStratum.CERTAIN]
    low = [p.risk for p in known if p.stratum is SwapStratum.FLOOR]
    assert len(high) + len(low) == len(known)
    assert not high or not low or min(high) >= max(low)


@given(RISKS, st.floats(0.01, 1), st.randoms(use_true_random=False))
def test_the_draw_knows_neither_the_order_of_the_pairs_nor_the_floor(risks, share, random):
    design = draw_swaps(risks, share=share, floor=0.2, minimum=2, seed=3)
    shuffled = list(risks)
    random.shuffle(shuffled)
    assert set(draw_swaps(shuffled, share=share, floor=0.2, minimum=2, seed=3).pairs) == set(design.pairs)
    more = draw_swaps(risks, share=share, floor=0.5, minimum=3, seed=3)
    assert set(design.drawn()) <= set(more.drawn())


def test_a_threshold_takes_what_reaches_it():
    risks = [PairRisk(pair_id=f"p{i}", risk=i / 10) for i in range(11)]
    high = {name for name, s in strata(draw_swaps(risks, threshold=0.7, seed=0)).items() if s is SwapStratum.CERTAIN}
    assert high == {"p7", "p8", "p9", "p10"}
    everything = draw_swaps(risks, threshold=float("-inf"), seed=0)
    assert len(everything.drawn()) == 11


def test_equal_risks_are_taken_at_random_and_exactly_so_many():
    risks = [PairRisk(pair_id=f"p{i}", risk=0.5) for i in range(100)]
    first, second = (draw_swaps(risks, share=0.3, seed=seed) for seed in (0, 1))
    assert first.size(SwapStratum.CERTAIN) == second.size(SwapStratum.CERTAIN) == 30
    assert strata(first) != strata(second)


def test_what_is_not_known_is_asked_for_certain_unless_it_cannot_flip():
    risks = [
        PairRisk(pair_id="broken format", risk=None, decided=True),
        PairRisk(pair_id="failed", risk=None, decided=None),
        *(PairRisk(pair_id=f"tie {i}", risk=None, decided=False) for i in range(50)),
    ]
    design = draw_swaps(risks, share=0.5, minimum=5, seed=0)
    found = strata(design)
    assert found["broken format"] is found["failed"] is SwapStratum.UNKNOWN
    assert design.size(SwapStratum.UNDECIDED) == 50
    assert {"broken format", "failed"} <= set(design.drawn())
    assert len(design.drawn()) == 7


def test_strata_take_turns():
    risks = [PairRisk(pair_id=f"p{i}", risk=i / 1000) for i in range(1000)]
    design = draw_swaps(risks, share=0.3, floor=0.1, seed=0)
    found = strata(design)
    half = design.drawn()[: len(design.drawn()) // 2]
    assert sum(found[name] is SwapStratum.FLOOR for name in half) in (35, 36)


def test_drawing_is_uniform_over_the_floor():
    risks = [PairRisk(pair_id=f"p{i}", risk=i / 20) for i in range(20)]
    counts = dict.fromkeys((f"p{i}" for i in range(16)), 0)
    for seed in range(2000):
        for name in draw_swaps(risks, share=0.2, floor=0.25, minimum=1, seed=seed).drawn():
            if name in counts:
                counts[name] += 1
    # 500 expected of each, with a standard deviation of 19.4.
    assert all(abs(count - 500) < 80 for count in counts.values())


def test_drawing_is_uniform_over_the_floor_where_the_share_splits_equal_risks():
    # 8 pairs of equal high risk, of which the share takes 6, above 12 of a low one.
    risks = [PairRisk(pair_id=f"p{i}", risk=0.5 if i < 8 else 0.1) for i in range(20)]
    drawn, there = {0.1: 0, 0.5: 0}, {0.1: 0, 0.5: 0}
    for seed in range(1000):
        for pair in draw_swaps(risks, share=0.3, floor=0.25, minimum=1, seed=seed).pairs:
            if pair.stratum is SwapStratum.FLOOR:
                there[pair.risk] += 1
                drawn[pair.risk] += pair.drawn
    # 4 of the 14 floor pairs each time; 2,000 and 12,000 chances.
    assert drawn[0.5] / there[0.5] == pytest.approx(4 / 14, abs=0.04)
    assert drawn[0.1] / there[0.1] == pytest.approx(4 / 14, abs=0.02)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give a threshold or a share"),
        ({"share": 0.5, "threshold": 0.5}, "give a threshold or a share"),
        ({"share": 0.0}, "swap budget is 0.0"),
        ({"share": 1.5}, "swap budget is 1.5"),
        ({"threshold": float("nan")}, "no number"),
        ({"share": 0.5, "seed": -1}, "seed is -1"),
        ({"share": 0.5, "floor": 0.0}, "floor is 0.0"),
    ],
)
def test_what_can_not_be_drawn_is_refused(given, message):
    with pytest.raises(ConfigError, match=message):
        draw_swaps([PairRisk(pair_id="p", risk=0.5)], **{"seed": 0, **given})


def test_risks_are_probabilities_of_different_pairs():
    with pytest.raises(ConfigError, match=r"risk of a flip is 1\.5"):
        PairRisk(pair_id="p", risk=1.5)
    with pytest.raises(ConfigError, match="twice"):
        draw_swaps([PairRisk(pair_id="p", risk=0.5)] * 2, share=0.5, seed=0)


def test_a_design_without_pairs_says_why():
    design = SwapDesign(pairs=(), floor=0.1, seed=0)
    assert design.drawn() == ()
    assert "order AB comes first" in design.why_empty
    with pytest.raises(ConfigError, match="without it nothing is known"):
        replace(design, floor=2)
    check_floor(1)


def test_lone_surrogates_are_drawn_as_their_escapes():
    odd, plain = (draw_swaps([PairRisk(pair_id=n, risk=0.1)], share=1, seed=0) for n in ("p\ud800", "p\\ud800"))
    assert odd.pairs[0].place == plain.pairs[0].place
