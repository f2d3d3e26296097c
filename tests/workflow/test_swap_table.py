import polars as pl

from audits.tables import verdicts
from evenhand.audits.swap_design import PairRisk, draw_swaps
from evenhand.records import verdict_table
from evenhand.workflow.swap_table import swap_table

OUTCOMES = {"flip": "FF", "same": "FS", "tie": "FT", "lost": "FU", "calm": "F.", "none": "U.", "noneboth": "US"}


def table():
    design = draw_swaps(
        [PairRisk(pair_id=n, risk=0.5 if c[0] == "F" else None, decided=c[0] == "F") for n, c in OUTCOMES.items()],
        threshold=0.5,
        seed=0,
    )
    return swap_table(verdict_table([*verdicts(OUTCOMES), *verdicts({"flip": "SS"}, repeat=1)]), design)


def test_the_final_preference_is_what_both_orders_share_else_a_tie_else_that_of_ab():
    rows = {row["pair_id"]: row for row in table().iter_rows(named=True)}
    found = {name: (row["flip"], row["final"], row["final_from"]) for name, row in rows.items()}
    assert found == {
        "flip": (True, "tie", "both orders"),
        "same": (False, "A", "both orders"),
        "tie": (None, "tie", "both orders"),
        "lost": (None, "A", "AB alone"),
        "calm": (None, "A", "AB alone"),
        "none": (None, None, None),
        "noneboth": (None, None, None),
    }
    assert rows["lost"]["outcome_ba"] == "unparsed"
    assert rows["calm"]["outcome_ba"] is None


def test_it_can_be_written_and_read(tmp_path):
    table().write_parquet(tmp_path / "x.parquet")
    assert pl.read_parquet(tmp_path / "x.parquet").equals(table())
    assert table().columns[:7] == ["condition", "readout", "pair_id", "stratum", "risk", "place", "drawn"]
