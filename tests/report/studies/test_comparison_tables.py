from dataclasses import replace

from audits.tables import many, verdicts
from evenhand.audits.drift.comparison import Comparison, ConditionPair, compare_tables
from evenhand.audits.drift.identity import IdentityDifference
from evenhand.audits.drift.tolerance import decide_tolerances, tolerances_of
from evenhand.records import verdict_table
from evenhand.report.studies.comparison_tables import (
    agreement_table,
    bias_tables,
    change_table,
    decided_on,
    identity_table,
    source_tables,
    tolerance_table,
    verdict_tables,
)
from evenhand.report.study.cells import study_table
from evenhand.stats import Refusal

OLD = many(FS=20, FF=5)
NEW = {**OLD, "FS0": "FF", "FS1": "US"}


def compared(old: dict[str, str] = OLD, new: dict[str, str] = NEW) -> Comparison:
    return compare_tables(
        verdict_table(verdicts(old)),
        verdict_table(verdicts(new)),
        pairs=list(old),
        conditions=[ConditionPair(old="c", new="c")],
    )


def test_every_measure_has_a_row_with_both_figures_and_what_was_left_out() -> None:
    table = change_table(compared())
    rows = {str(row[1]): row for row in table.rows}
    assert len(rows) == len(compared().scopes[0].measures)
    assert rows["flip rate"][-2:] == (24, 1)
    assert rows["verdicts"][-1] == 0
    assert isinstance(rows["compliance, pairs"][4], Refusal)
    # McNemar's test is of pairs alone.
    assert rows["flip rate"][6] is not None
    assert rows["first-slot rate"][6] is None


def test_agreement_and_the_verdicts_that_changed() -> None:
    comparison = compared()
    assert agreement_table(comparison).rows[0][-1] == 2
    (table,) = verdict_tables(comparison)
    assert [row[2:] for row in table.rows] == [
        ("BA", "other response", "second", "first"),
        ("AB", "verdict lost", "first", "unparsed"),
    ]
    assert list(verdict_tables(compared(OLD, OLD))) == []


def test_what_is_not_there_has_no_table() -> None:
    comparison = compared()
    assert list(bias_tables(comparison)) == list(source_tables(comparison)) == []


def test_tolerances_name_where_they_were_decided() -> None:
    (decision,) = decide_tolerances(compared(), tolerances_of({"flip_rate": 0.5}))
    table = tolerance_table([decision])
    assert table.rows[0][:3] == ("flip rate up by at most 50 points", "c, generated", "kept")
    assert decided_on(replace(decision, subset="tone=assertive")) == "c, generated, tone=assertive"
    assert decided_on(replace(decision, conditions=None)) == "nothing compared"


def test_no_difference_is_said() -> None:
    assert identity_table(()).notes == ("Nothing differs by the manifests.",)
    difference = IdentityDifference(part="judge", what="revision", old="1", new="2")
    assert identity_table((difference,)).rows == (("judge", "revision", "1", "2"),)


def test_position_bias_is_printed_as_the_audit_does_and_rates_in_percent() -> None:
    table = study_table(change_table(compared()), name="changes")
    rows = {row[1].text: [cell.text for cell in row[2:5]] for row in table.rows}
    assert all(text.endswith((" %", " pp")) for text in rows["flip rate"])
    assert not [text for text in rows["position bias strength"] if "%" in text or "pp" in text]
