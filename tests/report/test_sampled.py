from dataclasses import replace

import pytest

from evenhand.analysis import FindingKind
from evenhand.records import Readout
from evenhand.report.format import estimate_text
from evenhand.report.sampled import OF_SAMPLE, drawn_text, powered_table, sample_sentences
from evenhand.report.scope import scopes_of
from evenhand.stats import Estimate, Interval, Refusal


@pytest.fixture
def powered(budgeted):
    (finding,) = budgeted.audit.select(FindingKind.PREDICTION_POWERED)
    return finding


def test_the_main_figures_are_the_estimates_not_the_samples(budgeted, powered, view_of):
    view = view_of(budgeted)
    estimate = powered.measure("pp_flip_rate")
    counted = budgeted.audit.select(FindingKind.READOUT, readout=Readout.GENERATED)[0].measure("flip_rate")
    assert estimate.value != counted.value
    summary = view.table("summary")
    row = next(row for row in summary.rows if row[1].text == "generated")
    assert row[3].value == estimate.value
    marked = {text for letter, text in summary.notes if letter in row[3].marks}
    assert drawn_text(powered) in marked
    assert [text for letter, text in summary.notes if letter in row[5].marks] == [OF_SAMPLE]
    assert next(p for p in view.rates if p.label == "flips, generated (est.)").value == estimate.value
    assert estimate_text(estimate) in view.headline.lead
    assert estimate_text(counted) not in view.headline.lead
    assert next(bar for bar in view.locks if bar.readout == "generated").sampled


def test_every_quantity_stands_beside_the_sample_alone(budgeted, powered):
    table = powered_table(budgeted.audit)
    assert [row[1].text for row in table.rows] == [
        "flip rate", "position bias strength", "accuracy, order AB", "accuracy, order BA",
    ]  # fmt: skip
    flips, strength, *_ = table.rows
    assert (flips[2].value, flips[3].value) == tuple(
        powered.measure(name).value for name in ("pp_flip_rate", "sample_flip_rate")
    )
    assert flips[4].text == f"{powered.measure('pp_effective_pairs').value:.0f}"
    assert strength[4].text == "—"
    assert "pp" not in strength[2].text


def test_the_sentence_says_from_how_many_pairs(budgeted):
    (sentence,) = sample_sentences(scopes_of(budgeted.audit))
    assert "from 30 of 60 pairs, worth" in sentence
    assert "(flip rate from the sample alone: " in sentence
    assert "; position bias strength: +0.37 [" in sentence


def test_several_conditions_have_one_sentence(budgeted, powered):
    (scope,) = (s for s in scopes_of(budgeted.audit) if s.estimated is not None)
    table = tuple((name, 31 if name == "pairs generated for" else count) for name, count in powered.table)
    other = replace(scope, condition="other", estimated=replace(powered, table=table))
    (sentence,) = sample_sentences([scope, other])
    assert "from 30 to 31 of 60 pairs in each of 2 conditions, worth " in sentence
    assert sentence.endswith("; what the sample alone tells stands in the table of estimates.")


def test_a_run_without_a_budget_has_none_of_it(audit):
    assert powered_table(audit) is None
    assert sample_sentences(scopes_of(audit)) == []


def test_a_refused_estimate_is_said_to_be_one(budgeted, powered, view_of):
    why = Refusal(reason="needs 2 sampled pairs in every stratum, has 1")
    refused = replace(powered, measures=tuple(replace(m, estimate=why) for m in powered.measures))
    findings = tuple(refused if f is powered else f for f in budgeted.audit.findings)
    view = view_of(replace(budgeted, audit=replace(budgeted.audit, findings=findings)))
    row = next(row for row in view.table("summary").rows if row[1].text == "generated")
    assert row[3].text == "—"
    assert f"no flip rate can be estimated for all pairs ({why.reason})" in view.headline.lead
    assert any(sentence.endswith("of a random sample: 30 of 60 pairs.") for sentence in view.headline.meaning)


def test_bias_found_in_the_sample_must_hold_for_all_pairs_too(budgeted, powered):
    def generated(audit):
        return next(s for s in scopes_of(audit) if s.readout is Readout.GENERATED)

    assert generated(budgeted.audit).flagged
    even = Estimate(value=0.1, interval=Interval(low=-0.1, high=0.3), n=30)
    measures = tuple(
        replace(m, estimate=even) if m.name == "pp_position_bias_strength" else m for m in powered.measures
    )
    findings = tuple(replace(powered, measures=measures) if f is powered else f for f in budgeted.audit.findings)
    assert not generated(replace(budgeted.audit, findings=findings)).flagged
