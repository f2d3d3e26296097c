import pytest

from evenhand.errors import ConfigError
from evenhand.records import LabelSet
from evenhand.workflow.selective_settings import SelectiveSettings
from evenhand.workflow.settings import AuditSettings

GOOD = SelectiveSettings(probe="p.json", budget=0.3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "policy file .* or a swap budget"),
        ({"budget": 0.3, "policy": "p"}, "not both"),
        ({"budget": 0}, "swap budget is 0"),
        ({"budget": 1.1}, "swap budget is 1.1"),
        ({"budget": "much"}, "expected a share"),
        ({"budget": True}, "expected a share"),
        ({"budget": 0.3, "floor": 0.0}, "floor is 0.0"),
        ({"budget": 0.3, "floor_pairs": 0}, "at least 1"),
        ({"budget": 0.3, "floor_pairs": 2.5}, "at least 1"),
    ],
)
def test_wrong_choices_are_one_line(given, message):
    with pytest.raises(ConfigError, match=message):
        SelectiveSettings(probe="p.json", **given)


def test_the_floor_is_the_users_else_the_policys_else_the_usual():
    assert GOOD.share_of_floor() == 0.1
    assert GOOD.share_of_floor(0.05) == 0.05
    assert SelectiveSettings(probe="p.json", budget=0.3, floor=0.2).share_of_floor(0.05) == 0.2


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"budget": 0.1}, "give one"),
        ({"vary": ("labels",)}, "leave out vary"),
        ({"labels": (LabelSet.parse("A/B"), LabelSet.parse("1/2"))}, "one label set"),
    ],
)
def test_what_does_not_go_with_a_selective_swap(more, message):
    with pytest.raises(ConfigError, match=message):
        AuditSettings(selective=GOOD, **more)
    with pytest.raises(ConfigError, match="expected SelectiveSettings"):
        AuditSettings(selective="p.json")
