from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from evenhand.web.security import BODY_LIMIT, HEADERS, Guard, Refusal, form_of, session_of
from evenhand.web.sessions import Sessions


def page(request: Request) -> Response:
    return PlainTextResponse(f"{session_of(request).csrf}|{dict(form_of(request))}")


async def echo(request: Request) -> Response:
    return PlainTextResponse(await request.body())


def defect(request: Request) -> Response:
    raise ZeroDivisionError("secret \x1b[31m detail")


class Made:
    """An application behind the guard, and what it logged."""

    def __init__(self, *, port: int | None = None) -> None:
        self.lines: list[str] = []
        self.app = Starlette(
            routes=[
                Route("/", page, methods=["GET", "POST"]),
                Route("/echo", echo, methods=["POST"]),
                Route("/defect", defect),
                Route("/static/x.css", lambda request: PlainTextResponse("css")),
            ]
        )
        self.app.add_middleware(Guard, sessions=Sessions("tok"), port=port, refuse=self.refuse, log=self.lines.append)

    @staticmethod
    def refuse(_request: Request, refusal: Refusal) -> Response:
        return PlainTextResponse(refusal.reason, status_code=refusal.status)

    def browser(self, base: str = "http://127.0.0.1") -> TestClient:
        return TestClient(self.app, base_url=base, raise_server_exceptions=False)


@pytest.fixture
def made() -> Made:
    return Made()


@pytest.fixture
def inside(made: Made) -> Iterator[TestClient]:
    with made.browser() as browser:
        assert browser.get("/?token=tok").status_code == 200
        yield browser


def csrf(browser: TestClient) -> str:
    return browser.get("/").text.split("|")[0]


def test_without_a_session_nothing_is_shown_but_static_files(made: Made) -> None:
    browser = made.browser()
    assert browser.get("/").status_code == 403
    assert browser.post("/", data={"csrf": ""}).status_code == 403
    assert browser.get("/static/x.css").text == "css"
    assert browser.get("/defect").status_code == 403


def test_the_link_becomes_a_strict_cookie_and_leaves_the_address(made: Made) -> None:
    browser = made.browser()
    answer = browser.get("/?token=tok", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "tok" not in cookie.split(";")[0].split("=")[1]
    # A link that was used is refused to others, and harmless to the browser that used it.
    assert made.browser().get("/?token=tok").status_code == 403
    assert browser.get("/?token=tok").status_code == 200


@pytest.mark.parametrize("path", ["//evil.example/a", "/\\evil.example", "///evil.example"])
def test_the_redirect_stays_here(made: Made, path: str) -> None:
    from urllib.parse import quote

    answer = made.browser().get(f"http://127.0.0.1{quote(path, safe='/')}?token=tok", follow_redirects=False)
    assert answer.status_code == 303
    location = answer.headers["location"]
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "user@127.0.0.1",
        "",
        "0.0.0.0",  # noqa: S104
        "[::1",
        "127.0.0.1:x",
    ],
)
def test_other_hosts_are_refused(inside: TestClient, host: str) -> None:
    assert inside.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:4321", "localhost:4321", "[::1]:4321", "LOCALHOST:4321"])
def test_loopback_names_are_ours(host: str) -> None:
    browser = Made(port=4321).browser()
    assert browser.get("/static/x.css", headers={"host": host}).status_code == 200


def test_another_port_is_another_server() -> None:
    browser = Made(port=4321).browser()
    assert browser.get("/static/x.css", headers={"host": "127.0.0.1:4322"}).status_code == 421
    assert browser.get("/static/x.css", headers={"host": "127.0.0.1"}).status_code == 421


def test_every_answer_has_every_header(made: Made, inside: TestClient) -> None:
    answers = [
        inside.get("/"),
        inside.get("/nowhere"),
        inside.get("/defect"),
        inside.get("/static/x.css"),
        inside.get("/", headers={"host": "evil.example"}),
        made.browser().get("/"),
        inside.post("/"),
    ]
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert HEADERS["Cache-Control"] == "no-store"


def test_a_form_needs_its_own_token(inside: TestClient) -> None:
    token = csrf(inside)
    assert inside.post("/", data={"csrf": token, "a": "1"}).text.endswith("{'a': '1'}")
    assert inside.post("/", data={"a": "1"}, headers={"x-csrf-token": token}).status_code == 200
    for wrong in ("", token[:-1], token + "x", "\ud7ff"):
        assert inside.post("/", data={"csrf": wrong}).status_code == 403
    assert inside.post("/").status_code == 403
    assert inside.get("/", params={"csrf": token}).text.endswith("{}")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://localhost"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_form_of_another_site_is_refused_even_with_the_token(inside: TestClient, headers: dict[str, str]) -> None:
    assert inside.post("/", data={"csrf": csrf(inside)}, headers=headers).status_code == 403


def test_a_form_of_this_site_passes(inside: TestClient) -> None:
    for headers in ({"origin": "http://127.0.0.1"}, {"origin": "null"}, {"sec-fetch-site": "same-origin"}):
        assert inside.post("/", data={"csrf": csrf(inside)}, headers=headers).status_code == 200


def test_bodies_are_bounded(inside: TestClient) -> None:
    headers = {"x-csrf-token": csrf(inside), "content-type": "application/json"}
    assert inside.post("/echo", content=b"x" * BODY_LIMIT, headers=headers).status_code == 200
    assert inside.post("/echo", content=b"x" * (BODY_LIMIT + 1), headers=headers).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(BODY_LIMIT // 1000 + 10):
            yield b"x" * 1000

    assert inside.post("/echo", content=endless(), headers=headers).status_code == 413
    lying = {**headers, "content-length": "-5"}
    assert inside.post("/echo", content=b"x", headers=lying).status_code == 413


def test_a_body_that_was_checked_can_still_be_read(inside: TestClient) -> None:
    headers = {"x-csrf-token": csrf(inside), "content-type": "application/json"}
    assert inside.post("/echo", content=b'{"a": 1}', headers=headers).text == '{"a": 1}'


def test_other_kinds_of_forms_and_methods_are_refused(inside: TestClient) -> None:
    headers = {"x-csrf-token": csrf(inside)}
    assert inside.post("/", files={"f": b"x"}, headers=headers).status_code == 415
    assert inside.post("/", content=b"x", headers={**headers, "content-type": "text/plain"}).status_code == 415
    many = {f"f{n}": "1" for n in range(1001)}
    assert inside.post("/", data=many, headers=headers).status_code == 400
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert inside.request(method, "/").status_code == 405


def test_long_addresses_are_refused(inside: TestClient) -> None:
    assert inside.get("/?q=" + "x" * 20_000).status_code == 414
    # Python reads no number of more than 4,300 digits.
    assert inside.get(f"/r/{'9' * 5_000}/").status_code == 414
    assert inside.get(f"/r/{'9' * 900}/").status_code == 404


def test_a_defect_shows_one_line_and_no_traceback(made: Made, inside: TestClient) -> None:
    answer = inside.get("/defect")
    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.text
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert "ZeroDivisionError: secret [U+001B][31m detail" in made.lines


def test_the_log_has_no_query(made: Made, inside: TestClient) -> None:
    inside.get("/?token=guess&q=private")
    inside.get("/a%1b%5b31mb")
    assert any(line.startswith("GET / 303 ") for line in made.lines)
    assert not any("tok" in line.replace("token", "tok") and "=" in line for line in made.lines)
    assert not any("private" in line or "guess" in line or "\x1b" in line for line in made.lines)


def test_a_broken_cookie_is_no_session(made: Made) -> None:
    browser = made.browser()
    for cookie in ("evenhand", "evenhand=", 'evenhand="\\', "evenhand=\x00", "=;=;evenhand=a=b", "x" * 8000):
        assert browser.get("/", headers={"cookie": cookie}).status_code == 403


def test_the_cookie_belongs_to_its_port(tmp_path: Path) -> None:
    answer = Made(port=4321).browser("http://127.0.0.1:4321").get("/?token=tok", follow_redirects=False)
    assert answer.headers["set-cookie"].startswith("evenhand-4321=")
