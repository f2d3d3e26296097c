"""The application behind ``evenhand serve``: its parts, put together.

What a part is built on
-----------------------
A part gives Starlette routes. Its functions take a request (plain ``def``: they run in a thread) and get

- ``state_of(request) -> WebState`` (:mod:`evenhand.web.state`): ``runs``, ``pages``, ``sessions``, ``labels``;
- ``state.run(number) -> ServedRun`` (:mod:`evenhand.web.served`): ``name``, ``directory``, ``manifest``,
  ``pair_count``, ``pair(ordinal) -> Pair``, ``find(pair_id) -> int | None``,
  ``presentations(ordinal) -> tuple[JournalEntry, ...]``; texts are read on demand, one pair at a time;
- ``state.pages.render(request, "name", **context) -> Response`` (:mod:`evenhand.web.pages`): templates with autoescape,
  which extend ``base``; ``label/name`` lies in the labelling package's own ``templates``;
- ``session_of(request).csrf`` and ``form_of(request)`` (:mod:`evenhand.web.security`): every POST has passed the guard:
  it has a session, an own origin, a right CSRF token (hidden field ``csrf`` or header ``X-CSRF-Token``) and at most
  a megabyte. Redirect after it with status 303;
- ``NotFoundError`` or any other ``EvenhandError``: becomes a page with its one line.

The content policy allows scripts and styles from ``/static/`` only: no inline script, style, handler or ``style=``
attribute, no ``innerHTML`` (trusted types). ``/static/NAME`` serves ``static/`` of this package, ``/static/label/NAME``
that of the labelling package; names are looked up in a table made at the start. Every page must work without script.

The labelling part is ``evenhand.web.labelling.routes.labelling_routes(state) -> list[Route]``, mounted at ``/label``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from evenhand.errors import EvenhandError
from evenhand.web.browse import browse_routes
from evenhand.web.index import TooBroadError
from evenhand.web.pages import Pages
from evenhand.web.security import Guard, Refusal
from evenhand.web.served import ServedRun, StaleError
from evenhand.web.sessions import Sessions
from evenhand.web.state import NotFoundError, WebState
from evenhand.web.static_files import static_routes
from evenhand.workflow.labelling_settings import LabelSettings

__all__ = ["PARTS", "create_app"]

PARTS: Final = ("browse", "label")
"""What an application can offer: the pair browser under ``/``, blind labelling under ``/label``."""


def create_app(
    runs: Sequence[ServedRun],
    *,
    token: str,
    port: int | None = None,
    labels: Path | None = None,
    labelling: LabelSettings | None = None,
    parts: Sequence[str] = PARTS,
    announce: Callable[[str], None] | None = None,
    log: Callable[[str], None] | None = None,
) -> Starlette:
    """Put the application together.

    Parameters
    ----------
    runs
        From :func:`evenhand.web.served.open_runs`.
    token
        Of the first link, ``/?token=…``; it works once and opens a session.
    port
        That the server listens on, checked in every ``Host``; None: any (tests).
    labels
        Where the labelling part writes.
    labelling
        Which pairs annotators get; None: as usual.
    parts
        Which of :data:`PARTS` are offered; annotators who must not see verdicts get ``("label",)``.
    announce
        Called with the token of the next link whenever one was used.
    log
        Gets one line for each request, without its query.
    """
    pages = Pages(parts=parts)
    sessions = Sessions(token, announce=announce)
    state = WebState(runs=tuple(runs), pages=pages, sessions=sessions, labels=labels, labelling=labelling)
    pages.runs = tuple(runs)
    routes: list[BaseRoute] = [*static_routes()]
    if "label" in parts:
        routes.append(Mount("/label", routes=_labelling(state)))
    routes += browse_routes(state) if "browse" in parts else [Route("/", _to_labelling)]
    app = Starlette(routes=routes, exception_handlers=_handlers(pages))
    app.state.web = state
    app.add_middleware(
        Guard, sessions=sessions, port=port, refuse=lambda request, why: _refused(pages, request, why), log=log
    )
    return app


def _labelling(state: WebState) -> list[Route]:
    from evenhand.web.labelling.routes import labelling_routes

    return labelling_routes(state)


def _to_labelling(request: Request) -> Response:  # noqa: ARG001 - Starlette's signature
    return RedirectResponse("/label/", status_code=303)


def _handlers(pages: Pages) -> dict[type[Exception], Callable[[Request, Exception], Response]]:
    """One line for each error, whatever it was; ``HTTPException`` is a route's that isn't there."""

    def http(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return _error_page(pages, request, status=status, reason=_HTTP.get(status, "This request can't be answered."))

    return {
        NotFoundError: lambda request, error: _error_page(pages, request, status=404, reason=str(error)),
        StaleError: lambda request, error: _error_page(pages, request, status=409, reason=str(error)),
        TooBroadError: lambda request, error: _error_page(pages, request, status=400, reason=str(error)),
        EvenhandError: lambda request, error: _error_page(pages, request, status=500, reason=str(error)),
        HTTPException: http,
    }


def _refused(pages: Pages, request: Request, refusal: Refusal) -> Response:
    return _error_page(pages, request, status=refusal.status, reason=refusal.reason)


def _error_page(pages: Pages, request: Request, *, status: int, reason: str) -> Response:
    return pages.render(request, "error", status=status, code=status, reason=reason)


_HTTP: Final = {404: "There is no such page.", 405: "This page can't be asked for in this way."}
