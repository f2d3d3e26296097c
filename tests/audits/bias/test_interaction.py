"""Order, length and endorsement together: what all three do beyond their sum."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from audits.bias.changed import bias_data, sampler
from audits.tables import reason, value
from evenhand.analysis import Finding
from evenhand.analysis.wide import widen
from evenhand.audits.bias.base import BiasAudit, BiasData
from evenhand.audits.bias.factorial import design
from evenhand.audits.bias.interaction import SUBSET, InteractionAudit
from evenhand.records import Readout

AUDIT = InteractionAudit()
NAMES = [" + ".join(change.name for change in changes) for changes in design()]
PAIRS = [f"p{i}" for i in range(12)]


def run(**cells: str) -> BiasData:
    """All pairs alike. Keys such as ``AB`` for A padded and B endorsed, ``_`` for neither; default ``FS``: A wins."""
    tables = {}
    for name in NAMES:
        at = {"padding": "_", "endorsement": "_"}
        for part in name.split(" + "):
            at[part.partition("=")[0]] = part[-1]
        tables[name] = dict.fromkeys(PAIRS, cells.get(at["padding"] + at["endorsement"], "FS"))
    return bias_data(dict.fromkeys(PAIRS, cells.get("__", "FS")), tables)


def analysed(data: BiasData) -> Finding:
    [found] = AUDIT.analyse(data, sampler(data))
    return found


def test_plan() -> None:
    assert isinstance(AUDIT, BiasAudit)
    assert [" + ".join(c.name for c in changes) for changes in AUDIT.plan(frozenset())] == NAMES


def test_all_together_more_than_each_alone() -> None:
    """Only a response that is shown first, padded and endorsed gets every verdict; else A wins."""
    found = analysed(run(BB="FF"))
    # BB in BA shows B first: B is preferred there, and A in AB where B is second.
    assert found.subset == SUBSET
    assert (found.pairs, found.condition) == (12, "c")
    # Joint: A favoured in AB gets 1, B favoured in BA gets 1: half a share above even.
    assert value(found, "joint_shift") == pytest.approx(0.5)
    for name in ("slot_shift", "length_shift", "endorsement_shift"):
        assert value(found, name) == 0
    assert value(found, "excess_shift") == pytest.approx(0.5)
    assert found.tests[0].p_value == pytest.approx(2 / 2**12)
    assert found.tests[0].name.startswith("sign-flip test over clusters, exact, excess")


def test_position_alone_has_no_excess() -> None:
    found = analysed(run(**dict.fromkeys(("__", "A_", "B_", "_A", "_B", "AA", "AB", "BA", "BB"), "FF")))
    assert value(found, "slot_shift") == value(found, "joint_shift") == pytest.approx(0.5)
    assert value(found, "excess_shift") == 0
    assert len(found.tests) == 0


def test_each_alone_as_much_as_all_together_falls_short_of_the_sum() -> None:
    """A judge that follows the endorsement and the padding alike meets the end of the scale."""
    found = analysed(run(A_="FS", B_="SF", _A="FS", _B="SF", AA="FS", BB="SF"))
    assert value(found, "length_shift") == value(found, "endorsement_shift") == pytest.approx(0.5)
    assert value(found, "joint_shift") == pytest.approx(0.5)
    assert value(found, "excess_shift") == pytest.approx(-0.5)


def test_ties_are_half_of_each() -> None:
    found = analysed(run(BB="TT"))
    assert value(found, "joint_shift") == pytest.approx(0.25)
    assert any("ended in a tie" in note for note in found.notes)


def test_pairs_without_every_verdict_are_not_in_the_shifts() -> None:
    data = run(BB="FF")
    lost = (pl.col("pair_id") == "p0") & (pl.col("condition") == "c; padding=redundant:A")
    table = data.table.filter(~lost)
    found = analysed(replace(data, table=table, wide=widen(table)))
    assert found.pairs == 11
    assert any("1 of 12 pairs (8.3 %)" in note for note in found.notes)


def test_no_other_test_stands_in_for_one_of_the_excess() -> None:
    """Wald's test of the model needs no complete pair; alone it would be taken for a test of the main figure."""
    rng = np.random.default_rng(1)
    pairs = [f"p{i}" for i in range(60)]

    def drawn() -> dict[str, str]:
        return {pair: "".join(rng.choice(list("FS"), 2)) for pair in pairs}

    data = bias_data(drawn(), {name: drawn() for name in NAMES})
    assert [test.name.startswith("cluster-robust Wald") for test in analysed(data).tests] == [False, True]
    lost = pl.col("condition") == "c; padding=redundant:A"
    table = data.table.filter(~lost)
    found = analysed(replace(data, table=table, wide=widen(table)))
    assert (found.pairs, found.tests) == (0, ())
    assert "needs a pair with a verdict in both orders" in reason(found, "excess_shift")


def test_a_condition_that_could_be_made_to_no_pair_is_named() -> None:
    data = run()
    gone = "c; padding=redundant:A"
    table = data.table.filter(data.table["condition"] != gone)
    found = analysed(replace(data, table=table, wide=widen(table), left_out={gone: (("too short", 12),)}))
    assert "needs a pair with a verdict in both orders" in reason(found, "excess_shift")
    assert "Cells of the design without any verdict: padding=redundant:A." in found.notes
    assert "Left out of padding=redundant:A: 12 pairs (too short)." in found.notes


def test_log_odds_that_add_up_have_no_excess() -> None:
    data = run()
    rng = np.random.default_rng(2)
    quality = {pair: rng.normal() for pair in PAIRS}
    changes = {condition.id: condition.changes for condition in data.conditions}
    noise = rng.normal(scale=0.01, size=data.table.height)
    odds = []
    for row, jitter in zip(data.table.iter_rows(named=True), noise, strict=True):
        of_a = quality[row["pair_id"]] + 0.8 * (row["order"] == "AB") - 0.8 * (row["order"] == "BA")
        for change in changes[row["condition"]]:
            size = 1.5 if change.factor == "padding" else 2.5
            of_a += size if change.target == "A" else -size
        odds.append((of_a if row["order"] == "AB" else -of_a) + jitter)
    table = data.table.with_columns(log_odds=pl.Series(odds), readout=pl.lit(str(Readout.FIRST_TOKEN)))
    found = analysed(replace(data, table=table, wide=widen(table)))
    measure = found.measure("excess_log_odds")
    assert measure.value == pytest.approx(0, abs=0.02)
    assert measure.n == 12


@pytest.mark.parametrize("names", [["padding=redundant:A", "endorsement=user:B"], ["tone=hedged:A"]])
def test_without_combined_changes_it_is_refused(names: list[str]) -> None:
    data = bias_data(dict.fromkeys(PAIRS, "FS"), {name: dict.fromkeys(PAIRS, "FS") for name in names})
    found = analysed(data)
    assert found.subset == SUBSET
    assert "ask for the audit" in reason(found, "excess_shift")
