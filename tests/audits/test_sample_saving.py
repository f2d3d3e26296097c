"""Costs before the run by hand, and a forecast against what simulation gives."""

import math

import pytest

from audits.tables import many, verdicts
from evenhand.analysis.scope import Scope, WideTable
from evenhand.analysis.wide import widen
from evenhand.audits.sample import SampleStratum, choose_sample, compliance_strata
from evenhand.audits.sample_saving import expected_effective_pairs, planned_saving
from evenhand.errors import ConfigError
from evenhand.records import Readout, verdict_table


def first_token(counts: dict[str, int], compliant: dict[str, str]) -> tuple[WideTable, Scope]:
    pairs = many(**counts)
    marks = {pair: compliant[pair[:2]] for pair in pairs}
    wide = widen(verdict_table(verdicts(pairs, readout=Readout.FIRST_TOKEN, compliant=marks)))
    return wide, wide.scopes[0]


def test_costs_by_hand() -> None:
    saving = planned_saving(500, fraction=0.1, completion_tokens=80.0, prompt_tokens=300.0, conditions=2)
    # 2 conditions x 1,000 first tokens, and 2 x 100 texts of 80.
    assert (saving.sampled, saving.budgeted.calls, saving.full.calls) == (50, 2_200, 2_000)
    assert (saving.budgeted.completion_tokens, saving.full.completion_tokens) == (18_000, 160_000)
    assert (saving.budgeted.prompt_tokens, saving.full.prompt_tokens) == (660_000, 600_000)
    assert saving.completion_tokens_saved == pytest.approx(0.8875)
    assert not saving.few


def test_short_answers_save_nothing() -> None:
    saving = planned_saving(500, fraction=0.5, completion_tokens=1.0)
    assert saving.completion_tokens_saved == pytest.approx(-0.5)
    assert saving.full.prompt_tokens is None


def test_few_pairs_are_said_to_be_few() -> None:
    assert planned_saving(60, fraction=0.1, completion_tokens=80.0).few
    with pytest.raises(ConfigError, match="no pairs"):
        planned_saving(0, fraction=0.1, completion_tokens=80.0)


def test_the_forecast_by_hand() -> None:
    wide, scope = first_token({"FF": 200, "FS": 200}, {"FF": "--", "FS": "++"})
    strata = compliance_strata(scope, facts=wide.facts, pair_ids=map(str, wide.facts.ids))
    plan = choose_sample(strata, fraction=0.1, seed=0)
    # Half flip: spread 1/4. Twenty of 200 in each stratum: (1/2)^2 (1/20 - 1/200) = .01125, times 0.25 and 0.06.
    design = 0.01125 * (0.25 + 0.06)
    assert expected_effective_pairs(scope, plan) == pytest.approx(1 / (1 / 400 + design / 0.25))


def test_a_first_token_that_never_errs_is_worth_every_pair() -> None:
    wide, scope = first_token({"FF": 50, "FS": 150}, {"FF": "++", "FS": "++"})
    strata = compliance_strata(scope, facts=wide.facts, pair_ids=map(str, wide.facts.ids))
    plan = choose_sample(strata, fraction=0.1, seed=0)
    assert expected_effective_pairs(scope, plan, disagreement=dict.fromkeys(SampleStratum, 0.0)) == pytest.approx(200)


@pytest.mark.parametrize("outcomes", [{"FS": 40}, {"UU": 40}])
def test_no_forecast_where_nothing_flips_or_is_decided(outcomes: dict[str, int]) -> None:
    wide, scope = first_token(outcomes, dict.fromkeys(outcomes, "++"))
    strata = compliance_strata(scope, facts=wide.facts, pair_ids=map(str, wide.facts.ids))
    assert math.isnan(expected_effective_pairs(scope, choose_sample(strata, fraction=0.5, seed=0)))
