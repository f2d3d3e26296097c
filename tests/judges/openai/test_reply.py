"""One response, read."""

import pytest

from evenhand.judges.openai.first import read_first
from evenhand.judges.openai.reply import read_reply
from evenhand.records import FinishReason, LabelSet
from judges.openai.faulty import chat, entry, top

LABELS = LabelSet.parse("A/B")


def test_an_answer():
    reply = read_reply(chat("A is better.", usage=(31, 4)))
    assert (reply.text, reply.finish_reason, reply.notes, reply.problem) == (
        "A is better.",
        FinishReason.STOP,
        (),
        None,
    )
    assert reply.served == "served-1 (fp_1)"
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens) == (31, 4, None)
    assert reply.position.written.text == "A"


@pytest.mark.parametrize(
    ("given", "reason", "note"),
    [
        ("stop", FinishReason.STOP, None),
        ("length", FinishReason.LENGTH, None),
        ("content_filter", FinishReason.FILTERED, "content_filter"),
        ("tool_calls", FinishReason.UNKNOWN, "tool"),
        ("function_call", FinishReason.UNKNOWN, "tool"),
        ("eos_found\x1b", FinishReason.UNKNOWN, "'eos_found' is unknown"),
        (None, FinishReason.UNKNOWN, "'None' is unknown"),
        (["stop"], FinishReason.UNKNOWN, "is unknown"),
    ],
)
def test_finish_reasons(given, reason, note):
    reply = read_reply(chat(finish=given))
    assert reply.finish_reason is reason
    assert (note is None) is (reply.notes == ())
    assert note is None or note in reply.notes[0]


def test_a_refusal():
    reply = read_reply(chat(None, message={"refusal": "I can't\nhelp."}))
    assert reply.finish_reason is FinishReason.FILTERED
    assert "the API marked a refusal: I can't help." in reply.notes


def test_null_content_and_content_in_parts():
    empty = read_reply(chat(None))
    assert (empty.text, empty.finish_reason) == ("", FinishReason.STOP)
    assert empty.notes == ("the endpoint returned null content",)
    assert (
        read_reply(chat([{"type": "text", "text": "A is"}, {"type": "text", "text": " it"}], position={})).text
        == "A is it"
    )
    odd = read_reply(chat({"a": 1}, position={}))
    assert (odd.text, odd.notes) == ("", ("the endpoint returned content that is no text",))


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_apart_takes_the_first_position(name):
    reply = read_reply(chat("A", message={name: "Hmm, A."}))
    assert reply.text == "A"
    assert reply.notes == ("reasoning of 7 characters was returned apart and is not part of the text",)
    found = read_first(reply.position, text=reply.text, labels=LABELS)
    assert found.first is None
    assert "reasoning's" in found.note


def test_thinking_in_the_text_stays_there():
    reply = read_reply(chat("<think>\nA?</think>B", position=top(**{"<think>": 0.9, "A": 0.1})))
    assert reply.text == "<think>\nA?</think>B"
    assert read_first(reply.position, text=reply.text, labels=LABELS).first.argmax.text == "<think>"


@pytest.mark.parametrize("choices", [[], None, "x", [{}], [{"message": None}], [3]])
def test_no_choice_is_no_answer(choices):
    reply = read_reply(chat() | {"choices": choices})
    assert reply.problem
    assert reply.finish_reason is FinishReason.ERROR
    assert reply.prompt_tokens == 10


def test_what_the_turn_began_with_is_taken_off_where_it_is_repeated():
    begun = "The better response is"
    assert read_reply(chat(f"{begun} A.", position=top(_A=0.9)), prefill=begun).text == " A."
    assert read_reply(chat(" A.", position=top(_A=0.9)), prefill=begun).text == " A."
    assert read_reply(chat(f"{begun} A.", position=None, finish="stop"), prefill=begun).text.endswith("A.")
    # The judge wrote it once more itself: its first token shows it.
    own = read_reply(chat(f"{begun} A.", position=top(The=0.9)), prefill=begun)
    assert own.text == f"{begun} A."


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (None, (None, None, None)),
        ({"prompt_tokens": "9", "completion_tokens": True}, (None, None, None)),
        ({"prompt_tokens": 9, "completion_tokens": -1, "prompt_tokens_details": {"cached_tokens": 4}}, (9, None, 4)),
    ],
)
def test_usage_as_far_as_it_is_told(usage, counts):
    reply = read_reply(chat() | {"usage": usage})
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens) == counts


def test_who_served():
    assert read_reply(chat() | {"system_fingerprint": None}).served == "served-1"
    assert read_reply(chat() | {"model": None}).served == "fp_1"
    assert read_reply(chat() | {"model": None, "system_fingerprint": 3}).served is None
    assert entry("A", -1.0)["bytes"] == [65]


def test_a_count_that_no_call_has_is_not_told():
    assert read_reply(chat("A", usage=(10**400, 3))).prompt_tokens is None
    assert read_reply(chat("A", usage=(-1, 2**63))).completion_tokens is None
