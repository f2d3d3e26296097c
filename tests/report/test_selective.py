"""What a reader sees of a selective run, from findings made by the audit itself."""

from dataclasses import replace

import pytest

from audits.tables import verdicts
from evenhand.analysis import FindingKind
from evenhand.audits import audit_position
from evenhand.audits.swap_design import PairRisk, SwapDesign, draw_swaps
from evenhand.records import Condition, LabelSet, SwapRecord, verdict_table
from evenhand.report.card import build_card, card_markdown, validate_card
from evenhand.report.methods import interval_methods
from evenhand.report.scope import scopes_of
from evenhand.report.selective import selective_sentences, selective_table, swap_rows
from evenhand.report.view import build_view
from evenhand.stats import Estimate
from evenhand.store import PlanCounts
from store.examples import manifest

OUTCOMES = {
    **{f"high{i}": "FF" if i < 40 else "FS" for i in range(60)},
    **{f"low{i}": "FF" if i < 14 else "SF" for i in range(140)},
}
DESIGN = draw_swaps(
    [PairRisk(pair_id=n, risk=0.8 if n.startswith("high") else 0.1) for n in OUTCOMES],
    threshold=0.5,
    floor=0.25,
    seed=0,
    rule="every pair whose probe score is at least 0.5",
)
RECORD = SwapRecord(
    probe="probe.json",
    probe_sha256="ab" * 32,
    predictor="probe",
    rule=DESIGN.rule,
    share=None,
    threshold=0.5,
    policy_sha256="cd" * 32,
    guarantee="at most 10 % of the flips are missed <b>\x1b[31m",
    floor=0.25,
    floor_pairs=20,
)
MANIFEST = manifest(
    conditions=(Condition(id="c", prompt="c", prompt_hash="0" * 64, labels=LabelSet.parse("A/B")),),
    readouts=("generated",),
    label_tokens=(),
    swap=RECORD,
)
COUNTS = PlanCounts(planned=295, finished=295, errors=0)


def seen(design=DESIGN):
    drawn = set(design.drawn())
    return {n: c if n in drawn else f"{c[0]}." for n, c in OUTCOMES.items()}


@pytest.fixture(scope="module")
def audit():
    compliant = dict.fromkeys(OUTCOMES, "++")
    return audit_position(verdict_table(verdicts(seen(), compliant=compliant)), swap=DESIGN)


@pytest.fixture(scope="module")
def view(audit):
    return build_view(MANIFEST, audit, counts=COUNTS)


def test_the_flip_rate_everywhere_is_the_estimate_for_all_pairs(audit, view):
    [scope] = scopes_of(audit)
    assert scope.selective
    assert not scope.sampled
    [found] = audit.select(FindingKind.SELECTIVE)
    assert scope.flips is found.measure("selective_flip_rate")
    assert scope.compliance is found.measure("selective_compliance_pairs")
    assert isinstance(scope.flips, Estimate)
    summary = view.table("summary")
    [row] = summary.rows
    assert row[3].value == pytest.approx(scope.flips.value)
    assert any(text == "selective: order BA of 95 of 200 pairs" for _, text in summary.notes)
    [flips] = [point for point in view.rates if point.label.startswith("flips")]
    assert flips.value == pytest.approx(scope.flips.value)
    assert flips.label == "flips, generated (est.)"


def test_naive_shares_are_nowhere(audit, view):
    naive = sum(n.startswith("high") and c == "FF" for n, c in OUTCOMES.items()) / 95
    shown = [cell.value for table in view.tables for row in table.rows for cell in row if cell.value is not None]
    assert all(abs(value - naive) > 0.01 for value in shown)
    assert view.locks == ()
    assert view.table("tests") is None


def test_sentences_say_what_was_asked_found_and_missed(audit):
    head, told = selective_sentences(scopes_of(audit))
    assert "Order BA was asked of 95 of 200 pairs: all whose risk of a flip was high or unknown (60)" in head
    assert "295 of 400 judgments (26.2 % saved)" in head
    assert "flips were found" in told
    assert "of all flips an estimated " in told
    assert "lie among pairs whose risk was too low to be swapped for certain" in told


def test_sentences_say_whether_the_predictor_finds_flips(audit):
    """40 of 60 pairs of high risk flip, and a tenth of the others: a difference well above 0."""
    [finding] = audit.select(FindingKind.SELECTIVE)
    _, told = selective_sentences(scopes_of(audit))
    more = finding.measure("certain_minus_floor_flip_rate")
    assert more.interval.low > 0
    assert "The pairs that the predictor chose flip more often than the floor by +" in told
    assert "(66.7 % [" in told
    drawn = set(DESIGN.drawn())

    def told_of(outcomes):
        rows = {n: c if n in drawn else f"{c[0]}." for n, c in outcomes.items()}
        return selective_sentences(scopes_of(audit_position(verdict_table(verdicts(rows)), swap=DESIGN)))[1]

    useless = {n: "FF" if i % 3 == 0 else "FS" for i, n in enumerate(OUTCOMES)}
    assert "The predictor's choice is not shown to flip more often than the floor: " in told_of(useless)
    misleading = {n: "FS" if n.startswith("high") else "FF" for n in OUTCOMES}
    assert "flip less often than the floor, by −" in told_of(misleading)


def test_a_table_row_compares_high_risks_with_the_floor(audit):
    rows = {row[2].text: row[3] for row in selective_table(audit).rows}
    high, floor = rows["flip rate, high risk"].value, rows["flip rate, floor"].value
    assert high == pytest.approx(40 / 60)
    assert rows["flips, high risk minus floor"].value == pytest.approx(high - floor)


def test_the_table_has_both_estimates_and_counts(audit):
    table = selective_table(audit)
    rows = {row[2].text: row for row in table.rows}
    assert rows["flip rate"][3].value is not None
    assert rows["flip rate"][4].value is not None
    assert rows["pairs swapped"][3].text == "95"
    assert rows["judgments of a full run"][3].text == "400"
    assert "prediction-powered within strata of the swap" in table.intervals
    assert "compliance" not in table.intervals
    assert "weighted by the inverse chance of being swapped" in interval_methods(audit)


def test_the_headline_leans_where_the_estimate_does(audit, view):
    [scope] = scopes_of(audit)
    assert scope.flagged
    assert view.headline.status == "sensitive"
    fair = {n: c.replace("FF", "FF" if i % 2 else "SS") for i, (n, c) in enumerate(OUTCOMES.items())}
    drawn = set(DESIGN.drawn())
    other = audit_position(
        verdict_table(verdicts({n: c if n in drawn else f"{c[0]}." for n, c in fair.items()})), swap=DESIGN
    )
    assert not scopes_of(other)[0].flagged


def test_the_card_discloses_the_swap(audit):
    card = build_card(MANIFEST, audit, counts=COUNTS)
    validate_card(card)
    assert card["swap"]["threshold"] == 0.5
    assert card["swap"]["rule"] == DESIGN.rule
    assert "\x1b" not in str(card)
    [readout] = card["conditions"][0]["readouts"]
    assert readout["prediction_powered"] is None
    assert readout["selective"]["pairs_swapped"] == 95
    assert readout["flip_rate"]["value"] == readout["selective"]["figures"]["selective_flip_rate"]["value"]
    text = card_markdown(card)
    assert "order BA asked of" in text
    assert "(estimated: order BA of 95 of 200 pairs)" in text
    assert "<b>" not in text
    plain = build_card(replace(MANIFEST, swap=None), replace(audit, findings=()), counts=COUNTS)
    validate_card(plain)
    assert plain["swap"] is None


def test_the_setup_names_rule_floor_probe_and_guarantee(view):
    [(_, text)] = [row for row in view.setup if row[0] == "order BA asked of"]
    assert text.startswith("every pair whose probe score is at least 0.5, pairs of unknown risk, and a random 25.0 %")
    assert "sha256:abab" in text
    assert swap_rows(manifest()) == ()


def test_before_the_draw_no_flip_rate_is_given():
    undrawn = {n: f"{c[0]}." for n, c in OUTCOMES.items()}
    made = audit_position(verdict_table(verdicts(undrawn)), swap=SwapDesign(pairs=(), floor=0.1, seed=0))
    view = build_view(MANIFEST, made, counts=PlanCounts(planned=200, finished=200, errors=0))
    assert selective_sentences(scopes_of(made)) == []
    assert "no flip rate can be estimated for all pairs" in view.headline.lead
    assert selective_table(made) is not None
    validate_card(build_card(MANIFEST, made, counts=COUNTS))


@pytest.mark.parametrize(("readouts", "generates"), [(("first-token",), False), (("generated",), True)])
def test_the_card_says_where_nothing_is_generated(audit, readouts, generates):
    card = build_card(replace(MANIFEST, readouts=readouts), audit, counts=COUNTS)
    text = card_markdown(card)
    assert ("greedy; at most " in text) is generates
    assert ("greedy; nothing is generated: the verdict is read from the first token's probabilities" in text) is (
        not generates
    )
