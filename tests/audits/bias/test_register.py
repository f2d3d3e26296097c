"""The same response in another style."""

import pytest

from audits.bias.changed import bias_data, sampler
from audits.tables import reason, value
from evenhand.audits.bias.base import BiasAudit
from evenhand.audits.bias.register import RegisterAudit

AUDIT = RegisterAudit()
PAIRS = {f"p{i}": "FS" for i in range(12)}


def test_styles_without_a_rule_are_planned_where_the_user_supplies_them() -> None:
    assert isinstance(AUDIT, BiasAudit)
    assert [c.name for (c,) in AUDIT.plan(frozenset())] == ["register=informal:A", "register=informal:B"]
    own = AUDIT.plan(frozenset({("register", "non-native")}))
    assert [c.level for (c,) in own] == ["informal", "informal", "non-native", "non-native"]


def test_a_judge_that_turns_away_has_a_negative_shift() -> None:
    turned = {p: "SF" if i < 4 else "FS" for i, p in enumerate(PAIRS)}
    data = bias_data(PAIRS, {"register=non-native:A": turned, "register=non-native:B": PAIRS})
    [found] = AUDIT.analyse(data, sampler(data))
    assert found.subset == "register=non-native"
    assert value(found, "net_shift") == pytest.approx(-8 / 48)
    assert value(found, "away_rate") == pytest.approx(8 / 48)
    assert any("below 0" in note for note in found.notes)


def test_a_run_without_styles_is_refused() -> None:
    data = bias_data(PAIRS, {"tone=hedged:A": PAIRS})
    [found] = AUDIT.analyse(data, sampler(data))
    assert "register=informal" in reason(found, "net_shift")
