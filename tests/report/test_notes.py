from dataclasses import replace

from evenhand.analysis import Finding, FindingKind, sentences
from evenhand.records import Readout
from evenhand.report.notes import NOT_REPEATED, SINGLE_ORDER, build_notes, places_text

A, B = "A/B", "X/Y"


def readouts(*scopes, notes=()):
    return [Finding(kind=FindingKind.READOUT, condition=c, readout=r, notes=notes) for c, r in scopes]


CROSS = readouts(*((c, r) for c in (A, B) for r in (Readout.FIRST_TOKEN, Readout.GENERATED)))


def test_scopes_are_said_as_short_as_they_can_be():
    assert places_text(CROSS, CROSS) == ""
    assert places_text(CROSS[:2], CROSS) == "A/B: all readouts"
    assert places_text(CROSS[1::2], CROSS) == "generated: all conditions"
    assert places_text(CROSS[1:3], CROSS) == "A/B: generated; X/Y: first-token"
    assert places_text(CROSS[1:2], CROSS[:2]) == "generated", "one condition needs no name"


def test_many_scopes_are_counted():
    peers = readouts(*((f"c{i}", r) for i in range(9) for r in (Readout.FIRST_TOKEN, Readout.GENERATED)))
    carriers = [*peers[0:4:2], *peers[5::2]]
    assert places_text(carriers, peers).endswith("; and 6 more")


def run(audit, manifest, *findings, **changes):
    return build_notes(manifest, replace(audit, findings=findings), single=changes.get("single", False))


def test_unmeasured_noise_is_said_once_in_one_wording(manifest, audit):
    notes = run(audit, manifest, *readouts((A, Readout.GENERATED), notes=(sentences.NOISE_NOT_MEASURED,)))
    assert [note for note in notes if "oise" in note] == [NOT_REPEATED]


def test_noise_that_one_readout_lacks_names_it(manifest, audit):
    known = readouts((A, Readout.GENERATED))
    lacking = readouts((A, Readout.FIRST_TOKEN), notes=(sentences.NOISE_NOT_MEASURED,))
    repeat = Finding(kind=FindingKind.REPEAT, condition=A, readout=Readout.GENERATED)
    notes = run(audit, manifest, *known, *lacking, repeat)
    assert [note for note in notes if "oise" in note] == [f"{NOT_REPEATED} (first-token)"]


def test_single_order_is_said_once(manifest, audit):
    noted = replace(audit, notes=(sentences.SINGLE_ORDER,))
    notes = run(
        noted, manifest, *readouts((A, Readout.GENERATED), (A, Readout.LOGGED), notes=(sentences.SINGLE_ORDER,)),
        single=True,
    )  # fmt: skip
    assert notes[0] == SINGLE_ORDER
    assert len([note for note in notes if "order" in note]) == 1


def test_what_a_table_shows_is_not_told_again(manifest, audit):
    forced = Finding(
        kind=FindingKind.FORCED_MINUS_GENERATED,
        condition=A,
        subset="all",
        notes=("On the same pairs: first-token flips 2 of 2 pairs (100.0 %), generated 1 of 2 pairs (50.0 %).",),
    )
    contrast = Finding(
        kind=FindingKind.CONDITIONS,
        condition=f"{A} | {B}",
        notes=(
            "flips, difference of conditions: over 60 of 60 pairs (100.0 %) of the two conditions.",
            "compliance, difference of conditions: over 57 of 60 pairs (95.0 %) of the two conditions.",
        ),
    )
    notes = run(audit, manifest, forced, contrast)
    assert not any("60 of 60" in note or "On the same pairs" in note for note in notes)
    assert any("57 of 60" in note for note in notes)


def test_notes_of_real_findings_are_recognised(manifest, audit):
    """The wordings that are left out or put in other words are the audit's own."""
    import polars as pl

    from evenhand.audits import audit_position
    from evenhand.records import Order, Outcome, Verdict, verdict_table

    rows = [
        Verdict(
            pair_id=f"p{i}", group=f"g{i}", source="s", gold=None, condition=c, readout=r, order=o, repeat=0,
            outcome=Outcome.FIRST,
        )
        for i in range(8) for c in (A, B) for r in (Readout.FIRST_TOKEN, Readout.GENERATED) for o in Order
    ]  # fmt: skip
    table = verdict_table(rows)
    real = audit_position(table)
    raw = [note for finding in real.findings for note in finding.notes]
    assert any(note.startswith("On the same pairs") for note in raw)
    assert sentences.NOISE_NOT_MEASURED in raw
    notes = build_notes(manifest, real, single=False)
    assert not any(note.startswith("On the same pairs") or "over 8 of 8" in note for note in notes)
    assert notes.count(NOT_REPEATED) == 1
    assert len([note for note in notes if "oise" in note]) == 1
    again = pl.concat([table, table.filter(pl.col("order") == "AB").with_columns(pl.lit(1, pl.Int64).alias("repeat"))
                       .cast({"repeat": table.schema["repeat"]})])  # fmt: skip
    repeated = audit_position(again)
    assert any(note.startswith("Asked again in the same order") for f in repeated.findings for note in f.notes)
    assert not any("Asked again" in note for note in build_notes(manifest, repeated, single=False))


def test_a_log_s_remarks_become_sentences(manifest, audit):
    notes = build_notes(replace(manifest, notes=("each pair was shown once",)), audit, single=False)
    assert "Each pair was shown once." in notes


def test_nothing_pooled_is_one_note(manifest, audit):
    notes = build_notes(manifest, audit, single=False)
    assert [n for n in notes if "pooled" in n] == [
        "No figure is pooled over conditions, each of them one cluster there: needs at least 5 clusters, has 2."
    ]


def test_a_grid_s_notes_are_few_and_name_the_baseline(many_designs):
    notes = build_notes(many_designs.manifest, many_designs.audit, single=False)
    assert notes[0].startswith("The baseline design is criteria=before, labels=A/B, separators=brackets.")
    assert len(notes) < 25
    assert len(notes) == len(set(notes))
    raw = {note for finding in many_designs.audit.findings for note in finding.notes}
    for beginning in (sentences.AGAINST_BASELINE, sentences.COMPLIANCE_IS_OF, sentences.NOTHING_MOVES):
        assert any(note.startswith(beginning) for note in raw), "the audit still words it so"
        assert not any(note.startswith(beginning) for note in notes)
    assert not any("matched cells" in note for note in notes)


def test_notes_that_differ_in_figures_alone_are_one(manifest, audit):
    def noted(count):
        found = [replace(f, notes=(f"{i} of 9 presentations are odd",)) for i, f in enumerate(CROSS[:count])]
        return [n for n in run(audit, manifest, *found) if "are odd" in n]

    assert noted(4) == [
        "0 of 9 presentations are odd. (A/B: first-token) Likewise, with other figures, in 3 more notes of audit.json."
    ]
    assert len(noted(3)) == 3
