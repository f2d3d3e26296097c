from dataclasses import replace
from itertools import pairwise

from evenhand.analysis import Finding, FindingKind, Measure
from evenhand.report.grid import grid_of
from evenhand.report.sections import FEWEST_TRIALS, build_tables
from evenhand.stats import Estimate, Interval, Refusal, TestResult


def test_tables_in_the_order_of_reading(audit):
    ids = [table.id for table in build_tables(audit, single_order=False)]
    assert ids == [
        "summary", "outcomes", "measures-1", "measures-2", "tests", "forced-minus-generated", "hybrid", "conditions",
        "repeat",
    ]  # fmt: skip


def test_every_measure_of_every_finding_is_in_some_table(audit):
    tables = build_tables(audit, single_order=False)
    shown = {cell.value for table in tables for row in table.rows for cell in row}
    for finding in audit.findings:
        for measure in finding.measures:
            value = getattr(measure.estimate, "value", None)
            assert value is None or value in shown, measure


def test_holm_stands_beside_the_test_it_adjusts(audit):
    table = next(t for t in build_tables(audit, single_order=False) if t.id == "tests")
    assert [c.label for c in table.columns] == ["test", "scope", "counts", "n", "p", "p, Holm"]
    assert len(table.rows) == sum(1 for f in audit.findings for t in f.tests if "Holm" not in t.name)
    assert table.rows[0][5].text == "p < 1e-300"
    assert any(text.startswith("Holm-adjusted over 6 conditions") for _, text in table.notes)


def test_without_adjusted_tests_there_is_no_holm_column(audit):
    findings = tuple(replace(f, tests=f.tests[:1]) for f in audit.findings)
    table = next(t for t in build_tables(replace(audit, findings=findings), single_order=False) if t.id == "tests")
    assert table.columns[-1].label == "p"


def test_rows_fit_their_columns(audit):
    for table in build_tables(audit, single_order=False):
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_main_table_as_printed(audit):
    table = build_tables(audit, single_order=False)[0]
    printed = [" | ".join(f"{c.text} {c.interval}".strip() for c in row) for row in table.rows[:3]]
    name = "single-character, A/B"
    assert printed == [
        f"{name} | first-token | 41.7 % [29.2, 54.9] | 95.0 % [88.0, 99.0] | — | 57 : 0 of 60",
        f"{name} | generated | 41.7 % [29.2, 54.9] | 44.8 % [32.0, 58.0] | 0 % [0, 27.8] | 22 : 4 of 58",
        f"{name} | hybrid | 41.7 % [29.2, 54.9] | 51.7 % [40.0, 64.0] | — | 26 : 4 of 58",
    ]


def test_exact_tests_that_can_not_reach_significance_are_counted_not_shown(audit):
    few = TestResult(name="exact binomial, few", p_value=0.0625, log10_p=-1.204, n=5)
    enough = TestResult(name="exact binomial, enough", p_value=0.03125, log10_p=-1.505, n=6)
    findings = tuple(replace(f, tests=(few, enough)) for f in audit.findings[:2])
    table = next(t for t in build_tables(replace(audit, findings=findings), single_order=False) if t.id == "tests")
    assert {row[0].text for row in table.rows} == {"exact binomial, enough"}
    assert "Not shown: 2 exact tests with fewer than 6 trials" in table.caption
    assert 2 * 0.5**FEWEST_TRIALS < 0.05 <= 2 * 0.5 ** (FEWEST_TRIALS - 1)


def test_tests_of_one_name_stand_together(audit):
    names = [row[0].text for row in next(t for t in build_tables(audit, single_order=False) if t.id == "tests").rows]
    assert len([a for a, b in pairwise(names) if a != b]) == len(set(names)) - 1


def test_a_table_says_once_how_its_intervals_were_made(audit):
    robust = Interval(low=0.2, high=0.5, method="Wilson score at 48.2 effective observations, t with 47 df")
    made = replace(
        audit,
        findings=tuple(
            replace(
                f,
                measures=tuple(
                    replace(m, estimate=replace(m.estimate, interval=robust)) if isinstance(m.estimate, Estimate) else m
                    for m in f.measures
                ),
            )
            for f in audit.findings
        ),
    )
    table = build_tables(made, single_order=False)[0]
    assert table.intervals == (
        "Intervals: 95 %; Wilson score at the effective number of observations; clusters are question groups."
    )
    assert all("resamples" not in t.intervals for t in build_tables(made, single_order=False))


def test_locks_are_counted_where_their_rate_is_refused(audit):
    refused = Measure(name="flip_rate", estimate=Refusal(reason="needs at least 5 clusters, has 2", n=2))
    cells = (("same preference, decided", 1), ("first slot twice", 1), ("second slot twice", 0))
    findings = (replace(audit.findings[0], measures=(refused,), table=cells),)
    row = build_tables(replace(audit, findings=findings), single_order=False)[0].rows[0]
    assert [row[3].text, row[5].text] == ["—", "1 : 0 of 2"]


def test_a_test_shows_the_counts_it_is_about(audit):
    tests = tuple(
        TestResult(name=f"exact McNemar, {what} only under the first", p_value=0.5, log10_p=-0.3, n=9)
        for what in ("compliant", "flips")
    )
    cells = (("compliant: under both", 3), ("flips: under both", 4), ("flips: under neither", 0))
    finding = Finding(kind=FindingKind.CONDITIONS, condition="A | B", tests=tests, table=cells)
    table = build_tables(replace(audit, findings=(finding,)), single_order=False)
    rows = next(t for t in table if t.id == "tests").rows
    assert [row[2].text for row in rows] == ["under both 3", "under both 4"]


def test_tests_of_designs_stand_with_their_figures_alone(designed):
    tables = build_tables(designed.audit, single_order=False, grid=grid_of(designed.manifest))
    tests = next(t for t in tables if t.id == "tests")
    assert not any("at none against" in row[0].text for row in tests.rows)
    assert "The tests of the prompt's design stand in its own table" in tests.caption
    assert [table.id for table in tables][:2] == ["summary", "design"]
    assert not any(table.folded for table in tables), "six conditions can be read through"


def test_many_conditions_fold_what_has_a_row_for_each(many_designs):
    tables = build_tables(many_designs.audit, single_order=False, grid=grid_of(many_designs.manifest))
    opened = {table.id for table in tables if not table.folded}
    assert opened == {"design", "pooled"}
    without = build_tables(many_designs.audit, single_order=False)
    assert "summary" in {table.id for table in without if not table.folded}, "of a log, say"


def test_every_measure_of_a_run_is_in_a_table_or_of_those_left_to_the_file(remedied, budgeted, designed):
    left = ("single_", "averaged_log_loss", "averaged_brier_gain", "agreeing_accuracy")
    for run in (remedied, budgeted, designed):
        tables = build_tables(run.audit, single_order=False, grid=grid_of(run.manifest))
        shown = {cell.value for table in tables for row in table.rows for cell in row}
        for finding in run.audit.findings:
            for measure in finding.measures:
                value = getattr(measure.estimate, "value", None)
                assert value is None or value in shown or measure.name.startswith(left), measure


def test_pairs_worth_reading_are_the_last_table(view):
    last = view.tables[-1]
    assert (last.id, last.title) == ("pairs", "Pairs worth reading")
    assert [cell.text for cell in last.rows[0]][:2] == ["chose the first slot twice", "starter-007"]
    assert [cell.text for cell in last.rows[0]][4:] == ["first (A)", "first (B)", "A"]
    assert "table-pairs" not in view.numbers
