"""Selective runs: from rows of one or both orders to estimates for all pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.tables import many, reason, value, verdicts
from evenhand.analysis import FindingKind
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import widen
from evenhand.audits import audit_position
from evenhand.audits.selective import selective_findings
from evenhand.audits.swap_design import PairRisk, SwapDesign, SwapPair, SwapStratum, draw_swaps
from evenhand.errors import ConfigError
from evenhand.records import Readout, verdict_table
from evenhand.stats import Estimate, Refusal, hypergeometric_interval


def hidden(outcomes, design):
    """What the run has seen: order BA of the drawn pairs alone."""
    drawn = set(design.drawn())
    return {name: codes if name in drawn else f"{codes[0]}." for name, codes in outcomes.items()}


def selective(outcomes, design, *, facts=None, **more):
    table = verdict_table(verdicts(hidden(outcomes, design), **(facts or {})))
    return audit_position(table, swap=design, **more)


def finding(result):
    [found] = result.select(FindingKind.SELECTIVE)
    return found


def plain(outcomes, **facts):
    [found] = audit_position(verdict_table(verdicts(outcomes, **facts))).select(FindingKind.READOUT)
    return found


# 60 pairs of high risk, 40 of which flip; 140 of low risk, 14 of which do; 10 that chose no slot in AB.
OUTCOMES = {
    **{f"high{i}": "FF" if i < 30 else "SS" if i < 40 else "FS" for i in range(60)},
    **{f"low{i}": "FF" if i < 9 else "SS" if i < 14 else "SF" for i in range(140)},
    **{f"none{i}": "UF" for i in range(10)},
}


def risks(outcomes=OUTCOMES):
    return [
        PairRisk(pair_id=n, risk=None if codes[0] in "UTRX" else 0.8 if n.startswith("high") else 0.1,
                 decided=codes[0] in "FS")
        for n, codes in outcomes.items()
    ]  # fmt: skip


DESIGN = draw_swaps(risks(), threshold=0.5, floor=0.25, minimum=5, seed=0, rule="risk of at least .5")


def test_the_flip_rate_is_that_of_the_strata_weighted():
    found = finding(selective(OUTCOMES, DESIGN))
    counts = dict(found.table)
    assert (counts["certain, swapped"], counts["floor, swapped"], counts["undecided, swapped"]) == (60, 35, 5)
    caught = counts["floor, flips found"]
    by_hand = (40 + 140 * caught / 35) / 200
    assert value(found, "weighted_flip_rate") == pytest.approx(by_hand)
    # One risk within the floor corrects nothing there.
    assert value(found, "selective_flip_rate") == pytest.approx(by_hand)
    limits = hypergeometric_interval(caught, sample=35, population=140)
    missed = found.measure("missed_flips")
    assert isinstance(missed, Estimate)
    assert missed.value == pytest.approx(4 * caught / (4 * caught + 40))
    assert (missed.interval.low, missed.interval.high) == (
        limits.low / (limits.low + 40),
        limits.high / (limits.high + 40),
    )
    assert value(found, "floor_flip_rate") == pytest.approx(caught / 35)
    assert value(found, "certain_flip_rate") == pytest.approx(40 / 60)
    more = found.measure("certain_minus_floor_flip_rate")
    assert more.value == pytest.approx(40 / 60 - caught / 35)
    assert more.n == 95  # pairs without a slot in AB and those not drawn don't enter
    assert value(found, "judgments_saved") == pytest.approx(110 / 420)


def test_the_choice_is_not_compared_where_the_floor_is_empty():
    design = draw_swaps(risks(), threshold=0.0, floor=0.25, seed=0)
    found = finding(selective(OUTCOMES, design))
    assert "needs pairs of high risk and of the random floor" in reason(found, "certain_minus_floor_flip_rate")


@pytest.mark.parametrize("real", [0.0, 0.25])
def test_the_comparison_with_the_floor_covers_the_true_difference(real):
    """300 populations: flips of chance .3, and more by ``real`` where the risk is high, in groups that flip alike."""
    rng = np.random.default_rng(7)
    names = [f"{'high' if i < 80 else 'low'}{i}" for i in range(200)]
    group = {n: f"g{i // 2}" for i, n in enumerate(names)}
    covered = []
    for _ in range(300):
        alike = np.repeat(rng.random(100), 2)
        drawn = np.where(np.repeat(rng.random(100) < 0.5, 2), alike, rng.random(200))
        chance = {n: 0.3 + real * n.startswith("high") for n in names}
        outcomes = {n: "FF" if u < chance[n] else "FS" for n, u in zip(names, drawn, strict=True)}
        design = draw_swaps(risks(outcomes), threshold=0.5, floor=0.4, seed=int(rng.integers(1000)))
        wide = widen(verdict_table(verdicts(hidden(outcomes, design), group=group)))
        clusters = np.array([int(group[str(n)][1:]) for n in wide.facts.ids])
        sampler = Sampler(clusters=clusters, seed=0, resamples=100, level=0.95)
        [found] = selective_findings(wide, swap=design, sampler=sampler)
        interval = found.measure("certain_minus_floor_flip_rate").interval
        covered.append(interval.low <= real <= interval.high)
    assert 0.92 <= np.mean(covered) <= 0.98


def test_a_floor_of_few_pairs_says_what_it_takes():
    design = draw_swaps(risks(), threshold=0.5, floor=0.01, minimum=35, seed=0)
    notes = finding(selective(OUTCOMES, design)).notes
    assert any(note.startswith("The floor of 35 pairs is 25 % of the rest (1 % were asked for") for note in notes)
    assert not any(note.startswith("The floor of") for note in finding(selective(OUTCOMES, DESIGN)).notes)


def test_over_every_possible_floor_the_estimates_are_unbiased():
    """Not over some draws: over all of them, so equality is exact. A useless risk changes nothing of that."""
    outcomes = {**many(FF=2), **{f"l{i}": "FF" if i in (1, 4) else "SF" for i in range(7)}}
    rng = np.random.default_rng(1)
    names = list(outcomes)
    found = {"weighted_flip_rate": [], "selective_flip_rate": [], "weighted_position_bias_strength": []}
    noise = rng.random(len(names))
    for chosen in combinations(range(2, 9), 3):
        places = [*chosen, *(i for i in range(2, 9) if i not in chosen)]
        pairs = tuple(
            SwapPair(
                pair_id=name,
                stratum=SwapStratum.CERTAIN if i < 2 else SwapStratum.FLOOR,
                risk=float(noise[i]),
                place=i if i < 2 else places.index(i),
                drawn=i < 2 or i in chosen,
            )
            for i, name in enumerate(names)
        )
        made = finding(selective(outcomes, SwapDesign(pairs=pairs, floor=0.4, seed=0)))
        for name, values in found.items():
            values.append(value(made, name))
    assert np.mean(found["weighted_flip_rate"]) == pytest.approx(4 / 9)
    assert np.mean(found["weighted_position_bias_strength"]) == pytest.approx(4 / 9)
    # Corrected estimates are set to 0 or 1 where they would leave them; here none does.
    assert np.mean(found["selective_flip_rate"]) == pytest.approx(4 / 9, abs=0.002)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["FF", "SS", "FS", "SF", "TF", "FT", "UF", "FU", "EE"]), min_size=8, max_size=40),
    st.integers(1, 3),
)
def test_with_every_pair_swapped_each_figure_is_the_plain_one(codes, size):
    outcomes = {f"p{i}": code for i, code in enumerate(codes)}
    facts = {
        "group": {name: f"g{i // size}" for i, name in enumerate(outcomes)},
        "gold": {name: "AB"[i % 2] for i, name in enumerate(outcomes)},
        "compliant": dict.fromkeys(outcomes, "++"),
    }
    given_risks = [
        PairRisk(pair_id=n, risk=0.5 if c[0] in "FS" else None, decided=c[0] in "FS") for n, c in outcomes.items()
    ]
    design = draw_swaps(given_risks, share=1.0, floor=1.0, seed=0)
    mine, theirs = finding(selective(outcomes, design, facts=facts)), plain(outcomes, **facts)
    names = ("flip_rate", "position_bias_strength", "first_position_bias_rate", "accuracy_ba", "compliance_pairs")
    for name in names:
        ours, usual = mine.measure(f"selective_{name}"), theirs.measure(name)
        assert ours == mine.measure(f"weighted_{name}")
        if isinstance(usual, Refusal):
            assert isinstance(ours, Refusal)
            continue
        assert (ours.value, ours.n, ours.interval.method) == (usual.value, usual.n, usual.interval.method)
        # To the last bit but for the order in which the differences of a strength are summed.
        assert ours.interval.low == pytest.approx(usual.interval.low, abs=1e-12)
        assert ours.interval.high == pytest.approx(usual.interval.high, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.floats(0.05, 0.9), st.permutations(range(30)))
def test_neither_names_nor_rows_change_an_estimate(seed, share, order):
    rng = np.random.default_rng(seed)
    codes = rng.choice(["FF", "SS", "FS", "SF", "UF"], size=30, p=[0.2, 0.1, 0.3, 0.3, 0.1])
    names = [f"p{i}" for i in range(30)]
    outcomes = dict(zip(names, map(str, codes), strict=True))
    given_risks = [
        PairRisk(pair_id=n, risk=float(rng.random()) if c[0] in "FS" else None, decided=c[0] in "FS")
        for n, c in outcomes.items()
    ]
    design = draw_swaps(given_risks, share=share, floor=0.4, minimum=4, seed=seed)
    first = finding(selective(outcomes, design))
    shuffled = SwapDesign(pairs=tuple(design.pairs[i] for i in order), floor=0.4, minimum=4, seed=seed)
    second = finding(selective({names[i]: outcomes[names[i]] for i in order}, shuffled))
    assert first.measures == second.measures
    more, high, low = (
        first.measure(name) for name in ("certain_minus_floor_flip_rate", "certain_flip_rate", "floor_flip_rate")
    )
    if isinstance(more, Estimate):
        assert more.value == pytest.approx(high.value - low.value)
        assert more.n == high.n + low.n
    flips = first.measure("selective_flip_rate")
    if isinstance(flips, Estimate):
        assert 0 <= flips.interval.low <= flips.value <= flips.interval.high <= 1
        strength = first.measure("selective_position_bias_strength")
        assert abs(strength.value) <= flips.value + 1e-12


def test_a_stopped_run_speaks_of_the_pairs_before_the_first_gap():
    drawn = sorted((p for p in DESIGN.pairs if p.drawn and p.stratum is SwapStratum.FLOOR), key=lambda p: p.place)
    seen = hidden(OUTCOMES, DESIGN)
    for part in (drawn[20], drawn[25]):
        seen[part.pair_id] = f"{seen[part.pair_id][0]}."
    found = finding(audit_position(verdict_table(verdicts(seen)), swap=DESIGN))
    assert dict(found.table)["floor, swapped"] == 20
    assert any("2 of 100 drawn pairs (2.0 %) have no answer in order BA yet; 13 of 100" in note for note in found.notes)
    assert isinstance(found.measure("selective_flip_rate"), Estimate)


def test_where_certain_pairs_are_missing_what_was_missed_is_not_told():
    last = max((p for p in DESIGN.pairs if p.stratum is SwapStratum.CERTAIN), key=lambda p: p.place)
    seen = {**hidden(OUTCOMES, DESIGN), last.pair_id: "F."}
    found = finding(audit_position(verdict_table(verdicts(seen)), swap=DESIGN))
    assert reason(found, "missed_flips") == "1 pairs of the other strata aren't swapped"
    assert isinstance(found.measure("selective_flip_rate"), Estimate)


def test_where_no_floor_pair_is_asked_nothing_is_claimed_of_all():
    seen = {n: c if n.startswith("high") else f"{c[0]}." for n, c in OUTCOMES.items()}
    found = finding(audit_position(verdict_table(verdicts(seen)), swap=DESIGN))
    assert "no label" in reason(found, "selective_flip_rate")
    assert "nothing is known" in reason(found, "missed_flips")
    assert reason(found, "floor_flip_rate").startswith("needs a pair of the random floor")


def test_before_the_draw_everything_is_refused_with_the_reason():
    seen = {name: f"{codes[0]}." for name, codes in OUTCOMES.items()}
    found = finding(audit_position(verdict_table(verdicts(seen)), swap=SwapDesign(pairs=(), floor=0.1, seed=0)))
    assert "order AB comes first" in reason(found, "selective_flip_rate")
    assert found.table == ()


def test_flips_that_cannot_be_are_not_guessed():
    """A pair without a slot in AB is neither a flip nor decided, whether or not BA was asked."""
    found = finding(selective(OUTCOMES, DESIGN))
    assert any(
        "Not in the flip rate: 10 of 210 pairs (4.8 %) whose answer in AB chose no slot" in n for n in found.notes
    )
    others = {n: c for n, c in OUTCOMES.items() if not n.startswith("none")}
    design = draw_swaps(risks(others), threshold=0.5, floor=0.25, minimum=5, seed=0)
    without = finding(selective(others, design))
    assert value(found, "weighted_flip_rate") == pytest.approx(value(without, "weighted_flip_rate"))


def test_pairs_beyond_the_design_are_left_out_and_missing_ones_counted():
    extra = {**OUTCOMES, "stranger": "FF"}
    seen = {**hidden(OUTCOMES, DESIGN), "stranger": "FF"}
    del seen["none9"]
    found = finding(audit_position(verdict_table(verdicts(seen)), swap=DESIGN))
    assert found.pairs == len(extra) - 2
    assert any("1 pairs of the design have no answer at all" in note for note in found.notes)


def test_figures_of_a_readout_are_of_order_ab():
    result = selective(OUTCOMES, DESIGN, facts={"gold": dict.fromkeys(OUTCOMES, "A")})
    [readout] = result.select(FindingKind.READOUT)
    for name in ("flip_rate", "swap_consistency", "slot_lock_rate", "position_bias_strength", "accuracy_ba"):
        assert "order AB alone" in reason(readout, name)
    accuracy = readout.measure("accuracy_ab")
    assert isinstance(accuracy, Estimate)
    assert accuracy.n == 200
    assert readout.tests == ()
    assert sum(c.count for c in readout.outcomes) == 210 + 100
    assert not any("No position figure" in note or "no position figure" in note for note in readout.notes)


def test_comparisons_that_need_both_orders_of_all_pairs_are_left_out():
    rows = [*verdicts(hidden(OUTCOMES, DESIGN)), *verdicts(hidden(OUTCOMES, DESIGN), readout=Readout.FIRST_TOKEN)]
    result = audit_position(verdict_table(rows), swap=DESIGN)
    assert {f.kind for f in result.findings} == {FindingKind.READOUT, FindingKind.SELECTIVE}
    assert len(result.select(FindingKind.SELECTIVE)) == 2


def test_few_flips_in_the_floor_are_named():
    calm = {n: c if n.startswith(("high", "none")) else "SF" for n, c in OUTCOMES.items()}
    found = finding(selective(calm, DESIGN))
    assert any("0 of 35 floor pairs (0.0 %) decided in both orders flip" in note for note in found.notes)
    missed = found.measure("missed_flips")
    assert missed.value == 0
    assert missed.interval.high > 0


def test_the_guarantee_and_the_rule_are_told():
    design = draw_swaps(risks(), threshold=0.5, seed=0, rule="risk of at least .5", guarantee="at most 10 % are missed")
    notes = finding(selective(OUTCOMES, design)).notes
    assert "(risk of at least .5)" in notes[0]
    assert any(note.endswith("at most 10 % are missed") for note in notes)


def test_another_design_at_the_same_time_is_refused():
    table = verdict_table(verdicts(hidden(OUTCOMES, DESIGN)))
    with pytest.raises(ConfigError, match="one prompt in both orders"):
        audit_position(table, swap=DESIGN, orders="single")


def test_another_readout_s_undecided_pairs_are_known_not_to_flip():
    """Drawn for one readout, the design serves every other: what each saw in AB splits its strata."""
    other = {n: ("T" + c[1] if i % 3 == 0 else c) for i, (n, c) in enumerate(OUTCOMES.items())}
    rows = [*verdicts(hidden(OUTCOMES, DESIGN)), *verdicts(hidden(other, DESIGN), readout=Readout.FIRST_TOKEN)]
    wide = widen(verdict_table(rows))
    sampler = Sampler(clusters=wide.facts.group, seed=0, resamples=200, level=0.95)
    found = {f.readout: f for f in selective_findings(wide, swap=DESIGN, sampler=sampler)}[Readout.FIRST_TOKEN]
    decided = [n for n, c in other.items() if c[0] in "FS" and c[1] in "FS"]
    flips = found.measure("weighted_flip_rate")
    assert isinstance(flips, Estimate)
    true = sum(other[n] in ("FF", "SS") for n in decided) / len(decided)
    assert flips.interval.low <= true <= flips.interval.high
