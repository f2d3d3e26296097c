"""What a flow and a swap table count."""

from evenhand.analysis.displays import Flow, FlowCell, Lead, SwapTable
from evenhand.records import Order, Outcome, Readout


def cell(lead, conclusion, count, order=Order.AB):
    return FlowCell(order=order, lead=lead, conclusion=conclusion, count=count)


def test_only_a_slot_led_with_and_a_slot_chosen_can_diverge():
    cells = (
        cell(Lead.FIRST, Outcome.FIRST, 1),
        cell(Lead.FIRST, Outcome.SECOND, 2),
        cell(Lead.SECOND, Outcome.FIRST, 4, Order.BA),
        cell(Lead.SECOND, Outcome.TIE, 8),
        cell(Lead.TIE, Outcome.FIRST, 16),
        cell(Lead.OTHER, Outcome.SECOND, 32),
        cell(Lead.UNKNOWN, Outcome.FIRST, 64),
        cell(Lead.FIRST, Outcome.REFUSED, 128),
    )
    flow = Flow(condition="c", readout=Readout.GENERATED, cells=cells)
    assert (flow.presentations, flow.led, flow.diverged) == (255, 7, 6)


def test_decided_are_neither_ties_nor_states():
    table = SwapTable(
        condition="c", readout=Readout.GENERATED, both_a=1, both_b=2, first_twice=4, second_twice=8, with_tie=16,
        undecided=32, one_order=64,
    )  # fmt: skip
    assert table.decided == 15
