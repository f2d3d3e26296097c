"""The simulated table: its shape, its columns, and that its rows never contradict each other."""

import numpy as np
import polars as pl
import pytest

from evenhand.errors import ConfigError, StatisticsError
from evenhand.judges.simulated_table import simulate_audit_table
from evenhand.records import Readout, verdict_table

ALL = (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID)
JUDGE = {"position": 0.5, "compliance": 0.6, "lead_change": 0.2, "tie": 0.1, "refusal": 0.1, "unparsed": 0.1}


def make(seed=1, *, n_pairs=60, n_groups=20, readouts=ALL, **judge):
    rng = np.random.default_rng(seed)
    return simulate_audit_table(n_pairs=n_pairs, n_groups=n_groups, rng=rng, readouts=readouts, **{**JUDGE, **judge})


def test_columns_are_those_of_the_verdict_table():
    table = make().table
    assert dict(table.schema) == dict(verdict_table([]).schema)


def test_every_pair_has_a_row_per_order_and_readout():
    table = make(repeats=7).table
    counts = table.group_by("pair_id", "readout", "order", "repeat").len()
    assert counts["len"].unique().to_list() == [1]
    assert table.filter(repeat=0).height == 60 * 2 * 3
    assert table.filter(repeat=1).height == 7 * 3
    assert table.filter(repeat=1)["order"].unique().to_list() == ["AB"]


def test_groups_are_of_equal_size_and_share_nothing():
    table = make().table.filter(readout="generated", order="AB")
    assert table.group_by("group").len()["len"].to_list() == [3] * 20


def test_the_same_seed_gives_the_same_table():
    assert make(3).table.equals(make(3).table)
    assert not make(3).table.equals(make(4).table)


def test_preference_follows_from_slot_and_order():
    table = make().table.filter(pl.col("outcome").is_in(["first", "second"]))
    names = {("first", "AB"): "A", ("second", "AB"): "B", ("first", "BA"): "B", ("second", "BA"): "A"}
    assert table["preference"].to_list() == [names[key] for key in table.select("outcome", "order").iter_rows()]


def test_a_state_without_verdict_has_no_preference_and_a_tie_is_one():
    table = make().table
    assert table.filter(pl.col("outcome").is_in(["refused", "unparsed"]))["preference"].null_count() > 0
    assert table.filter(pl.col("outcome").is_in(["refused", "unparsed"]))["preference"].drop_nulls().len() == 0
    assert table.filter(outcome="tie")["preference"].unique().to_list() == ["tie"]


def test_the_first_token_always_chooses_and_leads_only_where_compliant():
    table = make().table
    forced = table.filter(readout="first-token")
    assert set(forced["outcome"]) == {"first", "second"}
    assert ((forced["log_odds"] > 0) == (forced["outcome"] == "first")).all()
    assert table.filter(~pl.col("compliant"))["lead"].drop_nulls().len() == 0
    led = forced.filter("compliant")
    assert led["lead"].equals(led["outcome"])


def test_the_hybrid_is_the_first_token_where_compliant_and_the_text_elsewhere():
    made = make().table
    by_readout = {name: made.filter(readout=name).sort("pair_id", "order") for name in map(str, ALL)}
    hybrid, compliant = by_readout["hybrid"], by_readout["hybrid"]["compliant"]
    assert hybrid.filter(compliant)["outcome"].equals(by_readout["first-token"].filter(compliant)["outcome"])
    assert hybrid.filter(~compliant)["outcome"].equals(by_readout["generated"].filter(~compliant)["outcome"])
    assert (hybrid["generated"] == ~compliant).all()


def test_a_constrained_text_is_the_first_tokens_choice_and_a_prefill_is_another_question():
    table = make(readouts=(*ALL, Readout.PREFILLED, Readout.CONSTRAINED), prefilled_compliance=0.9).table
    by_readout = {name: table.filter(readout=name).sort("pair_id", "order") for name in map(str, Readout)}
    forced, bound, after = (by_readout[name] for name in ("first-token", "constrained", "prefilled"))
    assert bound["outcome"].equals(forced["outcome"])
    assert bound["log_odds"].null_count() == bound.height
    assert bound["generated"].all()
    assert not after["generated"].any()
    assert ((after["log_odds"] > 0) == (after["outcome"] == "first")).all()
    assert after["compliant"].mean() > forced["compliant"].mean()
    assert not after["log_odds"].equals(forced["log_odds"])


def test_asking_for_a_prefill_leaves_the_order_ab_as_it_was():
    """The draws of a prefill come after those of its presentation, so older tables stay what they were."""
    plain, more = (make(readouts=r).table.filter(readout="first-token", order="AB") for r in (ALL, (*ALL, "prefilled")))
    assert plain.equals(more)


def test_only_the_readouts_asked_for_are_there():
    assert make(readouts=("generated",)).table["readout"].unique().to_list() == ["generated"]
    with pytest.raises(StatisticsError, match="leaves no log"):
        make(readouts=("logged",))


def test_true_values_are_found_by_name():
    made = make()
    assert made.true("verdict_rate", readout="generated") == pytest.approx(0.8)
    assert made.true("compliance_pairs", readout=Readout.HYBRID) == pytest.approx(0.36)
    with pytest.raises(KeyError, match="no true value for 'flips'"):
        made.true("flips", readout="generated")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_pairs": 5, "n_groups": 6}, "expected 1 <= n_groups <= n_pairs"),
        ({"n_groups": 0}, "expected 1 <= n_groups <= n_pairs"),
        ({"repeats": 61}, "repeats=61"),
        ({"repeats": -1}, "repeats=-1"),
        ({"noise": -1.0}, "noise"),
    ],
)
def test_impossible_sizes_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        make(**settings)
