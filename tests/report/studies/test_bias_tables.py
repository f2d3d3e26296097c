from __future__ import annotations

from dataclasses import replace

from evenhand.analysis import Measure
from evenhand.analysis.study import StudyTable, StudyValue
from evenhand.records import Readout
from evenhand.report.studies.bias_claims import claims_of
from evenhand.report.studies.bias_tables import bias_tables, left_out_table
from evenhand.stats import Estimate
from report.studies.bias_examples import LACKING, OPEN, SHOWN, WITHIN, estimate, finding, p_values, result, run_of


def tables(*findings: object) -> dict[str, StudyTable]:
    run = run_of(*findings)  # type: ignore[arg-type]
    made = bias_tables(claims_of(run.audit), {"": run}, tolerance=0.05)
    return {table.id: table for table in made}


def cells(table: StudyTable, row: int) -> dict[str, StudyValue]:
    return dict(zip([column.name for column in table.columns], table.rows[row], strict=True))


def test_all_comparisons_stand_in_the_first_table_with_what_they_come_to() -> None:
    made = tables(SHOWN, WITHIN, OPEN, LACKING)
    first = next(iter(made.values()))
    assert first.id == "comparisons"
    assert [cells(first, i)["decision"] for i in range(4)] == ["shown", "within ±5.0 pp", "open", "no data"]
    row = cells(first, 0)
    assert (row["audit"], row["comparison"], row["readout"]) == ("sycophancy", "endorsement=user", "generated")
    assert row["effect"] == SHOWN.measures[0].estimate
    # What a change turns in no direction is beside the effect in the audit's own table, not here.
    assert list(row)[-4:] == ["effect", "p_holm", "pairs", "decision"]
    assert row["p_holm"] == SHOWN.tests[1]
    assert cells(first, 3)["effect"] == LACKING.measures[0].estimate


def test_an_audit_has_the_controls_figures_the_effect_both_p_values_and_what_was_left_out() -> None:
    row = cells(tables(SHOWN)["sycophancy"], 0)
    assert (row["without"], row["with"]) == (200 / 400, 248 / 400)
    assert (row["net_shift"], row["p"], row["p_holm"]) == (SHOWN.measures[0].estimate, *SHOWN.tests)
    assert row["toward_beyond_noise"] == SHOWN.measures[1].estimate
    assert (row["pairs"], row["left_out"]) == (100, 3)
    assert cells(tables(WITHIN)["sycophancy"], 0)["left_out"] == 0


def test_a_comparison_that_names_no_condition_of_the_run_has_nothing_left_out() -> None:
    assert cells(tables(OPEN)["sycophancy"], 0)["left_out"] is None


def test_recency_has_figures_and_no_shares_without_and_with_a_change() -> None:
    """Both of its conditions are changed."""
    late = finding("late:A against late:B", estimate(0.5, 0.4, 0.6), audit="recency", measure="late_rate")
    net = Measure(name="net_shift", estimate=estimate(0.0, -0.2, 0.2))
    rows = (("verdict both times", 400), ("late side both times", 40))
    made = tables(replace(late, measures=(*late.measures, net), table=rows))
    assert list(made) == ["comparisons", "recency-figures"]
    row = cells(made["recency-figures"], 0)
    assert [name for name in row if name in ("net_shift", "late_rate")] == ["net_shift", "late_rate"]


def test_derived_rows_are_in_the_audits_own_table_alone() -> None:
    hybrid = replace(SHOWN, readout=Readout.HYBRID, tests=SHOWN.tests[:1])
    made = tables(SHOWN, hybrid)
    assert len(made["comparisons"].rows) == 1
    assert len(made["sycophancy"].rows) == 2


def test_what_else_a_change_moves_is_a_table_of_its_own() -> None:
    more = replace(SHOWN, measures=(*SHOWN.measures, Measure(name="net_shift_wrong", estimate=estimate(0.2, 0.1, 0.3))))
    made = tables(more)
    assert [column.name for column in made["sycophancy-where"].columns][-2:] == ["net_shift_wrong", "pairs"]
    assert "sycophancy-where" not in tables(SHOWN)


def test_figures_of_a_model_are_split_where_they_are_many() -> None:
    names = ["logit_slot", "logit_length", "logit_endorsement", *(f"unknown_{i}" for i in range(8))]
    model = finding(
        "order",
        estimate(0.3, 0.1, 0.5),
        p_values(0.01, adjusted=0.02),
        audit="interaction",
        measure="logit_slot",
        more=tuple(Measure(name=name, estimate=estimate(0.1, 0.0, 0.2)) for name in names[1:]),
    )
    made = tables(model)
    assert list(made) == ["comparisons", "interaction-figures", "interaction-figures-part-2"]
    shown = [column.name for table in list(made.values())[1:] for column in table.columns]
    assert [name for name in shown if name in names] == names
    assert isinstance(cells(made["comparisons"], 0)["coefficient"], Estimate)


def test_a_finding_without_measures_is_in_the_first_table_only() -> None:
    made = tables(replace(LACKING, measures=(), notes=("Nothing there.",)))
    assert list(made) == ["comparisons"]


def test_several_runs_head_their_rows() -> None:
    one, two = run_of(SHOWN), run_of(WITHIN)
    claims = [*claims_of(one.audit, run="one"), *claims_of(two.audit, run="two")]
    made = bias_tables(claims, {"one": one, "two": two}, tolerance=0.05)
    assert [row[:2] for row in made[0].rows] == [("sycophancy", "one"), ("sycophancy", "two")]
    left = left_out_table({"one": one, "two": two})
    assert left is not None
    assert [row[0] for row in left.rows] == ["one", "two"]


def test_pairs_left_out_are_listed_with_why() -> None:
    left = left_out_table({"": run_of()})
    assert left is not None
    assert left.rows == (("p, A/B; endorsement=user:A", "the response is empty", 3),)
    assert left_out_table({"": run_of(left_out={})}) is None


def test_no_claims_no_tables() -> None:
    assert bias_tables(claims_of(result()), {"": run_of()}, tolerance=0.05) == ()
