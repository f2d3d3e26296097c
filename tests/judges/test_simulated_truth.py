"""The closed forms against large samples, measured here straight from the table."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from evenhand.errors import ConfigError
from evenhand.judges.simulated_table import simulate_audit_table
from evenhand.judges.simulated_truth import AuditParameters, true_values
from evenhand.records import Readout

N = 120_000


def _pairs(table: pl.DataFrame, readout: str) -> pl.DataFrame:
    rows = table.filter((pl.col("readout") == readout) & (pl.col("repeat") == 0))
    ab, ba = (
        rows.filter(pl.col("order") == order).select("pair_id", "gold", "preference", "outcome", "compliant")
        for order in ("AB", "BA")
    )
    return ab.join(ba, on="pair_id", suffix="_ba")


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A measured share (or difference of shares) and how many pairs or presentations it is of."""

    value: float
    of: int

    def agrees_with(self, true: float) -> bool:
        """Within five standard errors of a share of .5, doubled variance for what clusters of two may add."""
        return abs(self.value - true) <= 5 * (2 * 0.25 / self.of) ** 0.5


def _share(which: pl.Series, among: pl.Series) -> Share:
    return Share(value=(which & among).sum() / among.sum(), of=int(among.sum()))


def _measured(table: pl.DataFrame, readout: str, subset: str) -> dict[str, Share]:
    """The audit's definitions, written anew: a tie is a verdict, and never the gold one."""
    pairs = _pairs(table, readout)
    both = pl.col("compliant") & pl.col("compliant_ba")
    pairs = pairs.filter({"all": pl.lit(value=True), "compliant": both, "non-compliant": ~both}[subset])
    ab, ba, gold = pairs["preference"], pairs["preference_ba"], pairs["gold"]
    verdict, verdict_ba = ab.is_not_null(), ba.is_not_null()
    chosen, chosen_ba = ab.is_in(["A", "B"]), ba.is_in(["A", "B"])
    decided, verdicts = chosen & chosen_ba, verdict & verdict_ba
    flip, same = decided & (ab != ba), verdicts & (ab == ba)
    first = flip & (pairs["outcome"] == "first")
    one_tie = verdicts & ((ab == "tie") != (ba == "tie"))
    firsts = (pairs["outcome"] == "first").sum() + (pairs["outcome_ba"] == "first").sum()
    choices = int(chosen.sum() + chosen_ba.sum())
    strength = (first.sum() - (flip & ~first).sum()) / decided.sum()
    return {
        "flip_rate": _share(flip, decided),
        "slot_lock_rate": _share(flip, decided),
        "first_position_bias_rate": _share(first, flip),
        "position_bias_strength": Share(value=strength, of=int(decided.sum()) // 4),  # a difference: range 2, not 1
        "first_slot_rate": Share(value=firsts / choices, of=choices),
        "accuracy_ab": _share(ab == gold, verdict),
        "accuracy_ba": _share(ba == gold, verdict_ba),
        "accuracy_consistent": _share(ab == gold, same),
        "swap_consistency": _share(same, verdicts),
        "inconsistency_rate": _share(one_tie, verdicts),
    }


@pytest.fixture(scope="module", params=["biased", "cluster", "no-noise", "ties"])
def made(request):
    settings = {
        "biased": {
            "position": 0.8,
            "generated_position": 0.1,
            "compliance": 0.6,
            "lead_change": 0.1,
            "refusal": 0.05,
            "prefilled_position": -0.3,
            "prefilled_compliance": 0.8,
        },
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
        # Much of what is written is a tie or missing, and compliant presentations are otherwise biased: a closed form
        # that forgets ties, or weighs a hybrid's pairs as if all were decided alike, is off by far more than chance.
        "ties": {
            "position": 0.9,
            "generated_position": -0.4,
            "compliance": 0.5,
            "lead_change": 0.1,
            "tie": 0.2,
            "refusal": 0.1,
            "truncated": 0.15,
        },
    }[request.param]
    return simulate_audit_table(
        n_pairs=N,
        n_groups=N // 2,
        rng=np.random.default_rng(20260728),
        readouts=("first-token", "generated", "hybrid", "prefilled", "constrained"),
        repeats=N,
        **settings,
    )


@pytest.mark.parametrize("readout", ["first-token", "generated", "hybrid", "prefilled", "constrained"])
@pytest.mark.parametrize("subset", ["all", "compliant", "non-compliant"])
def test_pair_measures_tend_to_the_closed_form(made, readout, subset):
    if made.parameters.compliance_under(Readout(readout)) == 1 and subset == "non-compliant":
        with pytest.raises(KeyError):
            made.true("flip_rate", readout=readout, subset=subset)
        return
    measured = _measured(made.table, readout, subset)
    true = {measure: made.true(measure, readout=readout, subset=subset) for measure in measured}
    assert {
        measure: (share.value, true[measure])
        for measure, share in measured.items()
        if not share.agrees_with(true[measure])
    } == {}


def test_state_measures(made):
    table, p = made.table, made.parameters
    written = table.filter((pl.col("readout") == "generated") & (pl.col("repeat") == 0))
    rate = written["outcome"].is_in(["first", "second", "tie"]).mean()
    assert rate == pytest.approx(made.true("verdict_rate", readout="generated"), abs=0.005)
    led = written.filter(pl.col("compliant") & pl.col("outcome").is_in(["first", "second"]))
    divergence = (led["lead"] != led["outcome"]).mean()
    assert divergence == pytest.approx(made.true("lead_conclusion_divergence", readout="generated"), abs=0.005)
    assert written["compliant"].mean() == pytest.approx(p.compliance, abs=0.005)


def test_a_prefill_has_a_compliance_and_a_position_of_its_own():
    p = AuditParameters(position=1.0, generated_position=0.2, compliance=0.4)
    assert (p.compliance_under(Readout.PREFILLED), p.compliance_under(Readout.CONSTRAINED)) == (0.95, 0.4)
    values = {(v.measure, v.readout.value): v.value for v in true_values(p) if v.subset == "all"}
    assert values["compliance_pairs", "prefilled"] == pytest.approx(0.9025)
    assert values["verdict_rate", "prefilled"] == values["verdict_rate", "constrained"] == 1
    fewer = true_values(AuditParameters(position=0.2))
    written = {v.measure: v.value for v in fewer if v.readout is Readout.FIRST_TOKEN and v.subset == "all"}
    assert values["flip_rate", "prefilled"] == pytest.approx(written["flip_rate"])
    assert values["flip_rate", "constrained"] == pytest.approx(values["flip_rate", "first-token"])


@pytest.mark.parametrize("tie", [0.0, 0.2])
def test_an_accuracy_loses_exactly_the_share_of_ties_among_its_verdicts(tie):
    missing, compliance = 0.25, 0.6
    values = {
        (value.measure, value.readout.value): value.value
        for value in true_values(AuditParameters(position=0.5, compliance=compliance, tie=tie, refusal=missing))
        if value.subset == "all"
    }
    forced = values["accuracy_ab", "first-token"]  # what is written concludes alike here
    assert values["accuracy_ab", "generated"] == pytest.approx(forced * (1 - tie / (1 - missing)))
    # A hybrid's compliant presentations have no ties and none missing.
    verdicts = compliance + (1 - compliance) * (1 - missing)
    assert values["accuracy_ba", "hybrid"] == pytest.approx(forced * (1 - (1 - compliance) * tie / verdicts))


def test_a_judge_that_never_decides_has_no_true_flip_rate():
    measures = {
        value.measure
        for value in true_values(AuditParameters(tie=0.5, refusal=0.5))
        if value.readout is Readout.GENERATED
    }
    assert "flip_rate" not in measures
    assert {"accuracy_ab", "swap_consistency"} <= measures


@pytest.mark.parametrize("readout", ["first-token", "prefilled"])
def test_probability_shift(made, readout):
    rows = made.table.filter((pl.col("readout") == readout) & (pl.col("repeat") == 0))
    p_first = 1 / (1 + (-rows["log_odds"]).exp())
    shift = 2 * p_first.mean() - 1
    assert shift == pytest.approx(made.true("probability_shift", readout=readout), abs=0.01)


def test_the_logistic_mean_by_adaptive_integration():
    from scipy.integrate import quad
    from scipy.special import expit
    from scipy.stats import norm

    p = AuditParameters(position=0.9, quality=1.3, quality_sd=2.0)
    expected = sum(quad(lambda x, m=mean: expit(x) * norm.pdf(x, m, p.spread), -40, 40)[0] for mean in (2.2, -0.4))
    values = {(v.measure, v.readout.value): v.value for v in true_values(p) if v.subset == "all"}
    assert values["probability_shift", "first-token"] == pytest.approx(expected - 1, abs=1e-9)


def test_flip_difference(made):
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
