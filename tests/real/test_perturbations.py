"""Every rule on models' real responses, long ones with Markdown and formulas (JudgeBench) and short ones (LLMBar)."""

import re
from collections import Counter

import pytest

from evenhand.datasets import load_pairs
from evenhand.perturbations.base import NotApplicable, Place
from evenhand.perturbations.formulas import mask
from evenhand.perturbations.markup import words_of
from evenhand.perturbations.prose import parts_of
from evenhand.perturbations.recency import partner_of
from evenhand.perturbations.registry import perturbations
from evenhand.records import Change, LabelSet, Order, Preference
from real.log_data import SHARED, needs, real

FILES = real("judgebench/dataset=*.jsonl", "llmbar/pairs/*/dataset.json")
pytestmark = [pytest.mark.real, needs(FILES, "JudgeBench and LLMBar")]

SPECS = {"judgebench": "judgebench:{}/data/judgebench", "llmbar": "llmbar:{}/data/llmbar/pairs"}
LABELS = LabelSet.parse("A/B")

# Of the responses, at least so many can be changed: a rule that does nothing to real texts measures nothing.
SHARES = {
    ("padding", "redundant"): {"judgebench": 0.99, "llmbar": 0.99},
    ("authority", "citation"): {"judgebench": 0.99, "llmbar": 0.99},
    ("injection", "instruction"): {"judgebench": 0.99, "llmbar": 0.99},
    ("tone", "hedged"): {"judgebench": 0.99, "llmbar": 0.99},
    ("format", "plain"): {"judgebench": 0.5, "llmbar": 0.03},
    ("format", "bullets"): {"judgebench": 0.2, "llmbar": 0.8},
    ("format", "markdown"): {"judgebench": 0.2, "llmbar": 0.9},
    ("register", "informal"): {"judgebench": 0.35, "llmbar": 0.15},
}


@pytest.fixture(scope="module", params=sorted(SPECS))
def data(request):
    return request.param, load_pairs(SPECS[request.param].format(SHARED))


@pytest.mark.parametrize(("factor", "level"), SHARES)
def test_most_real_responses_can_be_changed_and_keep_their_content(data, factor, level):
    name, pairs = data
    place = Place(order=Order.AB, labels=LABELS)
    changed = 0
    for pair in pairs:
        shown = perturbations()[factor].apply(pair, Change(factor=factor, level=level, target=Preference.B), place)
        if isinstance(shown, NotApplicable):
            continue
        changed += 1
        before, after = pair.response_b, shown.response_b
        if factor == "format":
            assert words_of(after) == words_of(before)
            assert Counter(mask(after).formulas) == Counter(mask(before).formulas)
        elif factor == "register":
            assert len(after) < len(before)
            assert re.sub(r"[\w'’\s]", "", after) == re.sub(r"[\w'’\s]", "", before)
        else:
            assert after.startswith(before.rstrip())
        code = [part.text.rstrip() for part in parts_of(before) if part.code]
        assert code == [part.text.rstrip() for part in parts_of(after) if part.code] or factor == "format"
    assert changed / len(pairs) >= SHARES[factor, level][name]


def test_padded_responses_are_one_and_a_half_to_two_times_as_long(data):
    _, pairs = data
    place = Place(order=Order.AB, labels=LABELS)
    change = Change(factor="padding", level="redundant", target=Preference.A)
    factors = []
    for pair in pairs:
        shown = perturbations()["padding"].apply(pair, change, place)
        if len(pair.response_a) > 200 and not isinstance(shown, NotApplicable):
            factors.append(len(shown.response_a) / len(pair.response_a))
    assert sum(1.5 <= factor <= 2.02 for factor in factors) >= 0.9 * len(factors) > 50


def test_partners_ask_another_question(data):
    _, pairs = data
    partners = partner_of(pairs)
    assert len(partners) == len(pairs)
    assert all(partners[pair.id].instruction != pair.instruction for pair in pairs)
    assert max(Counter(partner.id for partner in partners.values()).values()) <= 4
