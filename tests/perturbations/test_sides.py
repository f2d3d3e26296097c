import pytest

from evenhand.errors import ConfigError
from evenhand.perturbations.base import Level, NotApplicable, Place
from evenhand.perturbations.sides import ResponseRule, check_change, response_of, with_response
from evenhand.records import Change, LabelSet, Order, Pair, Preference

PAIR = Pair(id="p", instruction="Which?", response_a="7", response_b="")
PLACE = Place(order=Order.AB, labels=LabelSet.parse("A/B"))
LEVELS = (Level(name="upper", description="Capitals."), Level(name="own", description="The user's.", exact=False))
RULE = ResponseRule(factor="case", levels=LEVELS, rewrite=lambda text, level: text.upper())


def change_of(level="upper", target=Preference.A, factor="case"):
    return Change(factor=factor, level=level, target=target)


def test_sides():
    assert (response_of(PAIR, Preference.A), response_of(PAIR, Preference.B)) == ("7", "")
    assert with_response(PAIR, Preference.B, "9").response_b == "9"
    assert with_response(PAIR, Preference.B, "9").response_a == "7"
    for use in (lambda: response_of(PAIR, Preference.TIE), lambda: with_response(PAIR, Preference.TIE, "9")):
        with pytest.raises(ConfigError, match="target is 'tie', expected A or B"):
            use()


def test_a_change_is_checked():
    assert check_change(change_of("own"), factor="case", levels=LEVELS) is LEVELS[1]
    with pytest.raises(ConfigError, match=r"no level 'uper'; did you mean 'upper'\? \(known: upper, own\)"):
        check_change(change_of("uper"), factor="case", levels=LEVELS)
    with pytest.raises(ConfigError, match="change size=upper:A was given to factor 'case'"):
        check_change(change_of(factor="size"), factor="case", levels=LEVELS)
    with pytest.raises(ConfigError, match="must be A or B"):
        check_change(change_of(target=Preference.TIE), factor="case", levels=LEVELS)


def test_a_rule_is_asked_only_where_it_can_do_something():
    assert RULE.apply(PAIR, change_of(), PLACE).reason == "the response already has this form"
    assert RULE.apply(PAIR, change_of(target=Preference.B), PLACE).reason == "the response is empty"
    assert RULE.apply(PAIR, change_of("own"), PLACE).reason.startswith("no rule makes this change")
    lower = with_response(PAIR, Preference.A, "ab")
    assert RULE.apply(lower, change_of(), PLACE) == with_response(PAIR, Preference.A, "AB")
    never = ResponseRule(factor="case", levels=LEVELS, rewrite=lambda text, level: NotApplicable(reason=f"no {level}"))
    assert never.apply(lower, change_of(), PLACE) == NotApplicable(reason="no upper")
