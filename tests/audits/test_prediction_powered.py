"""Findings of a budgeted run: from rows of two readouts to an estimate for all pairs."""

from collections.abc import Iterable

import polars as pl
import pytest

from audits.tables import many, rate, reason, value, verdicts
from evenhand.analysis.finding import Finding, FindingKind
from evenhand.analysis.measures import measure_info
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import WideTable
from evenhand.analysis.wide import widen
from evenhand.audits.prediction_powered import prediction_powered_findings
from evenhand.audits.readout import readout_finding
from evenhand.audits.sample import SampleDesign, SampleStratum, choose_sample
from evenhand.records import Readout, Verdict, verdict_table
from evenhand.stats import Estimate


def findings(wide: WideTable, design: SampleDesign | None = None) -> list[Finding]:
    return list(prediction_powered_findings(wide, sample=design or DESIGN, sampler=sampler(wide)))


def sampler(wide: WideTable) -> Sampler:
    return Sampler(clusters=wide.facts.group, seed=0, resamples=200, level=0.95)


def rows(
    pairs: dict[str, str], written: dict[str, str], compliant: dict[str, str], **facts: dict[str, str]
) -> list[Verdict]:
    return [
        *verdicts(pairs, readout=Readout.FIRST_TOKEN, compliant=compliant, **facts),
        *verdicts(written, readout=Readout.GENERATED, compliant=compliant, **facts),
    ]


def draw(marks: dict[str, str], design: SampleDesign) -> tuple[str, ...]:
    """The drawn pairs, in order."""
    names = {"++": SampleStratum.COMPLIANT, "+-": SampleStratum.NON_COMPLIANT}
    strata = {pair: names.get(mark, SampleStratum.UNKNOWN) for pair, mark in marks.items()}
    return choose_sample(strata, fraction=design.fraction, seed=design.seed).pairs


def dealt(*parts: tuple[Iterable[str], dict[str, int]]) -> dict[str, str]:
    """``dealt((pairs, {"FF": 2, "FS": 1}), ...)``: the outcomes of each part's pairs, one after the other."""
    found = {}
    for pairs, counts in parts:
        codes = [code for code, count in counts.items() for _ in range(count)]
        found.update(zip(pairs, codes, strict=True))
    return found


# 100 compliant pairs and 20 others; 25 and 5 of them are drawn.
COMPLIANT = {f"p{i}": "++" if i < 100 else "+-" for i in range(120)}
DESIGN = SampleDesign(fraction=0.25, seed=0)
SAMPLED = draw(COMPLIANT, DESIGN)
IN = {mark: [p for p in SAMPLED if COMPLIANT[p] == mark] for mark in ("++", "+-")}
OUT = {mark: [p for p in COMPLIANT if COMPLIANT[p] == mark and p not in SAMPLED] for mark in ("++", "+-")}
# 60 compliant pairs flip by the first token, 40 don't; the 20 others flip. Drawn: 15, 10 and 5.
FIRST = dealt(
    (IN["++"], {"FF": 15, "FS": 10}), (OUT["++"], {"FF": 45, "FS": 30}), (IN["+-"], {"SS": 5}), (OUT["+-"], {"SS": 15})
)
# Written: compliant pairs conclude as they led; of the five others two keep their preference.
WRITTEN = {**{p: FIRST[p] for p in IN["++"]}, **dealt((IN["+-"], {"SS": 3, "SF": 2}))}
GOLD = dict.fromkeys(FIRST, "A")
TRUTH = (60 + 20 * 3 / 5) / 120


def test_the_estimate_is_for_all_pairs() -> None:
    (found,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT, gold=GOLD))))
    assert (found.kind, found.readout, found.pairs) == (FindingKind.PREDICTION_POWERED, Readout.GENERATED, 120)
    assert found.presentations == 60
    # The sample has the strata's own shares, which leaves next to nothing to correct.
    assert value(found, "pp_flip_rate") == pytest.approx(TRUTH, abs=1e-3)
    assert value(found, "sample_flip_rate") == pytest.approx(TRUTH)
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
        "compliant, generated for": 25,
        "non-compliant, pairs": 20,
        "non-compliant, generated for": 5,
        "unknown, pairs": 0,
        "unknown, generated for": 0,
    }
    assert "30 of 120 pairs (25.0 %)" in found.notes[0]
    assert "compliant 25 of 100, non-compliant 5 of 20" in found.notes[0]
    assert not any("drawn pairs" in note or "not in the draw" in note for note in found.notes)


def test_every_figure_has_a_definition() -> None:
    (found,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT, gold=GOLD))))
    assert len(found.measures) == 9
    assert all(measure_info(measure.name).definition for measure in found.measures)


def test_a_chance_imbalance_of_the_sample_is_corrected() -> None:
    # 22 flipping and 3 other compliant pairs happened to be drawn.
    first = {
        **FIRST,
        **dealt((IN["++"], {"FF": 22, "FS": 3}), (OUT["++"], {"FF": 38, "FS": 37})),
    }
    written = {**WRITTEN, **{p: first[p] for p in IN["++"]}}
    (found,) = findings(widen(verdict_table(rows(first, written, COMPLIANT))))
    assert value(found, "sample_flip_rate") == pytest.approx((100 * 22 / 25 + 20 * 3 / 5) / 120)
    assert abs(value(found, "pp_flip_rate") - TRUTH) < 0.3 * (value(found, "sample_flip_rate") - TRUTH)


def test_no_position_bias_is_stronger_than_the_flips() -> None:
    # The text locks to the first slot alone. The draw held the first token's flips as often as they are, but too many
    # of its second-slot locks: that raises the strength and leaves the flip rate where it was.
    marks = dict.fromkeys(COMPLIANT, "++")
    inside = draw(marks, DESIGN)
    outside = [p for p in marks if p not in inside]
    first = dealt((inside, {"FF": 5, "SS": 10, "FS": 15}), (outside, {"FF": 35, "SS": 10, "FS": 45}))
    written = {p: "FF" if first[p] == "FF" else "FS" for p in inside}
    (found,) = findings(widen(verdict_table(rows(first, written, marks))))
    strength, flips = found.measure("pp_position_bias_strength"), found.measure("pp_flip_rate")
    assert isinstance(strength, Estimate)
    assert isinstance(flips, Estimate)
    assert strength.value == flips.value == pytest.approx(5 / 30, abs=0.01)
    assert "corrected beyond the flip rate and set to it" in strength.flags
    assert strength.interval is not None
    assert strength.interval.low <= strength.value < strength.interval.high


def test_a_sample_without_a_flip_bounds_the_strength_as_well() -> None:
    marks = dict.fromkeys(many(FS=100), "++")
    written = dict.fromkeys(draw(marks, SampleDesign(fraction=0.3, seed=0)), "FS")
    wide = widen(verdict_table(rows(many(FS=100), written, marks)))
    (found,) = findings(wide, SampleDesign(fraction=0.3, seed=0))
    for name in ("pp_position_bias_strength", "sample_position_bias_strength"):
        strength = found.measure(name)
        assert isinstance(strength, Estimate)
        assert strength.interval is not None
        assert -0.12 < strength.interval.low < strength.value == 0 < strength.interval.high < 0.12


def test_the_sample_is_not_read_as_if_it_were_the_pairs() -> None:
    # Of 4 pairs that aren't compliant 3 are drawn, of 116 others 27: the plain rate weighs the former by 1/10.
    marks = {f"p{i}": "++" if i < 116 else "+-" for i in range(120)}
    written = {p: "FF" if marks[p] == "+-" else "FS" for p in draw(marks, DESIGN)}
    wide = widen(verdict_table(rows(dict.fromkeys(marks, "FS"), written, marks)))
    scope = wide.find("c", Readout.GENERATED)
    assert scope is not None
    plain = readout_finding(scope, facts=wide.facts, sampler=sampler(wide), single=False)
    assert value(plain, "flip_rate") == pytest.approx(3 / 30)
    assert value(findings(wide)[0], "sample_flip_rate") == pytest.approx(4 / 120)


def test_everything_generated_is_the_plain_readout() -> None:
    written = {p: WRITTEN.get(p, FIRST[p]) for p in FIRST}
    wide = widen(verdict_table(rows(FIRST, written, COMPLIANT, gold=GOLD)))
    (found,) = findings(wide, SampleDesign(fraction=1.0, seed=0))
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
    written = {**WRITTEN, **dict(zip(IN["++"], ("FU", "XX"), strict=False))}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT))))
    assert rate(found, "pp_flip_rate") == (None, 28)
    # 13 of 23 decided compliant pairs flip and 3 of 5 others; strata weigh by their decided share.
    compliant, other = 100 / 120, 20 / 120
    expected = (compliant * 13 / 25 + other * 3 / 5) / (compliant * 23 / 25 + other)
    assert value(found, "sample_flip_rate") == pytest.approx(expected)
    assert any("2 of 30 generated pairs" in note and "unparsed 1, truncated 2" in note for note in found.notes)


def test_accuracy_needs_gold_and_counts_its_pairs_alone() -> None:
    (without,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT))))
    assert without.measure("pp_accuracy_ab") is None
    some = {pair: "A" for pair in FIRST if FIRST[pair] != "FS"}
    (found,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT, gold=some))))
    # Order AB: all FF say A, all others B. Of the 80 pairs with gold 60 are right.
    assert value(found, "pp_accuracy_ab") == pytest.approx(0.75)
    assert rate(found, "pp_accuracy_ab") == (None, 20)


def test_a_run_that_was_stopped_has_the_prefix_of_its_draw_as_sample() -> None:
    # Answered in an order of the judge's own: 25 of 30 drawn pairs when the run stopped, the 21st of the draw not.
    late = {SAMPLED[20], SAMPLED[24], *SAMPLED[27:]}
    written = {p: codes for p, codes in WRITTEN.items() if p not in late}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT))))
    prefix = {p: WRITTEN[p] for p in SAMPLED[:20]}
    (alone,) = findings(widen(verdict_table(rows(FIRST, prefix, COMPLIANT))))
    assert dict(found.table)["pairs generated for"] == 20
    assert found.presentations == 40
    assert (found.measures, found.table) == (alone.measures, alone.table)
    note = next(note for note in found.notes if "drawn pairs" in note)
    assert note.startswith("5 of 30 drawn pairs (16.7 %) have no text in both orders yet; 5 of 30 drawn pairs")
    (note,) = (note for note in alone.notes if "drawn pairs" in note)
    assert note == "10 of 30 drawn pairs (33.3 %) have no text in both orders yet."


def test_what_was_answered_first_does_not_pass_for_a_sample() -> None:
    # The first batch, 16 pairs of which 8 flip, was answered; of the second only texts that flip, not its first pair.
    marks = dict.fromkeys(COMPLIANT, "++")
    drawn = draw(marks, DESIGN)
    texts = dict(zip(drawn, ["FF", "FS"] * 8 + ["FS", *["FF"] * 10, *["FS"] * 3], strict=True))
    answered = {p: text for place, (p, text) in enumerate(texts.items()) if place < 16 or text == "FF"}
    (found,) = findings(widen(verdict_table(rows(dict.fromkeys(marks, "FS"), answered, marks))))
    assert rate(found, "pp_flip_rate") == (None, 16)
    assert value(found, "sample_flip_rate") == 0.5
    assert len(answered) == 26


@pytest.mark.parametrize(("flips", "said"), [(0, False), (1, True), (4, True), (5, False), (26, True), (30, False)])
def test_few_flips_are_said_to_make_a_rough_interval(flips: int, said: bool) -> None:
    marks = dict.fromkeys(COMPLIANT, "++")
    written = dealt((draw(marks, DESIGN), {"FF": flips, "FS": 30 - flips}))
    (found,) = findings(widen(verdict_table(rows(dict.fromkeys(marks, "FS"), written, marks))))
    assert any("is a rough one" in note and f"flips on {flips} of 30" in note for note in found.notes) is said


def test_a_failed_call_was_asked() -> None:
    written = {**WRITTEN, SAMPLED[3]: "EE", SAMPLED[4]: "FE"}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT))))
    assert dict(found.table)["pairs generated for"] == 30
    assert rate(found, "pp_flip_rate") == (None, 28)
    assert not any("drawn pairs" in note for note in found.notes)


def test_text_in_one_order_is_not_yet_asked() -> None:
    written = {**WRITTEN, SAMPLED[28]: "F."}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT))))
    assert dict(found.table)["pairs generated for"] == 28
    assert any(note.startswith("1 of 30 drawn pairs") for note in found.notes)


def test_a_pair_that_was_not_drawn_is_left_out_and_counted() -> None:
    strange = dict.fromkeys(OUT["++"][:3], "FF")
    (found,) = findings(widen(verdict_table(rows(FIRST, {**WRITTEN, **strange}, COMPLIANT))))
    (alone,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT))))
    assert (found.measures, found.table, found.presentations) == (alone.measures, alone.table, 60)
    assert any(note.startswith("3 of 120 pairs (2.5 %) have text and are left out") for note in found.notes)


def test_pairs_without_a_first_token_are_a_stratum() -> None:
    marks = {**COMPLIANT, "p0": "+?", "p1": "??", "p2": "??"}
    written = dict.fromkeys(draw(marks, DESIGN), "FF")
    (found,) = findings(widen(verdict_table(rows(FIRST, written, marks))))
    assert dict(found.table)["unknown, pairs"] == 3
    assert dict(found.table)["unknown, generated for"] == 3
    assert "unknown 3 of 3" in found.notes[0]


def test_a_small_stratum_without_text_is_counted_to_the_largest_and_a_large_one_refuses() -> None:
    # No pair that was drawn of the 20 has gold; 4 of them, or 15, that weren't drawn have.
    few = dict.fromkeys([p for p in FIRST if COMPLIANT[p] == "++"] + OUT["+-"][:4], "A")
    (found,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT, gold=few))))
    assert isinstance(found.measure("pp_accuracy_ab"), Estimate)
    many_more = {**few, **dict.fromkeys(OUT["+-"], "A")}
    (refused,) = findings(widen(verdict_table(rows(FIRST, WRITTEN, COMPLIANT, gold=many_more))))
    assert "'non-compliant' has 15 units and no label" in reason(refused, "pp_accuracy_ab")
    assert reason(refused, "sample_accuracy_ab") == reason(refused, "pp_accuracy_ab")
    assert isinstance(refused.measure("pp_flip_rate"), Estimate)


def test_too_few_texts_are_refused() -> None:
    written = {p: WRITTEN[p] for p in SAMPLED[:4]}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT))))
    assert "needs at least 5 clusters with a label, has 4" in reason(found, "pp_flip_rate")
    assert found.measure("pp_effective_pairs") is None


def test_nothing_of_the_draw_is_refused() -> None:
    written = {p: WRITTEN[p] for p in SAMPLED[1:]}
    (found,) = findings(widen(verdict_table(rows(FIRST, written, COMPLIANT, gold=GOLD))))
    assert found.presentations == 0
    assert reason(found, "pp_flip_rate") == "no observations"
    assert reason(found, "pp_accuracy_ab") == "no observations"
    assert any("29 of 30 drawn pairs" in note for note in found.notes)


def test_an_id_that_no_table_can_hold_is_drawn_as_the_run_drew_it() -> None:
    marks = {(f"p{i}\udc80" if i % 2 else f"p{i}"): "++" for i in range(120)}
    written = dict.fromkeys(draw(marks, DESIGN), "FS")
    (found,) = findings(widen(verdict_table(rows(dict.fromkeys(marks, "FS"), written, marks))))
    assert dict(found.table)["pairs generated for"] == 30


def test_only_conditions_with_both_readouts_and_orders() -> None:
    first_only = verdicts(FIRST, readout=Readout.FIRST_TOKEN, condition="other", compliant=COMPLIANT)
    table = verdict_table([*rows(FIRST, WRITTEN, COMPLIANT), *first_only])
    assert [f.condition for f in findings(widen(table))] == ["c"]
    assert findings(widen(table.filter(pl.col("order") == "AB"))) == []
