"""What stands before every page: host, session, size and origin of a request, and the headers of every answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from evenhand.report.text import visible
from evenhand.web.sessions import Session, Sessions, same

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BODY_LIMIT", "HEADERS", "LOOPBACK", "TOKEN", "Guard", "Refusal", "form_of", "session_of"]

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names under which a browser may ask: any other in ``Host`` is a page that had its own name point here."""

TOKEN: Final = "token"  # noqa: S105 - a parameter's name
BODY_LIMIT: Final = 1_000_000
"""Bytes of a request's body: a label with a long comment has a few thousand."""

_QUERY_LIMIT: Final = 16_384
_PATH_LIMIT: Final = 1_000
"""Characters; those of our pages have at most some sixty. A number of thousands of digits is no page's."""
_OPEN: Final = "/static/"

HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
        ),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), browsing-topics=()",
        "Cache-Control": "no-store",
        "X-Robots-Tag": "noindex",
    }
)
"""OWASP's HTTP headers cheat sheet, for pages that hold data of others and need nothing from elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request is answered with an error page: the status, and one sentence for the page."""

    status: int
    reason: str


class Guard:
    """The outermost layer of the application.

    Parameters
    ----------
    app
        What is guarded.
    sessions
        Who may come in.
    port
        That the server listens on; with it the port in ``Host`` is checked too, and the cookie has it in its name
        (cookies don't know ports: two servers would overwrite each other's).
    refuse
        Makes the page of a refusal.
    log
        Gets one line for each request: method, path without its query, status, milliseconds. None: no log.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        sessions: Sessions,
        port: int | None,
        refuse: Callable[[Request, Refusal], Response],
        log: Callable[[str], None] | None = None,
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._port = port
        self._refuse = refuse
        self._log = log
        self._cookie = "evenhand" if port is None else f"evenhand-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse, or pass on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # a websocket: there are none
            await send({"type": "websocket.close", "code": 1008})
            return
        begun = time.monotonic()
        status = 500

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            await self._answer(scope, receive, guarded)
        finally:
            if self._log is not None:
                self._log(_log_line(scope, status, time.monotonic() - begun))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        scope.setdefault("state", {})
        refusal = self._checked(request)
        if refusal is None and request.method == "GET" and TOKEN in request.query_params:
            await self._enter(request)(scope, receive, send)
            return
        session = None if refusal is not None else self._session(request)
        scope["state"]["session"] = session
        if refusal is None and session is None and not _is_open(request):
            refusal = Refusal(status=403, reason=NO_SESSION)
        if refusal is None and request.method == "POST" and session is not None:
            body = await _body(receive, request.headers)
            refusal = body if isinstance(body, Refusal) else _form_refusal(scope, request, body, session)
            if not isinstance(body, Refusal):
                receive = _replayed(body, receive)
        if refusal is not None:
            await self._refuse(request, refusal)(scope, receive, send)
            return
        await self._passed_on(request, receive, send)

    async def _passed_on(self, request: Request, receive: Receive, send: Send) -> None:
        """A defect of ours ends in one line on the page and in the log, never in a traceback on the page."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(request.scope, receive, watched)
        except Exception as error:  # the last line of defence
            if self._log is not None:
                self._log(f"{type(error).__name__}: {visible(error)}")
            if begun:
                raise
            refusal = Refusal(status=500, reason=f"Something unexpected went wrong here ({type(error).__name__}).")
            await self._refuse(request, refusal)(request.scope, receive, send)

    def _checked(self, request: Request) -> Refusal | None:
        if not _host_is_ours(request.headers, self._port):
            return Refusal(status=421, reason="This server answers under 127.0.0.1, localhost and [::1] only.")
        if len(request.scope.get("query_string", b"")) > _QUERY_LIMIT or len(request.scope["path"]) > _PATH_LIMIT:
            return Refusal(status=414, reason="The address is too long.")
        if request.method not in ("GET", "HEAD", "POST"):
            return Refusal(status=405, reason="This server answers GET and POST only.")
        return None

    def _enter(self, request: Request) -> Response:
        session = self._sessions.enter(request.query_params[TOKEN])
        if session is None:
            # The link may have been used by this same browser before: then its session is as good.
            if self._session(request) is None:
                return self._refuse(request, Refusal(status=403, reason=USED_LINK))
            return RedirectResponse(_here(request), status_code=303)
        answer = RedirectResponse(_here(request), status_code=303)
        answer.set_cookie(self._cookie, session.key, httponly=True, samesite="strict", path="/")
        return answer

    def _session(self, request: Request) -> Session | None:
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(request.headers.get("cookie", ""))
        except CookieError:
            return None
        return self._sessions.find(jar[self._cookie].value) if self._cookie in jar else None


NO_SESSION: Final = (
    "This page opens by the link that evenhand serve printed. If you have just opened it, follow the link below."
)
USED_LINK: Final = "This link was used already, or is not this server's. The terminal shows a new one."


def session_of(request: Request) -> Session:
    """The session of a request that the guard let through."""
    session = request.scope["state"].get("session")
    if not isinstance(session, Session):
        raise TypeError("no session: the request did not pass the guard")
    return session


def form_of(request: Request) -> Mapping[str, str]:
    """The fields of a POST whose size and CSRF token the guard has checked; of a field sent twice, the last."""
    form = request.scope["state"].get("form")
    return form if isinstance(form, Mapping) else MappingProxyType({})


def _here(request: Request) -> str:
    """The path that was asked for, on this server whatever it begins with (``//elsewhere``)."""
    return quote("/" + request.url.path.lstrip("/\\"), safe="/")


def _is_open(request: Request) -> bool:
    """Files of this package, that the page of a refusal needs."""
    return request.method in ("GET", "HEAD") and request.url.path.startswith(_OPEN)


def _host_is_ours(headers: Headers, port: int | None) -> bool:
    given = headers.getlist("host")
    if len(given) != 1:
        return False
    try:
        parts = urlsplit(f"//{given[0]}")
        name, number = parts.hostname, parts.port
    except ValueError:
        return False
    return name in LOOPBACK and parts.username is None and (port is None or number == port)


async def _body(receive: Receive, headers: Headers) -> bytes | Refusal:
    too_large = Refusal(status=413, reason=f"The request is larger than {BODY_LIMIT:,} bytes.")
    told = headers.get("content-length", "0")
    if not (told.isascii() and told.isdigit()) or int(told[:12]) > BODY_LIMIT:
        return too_large
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return Refusal(status=400, reason="The request was cut off.")
        body += message.get("body", b"")
        if len(body) > BODY_LIMIT:
            return too_large
        if not message.get("more_body", False):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _form_refusal(scope: Scope, request: Request, body: bytes, session: Session) -> Refusal | None:
    """Refuse a POST that another site may have sent; keep the fields of one that is ours."""
    foreign = Refusal(status=403, reason="The form was not sent from this page. Go back, reload it and try again.")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return foreign
    origin = request.headers.get("origin")
    # A form of a page with `no-referrer` sends the origin "null": Sec-Fetch-Site and the token speak for it then.
    if origin not in (None, "null") and urlsplit(origin).netloc != request.headers.get("host"):
        return foreign
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    form: Mapping[str, str] = {}
    if kind == "application/x-www-form-urlencoded":
        try:
            pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=1000)
        except ValueError:
            return Refusal(status=400, reason="The form has too many fields.")
        form = dict(pairs)
    elif body and kind != "application/json":
        return Refusal(status=415, reason="This server reads forms and JSON only.")
    given = request.headers.get("x-csrf-token") or form.get("csrf", "")
    if not same(given, session.csrf):
        return foreign
    scope["state"]["form"] = MappingProxyType({name: value for name, value in form.items() if name != "csrf"})
    return None


def _log_line(scope: Scope, status: int, seconds: float) -> str:
    return f"{scope['method']} {visible(scope['path'])} {status} {seconds * 1000:.0f} ms"
