import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.audits.bias.families import FAMILY_RULES, family_of


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("GPT-4", "OpenAI"),
        ("chatgpt", "OpenAI"),
        ("text-davinci-003", "OpenAI"),
        ("gpt4all-13b", "Nomic"),
        ("gpt-j-6b", "EleutherAI"),
        ("o1-mini", "OpenAI"),
        ("PaLM2", "Google"),
        ("google/gemma-2-9b-it", "Google"),
        ("transformers:meta-llama/Llama-3.1-8B-Instruct", "Meta"),
        ("llamacpp:smollm2-135m", "Hugging Face"),
        ("o10-model", "o10-model"),
        ("commander-7b", "commander-7b"),
        ("human", "human"),
    ],
)
def test_well_known_names(name, family):
    assert family_of(name) == family


def test_the_users_families_go_first():
    assert family_of("vicuna-13b", {"vicuna-13b": "Meta"}) == "Meta"
    assert family_of("vicuna-7b", {"vicuna-13b": "Meta"}) == "LMSYS"


def test_rules_are_sorted_small_letters():
    assert list(FAMILY_RULES) == sorted(FAMILY_RULES)
    assert all(rule == rule.lower() for rule in FAMILY_RULES)


@given(st.text(max_size=40))
def test_any_name_has_a_family(name):
    assert isinstance(family_of(name), str)
    assert family_of(name) == family_of(name, {})
