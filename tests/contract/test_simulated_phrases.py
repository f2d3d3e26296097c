"""The simulated judge recognises what the perturbations add: it may not import them, so this holds both together."""

import pytest

from evenhand.judges.simulated_cues import cues_of
from evenhand.judges.simulated_quality import qualities
from evenhand.judges.simulated_shown import shown_responses
from evenhand.perturbations.apply import apply_changes
from evenhand.perturbations.base import NotApplicable, Place
from evenhand.prompts import load_prompt
from evenhand.records import Change, LabelSet, Order, Pair, Preference

LABELS = LabelSet.parse("A/B")
PAIR = Pair(
    id="p",
    instruction="Is glass a liquid?",
    response_a="<quality:1>It is not so. Glass does not flow. The panes are old.",
    response_b="<quality:0>It is not known. The panes do not tell. They are old.",
    gold=Preference.A,
    group="one",
)
PARTNER = Pair(
    id="q",
    instruction="Two and two?",
    response_a="<quality:1>Four.",
    response_b="<quality:0>Five.",
    gold=Preference.A,
    group="two",
)


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("target", [Preference.A, Preference.B])
@pytest.mark.parametrize(
    ("factor", "level", "cue", "least"),
    [
        ("padding", "redundant", "length", 0.3),
        ("endorsement", "user", "endorsed", 1),
        ("endorsement", "expert", "endorsed", 1),
        ("endorsement", "majority", "endorsed", 1),
        ("authority", "citation", "authority", 1),
        ("authority", "credential", "authority", 1),
        ("injection", "instruction", "injected", 1),
        ("tone", "assertive", "tone", 1),
        ("tone", "hedged", "tone", -1),
        ("format", "bullets", "formatting", 0.9),
        ("format", "markdown", "formatting", 0.3),
        ("format", "code", "formatting", 0.9),
        ("register", "informal", "informal", 1),
        ("recency", "late", "late", 1),
    ],
)
def test_every_change_that_a_rule_makes_is_seen_and_points_at_its_target(factor, level, cue, least, target, order):
    change = Change(factor=factor, level=level, target=target)
    changed = apply_changes(PAIR, (change,), Place(order=order, labels=LABELS, partner=PARTNER))
    assert not isinstance(changed, NotApplicable)

    def seen(pair):
        messages = load_prompt("single-character").render(pair, order, LABELS)
        shown = shown_responses(messages, LABELS)
        worth = qualities(messages, LABELS, shown=shown, seed=0, sd=1.0, by_opening=True)
        return cues_of(shown, LABELS, family="", late=worth.late)

    toward_first = 1 if (target is Preference.A) == (order is Order.AB) else -1
    moved = toward_first * (getattr(seen(changed), cue) - getattr(seen(PAIR), cue))
    assert moved >= least if least > 0 else moved <= least
