from dataclasses import replace

from evenhand.analysis import Finding, FindingKind
from evenhand.records import Readout
from evenhand.report.kinds import kind_tables


def test_a_pooled_table_of_refusals_alone_is_left_to_a_note(audit):
    assert "pooled" not in [table.id for table in kind_tables(audit)]
    shown = replace(
        audit,
        findings=tuple(
            replace(f, measures=audit.findings[0].measures[:1]) if f.kind is FindingKind.POOLED else f
            for f in audit.findings
        ),
    )
    pooled = next(t for t in kind_tables(shown) if t.id == "pooled")
    assert pooled.intervals.endswith("clusters are conditions.")


def test_the_two_readouts_flips_are_counted_beside_their_difference(audit):
    table = next(t for t in kind_tables(audit) if t.id == "forced-minus-generated")
    assert [c.label for c in table.columns][2:5] == ["n pairs", "flips, first-token", "flips, generated"]
    # the fixture's cells have other names than the audit's: no count is better than a wrong one
    assert table.rows[0][3].text == "—"
    cells = (("both flip", 24), ("only first-token flips", 31), ("only generated flips", 2), ("neither flips", 1))
    real = tuple(replace(f, table=cells) for f in audit.findings)
    table = next(t for t in kind_tables(replace(audit, findings=real)) if t.id == "forced-minus-generated")
    assert [cell.text for cell in table.rows[0][3:5]] == ["55", "26"]


def test_the_overall_row_of_a_log_is_called_all(audit):
    disagreement = audit.findings[0].measures[:1]
    log = [
        Finding(kind=FindingKind.LOG, condition=c, readout=r, pairs=9, measures=disagreement)
        for c, r in ((None, None), ("A/B", Readout.GENERATED))
    ]
    table = next(t for t in kind_tables(replace(audit, findings=(*audit.findings, *log))) if t.id == "log")
    assert [[cell.text for cell in row[:2]] for row in table.rows] == [["all", "all"], ["A/B", "generated"]]


def test_remedies_stand_beside_the_generated_readout_with_their_flips(remedied):
    table = next(t for t in kind_tables(remedied.audit) if t.id == "readouts")
    assert [row[1].text for row in table.rows] == ["prefilled", "constrained"]
    labels = [column.label for column in table.columns]
    counts = [[cell.text for cell in row[labels.index("n pairs") :][:3]] for row in table.rows]
    assert counts == [["60", "30", "28"], ["60", "28", "28"]]
    assert all(row[-1].interval for row in table.rows)


def test_a_budget_and_probabilities_have_tables(budgeted):
    ids = [table.id for table in kind_tables(budgeted.audit)]
    assert {"prediction-powered", "probability"} <= set(ids)
    assert ids.index("prediction-powered") < ids.index("probability")
