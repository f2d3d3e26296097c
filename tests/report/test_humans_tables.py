"""The tables of a run beside people."""

from evenhand.analysis.study import StudyTable
from evenhand.records import Readout
from evenhand.report.humans_tables import beside_tables
from report.humans_examples import ALONE, BELOW, beside, scope, split


def row(table: StudyTable, index: int = 0) -> dict[str, object]:
    return dict(zip((column.name for column in table.columns), table.rows[index], strict=True))


def test_every_condition_and_readout_has_a_row_with_its_states() -> None:
    own = scope(gap=BELOW, by_flip=split(-0.4, -0.1))
    agreement, people, by_flip = beside_tables(
        beside(own, scope(condition="d", readout=Readout.FIRST_TOKEN)), names={"d": "short"}
    )
    assert [table.id for table in (agreement, people, by_flip)] == ["agreement", "people", "by-flip"]
    assert row(agreement) == {
        "condition": "c",
        "readout": "generated",
        "agreement": own.verdict.rate,
        "person": own.people.agreement.ceiling,
        "gap": BELOW,
        "pairs": 80,
        "without_verdict": 3,
        "unlabelled": 12,
        "kappa": own.verdict.kappa,
    }
    assert (row(agreement, 1)["condition"], row(agreement, 1)["gap"]) == ("short", ALONE)
    assert own.by_flip is not None
    assert row(by_flip)["difference"] is own.by_flip.difference
    assert (row(by_flip)["flips"], row(by_flip)["steady"], row(by_flip)["neither"]) == (30, 50, 4)
    assert len(by_flip.rows) == 1
    assert ("two people", "each other", None, own.people.raw) in people.rows
    assert "a tie where they contradict each other" in agreement.notes[0]


def test_no_table_of_flips_where_nobody_knows_which_flip_and_none_without_verdicts() -> None:
    assert [table.id for table in beside_tables(beside(scope()))] == ["agreement", "people"]
    assert beside_tables(beside()) == ()
