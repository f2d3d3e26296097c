"""The key shows nowhere."""

import pytest

from evenhand.errors import ConfigError
from evenhand.judges.openai.key import ApiKey, read_key


def read(environment, *, loopback=False):
    return read_key(environment, "MY_KEY", loopback=loopback, endpoint="api.example")


def test_a_key_is_taken_from_the_environment_and_hidden():
    key = read({"MY_KEY": " swordfish/1 \n"})
    assert key.reveal() == "swordfish/1"
    assert "swordfish" not in f"{key!r} {key} {[key]}"


@pytest.mark.parametrize("form", ["swordfish/1", "swordfish%2F1"])
def test_a_server_that_repeats_it_is_scrubbed(form):
    assert ApiKey("swordfish/1").scrub(f"bad key {form}!") == "bad key [key]!"


def test_what_looks_like_a_key_is_scrubbed_too():
    said = "Incorrect API key provided: sk-proj-abc***xyz. Authorization: Bearer abcdefgh12"
    assert ApiKey("other").scrub(said) == "Incorrect API key provided: [key]. Authorization: Bearer [key]"
    assert ApiKey("other").scrub("a task-list of risk-averse people") == "a task-list of risk-averse people"


def test_only_a_server_on_this_machine_does_without():
    assert read({}, loopback=True).reveal() == "none"
    assert read({}, loopback=True).scrub("none of it") == "none of it"
    with pytest.raises(ConfigError, match=r"no key for api\.example: set the environment variable MY_KEY"):
        read({"MY_KEY": "  "})


@pytest.mark.parametrize("value", ["two words", "nül", "a\x1bb"])
def test_a_key_that_no_header_carries_is_refused_without_repeating_it(value):
    with pytest.raises(ConfigError) as caught:
        read({"MY_KEY": value})
    assert value not in str(caught.value)


def test_it_is_taken_out_of_an_answer_too():
    key = ApiKey("swordfish-0123456789")
    said = {"model": "m swordfish-0123456789", "choices": [{"index": 0, "swordfish-0123456789": None}]}
    assert key.hidden_in(said) == {"model": "m [key]", "choices": [{"index": 0, "[key]": None}]}
    # A placeholder may be a word of the answer, even a label.
    assert ApiKey("A").hidden_in({"content": "A"}) == {"content": "A"}
