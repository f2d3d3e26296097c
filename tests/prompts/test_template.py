from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import ConfigError
from evenhand.prompts import PromptTemplate, available_prompts, load_prompt
from evenhand.records import LabelSet, Order, Pair

AB = LabelSet.parse("A/B")
USER = "{instruction}|{label_first}: {first}|{label_second}: {second}"


def template(user: str = USER, **fields: object) -> PromptTemplate:
    given_fields: dict[str, object] = {"name": "p", "description": "d", "source": "s", "labels": AB, **fields}
    return PromptTemplate(user=user, **given_fields)  # type: ignore[arg-type]


def pair(instruction: str = "I", a: str = "one", b: str = "two") -> Pair:
    return Pair(id="p1", instruction=instruction, response_a=a, response_b=b)


def test_order_ba_shows_response_b_first_under_the_first_label() -> None:
    assert template().render(pair(), Order.AB, AB)[0].content == "I|A: one|B: two"
    assert template().render(pair(), Order.BA, AB)[0].content == "I|A: two|B: one"


def test_braces_in_the_judged_texts_are_left_alone() -> None:
    hostile = pair("{second}", "{first} {{x}} {", "{label_first}")
    assert template().render(hostile, Order.AB, AB)[0].content == "{second}|A: {first} {{x}} {|B: {label_first}"


def test_doubled_braces_are_literal() -> None:
    rendered = template('{{"winner": "{label_first}"}} ' + USER).render(pair(), Order.AB, AB)
    assert rendered[0].content.startswith('{"winner": "A"} I|')


def test_a_system_message_comes_first() -> None:
    messages = template(system="Judge {label_first} and {label_second}.").render(pair(), Order.AB, AB)
    assert [(m.role, m.content[:14]) for m in messages] == [("system", "Judge A and B."), ("user", "I|A: one|B: tw")]


def test_tie_labels_must_fit_the_text() -> None:
    with pytest.raises(ConfigError, match="no place for one"):
        template().render(pair(), Order.AB, LabelSet.parse("A/B/C"))
    with pytest.raises(ConfigError, match="asks for a tie label"):
        template(USER + " {label_tie}").render(pair(), Order.AB, AB)


def test_labels_longer_than_the_wording_allows_are_refused() -> None:
    with pytest.raises(ConfigError, match="'Red' is longer than the 1 character"):
        load_prompt("single-character").render(pair(), Order.AB, LabelSet.parse("Red/Blue"))


def test_the_hash_is_of_the_texts_only() -> None:
    assert template(name="q", description="other").hash == template().hash
    assert template(USER + ".").hash != template().hash
    assert template(system=USER).hash != template().hash


def test_what_a_parser_must_know_of_the_answers() -> None:
    assert template().grammar(AB) is None
    hint = template(decision="scores", scale=(1, 10)).grammar(AB)
    assert hint is not None
    assert (hint.labels, hint.scale, hint.declared) == (AB, (1, 10), False)
    hint = template(decision="declared").grammar(AB)
    assert hint is not None
    assert (hint.scale, hint.declared) == (None, True)


def test_the_hash_covers_how_the_decision_is_read() -> None:
    hashes = {
        template().hash,
        template(decision="declared").hash,
        template(decision="scores", scale=(1, 10)).hash,
        template(decision="scores", scale=(1, 5)).hash,
    }
    assert len(hashes) == 4
    assert template(prefill="So").hash == template().hash  # part of a prefilled presentation alone


@pytest.mark.parametrize("fields", [{"decision": "scores"}, {"scale": (1, 10)}])
def test_a_scale_belongs_to_scores(fields: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="a scale belongs to the decision 'scores'"):
        template(**fields)


@given(st.text(), st.text(), st.text(), st.sampled_from(available_prompts()))
def test_ab_of_a_pair_is_ba_of_the_swapped_pair(instruction: str, one: str, two: str, name: str) -> None:
    prompt = load_prompt(name)
    straight = prompt.render(pair(instruction, one, two), Order.AB, prompt.labels)
    assert straight == prompt.render(pair(instruction, two, one), Order.BA, prompt.labels)
    text = straight[-1].content
    assert instruction in text
    assert one in text
    assert two in text


@given(st.text(alphabet="{}ab \n", max_size=30))
def test_any_response_is_passed_through(response: str) -> None:
    rendered = template().render(pair(a=response), Order.AB, AB)[0].content
    assert rendered == f"I|A: {response}|B: two"
