import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.records import Order, Outcome, Preference, preference_of, slot_of

orders = st.sampled_from(list(Order))
verdicts = st.sampled_from([outcome for outcome in Outcome if outcome.is_verdict])


@given(verdicts, orders)
def test_slot_and_preference_are_inverse_on_verdicts(outcome: Outcome, order: Order) -> None:
    preference = preference_of(outcome, order)
    assert preference is not None
    assert slot_of(preference, order) is outcome


@given(verdicts, orders)
def test_the_same_slot_in_the_other_order_is_the_other_identity(outcome: Outcome, order: Order) -> None:
    here, there = preference_of(outcome, order), preference_of(outcome, order.swapped)
    assert here is not None
    assert there is here.swapped


@given(st.sampled_from(list(Preference)), orders)
def test_swapping_twice_is_identity(preference: Preference, order: Order) -> None:
    assert preference.swapped.swapped is preference
    assert order.swapped.swapped is order


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.UNPARSED, Outcome.TRUNCATED, Outcome.ERROR])
@pytest.mark.parametrize("order", list(Order))
def test_a_missing_verdict_is_no_preference(outcome: Outcome, order: Order) -> None:
    assert preference_of(outcome, order) is None
    assert not outcome.is_verdict
    assert not outcome.is_decided


def test_a_tie_is_a_verdict_but_not_decided() -> None:
    assert Outcome.TIE.is_verdict
    assert not Outcome.TIE.is_decided
