"""One suite over every perturbation: what bias audits rely on."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import ConfigError
from evenhand.judges import simulated_cues
from evenhand.perturbations.apply import apply_changes
from evenhand.perturbations.authority import AUTHORITY_SENTENCES
from evenhand.perturbations.base import NotApplicable, Perturbation, Place
from evenhand.perturbations.endorsement import SENTENCES
from evenhand.perturbations.injection import INJECTED
from evenhand.perturbations.registry import perturbations
from evenhand.perturbations.tone import FRAMES
from evenhand.records import Change, LabelSet, Order, Pair, Preference

LEVELS = [(factor, level) for factor, one in perturbations().items() for level in one.levels]
EXACT = [(factor, level.name) for factor, level in LEVELS if level.exact]
ON_A_RESPONSE = [(factor, level) for factor, level in EXACT if factor not in ("endorsement", "recency")]
LABELS = LabelSet.parse("X/Y")
SIDES = (Preference.A, Preference.B)

# Words that rules look for, and characters that markup is made of, so that rules have something to do.
PIECES = st.sampled_from(
    [
        "It is a test.",
        "do not",
        "cannot",
        "Yes!",
        "e.g. so",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "# ",
        "> ",
        "**",
        "_",
        "`",
        "\\",
    ]
) | st.sampled_from(
    ["```\n", "| a | b |\n", "|-|-|\n", "  ", "    ", "\t", "\x00", "\ud800", "\u2028", "é", "好。", "[x](y)", "&amp;"]
)
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=12).map("".join)


def pair_of(a, b, *, instruction="Which is it?", gold=Preference.A):
    return Pair(
        id="p",
        instruction=instruction,
        response_a=a,
        response_b=b,
        gold=gold,
        source="s",
        group="g",
        author_a="m1",
        author_b="m2",
        metadata=(("why", "so"),),
    )


PARTNER = Pair(id="q", instruction="Other?", response_a="Right.", response_b="Wrong.", gold=Preference.A)
PLAIN = pair_of(
    "It is a prime number. It does not end in 5.\n\nSo it will not do.",
    "It is not one. You will see why.\n\nThey are the same.",
)
CASES = [pytest.param(factor, level, id=f"{factor}-{level}") for factor, level in EXACT]


def change_of(factor, level, target=Preference.A):
    return Change(factor=factor, level=level, target=target)


def place_of(order=Order.AB, labels=LABELS, partner=PARTNER):
    return Place(order=order, labels=labels, partner=partner)


def swapped(pair):
    return replace(
        pair,
        response_a=pair.response_b,
        response_b=pair.response_a,
        author_a=pair.author_b,
        author_b=pair.author_a,
        gold=pair.gold.swapped,
    )


def apply(pair, factor, level, target=Preference.A, **place):
    return perturbations()[factor].apply(pair, change_of(factor, level, target), place_of(**place))


def start_of(factor, level):
    """A pair to which the change can be made."""
    if (factor, level) == ("format", "plain"):
        return pair_of("# It is\n\n- a **prime**\n- number", "- Not *one*.")
    return PLAIN


class TestRegistered:
    def test_factors_and_levels_are_those_that_audits_name(self):
        assert {factor: [level.name for level in one.levels] for factor, one in perturbations().items()} == {
            "padding": ["redundant", "supplied"],
            "endorsement": ["user", "expert", "majority"],
            "authority": ["citation", "credential"],
            "injection": ["instruction"],
            "tone": ["assertive", "hedged"],
            "format": ["plain", "bullets", "markdown", "code"],
            "register": ["informal", "non-native"],
            "recency": ["late"],
        }
        assert {(factor, level.name) for factor, level in LEVELS} - set(EXACT) == {
            ("padding", "supplied"),
            ("register", "non-native"),
        }

    def test_each_is_one_and_says_what_it_does(self):
        for factor, one in perturbations().items():
            assert isinstance(one, Perturbation)
            assert one.factor == factor
            for level in one.levels:
                assert 30 <= len(level.description) <= 160
                assert level.description.endswith(".")

    def test_the_simulated_judge_knows_the_sentences(self):
        assert tuple(SENTENCES.values()) == simulated_cues._ENDORSEMENTS
        assert tuple(AUTHORITY_SENTENCES.values()) == simulated_cues._AUTHORITIES
        assert (INJECTED,) == simulated_cues._INJECTIONS
        assert (FRAMES["assertive"],) == simulated_cues._ASSERTIVE
        assert (FRAMES["hedged"],) == simulated_cues._HEDGED


@pytest.mark.parametrize(("factor", "level"), CASES)
class TestEachLevel:
    @pytest.mark.parametrize("target", SIDES)
    @pytest.mark.parametrize("order", Order)
    def test_it_changes_texts_and_nothing_else(self, factor, level, target, order):
        before = start_of(factor, level)
        after = apply(before, factor, level, target, order=order)
        texts = ("instruction", "response_a", "response_b")
        changed = {name for name in texts if getattr(after, name) != getattr(before, name)}
        own = "response_a" if target is Preference.A else "response_b"
        expected = {"endorsement": {"instruction"}, "recency": set(texts)}.get(factor, {own})
        assert changed == expected
        assert replace(after, **{name: getattr(before, name) for name in texts}) == before

    @pytest.mark.parametrize("order", Order)
    def test_target_a_is_target_b_of_the_swapped_pair(self, factor, level, order):
        pair = start_of(factor, level)
        # Swapping the responses and the order leaves each response in its slot, and so the label that is named.
        mirrored = apply(swapped(pair), factor, level, Preference.B, order=order.swapped)
        assert swapped(mirrored) == apply(pair, factor, level, Preference.A, order=order)

    def test_a_second_time_there_is_nothing_to_do(self, factor, level):
        once = apply(start_of(factor, level), factor, level)
        again = apply(once, factor, level)
        if factor == "recency":  # a conversation can be a turn of another
            assert isinstance(again, Pair)
            return
        assert isinstance(again, NotApplicable)
        assert len(again.reason) > 10

    @pytest.mark.parametrize("blank", ["", " \n"])
    def test_a_blank_text_is_not_changed(self, factor, level, blank):
        pair = pair_of(blank, "x", instruction=blank if factor == "endorsement" else "Which?")
        assert isinstance(apply(pair, factor, level), NotApplicable)

    def test_a_tie_is_no_target(self, factor, level):
        with pytest.raises(ConfigError, match="the target must be A or B"):
            apply(PLAIN, factor, level, Preference.TIE)

    @pytest.mark.timeout(120)
    @pytest.mark.parametrize("unit", ["Yes it is. ", "` ``", "x\n"])
    def test_five_megabytes_of_anything(self, factor, level, unit):
        # Quadratic time would take hours here; the limit is only there to say so.
        text = unit * (5_000_000 // len(unit))
        pair = pair_of(text, "x", instruction=text if factor == "endorsement" else "Which?")
        after = apply(pair, factor, level)
        assert isinstance(after, NotApplicable) or len(after.instruction + after.response_a) > 1_000_000


@pytest.mark.parametrize("level", [level.name for level in perturbations()["padding"].levels])
def test_an_unknown_level_is_named_with_those_that_exist(level):
    with pytest.raises(ConfigError, match=f"factor 'padding' has no level 'nothing'.*{level}"):
        apply(PLAIN, "padding", "nothing")


@pytest.mark.parametrize(("factor", "level"), [("padding", "supplied"), ("register", "non-native")])
def test_what_no_rule_makes_needs_a_rewrite(factor, level):
    assert apply(PLAIN, factor, level).reason == "no rule makes this change, and no rewrite was supplied"


@settings(deadline=None)  # the parser's import may fall into an example
@given(a=TEXTS, b=TEXTS, case=st.sampled_from(ON_A_RESPONSE), order=st.sampled_from(Order))
def test_rules_are_deterministic_and_touch_one_response(a, b, case, order):
    pair = pair_of(a, b)
    for target in SIDES:
        after = apply(pair, *case, target, order=order)
        assert after == apply(pair, *case, target, order=order.swapped)
        if isinstance(after, NotApplicable):
            continue
        other = "response_b" if target is Preference.A else "response_a"
        assert getattr(after, other) == getattr(pair, other)
        assert (after.instruction, after.gold, after.group) == (pair.instruction, pair.gold, pair.group)
        assert after != pair


@settings(deadline=None)  # the parser's import may fall into an example
@given(a=TEXTS, b=TEXTS, case=st.sampled_from(ON_A_RESPONSE))
def test_swapped_pairs_are_changed_alike(a, b, case):
    pair = pair_of(a, b)
    here, there = apply(pair, *case, Preference.A), apply(swapped(pair), *case, Preference.B)
    assert there == (here if isinstance(here, NotApplicable) else swapped(here))


@settings(deadline=None)  # the parser's import may fall into an example
@given(
    text=TEXTS.filter(str.strip),
    level=st.sampled_from(list(SENTENCES)),
    target=st.sampled_from(SIDES),
    labels=st.sampled_from(["A/B", "X/Y", "1/2", "{label}/{first}", "B/A"]).map(LabelSet.parse),
)
def test_an_endorsement_names_the_label_of_the_target_in_both_orders(text, level, target, labels):
    pair = pair_of("7", "9", instruction=text)
    ab, ba = (apply(pair, "endorsement", level, target, order=order, labels=labels) for order in Order)
    first, second = labels.first, labels.second
    in_ab, in_ba = (first, second) if target is Preference.A else (second, first)
    before, after = SENTENCES[level].split("{label}")
    assert ab.instruction == f"{text}\n\n{before}{in_ab}{after}"
    assert ba.instruction == f"{text}\n\n{before}{in_ba}{after}"


@settings(deadline=None)  # the parser's import may fall into an example
@given(a=TEXTS.filter(str.strip), case=st.sampled_from(ON_A_RESPONSE), who=st.sampled_from(list(SENTENCES)))
def test_changes_of_different_texts_can_be_made_in_any_order(a, case, who):
    pair = pair_of(a, "9")
    changes = [change_of(*case), change_of("endorsement", who)]
    assert apply_changes(pair, changes, place_of()) == apply_changes(pair, changes[::-1], place_of())
