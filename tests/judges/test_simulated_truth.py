"""The closed forms against large samples, measured here straight from the table."""

import numpy as np
import polars as pl
import pytest

from evenhand.errors import ConfigError
from evenhand.judges.simulated_table import simulate_audit_table
from evenhand.judges.simulated_truth import AuditParameters

N = 120_000


def _pairs(table: pl.DataFrame, readout: str) -> pl.DataFrame:
    rows = table.filter((pl.col("readout") == readout) & (pl.col("repeat") == 0))
    ab, ba = (
        rows.filter(pl.col("order") == order).select("pair_id", "gold", "preference", "outcome", "compliant")
        for order in ("AB", "BA")
    )
    return ab.join(ba, on="pair_id", suffix="_ba")


def _measured(table: pl.DataFrame, readout: str, subset: str) -> dict[str, float]:
    pairs = _pairs(table, readout)
    both = pl.col("compliant") & pl.col("compliant_ba")
    pairs = pairs.filter({"all": pl.lit(value=True), "compliant": both, "non-compliant": ~both}[subset])
    decided = pairs.filter(
        pl.col("outcome").is_in(["first", "second"]) & pl.col("outcome_ba").is_in(["first", "second"])
    )
    flip = (decided["preference"] != decided["preference_ba"]).to_numpy()
    first = ((decided["outcome"] == "first") & (decided["outcome_ba"] == "first")).to_numpy()
    gold = (decided["preference"] == decided["gold"]).to_numpy()
    return {
        "flip_rate": flip.mean(),
        "first_position_bias_rate": first[flip].mean(),
        "position_bias_strength": first.mean() - (flip & ~first).mean(),
        "accuracy_ab": gold.mean(),
        "accuracy_ba": (decided["preference_ba"] == decided["gold"]).to_numpy().mean(),
        "accuracy_consistent": gold[~flip].mean(),
    }


@pytest.fixture(scope="module", params=["biased", "cluster", "no-noise"])
def made(request):
    settings = {
        "biased": {"position": 0.8, "generated_position": 0.1, "compliance": 0.6, "lead_change": 0.1, "refusal": 0.05},
        "cluster": {
            "position": -0.5,
            "group_sd": 0.7,
            "group_position_sd": 0.9,
            "compliance": 0.8,
            "tie": 0.1,
            "unparsed": 0.02,
            "truncated": 0.03,
        },
        "no-noise": {"position": 0.4, "noise": 0.0, "lead_change": 0.2},
    }[request.param]
    return simulate_audit_table(
        n_pairs=N,
        n_groups=N // 2,
        rng=np.random.default_rng(20260728),
        readouts=("first-token", "generated", "hybrid"),
        repeats=N,
        **settings,
    )


@pytest.mark.parametrize("readout", ["first-token", "generated", "hybrid"])
@pytest.mark.parametrize("subset", ["all", "compliant", "non-compliant"])
def test_pair_measures_tend_to_the_closed_form(made, readout, subset):
    if made.parameters.compliance == 1 and subset == "non-compliant":
        with pytest.raises(KeyError):
            made.true("flip_rate", readout=readout, subset=subset)
        return
    for measure, value in _measured(made.table, readout, subset).items():
        # 5 standard errors of a share on the smallest subset here, doubled for clusters of two.
        assert value == pytest.approx(made.true(measure, readout=readout, subset=subset), abs=0.02), measure


def test_state_measures(made):
    table, p = made.table, made.parameters
    written = table.filter((pl.col("readout") == "generated") & (pl.col("repeat") == 0))
    rate = written["outcome"].is_in(["first", "second", "tie"]).mean()
    assert rate == pytest.approx(made.true("verdict_rate", readout="generated"), abs=0.005)
    led = written.filter(pl.col("compliant") & pl.col("outcome").is_in(["first", "second"]))
    divergence = (led["lead"] != led["outcome"]).mean()
    assert divergence == pytest.approx(made.true("lead_conclusion_divergence", readout="generated"), abs=0.005)
    assert written["compliant"].mean() == pytest.approx(p.compliance, abs=0.005)


def test_first_slot_rate_and_difference(made):
    for readout in ("first-token", "generated"):
        rows = made.table.filter(
            (pl.col("readout") == readout) & (pl.col("repeat") == 0) & pl.col("outcome").is_in(["first", "second"])
        )
        rate = (rows["outcome"] == "first").mean()
        assert rate == pytest.approx(made.true("first_slot_rate", readout=readout), abs=0.006)
    difference = made.true("flip_rate", readout="first-token") - made.true("flip_rate", readout="generated")
    assert made.true("flip_difference", readout="first-token") == pytest.approx(difference)


def test_hybrid_fidelity(made):
    rows = made.table.filter(pl.col("repeat") == 0)
    key = ["pair_id", "order"]
    hybrid, written = (rows.filter(pl.col("readout") == r).select(*key, "outcome") for r in ("hybrid", "generated"))
    both = hybrid.join(written, on=key, suffix="_written")
    verdict = ["first", "second", "tie"]
    both = both.filter(pl.col("outcome").is_in(verdict) & pl.col("outcome_written").is_in(verdict))
    fidelity = (both["outcome"] == both["outcome_written"]).mean()
    assert fidelity == pytest.approx(made.true("hybrid_fidelity", readout="hybrid"), abs=0.005)


def test_repeat_flip_rate(made):
    rows = made.table.filter((pl.col("readout") == "first-token") & (pl.col("order") == "AB"))
    once, again = (rows.filter(pl.col("repeat") == r).select("pair_id", "outcome") for r in (0, 1))
    both = once.join(again, on="pair_id", suffix="_again")
    flips = (both["outcome"] != both["outcome_again"]).mean()
    assert flips == pytest.approx(made.true("repeat_flip_rate", readout="first-token"), abs=0.006)


@pytest.mark.parametrize(
    ("settings", "named"),
    [({"noise": -1.0}, "noise"), ({"tie": 0.6, "refusal": 0.6}, "more than 1"), ({"compliance": 1.2}, "compliance")],
)
def test_bad_parameters_are_named(settings, named):
    with pytest.raises(ConfigError, match=named):
        AuditParameters(**settings)
