"""What an estimate takes for granted."""

import pytest

from evenhand.judges.base import JudgeRequest
from evenhand.judges.openai.presumed import presumed_of
from evenhand.judges.openai.settings import read_settings
from evenhand.records import LabelSet, Message


def settings(**options):
    return read_settings("m", spec="openai:m", options=options, environment={}, asking=False)


def ask(**more):
    return JudgeRequest(messages=(Message(role="user", content="x"),), labels=LabelSet.parse("A/B"), **more)


def test_nothing_to_ask_presumes_nothing():
    assert presumed_of(settings(), [], why="") == ()


def test_who_answers_and_why_that_is_not_known():
    [who] = presumed_of(settings(), [ask(first_token=False)], why="it was not asked")
    assert who == "api.openai.com answers, has the model 'm' and takes the key (it was not asked)"
    [here] = presumed_of(settings(base_url="http://127.0.0.1:1/v1"), [ask(first_token=False)], why="so")
    assert here == "127.0.0.1:1 answers, has the model 'm' (so)"


@pytest.mark.parametrize(
    ("more", "options", "said"),
    [
        ({}, {}, ["log probabilities"]),
        ({"prefill": "So: "}, {}, ["log probabilities", "of others the prefilled readout is refused"]),
        ({"prefill": "So: "}, {"prefill": "on"}, ["log probabilities", "(prefill=on)"]),
        ({"constrained": True}, {}, ["log probabilities", "by its own means"]),
        ({"constrained": True}, {"constrain": "grammar"}, ["log probabilities", "by grammar"]),
    ],
)
def test_each_ability_that_a_request_needs(more, options, said):
    sentences = presumed_of(settings(**options), [ask(**more)], why="so")[1:]
    assert len(sentences) == len(said)
    assert all(part in sentence for part, sentence in zip(said, sentences, strict=True))
