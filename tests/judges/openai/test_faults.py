"""What follows from what went wrong."""

import json
from email.utils import formatdate

import pytest

from evenhand.judges.openai.faults import ApiFault, FaultKind, body_fault, decode, one_line, retry_after, status_fault

NOW = 1_000_000.0


def fault(status, body=b"", **headers):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return status_fault(status, content, {name.replace("_", "-"): value for name, value in headers.items()}, now=NOW)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(s, FaultKind.AGAIN) for s in (408, 409, 425, 429, 500, 502, 503, 504, 529)]
    + [(s, FaultKind.JUDGE) for s in (301, 307, 401, 402, 403, 404, 405, 501)]
    + [(s, FaultKind.REFUSED) for s in (400, 413, 415, 422)],
)
def test_statuses(status, kind):
    found = fault(status, {"error": {"message": "no"}})
    assert found.kind is kind
    assert found.text.startswith(f"HTTP {status}: ")
    assert found.slow_down is (status == 429)


def test_a_quota_that_is_used_up_is_no_rate_limit():
    said = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    assert fault(429, said).kind is FaultKind.JUDGE


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": formatdate(NOW + 60, usegmt=True)}, 60.0),
        ({"retry-after": formatdate(NOW - 60, usegmt=True)}, 0.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after(headers, now=NOW) == seconds


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"error": {"message": "too\n long\x07"}}, "HTTP 400: too long"),
        ({"error": "plain"}, "HTTP 400: plain"),
        ({"detail": [{"loc": ["x"]}]}, 'HTTP 400: [{"loc": ["x"]}]'),
        ([1], "HTTP 400: [1]"),
        (b"<html><head><title>Bad\ngateway</title></head>", "HTTP 400: an HTML page (Bad gateway)"),
        (b"\xff\xfe broken", "HTTP 400: �� broken"),
        (b"", "HTTP 400"),
        (b"[" * 100_000, None),
    ],
)
def test_what_a_server_says_is_one_printable_line(body, text):
    said = fault(400, body).text
    assert text is None or said == text
    assert said.isprintable()
    assert len(said) < 400


def test_a_redirect_names_where_to_without_its_query():
    assert fault(302, b"", location="https://there/v1?secret=1").text.endswith("redirects to https://there/v1")


def test_an_error_inside_a_success():
    assert body_fault({"code": 429, "message": "slow"}, now=NOW).slow_down
    assert body_fault({"message": "?"}, now=NOW).kind is FaultKind.AGAIN
    assert body_fault("?", now=NOW).kind is FaultKind.AGAIN


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"x"', b"<html></html>", b"\xff", b"[" * 100_000])
def test_what_is_no_object_is_a_fault(content):
    with pytest.raises(ApiFault, match="no JSON object") as caught:
        decode(content)
    assert caught.value.fault.kind is FaultKind.AGAIN
    assert decode(b'{"a": NaN}').keys() == {"a"}


def test_lines_are_cut():
    assert one_line("x" * 1000, most=10) == "x" * 9 + "…"
