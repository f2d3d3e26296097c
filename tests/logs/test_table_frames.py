import numpy as np
import polars as pl

from evenhand.logs.table_frames import pair_frame, presentation_frame
from evenhand.records import FinishReason, Order, Outcome, Pair
from evenhand.records.codes import NO_CODE, code_texts


def test_a_pairs_group_is_stated_or_its_instructions_or_itself():
    pair = code_texts(pl.Series(["c", "a", "b", "a"]))
    frame = pair_frame(
        pair,
        {
            "group": (pl.Series(["g"]), np.array([0, NO_CODE, NO_CODE], dtype=np.uint32)),
            "instruction": (pl.Series(["Q"]), np.array([NO_CODE, 0, NO_CODE], dtype=np.uint32)),
        },
    )
    hashed = Pair(id="b", instruction="Q", response_a="", response_b="").group
    assert frame["id"].to_list() == ["a", "b", "c"]
    assert frame["group"].to_list() == ["g", hashed, "c"]
    assert frame["ordinal"].to_list() == [1, 2, 0]
    assert frame["instruction"].to_list() == ["", "Q", ""]
    assert frame["source"].to_list() == [""] * 3


def test_codes_become_enumerations():
    frame = presentation_frame(
        pair=np.array([0, 0], dtype=np.uint32),
        order=np.array([0, 1], dtype=np.int8),
        condition=code_texts(pl.Series(["a", "z"])),
        conditions=("z", "a"),
        repeat=np.array([0, 3], dtype=np.uint32),
        outcome=np.array([-1, 2], dtype=np.int8),
        finish=np.array([0, 5], dtype=np.int8),
    )
    assert frame.row(0) == (0, "AB", "a", 0, None, next(iter(FinishReason)).value)
    assert frame.row(1) == (0, "BA", "z", 3, tuple(Outcome)[2].value, tuple(FinishReason)[5].value)
    assert frame["condition"].dtype == pl.Enum(["z", "a"])
    assert frame["order"].dtype == pl.Enum([order.value for order in Order])
