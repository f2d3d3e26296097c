import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.drift_tables import table
from audits.tables import many, verdicts
from evenhand.analysis import FindingKind
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.audits import audit_position
from evenhand.audits.drift.levels import clustered_error, measure_levels
from evenhand.records import Readout, verdict_table
from evenhand.stats import Estimate, Refusal

CODES = many(FF=6, SS=2, FS=9, SF=5, FT=2, UF=1)


def test_what_the_audit_measures_too_is_the_same_to_the_last_digit() -> None:
    made = verdict_table(
        verdicts(CODES, compliant={name: "+-" if "T" in codes else "++" for name, codes in CODES.items()})
    )
    levels = measure_levels(made)
    finding = audit_position(made).select(FindingKind.READOUT)[0]
    for name in (
        "verdict_rate",
        "compliance_pairs",
        "compliance_presentations",
        "flip_rate",
        "position_bias_strength",
        "first_slot_rate",
    ):
        level = levels.find(name, condition="c", readout=Readout.GENERATED)
        assert level is not None
        assert isinstance(level.estimate, Estimate)
        assert level.estimate == finding.measure(name), name


def test_the_clustered_error_is_that_of_a_regression_on_a_constant() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(0)
    y, clusters = rng.random(60), rng.integers(0, 12, size=60)
    fitted = sm.OLS(y, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False})
    count = len(np.unique(clusters))
    expected = float(fitted.bse[0]) * np.sqrt(count / (count - 1))
    assert clustered_error(y, np.ones(60), clusters) == pytest.approx(expected)


@given(st.integers(2, 30), st.integers(0, 2**31))
def test_with_one_row_a_cluster_it_is_the_ordinary_standard_error(n: int, seed: int) -> None:
    y = np.random.default_rng(seed).random(n)
    assert clustered_error(y, np.ones(n), np.arange(n)) == pytest.approx(np.std(y, ddof=1) / np.sqrt(n))


def test_one_order_alone_has_no_figure_of_both() -> None:
    made = table(np.arange(40) < 10, np.arange(40) % 2 == 0, np.arange(40))
    levels = measure_levels(made, orders="AB")
    flips = levels.find("flip_rate", condition="c", readout=Readout.GENERATED)
    slots = levels.find("first_slot_rate", condition="c", readout=Readout.GENERATED)
    assert flips is not None
    assert flips.estimate == Refusal(reason="needs both orders of a pair, has one", n=0)
    assert flips.standard_error is None
    assert slots is not None
    assert isinstance(slots.estimate, Estimate)
    assert slots.estimate.n == 40


def test_calls_that_all_failed_have_no_figure_but_their_own() -> None:
    levels = measure_levels(verdict_table(verdicts(many(EE=30))))
    flips = levels.find("flip_rate", condition="c", readout=Readout.GENERATED)
    failed = levels.find("failure_rate", condition="c", readout=Readout.GENERATED)
    assert flips is not None
    assert isinstance(flips.estimate, Refusal)
    assert failed is not None
    assert isinstance(failed.estimate, Estimate)
    assert failed.estimate.value == 1.0
    assert failed.standard_error == 0.0


def test_what_speaks_of_slots_is_refused_where_each_response_was_judged_by_itself() -> None:
    made = verdict_table(verdicts({f"p{i}": "F." if i % 3 else ".S" for i in range(12)}, readout=Readout.LOGGED))
    found = {level.measure: level.estimate for level in measure_levels(made, orders="none").levels}
    assert found["first_slot_rate"] == found["flip_rate"] == Refusal(reason=NO_SLOTS)
    assert isinstance(found["verdict_rate"], Estimate)
    single = {level.measure: level.estimate for level in measure_levels(made, orders="single").levels}
    assert isinstance(single["first_slot_rate"], Estimate)
    assert found["verdict_rate"] == single["verdict_rate"]
