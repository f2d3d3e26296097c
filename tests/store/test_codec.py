import math

import numpy as np
import pytest

from evenhand.errors import DataError
from evenhand.records import Completion, Message, Pair, Presentation, TokenLogProb, Usage
from evenhand.store.codec import decode, dump, encode, load


@pytest.mark.parametrize("number", [math.inf, -math.inf, 0.1 + 0.2, -0.0, 5e-324, np.float64(0.1), np.float64(-np.inf)])
def test_floats_survive_exactly(number):
    token = load(TokenLogProb, dump(TokenLogProb(text="A", logprob=number)), what="token")
    assert isinstance(token.logprob, float)
    assert math.copysign(1, token.logprob) == math.copysign(1, number)
    assert token.logprob == number


def test_nan_survives():
    assert math.isnan(load(TokenLogProb, dump(TokenLogProb(text="A", logprob=math.nan)), what="token").logprob)


def test_text_is_readable_unless_it_cannot_be_utf8():
    assert "größer 漢字 😀" in dump(Message(role="user", content="größer 漢字 😀"))
    assert dump(Message(role="user", content="größer \udcff")).isascii()


def test_high_then_low_surrogate_reads_back_as_their_character():
    assert load(Message, dump(Message(role="user", content="\ud83d\ude00")), what="m").content == "😀"


def test_a_missing_field_with_a_default_takes_it_so_that_old_runs_stay_readable():
    assert load(Completion, '{"text": "A", "finish_reason": "stop"}', what="c").usage == Usage()


@pytest.mark.parametrize(
    ("record", "text", "message"),
    [
        (Usage, "{", "thing: not JSON"),
        (Usage, "[" * 100_000, "thing: not JSON"),
        (Usage, '{"calls": ' + "9" * 5000 + "}", "thing: not JSON"),
        (Usage, "[]", "thing: expected an object, got []"),
        (Usage, '{"calls": 1, "colour": 2}', "thing: unknown field 'colour'"),
        (Usage, '{"calls": true}', "thing.calls: expected a whole number, got True"),
        (Usage, '{"calls": 1.0}', "thing.calls: expected a whole number, got 1.0"),
        (Usage, '{"calls": null}', "thing.calls: expected a whole number, got None"),
        (Usage, '{"seconds": "soon"}', "thing.seconds: expected a number, got 'soon'"),
        (Usage, '{"seconds": Infinity}', "thing.seconds: expected a number, got inf"),
        (Usage, '{"seconds": 1' + "0" * 400 + "}", "thing.seconds: expected a number, got 1000"),
        (Pair, '{"id": "1"}', "thing: field 'instruction' is missing"),
        (TokenLogProb, '{"text": 5}', "thing.text: expected a text, got 5"),
        (Completion, '{"text": null, "finish_reason": "bored"}', "thing.finish_reason: expected one of stop, length"),
        (Completion, '{"text": null, "finish_reason": "stop", "retryable": 0}', "expected true or false, got 0"),
        (Message, '{"role": "tool", "content": ""}', "thing.role: expected one of system, user, assistant, got 'tool'"),
        (Message, '{"role": ["user"], "content": ""}', "thing.role: expected one of system, user, assistant"),
        (
            Presentation,
            '{"key":"k","pair_id":"p","condition":"c","order":"AB","messages":[{"role":"user","content":3}]}',
            "thing.messages[0].content: expected a text, got 3",
        ),
        (
            Pair,
            '{"id":"1","instruction":"","response_a":"","response_b":"","metadata":[["a"]]}',
            "thing.metadata[0]: expected an array of 2, got ['a']",
        ),
        (
            Pair,
            '{"id":"1","instruction":"","response_a":"","response_b":"","metadata":"ab"}',
            "thing.metadata: expected an array, got 'ab'",
        ),
    ],
)
def test_whatever_is_wrong_is_named(record, text, message):
    with pytest.raises(DataError) as caught:
        load(record, text, what="thing")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 250


def test_a_record_that_refuses_its_values_is_a_data_error():
    from evenhand.records import Condition

    value = {"id": "c", "prompt": "p", "prompt_hash": "h", "labels": {"first": "A", "second": "A"}}
    with pytest.raises(DataError, match=r"thing\.labels: labels A/A"):
        decode(Condition, value, what="thing")


def test_what_no_record_holds_is_refused():
    with pytest.raises(TypeError, match="bytes"):
        encode((b"x",))
