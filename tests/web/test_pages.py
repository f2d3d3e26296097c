from __future__ import annotations

import jinja2
import pytest
from starlette.requests import Request

from evenhand.web.pages import Pages
from evenhand.web.sessions import Session


def request(session: Session | None = None) -> Request:
    return Request(
        {
            "type": "http",
            "method": "GET",
            "path": "/a<b",
            "headers": [],
            "query_string": b"",
            "state": {"session": session},
        }
    )


def test_every_text_is_escaped_and_hidden_characters_are_shown() -> None:
    answer = Pages().render(request(), "error", status=404, code=404, reason="<script>\u202e\ud800\x00</script>")
    body = bytes(answer.body).decode("utf-8")
    assert answer.status_code == 404
    assert "&lt;script&gt;[U+202E][U+D800][U+0000]" in body
    assert "<script>" not in body


def test_without_a_session_there_is_no_navigation() -> None:
    pages = Pages(parts=("browse", "label"))
    outside = bytes(pages.render(request(), "error", code=1, reason="x").body)
    inside = bytes(pages.render(request(Session(key="k", csrf="c")), "error", code=1, reason="x").body)
    assert b"/label/" not in outside
    assert b"/label/" in inside
    assert b"/label/" not in bytes(
        Pages(parts=("browse",)).render(request(Session(key="k", csrf="c")), "error", code=1, reason="x").body
    )


def test_an_undefined_name_is_a_defect() -> None:
    with pytest.raises(jinja2.UndefinedError):
        Pages().render(request(), "error", code=1)


def test_a_template_cannot_be_named_from_elsewhere() -> None:
    for name in ("../base", "other/base", "label/../base"):
        with pytest.raises((KeyError, OSError)):
            Pages().render(request(), name)
