"""Which displays an audit makes of which run."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

from evenhand.analysis.displays import Flow, SwapTable
from evenhand.audits import SampleDesign, audit_position
from evenhand.audits.displays import MOST_CONDITIONS
from evenhand.audits.swap_design import PairRisk, draw_swaps
from evenhand.judges.simulated_table import simulate_audit_table
from evenhand.records import Order, Readout, verdict_table


@pytest.fixture(scope="module")
def table():
    made = simulate_audit_table(
        n_pairs=120, n_groups=60, rng=np.random.default_rng(0), position=0.5, compliance=0.6, lead_change=0.1
    )
    return made.table


def kinds(result):
    return Counter(type(display).__name__ for display in result.displays)


def test_a_run_with_first_token_text_and_gold_has_all(table):
    made = kinds(audit_position(table, resamples=200))
    assert made == {"Flow": 1, "SwapTable": 2, "Reliability": 1, "SavingsCurve": 3}


def test_one_order_has_no_swap_table_and_no_swap_curve(table):
    one = table.filter(pl.col("order") == Order.AB.value)
    # Agreement of first token and text needs no second order.
    expected = {"Flow": 1, "Reliability": 1, "SavingsCurve": 1}
    assert kinds(audit_position(one, resamples=200)) == expected
    assert kinds(audit_position(table, resamples=200, orders="single")) == expected


def test_a_selective_run_shows_order_ab_alone(table):
    ids = table["pair_id"].unique().sort().to_list()
    risks = [PairRisk(pair_id=pair, risk=i / len(ids), decided=True) for i, pair in enumerate(ids)]
    design = draw_swaps(risks, share=0.3, floor=0.1, seed=0)
    kept = table.filter((pl.col("order") == Order.AB.value) | pl.col("pair_id").is_in(list(design.drawn())))
    result = audit_position(kept, resamples=200, swap=design)
    assert kinds(result) == {"Flow": 1, "Reliability": 1, "SavingsCurve": 1}
    (flow,) = [d for d in result.displays if isinstance(d, Flow)]
    assert {cell.order for cell in flow.cells} == {Order.AB}
    assert flow.presentations == len(ids)


def test_a_sample_of_texts_is_called_one_and_has_no_curve(table):
    kept = table["pair_id"].unique().sort()[:60].to_list()
    sampled = table.filter((pl.col("readout") == Readout.FIRST_TOKEN.value) | pl.col("pair_id").is_in(kept))
    result = audit_position(sampled, resamples=200, sample=SampleDesign(fraction=0.5, seed=0))
    assert "SavingsCurve" not in kinds(result)
    (flow,) = [d for d in result.displays if isinstance(d, Flow)]
    assert (flow.sampled, flow.presentations) == (True, 120)
    marked = {d.readout: d.sampled for d in result.displays if isinstance(d, SwapTable)}
    assert marked == {Readout.FIRST_TOKEN: False, Readout.GENERATED: True}


def test_many_conditions_have_none(table):
    few = table.filter(pl.col("pair_id").is_in(table["pair_id"].unique().sort()[:10].to_list()))
    many = [few.with_columns(pl.lit(f"c{i:02}").alias("condition")) for i in range(MOST_CONDITIONS + 1)]
    assert kinds(audit_position(pl.concat(many), resamples=200)) == {}
    assert kinds(audit_position(pl.concat(many[1:]), resamples=200))["SwapTable"] == 2 * MOST_CONDITIONS


def test_nothing_of_nothing():
    assert audit_position(verdict_table([])).displays == ()
