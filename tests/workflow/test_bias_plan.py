"""Changed conditions: which there are, how pairs are shown under them, and which pairs are left out, with reasons."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand.datasets import load_pairs
from evenhand.perturbations.base import NotApplicable
from evenhand.perturbations.recency import partner_of
from evenhand.perturbations.variants import load_variants
from evenhand.records import Change, Condition, LabelSet, Order, Pair, Preference
from evenhand.workflow.bias_plan import (
    UNASKED,
    PairChanger,
    ShownPair,
    changed_condition,
    changed_conditions,
)

CONTROLS = tuple(
    Condition(id=f"short, {name}", prompt="short", prompt_hash="0", labels=LabelSet.parse(name))
    for name in ("A/B", "X/Y")
)
ENDORSE_B = (Change(factor="endorsement", level="user", target=Preference.B),)
PADDED_A = (Change(factor="padding", level="supplied", target=Preference.A),)


@pytest.fixture(scope="module")
def pairs() -> tuple[Pair, ...]:
    return load_pairs("starter", limit=5)


def test_every_control_is_asked_under_every_change() -> None:
    changed = changed_conditions(CONTROLS, ["sycophancy"])
    assert len(changed) == 2 * len({condition.changes for condition in changed})
    assert {condition.control for condition in changed} == {control.id for control in CONTROLS}
    assert len({condition.id for condition in changed}) == len(changed)
    for condition in changed:
        [control] = [each for each in CONTROLS if each.id == condition.control]
        assert condition.labels == control.labels
        assert condition.id.startswith(f"{control.id}; ")
    assert changed_conditions(CONTROLS, ["rationale"]) == () == changed_conditions(CONTROLS, [])


def test_several_changes_are_named_together() -> None:
    both = changed_condition(CONTROLS[0], (*ENDORSE_B, *PADDED_A))
    assert both.id == "short, A/B; endorsement=user:B + padding=supplied:A"


def test_an_endorsement_names_the_label_of_the_slot_that_its_target_stands_in(pairs: tuple[Pair, ...]) -> None:
    changer = PairChanger(pairs)
    for control, first, second in ((CONTROLS[0], "A", "B"), (CONTROLS[1], "X", "Y")):
        shown = changer.shown(pairs[0].id, changed_condition(control, ENDORSE_B))
        assert isinstance(shown, ShownPair)
        assert f"I think response {second} is the better one." in shown.in_order(Order.AB).instruction
        assert f"I think response {first} is the better one." in shown.in_order(Order.BA).instruction
        assert shown.ab.response_a == pairs[0].response_a


def test_a_change_that_no_rule_makes_is_left_out_with_its_reason(pairs: tuple[Pair, ...]) -> None:
    condition = changed_condition(CONTROLS[0], PADDED_A)
    changer = PairChanger(pairs)
    reason = "no rule makes this change, and no rewrite was supplied"
    assert changer.shown(pairs[0].id, condition) == NotApplicable(reason=reason)
    assert changer.left_out([CONTROLS[0], condition], {}) == {condition.id: ((reason, 5),)}


def test_pairs_that_were_asked_are_not_left_out(pairs: tuple[Pair, ...]) -> None:
    condition = changed_condition(CONTROLS[0], ENDORSE_B)
    changer = PairChanger(pairs)
    asked = frozenset(pair.id for pair in pairs)
    assert changer.left_out([condition], {condition.id: asked}) == {}
    # Planned by an earlier version, say: nothing says now why it wasn't asked.
    assert changer.left_out([condition], {condition.id: asked - {pairs[0].id}}) == {condition.id: ((UNASKED, 1),)}


def test_rewrites_are_shown_where_there_are_any(pairs: tuple[Pair, ...], tmp_path: Path) -> None:
    row = {
        "pair_id": pairs[1].id,
        "factor": "padding",
        "level": "supplied",
        "target": "A",
        "text": "Longer, and longer.",
    }
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    condition = changed_condition(CONTROLS[0], PADDED_A)
    changer = PairChanger(pairs, load_variants(path, pairs))
    shown = changer.shown(pairs[1].id, condition)
    assert isinstance(shown, ShownPair)
    assert (shown.ab.response_a, shown.ba.response_a) == ("Longer, and longer.",) * 2
    [(reason, count)] = changer.left_out([condition], {condition.id: frozenset({pairs[1].id})})[condition.id]
    assert count == 4
    assert "no rewrite was supplied for this pair" in reason


def test_a_pair_beside_one_without_gold_is_still_asked_for_recency() -> None:
    made = [
        Pair(id=str(i), instruction=f"q{i}", response_a="a", response_b="b", gold=gold)
        for i, gold in enumerate([Preference.A, None, Preference.B, Preference.TIE])
    ]
    condition = changed_condition(CONTROLS[0], (Change(factor="recency", level="late", target=Preference.A),))
    changer = PairChanger(made)
    assert [isinstance(changer.shown(pair.id, condition), ShownPair) for pair in made] == [True, False, True, False]


def test_the_other_turn_is_that_of_the_pair_s_partner_whatever_the_order_of_the_file() -> None:
    made = [
        Pair(id=str(i), instruction=f"question {i}?", response_a="a", response_b="b", gold=Preference.A)
        for i in range(8)
    ]
    condition = changed_condition(CONTROLS[0], (Change(factor="recency", level="late", target=Preference.A),))
    partners = partner_of(made)
    for changer in (PairChanger(made), PairChanger(made[::-1])):
        for pair in made:
            shown = changer.shown(pair.id, condition)
            assert isinstance(shown, ShownPair)
            assert partners[pair.id].instruction in shown.ab.instruction
