"""What an endpoint takes is learned from what it refuses."""

import pytest

from evenhand.judges.openai.dialect import Dialect
from evenhand.judges.openai.faults import Fault, FaultKind
from evenhand.judges.openai.settings import read_settings
from evenhand.records import Message

CHAT = [Message(role="system", content="Be fair."), Message(role="user", content="A or B?")]


def dialect(**options):
    options = {"base_url": "http://127.0.0.1:1/v1"} | options
    return Dialect(read_settings("m", spec="openai:m", options=options, environment={"OPENAI_API_KEY": "swordfish"}))


def body(dialect, *, max_tokens=1, logprobs=True, messages=CHAT, **more):
    return dialect.body(messages, max_tokens=max_tokens, logprobs=logprobs, more=more)


def refuse(message, *, status=400, param=None):
    return Fault(kind=FaultKind.REFUSED, status=status, text=f"HTTP {status}: {message}", param=param)


def test_a_request():
    assert body(dialect(), max_tokens=7) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be fair."}, {"role": "user", "content": "A or B?"}],
        "max_tokens": 7,
        "temperature": 0,
        "logprobs": True,
        "top_logprobs": 20,
    }
    plain = body(dialect(), logprobs=False, grammar="g")
    assert plain.keys() == {"model", "messages", "max_tokens", "temperature", "grammar"}


def test_options_enter_the_request():
    asked = body(dialect(seed=3, reasoning_effort="low", extra_body='{"top_p": 1}', temperature="omit", top_logprobs=5))
    assert (asked["seed"], asked["reasoning_effort"], asked["top_p"], asked["top_logprobs"]) == (3, "low", 1, 5)
    assert "temperature" not in asked


def test_openai_itself_takes_the_newer_limit():
    assert "max_completion_tokens" in body(dialect(base_url="https://api.openai.com/v1"))
    assert "max_tokens" in body(dialect(base_url="https://api.openai.com/v1", max_tokens_field="max_tokens"))


def test_the_system_role_can_be_merged():
    asked = body(dialect(system_role="merge"))
    assert asked["messages"] == [{"role": "user", "content": "Be fair.\n\nA or B?"}]
    only = body(dialect(system_role="merge"), messages=CHAT[:1])
    assert only["messages"] == [{"role": "user", "content": "Be fair."}]


def test_lone_surrogates_become_the_replacement_character():
    asked = body(dialect(), messages=[Message(role="user", content="\ud800x\udfff \U0001f984 \0")])
    assert asked["messages"][0]["content"] == "\ufffdx\ufffd \U0001f984 \0"


@pytest.mark.parametrize(
    ("message", "caps"),
    [
        ("Invalid value for 'top_logprobs': must be less than or equal to 5", [5]),
        ("top_logprobs must be between 0 and 5.", [5]),
        ("top_logprobs: Input should be less than or equal to 11", [11]),
        ("top_logprobs out of range", [5, 1, None]),
        ("Requested sample logprobs of 20, which is greater than max allowed: 10", [10]),
    ],
)
def test_a_cap_is_stepped_down_to(message, caps):
    endpoint = dialect()
    for cap in caps:
        sent = body(endpoint)
        assert endpoint.learn(refuse(message), sent)
        assert body(endpoint).get("top_logprobs") == cap
        assert body(endpoint)["logprobs"] is True
    assert endpoint.notes(logprobs=True) == [f"endpoint caps top_logprobs at {caps[-1] or 0}"]
    assert endpoint.notes(logprobs=False) == []


@pytest.mark.parametrize(
    "message",
    [
        "You are not allowed to request logprobs from this model.",
        "logprobs is not supported by this model",
        "Unknown parameter: 'logprobs'",
        "This model does not support logprobs.",
        "Argument not supported on this model: logprobs",
    ],
)
def test_a_refusal_of_log_probabilities_is_remembered_with_its_words(message):
    endpoint = dialect()
    assert endpoint.learn(refuse(message), body(endpoint))
    assert "logprobs" not in body(endpoint)
    assert endpoint.notes(logprobs=True) == [f"endpoint refuses logprobs: HTTP 400: {message}"]
    assert not endpoint.learn(refuse(message), body(endpoint))


def test_top_logprobs_alone_may_be_unknown():
    endpoint = dialect()
    assert endpoint.learn(refuse("Unrecognized request argument: top_logprobs", status=422), body(endpoint))
    assert body(endpoint)["logprobs"] is True
    assert "top_logprobs" not in body(endpoint)
    assert endpoint.learn(refuse("Unrecognized request argument: logprobs"), body(endpoint))
    assert "logprobs" not in body(endpoint)


def test_several_requests_with_the_same_refusal_learn_once():
    endpoint = dialect()
    first = second = body(endpoint)
    assert endpoint.learn(refuse("top_logprobs out of range"), first)
    assert endpoint.learn(refuse("top_logprobs out of range"), second)
    assert endpoint.top_logprobs == 5
    assert endpoint.learn(refuse("top_logprobs out of range"), body(endpoint))
    # A late refusal of what isn't sent any more.
    assert endpoint.learn(refuse("top_logprobs out of range"), first)
    assert endpoint.top_logprobs == 1


@pytest.mark.parametrize(
    "message",
    [
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "unknown field max_tokens",
    ],
)
def test_the_name_of_the_limit_is_switched_once(message):
    endpoint = dialect()
    assert endpoint.learn(refuse(message), body(endpoint))
    assert "max_completion_tokens" in body(endpoint)
    assert endpoint.learn(refuse(message), {"max_tokens": 1})
    assert not endpoint.learn(refuse(message.replace("max_tokens", "max_completion_tokens")), body(endpoint))
    pinned = dialect(max_tokens_field="max_tokens")
    assert not pinned.learn(refuse(message), body(pinned))


@pytest.mark.parametrize(
    ("message", "fewest"),
    [
        ("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.", 16),
        ("max_tokens must be at least 4", 4),
        ("max_completion_tokens is too small", 16),
    ],
)
def test_a_least_limit_is_learned(message, fewest):
    endpoint = dialect()
    assert endpoint.learn(refuse(message), body(endpoint))
    assert body(endpoint)["max_tokens"] == fewest
    assert body(endpoint, max_tokens=500)["max_tokens"] == 500


@pytest.mark.parametrize(
    "fault",
    [
        refuse("This model's maximum context length is 8192 tokens, however you requested 9000"),
        refuse("max_tokens is too large: 99999. This model supports at most 4096 completion tokens"),
        refuse("'temperature' does not support 0 with this model"),
        refuse("logprobs", status=413),
    ],
)
def test_nothing_else_is_adapted(fault):
    endpoint = dialect()
    sent = body(endpoint, max_tokens=99999)
    assert not endpoint.learn(fault, sent)
    assert body(endpoint, max_tokens=99999) == sent
