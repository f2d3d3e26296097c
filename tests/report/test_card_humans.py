"""Human labels on the card: counted, held beside the judge, and nobody named."""

import pytest

from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.report.card import build_card, validate_card
from evenhand.report.card_humans import card_humans, human_lines, human_rows
from evenhand.report.card_text import card_markdown, card_rows
from report.humans_examples import ALONE, BELOW, beside, scope

MADE = beside(scope(gap=BELOW, names=("Secret Person", "Other Person")), scope(condition="d|<b>"))


def test_a_card_with_labels_is_valid_and_says_them(manifest, audit, counts) -> None:
    card = build_card(manifest, audit, counts=counts, humans=MADE)
    validate_card(card)
    assert card["humans"]["labels"] == 150
    assert card["humans"]["pairs"] == 83
    first, second = card["humans"]["findings"]
    assert first["judge_minus_person"]["value"] == -0.2
    assert second["judge_minus_person"] == {"refused": ALONE.reason, "n": 0}
    text = card_markdown(card)
    assert "| c | generated | 70.0 % \\[60.0, 80.0\\] | 85.0 % \\[80.0, 90.0\\] | −20.0 pp" in text
    assert "150 of 83 pairs, by 3 annotators, given blind" in text
    assert "Person" not in text
    assert "<b>" not in text
    rows = dict(card_rows(card))
    assert (
        rows["judge and humans: c, generated"]
        == "agreement 70.0 % [60.0, 80.0]; judge − person −20.0 pp [−30.0, −10.0]"
    )


@pytest.mark.parametrize("source", [{"blind": False}, {"after_results": 1}])
def test_labels_that_may_not_be_blind_are_not_called_so(source: dict[str, int]) -> None:
    made = card_humans(beside(scope(), **source))
    assert made is not None
    assert made["blind"] is False
    assert "not known to be blind" in human_rows({"humans": made}, figures=False)[0][1]


def test_labels_that_cannot_be_read_are_unknown(manifest, audit, counts) -> None:
    card = build_card(manifest, audit, counts=counts, humans=RunBesidePeople(unread="labels.sqlite: damaged"))
    validate_card(card)
    assert card["humans"] == {"unknown": "labels.sqlite: damaged"}
    assert ("human labels", "can't be read: labels.sqlite: damaged") in card_rows(card)


def test_a_card_without_labels_or_of_before_has_nothing_to_say(manifest, audit, counts) -> None:
    card = build_card(manifest, audit, counts=counts)
    assert card["humans"] is None
    del card["humans"]
    validate_card(card)
    assert human_rows(card, figures=True) == human_lines(card) == []
    assert "annotator" not in card_markdown(card)
