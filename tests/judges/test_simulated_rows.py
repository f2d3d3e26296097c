"""Rows of a verdict table from arrays: columns, states and readouts as a run has them."""

import numpy as np
import pytest

from evenhand.errors import StatisticsError
from evenhand.judges.simulated_rows import FIRST, REFUSED, SECOND, TIE, Presentations, verdict_rows
from evenhand.records import Order, Readout, verdict_table


def made(order, readouts=(Readout.GENERATED,)):
    part = Presentations(
        order=order,
        repeat=0,
        log_odds=np.array([1.0, 1.0, -1.0, -2.0]),
        compliant=np.array([True, True, False, True]),
        generated=np.array([FIRST, SECOND, TIE, REFUSED]),
    )
    return verdict_rows(
        [part], group=np.array([0, 0, 1, 2]), gold=np.array([1.0, -1, 1, 1]), readouts=readouts, condition="c"
    )


def test_outcomes_become_preferences_by_order():
    assert made(Order.AB)["preference"].to_list() == ["A", "B", "tie", None]
    assert made(Order.BA)["preference"].to_list() == ["B", "A", "tie", None]
    assert made(Order.AB)["outcome"].to_list() == ["first", "second", "tie", "refused"]


def test_the_columns_are_those_of_a_verdict_table():
    assert made(Order.AB).schema == verdict_table([]).schema


def test_the_hybrid_readout_takes_the_text_where_no_label_led():
    table = made(Order.AB, (Readout.FIRST_TOKEN, Readout.HYBRID))
    first, hybrid = (table.filter(table["readout"] == str(r)) for r in (Readout.FIRST_TOKEN, Readout.HYBRID))
    assert first["outcome"].to_list() == ["first", "first", "second", "second"]
    assert hybrid["outcome"].to_list() == ["first", "first", "tie", "second"]
    assert hybrid["generated"].to_list() == [False, False, True, False]


def test_there_is_no_log_to_read():
    with pytest.raises(StatisticsError, match="leaves no log"):
        made(Order.AB, (Readout.LOGGED,))
