"""What the hybrid readout saves and how true it is."""

import pytest

from audits.tables import many, only, rate, reason, verdicts
from evenhand.analysis import FindingKind
from evenhand.audits import audit_position
from evenhand.records import Readout, Verdict, verdict_table


def hybrid_rows(cells: dict[tuple[str, str, str], int], *, alone: bool = False) -> list[Verdict]:
    """Pairs by (hybrid outcomes, generated outcomes, whether the hybrid readout generated)."""
    keys = [(key, f"{'/'.join(key)} {i}") for key, count in cells.items() for i in range(count)]
    rows = verdicts({p: k[0] for k, p in keys}, readout=Readout.HYBRID, generated={pair: key[2] for key, pair in keys})
    return rows if alone else [*rows, *verdicts({p: k[1] for k, p in keys}, readout=Readout.GENERATED)]


CELLS = {
    ("FS", "FS", "--"): 6,  # both lead: saved, same
    ("FF", "FS", "--"): 2,  # both lead: BA concluded with the other label
    ("FU", "FU", "-+"): 3,  # BA generated, unparsed by both
    ("FS", "FX", "--"): 1,  # BA led, generation never decided
}


def test_saving_and_fidelity() -> None:
    found = only(audit_position(verdict_table(hybrid_rows(CELLS))), FindingKind.HYBRID)
    # 24 presentations, 3 generated.
    assert rate(found, "share_generated") == (3, 24)
    assert rate(found, "generation_saved") == (21, 24)
    # Verdict by both: 12 + 4 + 3 + 1 = 20; other verdict: 2.
    assert rate(found, "hybrid_fidelity") == (18, 20)
    assert dict(found.table) == {
        "same verdict": 18,
        "other verdict": 2,
        "verdict by hybrid only": 1,
        "verdict by generated only": 0,
        "no verdict, same state": 3,
        "no verdict, other state": 0,
    }
    assert any("1 of 24 presentations" in note and "one of the two readouts only" in note for note in found.notes)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({("FS", "FS", "+-"): 6, ("FS", "FS", "++"): 2}, "6 of 16 compared presentations (37.5 %) only"),
        ({("FS", "FS", "--"): 6}, None),
        ({("FS", "FS", "+?"): 6}, None),
    ],
)
def test_fidelity_says_where_it_could_fail(cells: dict[tuple[str, str, str], int], told: str | None) -> None:
    notes = only(audit_position(verdict_table(hybrid_rows(cells))), FindingKind.HYBRID).notes
    assert [told in note for note in notes if note.startswith("Fidelity could fail")] == ([True] if told else [])


def test_hybrid_alone_has_no_fidelity() -> None:
    found = only(audit_position(verdict_table(hybrid_rows(CELLS, alone=True))), FindingKind.HYBRID)
    assert rate(found, "share_generated") == (3, 24)
    assert "ran alone" in reason(found, "hybrid_fidelity")
    assert found.table == ()


@pytest.mark.parametrize(("known", "told"), [({}, False), ({"FS0": "+-"}, True)])
def test_unknown_generation_is_refused_or_counted(known: dict[str, str], told: bool) -> None:
    rows = verdicts(many(FS=7), readout=Readout.HYBRID, generated=known)
    found = only(audit_position(verdict_table(rows)), FindingKind.HYBRID)
    expected = "needs at least 5 clusters, has 1" if told else "needs to know which presentations were generated"
    assert expected in reason(found, "share_generated")
    assert any("12 of 14 presentations" in note for note in found.notes) is told
