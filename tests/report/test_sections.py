from dataclasses import replace

from evenhand.report.sections import build_tables


def test_tables_in_the_order_of_reading(audit):
    ids = [table.id for table in build_tables(audit, single_order=False)]
    assert ids == [
        "summary", "outcomes", "measures-1", "measures-2", "tests", "forced-minus-generated", "hybrid", "conditions",
        "pooled", "repeat",
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
    assert [c.label for c in table.columns] == ["scope", "test", "counts", "n", "p", "p, Holm"]
    assert len(table.rows) == sum(1 for f in audit.findings for t in f.tests if "Holm" not in t.name)
    assert table.rows[0][5].text == "p < 1e-300"
    assert any("Holm-adjusted over 6 conditions" in text for _, text in table.notes)


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
        f"{name} | first-token | 41.7 % [29.2, 54.9] | 95.0 % [88.0, 99.0] | — | 57 : 0",
        f"{name} | generated | 41.7 % [29.2, 54.9] | 44.8 % [32.0, 58.0] | 0 % [0, 27.8] | 22 : 4",
        f"{name} | hybrid | 41.7 % [29.2, 54.9] | 51.7 % [40.0, 64.0] | — | 26 : 4",
    ]
