"""The vectorised codes against the definitions, one row at a time, over everything that can occur."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evenhand.records import Order, Outcome, Preference, preference_of
from evenhand.web.facets import COMPLIANCE, GOLD, LEAD, NOT_ASKED, RELATION
from evenhand.web.row_codes import UNKNOWN, Orders, compliance_codes, gold_codes, lead_codes, pulls, relation_codes

OUTCOMES = [*Outcome, None]
"""By code; None is an order that has no reading."""


def array(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


PAIRS = list(product(range(8), range(8)))
BOTH = Orders(ab=array([ab for ab, _ in PAIRS]), ba=array([ba for _, ba in PAIRS]))


def preferences(ab: int, ba: int) -> list[Preference | None]:
    return [
        None if OUTCOMES[code] is None else preference_of(OUTCOMES[code], order)
        for code, order in ((ab, Order.AB), (ba, Order.BA))
    ]


def expected_relation(ab: int, ba: int) -> str:
    if NOT_ASKED in (ab, ba):
        return "one-order"
    first, second = preferences(ab, ba)
    if first is None or second is None:
        return "no-verdict"
    ties = [first, second].count(Preference.TIE)
    if ties:
        return "both-tie" if ties == 2 else "tie-decided"
    if first is second:
        return "same"
    return f"flip-{OUTCOMES[ab]}"


def test_relations_are_those_of_the_definitions() -> None:
    found = [RELATION.values[code].slug for code in relation_codes(BOTH)]
    assert found == [expected_relation(ab, ba) for ab, ba in PAIRS]
    assert set(found) == {value.slug for value in RELATION.values}


def test_a_flip_is_another_response_and_the_same_slot() -> None:
    for (ab, ba), code in zip(PAIRS, relation_codes(BOTH), strict=True):
        first, second = preferences(ab, ba) if NOT_ASKED not in (ab, ba) else (None, None)
        decided = first in ("A", "B") and second in ("A", "B")
        assert RELATION.values[code].slug.startswith("flip") == (decided and first != second)


@pytest.mark.parametrize("gold", [0, 1, 2, UNKNOWN])
def test_gold_agreement(gold: int) -> None:
    wanted = {0: Preference.A, 1: Preference.B, 2: Preference.TIE}.get(gold)
    found = [GOLD.values[code].slug for code in gold_codes(BOTH, array([gold] * len(PAIRS)))]
    for (ab, ba), slug in zip(PAIRS, found, strict=True):
        asked = [each for each, code in zip(preferences(ab, ba), (ab, ba), strict=True) if code != NOT_ASKED]
        if wanted is None:
            assert slug == "no-gold"
        elif None in asked:
            assert slug == "no-verdict"
        elif asked:
            right = asked.count(wanted)
            assert slug == ("right" if right == len(asked) else "half" if right else "wrong")


def test_compliance_is_over_the_orders_that_were_asked() -> None:
    rows = list(product((0, NOT_ASKED), (0, NOT_ASKED), (UNKNOWN, 0, 1), (UNKNOWN, 0, 1)))
    ab, ba, one, two = (array(list(column)) for column in zip(*rows, strict=True))
    found = [COMPLIANCE.values[c].slug for c in compliance_codes(Orders(ab=ab, ba=ba), Orders(ab=one, ba=two))]
    for (a, b, first, second), slug in zip(rows, found, strict=True):
        asked = [value for value, code in ((first, a), (second, b)) if code != NOT_ASKED]
        if not asked:
            continue
        if UNKNOWN in asked:
            assert slug == "unknown"
        else:
            assert slug == ("both" if all(asked) else "one" if any(asked) else "neither")


def test_lead_and_conclusion_diverge_only_where_both_are_defined() -> None:
    rows = list(product(range(8), (UNKNOWN, 0, 1, 2), (UNKNOWN, 0, 1), (False, True)))
    said, lead, comply, generated = (list(column) for column in zip(*rows, strict=True))
    none = array([NOT_ASKED] * len(rows))
    unknown = array([UNKNOWN] * len(rows))
    found = lead_codes(
        Orders(ab=array(said), ba=none),
        Orders(ab=array(lead), ba=unknown),
        Orders(ab=array(comply), ba=unknown),
        generated=np.array(generated),
    )
    for (out, led, ok, text), code in zip(rows, found, strict=True):
        defined = text and ok == 1 and led in (0, 1) and out in (0, 1)
        assert LEAD.values[code].slug == ("unknown" if not defined else "agreed" if led == out else "diverged")


def test_one_diverging_order_makes_the_row_diverge() -> None:
    one, two = array([0]), array([1])
    codes = lead_codes(
        Orders(ab=one, ba=one), Orders(ab=one, ba=two), Orders(ab=two, ba=two), generated=np.array([True])
    )
    assert LEAD.values[codes[0]].slug == "diverged"


def test_a_judge_that_looks_at_responses_alone_has_no_pull() -> None:
    assert pulls(np.array([1.5, 1.0]), np.array([-1.5, np.nan])).tolist()[0] == 0
    assert np.isnan(pulls(np.array([1.0]), np.array([np.nan]))[0])
