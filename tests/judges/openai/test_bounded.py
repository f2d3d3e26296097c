"""A body that has no end, or that is small on the way and large in memory, is a stated fault."""

import gzip

import pytest

from evenhand.judges.openai import bounded
from evenhand.judges.openai.faults import FaultKind
from judges.openai.faulty import FaultyServer, Say, chat
from judges.openai.test_client import call, fault


def test_plain_bodies_are_asked_for():
    with FaultyServer(lambda body, attempt: Say(chat("B"))) as server:
        call(server.url)
    assert server.headers[0]["accept-encoding"] == "identity"


@pytest.mark.parametrize("coding", ["gzip", "GZip", "br"])
def test_compressed_bodies_are_refused_unread(coding):
    found = fault(Say(gzip.compress(bytes(10**7)), headers={"content-encoding": coding}))
    assert found.kind is FaultKind.AGAIN
    assert "though asked for plain" in found.text


def test_identity_is_no_compression():
    with FaultyServer(lambda body, attempt: Say(chat("B"), headers={"content-encoding": "identity"})) as server:
        assert call(server.url)["choices"]


@pytest.mark.parametrize("status", [200, 500])
def test_long_bodies_end(monkeypatch, status):
    monkeypatch.setattr(bounded, "MAX_BYTES", 2 * 2**20)
    found = fault(Say(b" " * (3 * 2**20), status))
    assert found.kind is FaultKind.AGAIN
    assert "longer than 2 MiB" in found.text
