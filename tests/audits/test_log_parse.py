"""A log's own parse beside ours."""

from audits.tables import many, only, rate, verdicts
from evenhand.analysis import FindingKind
from evenhand.audits import audit_position
from evenhand.records import Readout, verdict_table


def test_disagreement_and_its_cells() -> None:
    ours = {"a": "FS", "b": "FS", "c": "UF", "d": "SF", "e": "FS", "f": "FS"}
    log = {"a": "FS", "b": "SS", "c": "FF", "d": "S ", "e": "FS", "f": "FS"}
    found = only(audit_position(verdict_table(verdicts(ours, log=log))), FindingKind.LOG)
    # 11 presentations that the log parsed; b AB and c AB differ.
    assert rate(found, "log_disagreement") == (2, 11)
    assert (found.pairs, found.presentations) == (6, 11)
    assert dict(found.table) == {
        "log first, ours first": 4,
        "log first, ours unparsed": 1,
        "log second, ours first": 1,
        "log second, ours second": 5,
    }


def test_several_scopes_come_with_one_over_all() -> None:
    pairs = many(FS=6)
    rows = [
        *verdicts(pairs, condition="x", log=dict.fromkeys(pairs, "FS")),
        *verdicts(pairs, condition="y", log=dict.fromkeys(pairs, "SS")),
        *verdicts(pairs, condition="z", readout=Readout.FIRST_TOKEN),
    ]
    over_all, x, y = audit_position(verdict_table(rows)).select(FindingKind.LOG)
    assert (over_all.condition, x.condition, y.condition) == (None, "x", "y")
    assert rate(over_all, "log_disagreement") == (6, 24)
    assert over_all.pairs == 6


def test_no_log_no_finding() -> None:
    assert audit_position(verdict_table(verdicts(many(FS=6)))).select(FindingKind.LOG) == ()
