"""Of a run whose swaps were chosen, order AB stands alone: nothing of BA is left, and what needs both is refused."""

import numpy as np

from audits.tables import reason, verdicts
from evenhand.analysis import FindingKind
from evenhand.analysis.wide import widen
from evenhand.audits import audit_position
from evenhand.audits.order_ab import AB_ONLY, order_ab, without_swap_figures
from evenhand.records import verdict_table
from evenhand.stats import Estimate


def test_order_ab_alone_is_left_of_a_table():
    one = order_ab(widen(verdict_table(verdicts({"p": "FS", "q": "SS"}))))
    [scope] = one.scopes
    assert scope.single_order
    assert scope.outcome[:, 0].tolist() == [0, 1]
    assert not scope.asked[:, 1].any()
    assert np.isnan(scope.log_odds[:, 1]).all()


def test_a_scope_that_was_asked_in_order_ba_alone_is_gone():
    assert order_ab(widen(verdict_table(verdicts({"p": ".S", "q": ".F"})))).scopes == ()


def test_figures_that_need_both_orders_are_refused_and_every_answer_is_counted():
    wide = widen(verdict_table(verdicts({**{f"p{i}": "FS" for i in range(9)}, "r": "F."})))
    [alone] = audit_position(order_ab(wide)).select(FindingKind.READOUT)
    found = without_swap_figures(alone, wide.scopes[0])
    assert found.presentations == 19
    assert sum(count.count for count in found.outcomes) == 19
    for name in ("flip_rate", "swap_consistency", "slot_lock_rate", "position_bias_strength", "compliance_pairs"):
        assert reason(found, name) == AB_ONLY
    assert isinstance(found.measure("first_slot_rate"), Estimate)
