"""Findings of a budgeted run: from rows of two readouts to an estimate for all pairs."""

import polars as pl
import pytest

from audits.tables import many, rate, reason, value, verdicts
from evenhand.audits.finding import Finding, FindingKind
from evenhand.audits.measures import measure_info
from evenhand.audits.prediction_powered import prediction_powered_findings
from evenhand.audits.readout import readout_finding
from evenhand.audits.sampler import Sampler
from evenhand.audits.wide import WideTable, widen
from evenhand.records import Readout, Verdict, verdict_table
from evenhand.stats import Estimate


def findings(wide: WideTable) -> list[Finding]:
    return list(prediction_powered_findings(wide, sampler=sampler(wide)))


def sampler(wide: WideTable) -> Sampler:
    return Sampler(clusters=wide.facts.group, seed=0, resamples=200, level=0.95)


def rows(
    pairs: dict[str, str], written: dict[str, str], compliant: dict[str, str], **facts: dict[str, str]
) -> list[Verdict]:
    return [
        *verdicts(pairs, readout=Readout.FIRST_TOKEN, compliant=compliant, **facts),
        *verdicts(written, readout=Readout.GENERATED, compliant=compliant, **facts),
    ]


# 60 compliant pairs that flip, 40 that don't; 20 non-compliant ones that flip by the first token.
FIRST = many(FF=60, FS=40, SS=20)
COMPLIANT = {pair: "+-" if pair.startswith("SS") else "++" for pair in FIRST}
SAMPLED = [*(f"FF{i}" for i in range(12)), *(f"FS{i}" for i in range(8)), *(f"SS{i}" for i in range(10))]
# Written: compliant pairs conclude as they led; every second non-compliant one keeps its preference.
WRITTEN = {p: "SF" if p.startswith("SS") and int(p[2:]) % 2 else FIRST[p] for p in SAMPLED}
GOLD = dict.fromkeys(FIRST, "A")


def test_the_estimate_is_for_all_pairs() -> None:
    (found,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT, gold=GOLD))))
    assert (found.kind, found.readout, found.pairs) == (FindingKind.PREDICTION_POWERED, Readout.GENERATED, 120)
    assert found.presentations == 60
    # (60 + 20 / 2) / 120 in truth. The sample has the strata's own shares, which leaves next to nothing to correct.
    assert value(found, "pp_flip_rate") == pytest.approx(70 / 120, abs=1e-3)
    assert value(found, "sample_flip_rate") == pytest.approx(70 / 120)
    powered, alone = found.measure("pp_flip_rate"), found.measure("sample_flip_rate")
    assert isinstance(powered, Estimate)
    assert isinstance(alone, Estimate)
    assert powered.interval is not None
    assert alone.interval is not None
    assert alone.interval.low < powered.interval.low < powered.interval.high < alone.interval.high
    assert 30 < value(found, "pp_effective_pairs") < 120
    assert dict(found.table) == {
        "pairs": 120,
        "pairs generated for": 30,
        "compliant, pairs": 100,
        "compliant, generated for": 20,
        "non-compliant, pairs": 20,
        "non-compliant, generated for": 10,
        "unknown, pairs": 0,
        "unknown, generated for": 0,
    }
    assert "30 of 120 pairs (25.0 %)" in found.notes[0]
    assert "compliant 20 of 100, non-compliant 10 of 20" in found.notes[0]


def test_every_figure_has_a_definition() -> None:
    (found,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT, gold=GOLD))))
    assert len(found.measures) == 9
    assert all(measure_info(measure.name).definition for measure in found.measures)


def test_a_chance_imbalance_of_the_sample_is_corrected() -> None:
    # 18 flipping and 2 other compliant pairs happened to be drawn.
    sampled = [*(f"FF{i}" for i in range(18)), "FS0", "FS1", *(f"SS{i}" for i in range(10))]
    written = {p: WRITTEN.get(p, FIRST[p]) for p in sampled}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT))))
    truth = 70 / 120
    assert value(found, "sample_flip_rate") == pytest.approx((100 * 0.9 + 20 * 0.5) / 120)
    assert abs(value(found, "pp_flip_rate") - truth) < 0.3 * (value(found, "sample_flip_rate") - truth)


def test_no_position_bias_is_stronger_than_the_flips() -> None:
    # The text locks to the first slot alone. The draw held the first token's flips as often as they are, but too many
    # of its second-slot locks: that raises the strength and leaves the flip rate where it was.
    pairs = many(FF=40, SS=20, FS=60)
    sampled = [*(f"FF{i}" for i in range(5)), *(f"SS{i}" for i in range(10)), *(f"FS{i}" for i in range(15))]
    written = {p: "FF" if p.startswith("FF") else "FS" for p in sampled}
    (found,) = findings(widen(verdict_table(rows(pairs, written, dict.fromkeys(pairs, "++")))))
    strength, flips = found.measure("pp_position_bias_strength"), found.measure("pp_flip_rate")
    assert isinstance(strength, Estimate)
    assert isinstance(flips, Estimate)
    assert strength.value == flips.value == pytest.approx(5 / 30, abs=0.01)
    assert "corrected beyond the flip rate and set to it" in strength.flags
    assert strength.interval is not None
    assert strength.interval.low <= strength.value < strength.interval.high


def test_a_sample_without_a_flip_bounds_the_strength_as_well() -> None:
    pairs = many(FS=100)
    written = dict.fromkeys(list(pairs)[:30], "FS")
    (found,) = findings(widen(verdict_table(rows(pairs, written, dict.fromkeys(pairs, "++")))))
    for name in ("pp_position_bias_strength", "sample_position_bias_strength"):
        strength = found.measure(name)
        assert isinstance(strength, Estimate)
        assert strength.interval is not None
        assert -0.12 < strength.interval.low < strength.value == 0 < strength.interval.high < 0.12


def test_the_sample_is_not_read_as_if_it_were_the_pairs() -> None:
    # The plain rate of the generated rows weighs non-compliant pairs by the sample's share, 1/3, not by 1/6.
    wide = widen(verdict_table(rows(FIRST, {p: "FF" if p[0] == "S" else "FS" for p in SAMPLED}, COMPLIANT)))
    written = wide.find("c", Readout.GENERATED)
    assert written is not None
    plain = readout_finding(written, facts=wide.facts, sampler=sampler(wide), single=False)
    assert value(plain, "flip_rate") == pytest.approx(1 / 3)
    assert value(findings(wide)[0], "sample_flip_rate") == pytest.approx(1 / 6)


def test_everything_generated_is_the_plain_readout() -> None:
    written = {p: WRITTEN.get(p, FIRST[p]) for p in FIRST}
    wide = widen(verdict_table(rows(FIRST, written, COMPLIANT, gold=GOLD)))
    (found,) = findings(wide)
    scope = wide.find("c", Readout.GENERATED)
    assert scope is not None
    plain = readout_finding(scope, facts=wide.facts, sampler=sampler(wide), single=False)
    for name in ("flip_rate", "position_bias_strength", "accuracy_ab", "accuracy_ba"):
        powered, full = found.measure(f"pp_{name}"), plain.measure(name)
        assert isinstance(powered, Estimate)
        assert isinstance(full, Estimate)
        assert (powered.value, powered.interval, powered.n) == (full.value, full.interval, full.n)
    assert not any("are worth" in note for note in found.notes)


def test_missing_verdicts_are_neither_flips_nor_kept() -> None:
    written = {**WRITTEN, "FF0": "FU", "FF1": "XX"}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT))))
    assert rate(found, "pp_flip_rate") == (None, 28)
    # 10 of 18 decided compliant pairs flip and 5 of 10 others; strata weigh by their decided share.
    compliant, other = 100 / 120, 20 / 120
    expected = (compliant * 10 / 20 + other * 0.5) / (compliant * 18 / 20 + other)
    assert value(found, "sample_flip_rate") == pytest.approx(expected)
    assert any("2 of 30 generated pairs" in note and "unparsed 1, truncated 2" in note for note in found.notes)


def test_accuracy_needs_gold_and_counts_its_pairs_alone() -> None:
    (without,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT))))
    assert without.measure("pp_accuracy_ab") is None
    some = {pair: "A" for pair in FIRST if not pair.startswith("FS")}
    (found,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT, gold=some))))
    # Order AB: all FF say A, all SS say B. Of the 80 pairs with gold 60 are right.
    assert value(found, "pp_accuracy_ab") == pytest.approx(0.75)
    assert rate(found, "pp_accuracy_ab") == (None, 22)


def test_a_pair_with_text_in_one_order_is_not_in_the_sample() -> None:
    written = {**WRITTEN, "FF20": "F.", "FF21": ".F"}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT))))
    assert dict(found.table)["pairs generated for"] == 30
    assert any(note.startswith("2 of 120 pairs") and "one order only" in note for note in found.notes)


def test_pairs_without_a_first_token_are_a_stratum() -> None:
    marks = {**COMPLIANT, "FF0": "+?", "FF1": "??", "FF50": "??"}
    (found,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, marks))))
    assert dict(found.table)["unknown, pairs"] == 3
    assert dict(found.table)["unknown, generated for"] == 2
    assert "unknown 2 of 3" in found.notes[0]


def test_a_small_stratum_without_text_is_counted_to_the_largest_and_a_large_one_refuses() -> None:
    few = {**COMPLIANT, "FF58": "??", "FF59": "??"}
    (found,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, few))))
    assert isinstance(found.measure("pp_flip_rate"), Estimate)
    only_compliant = {p: codes for p, codes in WRITTEN.items() if not p.startswith("SS")}
    (refused,) = findings(widen(verdict_table(rows(FIRST, only_compliant, COMPLIANT))))
    assert "'non-compliant' has 20 units and no label" in reason(refused, "pp_flip_rate")
    assert reason(refused, "sample_flip_rate") == reason(refused, "pp_flip_rate")


def test_too_few_texts_are_refused() -> None:
    written = {p: WRITTEN[p] for p in ("FF0", "FS0", "SS0", "SS1")}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT))))
    assert "needs at least 5 clusters with a label, has 4" in reason(found, "pp_flip_rate")
    assert found.measure("pp_effective_pairs") is None


def test_only_conditions_with_both_readouts_and_orders() -> None:
    first_only = verdicts(FIRST, readout=Readout.FIRST_TOKEN, condition="other", compliant=COMPLIANT)
    table = verdict_table([*rows(FIRST, WRITTEN, COMPLIANT), *first_only])
    assert [f.condition for f in findings(widen(table))] == ["c"]
    assert findings(widen(table.filter(pl.col("order") == "AB"))) == []
