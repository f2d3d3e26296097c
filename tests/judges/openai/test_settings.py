"""Options, endpoint and identity of an API judge."""

import traceback

import pytest

from evenhand.errors import ConfigError
from evenhand.judges.openai.settings import OPTIONS, read_endpoint, read_settings

ENVIRONMENT = {"OPENAI_API_KEY": "swordfish-1"}


def settings(environment=None, **options):
    return read_settings("m", spec="openai:m", options=options, environment=environment or ENVIRONMENT)


def test_options_are_read_from_text_and_values_alike():
    text = settings(concurrency="4", timeout="2.5", seed="7", extra_body='{"b": 1, "a": 2}', constrain="choice")
    typed = settings(concurrency=4, timeout=2.5, seed=7, extra_body='{"a": 2, "b": 1}', constrain="choice")
    assert text.identity == typed.identity
    assert (text.concurrency, text.timeout, text.seed) == (4, 2.5, 7)
    assert all(option.help for option in OPTIONS.values())


def test_for_estimates_alone_no_key_is_needed_but_a_bad_one_is_refused():
    def read(environment, **options):
        return read_settings("m", spec="openai:m", options=options, environment=environment, asking=False)

    assert read({}).no_key_in == "OPENAI_API_KEY"
    assert read({"OPENAI_API_KEY": " "}, api_key_env="OTHER").no_key_in == "OTHER"
    assert read(ENVIRONMENT).no_key_in is None
    assert read({}, base_url="http://127.0.0.1:1/v1").no_key_in is None
    assert read({}).identity == read(ENVIRONMENT).identity == settings().identity
    with pytest.raises(ConfigError, match="no usable key"):
        read({"OPENAI_API_KEY": "two words"})


def test_the_endpoint_is_the_option_then_the_environment_then_openai():
    there = ENVIRONMENT | {"OPENAI_BASE_URL": "http://there/v1"}
    assert settings(there, base_url="http://here/v1").endpoint.url == "http://here/v1"
    assert settings(there).endpoint.url == "http://there/v1"
    assert settings().endpoint.url == "https://api.openai.com/v1"
    assert settings().endpoint.is_openai
    assert not settings(there).endpoint.is_openai


def test_the_identity_holds_what_can_change_an_answer_and_no_key():
    plain = settings()
    assert plain.identity.model == "m"
    assert plain.identity.engine == "OpenAI-compatible (api.openai.com)"
    assert dict(plain.identity.settings) == {
        "endpoint": "https://api.openai.com/v1",
        "top_logprobs": "20",
        "constrain": "auto",
        "system_role": "on",
    }
    for changed in (
        settings(top_logprobs=5),
        settings(constrain="grammar"),
        settings(system_role="merge"),
        settings(seed=1),
        settings(temperature="omit"),
        settings(reasoning_effort="low"),
        settings(extra_body='{"top_p": 0.5}'),
        settings(max_tokens_field="max_tokens"),
        settings(base_url="https://other/v1"),
    ):
        assert changed.identity != plain.identity
    for same in (
        settings(concurrency=1),
        settings(timeout=5),
        settings(retry_budget=0),
        settings(retries_per_request=0),
    ):
        assert same.identity == plain.identity
    assert "swordfish" not in f"{plain!r} {plain.identity!r}"


@pytest.mark.parametrize(
    ("url", "host", "loopback"),
    [
        ("http://127.0.0.1:8080/v1/", "127.0.0.1:8080", True),
        ("http://[::1]:8000/v1", "[::1]:8000", True),
        ("http://LOCALHOST/v1", "localhost", True),
        ("https://api.example.org/openai/v1", "api.example.org", False),
        ("http://localhost.example.org/v1", "localhost.example.org", False),
    ],
)
def test_addresses(url, host, loopback):
    endpoint = read_endpoint(url)
    assert (endpoint.host, endpoint.loopback) == (host, loopback)
    assert endpoint.url.endswith("/v1")


@pytest.mark.parametrize(
    "url",
    [
        "https://me:hunter2@api.example/v1",
        "https://hunter2@api.example/v1",
        "https://api.example/v1?key=hunter2",
        "https://api.example/v1#hunter2",
        "ftp://hunter2/",
        "hunter2",
        "http://[hunter2/v1",
        "http://a:hunter2/v1",
        "",
    ],
)
def test_an_address_with_secrets_or_none_at_all_is_refused_and_not_repeated(url):
    with pytest.raises(ConfigError, match="base_url") as caught:
        read_endpoint(url)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value)[-1:])
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"api_key": "x"}, "has no option 'api_key'"),
        ({"api_key_env": "sk-abc-swordfish"}, "name of an environment variable"),
        ({"extra_body": "{"}, "not JSON"),
        ({"extra_body": "[1]"}, "a JSON object"),
        ({"extra_body": '{"temperature": 1, "n": 2}'}, "must not set n, temperature"),
        ({"concurrency": 0}, "at least 1"),
        ({"timeout": "0"}, "at least"),
        ({"constrain": "prayer"}, "expected auto, response_format"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ConfigError, match=message) as caught:
        settings(**options)
    assert "swordfish" not in str(caught.value)


def test_no_model():
    with pytest.raises(ConfigError, match="openai:MODEL"):
        read_settings(" ", spec="openai: ", options={}, environment=ENVIRONMENT)


@pytest.mark.parametrize(
    "options",
    [
        {"extra_body": '{"a": NaN}'},
        {"extra_body": '{"a": 1e999}'},
        {"extra_body": '{"a": "\\ud800"}'},
        {"extra_body": '{"a": ' + "[" * 50_000 + "]" * 50_000 + "}"},
        {"reasoning_effort": "\udcff"},
        {"base_url": "http://a..b/v1"},
        {"base_url": f"http://{'a' * 70}.example/v1"},
    ],
)
def test_what_could_not_be_sent_is_refused_at_once(options):
    with pytest.raises(ConfigError):
        read_settings(
            "m",
            spec="openai:m",
            options={"base_url": "http://127.0.0.1:1/v1"} | options,
            environment={"OPENAI_API_KEY": "k"},
        )


def test_a_model_that_is_no_text_is_refused():
    with pytest.raises(ConfigError, match="can't be sent"):
        read_settings("m\udcff", spec="openai:m", options={}, environment={"OPENAI_API_KEY": "k"})


@pytest.mark.parametrize("name", ["base_url", "api_key_env"])
def test_an_empty_option_is_not_taken_for_one_left_out(name):
    # OpenAI would be asked instead, or another's endpoint be given OpenAI's key.
    with pytest.raises(ConfigError, match=name):
        read_settings("m", spec="openai:m", options={name: ""}, environment={"OPENAI_API_KEY": "k"})
