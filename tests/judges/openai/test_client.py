"""One call through the SDK to a real loopback server: an object, or one stated fault without the key."""

import asyncio
import json
import logging
import socket

import pytest

from evenhand.errors import ConfigError
from evenhand.judges.openai.client import ApiClient
from evenhand.judges.openai.faults import ApiFault, FaultKind
from evenhand.judges.openai.settings import read_settings
from judges.openai.faulty import KEY, Cut, Drop, FaultyServer, Hang, Say, Trickle, chat, refused

BODY = {"model": "m", "messages": [{"role": "user", "content": "x"}]}


def call(url, *, timeout=10.0, work=lambda client: client.chat(BODY)):
    settings = read_settings(
        "m", spec="openai:m", options={"base_url": url, "timeout": timeout}, environment={"OPENAI_API_KEY": KEY}
    )

    async def once():
        client = ApiClient(settings, wall=lambda: 0.0)
        try:
            return await work(client)
        finally:
            await client.close()

    return asyncio.run(once())


def fault(action, **more):
    with FaultyServer(lambda body, attempt: action) as server, pytest.raises(ApiFault) as caught:
        call(server.url, **more)
    assert KEY not in str(caught.value) + repr(caught.value.fault)
    chain = caught.value
    while chain is not None:
        assert KEY not in repr(vars(chain))
        assert not hasattr(chain, "request")
        chain = chain.__cause__ or chain.__context__
    return caught.value.fault


def test_an_answer_with_the_key_in_the_header_only():
    with FaultyServer(lambda body, attempt: Say(chat("B"))) as server:
        assert call(server.url)["choices"][0]["message"]["content"] == "B"
        assert call(server.url, work=lambda client: client.get("/models"))["data"]
        root = server.url.removesuffix("/v1")
        with pytest.raises(ApiFault, match="HTTP 404"):
            call(server.url, work=lambda client: client.post(f"{root}/tokenize", {}))
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.seen == [BODY]
    assert ("POST", "/tokenize") in server.got


@pytest.mark.parametrize(
    ("action", "kind", "text"),
    [
        (Say(b"<html><title>Oops</title></html>"), FaultKind.AGAIN, r"no JSON object: an HTML page \(Oops\)"),
        (Say(b'{"choices": [{"mess'), FaultKind.AGAIN, "no JSON object"),
        (Say(b""), FaultKind.AGAIN, "no JSON object: nothing"),
        (Say({"error": {"message": "upstream", "code": 503}}), FaultKind.AGAIN, "HTTP 503: upstream"),
        (Say(b"<html>", 502), FaultKind.AGAIN, "HTTP 502: an HTML page"),
        (Cut(chat()), FaultKind.AGAIN, "connection broke"),
        (Drop(), FaultKind.AGAIN, "connection broke"),
        (Say(b"\x1f\x8bno", headers={"content-encoding": "gzip"}), FaultKind.AGAIN, "though asked for plain"),
        (refused("too long"), FaultKind.REFUSED, "HTTP 400: too long"),
        (refused("no such model", 404), FaultKind.JUDGE, "HTTP 404: no such model"),
        (refused(f"Incorrect API key provided: {KEY}", 401), FaultKind.JUDGE, r"HTTP 401: .*provided: \[key\]"),
        (Say(None, 307, {"location": "https://elsewhere/v1"}), FaultKind.JUDGE, "redirects to https://elsewhere/v1"),
    ],
)
def test_faults(action, kind, text):
    found = fault(action)
    assert found.kind is kind
    with pytest.raises(AssertionError, match=text):
        raise AssertionError(found.text)


@pytest.mark.parametrize("action", [Hang(), Trickle(chat(), pause=0.01)])
def test_the_time_limit_is_on_the_whole_call(action):
    found = fault(action, timeout=0.2)
    assert (found.kind, found.text) == (FaultKind.AGAIN, "no answer within 0.2 s")


def test_a_slow_body_that_comes_in_time_is_an_answer():
    with FaultyServer(lambda body, attempt: Trickle({"choices": []}, pause=0.001)) as server:
        assert call(server.url) == {"choices": []}


def test_nobody_there():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(ApiFault, match=f"127.0.0.1:{port} can't be reached") as caught:
        call(f"http://127.0.0.1:{port}/v1")
    assert caught.value.fault.kind is FaultKind.UNREACHABLE


def test_how_long_to_wait_is_handed_on():
    said = Say({"error": {"message": "slow down"}}, 429, {"retry-after": "12"})
    found = fault(said)
    assert (found.wait, found.slow_down, found.status) == (12.0, True, 429)


def test_loopback_goes_past_any_proxy(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with FaultyServer(lambda body, attempt: Say(chat("B"))) as server:
        assert call(server.url)["choices"]
    with pytest.raises(ApiFault, match="can't be reached"):
        call("http://api.example.invalid/v1")


def test_nobody_else_learns_the_organisation(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-mine")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "admin-mine")
    with FaultyServer(lambda body, attempt: Say(chat("B"))) as server:
        call(server.url)
    assert "mine" not in repr(server.headers)


def test_no_key_in_the_log(caplog):
    with caplog.at_level(logging.DEBUG):
        fault(refused(f"bad key {KEY}", 401))
        with FaultyServer(lambda body, attempt: Say(chat("B"))) as server:
            call(server.url)
    assert caplog.text
    assert KEY not in caplog.text
    assert all(KEY not in json.dumps([str(a) for a in (record.args or ())]) for record in caplog.records)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(ConfigError, match=r'pip install "evenhand\[openai\]"'):
        call("http://127.0.0.1:1/v1")


@pytest.mark.parametrize("charset", ["hex", "undefined", "idna", "rot13"])
def test_a_charset_of_python_s_own_is_a_fault_of_the_answer(charset):
    said = Say({"error": {"message": "x"}}, 400, {"content-type": f"application/json; charset={charset}"})
    found = fault(said)
    assert found.kind is FaultKind.AGAIN
    assert "can't be read" in found.text


def test_an_answer_that_repeats_the_key():
    with FaultyServer(lambda body, attempt: Say(chat(f"A {KEY}", model=f"m {KEY}"))) as server:
        assert KEY not in json.dumps(call(server.url))


def test_an_address_that_the_client_does_not_take():
    with pytest.raises(ConfigError, match=r"base_url 'http://999\.999\.999\.999/v1': Invalid IPv4"):
        call("http://999.999.999.999/v1")


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("HTTPS_PROXY", "http://me:hush@x:port", "is no proxy's address"),
        ("ALL_PROXY", "what://x", "is no proxy's address"),
        ("ALL_PROXY", "socks5://127.0.0.1:9", "can't be used: .*socks"),
        ("SSL_CERT_FILE", "/nowhere", "SSL_CERT_FILE.*No such file"),
    ],
)
def test_a_proxy_or_certificate_of_the_environment_that_is_none(monkeypatch, name, value, text):
    if "socks" in value:
        monkeypatch.setitem(__import__("sys").modules, "socksio", None)
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=text) as caught:
        call("https://api.example.invalid/v1")
    assert "hush" not in str(caught.value)
