"""The pages on which people label."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from starlette.responses import RedirectResponse
from starlette.routing import Route

from evenhand.errors import ConfigError
from evenhand.store.label_store_records import Annotator, Choice, LabelSession, Showing, ShowingState
from evenhand.web.labelling.context import HOME, LabelContext
from evenhand.web.labelling.results import results_routes
from evenhand.web.security import form_of
from evenhand.web.shown import TEXT_LIMIT, shown_text
from evenhand.web.state import NotFoundError
from evenhand.workflow.labelling import ShownPair

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from evenhand.web.state import WebState

__all__ = ["labelling_routes"]

_MOST_SHOWN: Final = 2_000_000
"""Characters of one text on a page at most, which a browser still lays out in seconds."""

_GONE: Final = "This pair has other texts by now, or is gone. No label of it was recorded; go on with the next one."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What stands on the page of a pair beside its texts."""

    showing: Showing
    choice: Choice | None
    confidence: int | None
    note: str
    number: int


def labelling_routes(state: WebState) -> list[Route]:
    """Everything under ``/label``."""
    context = LabelContext(state)

    def route(path: str, handler: Callable[[LabelContext, Request], Response], method: str = "GET") -> Route:
        return Route(path, context.guarded(lambda request: handler(context, request)), methods=[method])

    return [
        route("/", _home),
        route("/enter", _enter, "POST"),
        route("/leave", _leave, "POST"),
        route("/next", _next, "POST"),
        route("/done", _done),
        route("/mine", _mine),
        route("/p/{token}", _pair),
        route("/p/{token}", _label, "POST"),
        *results_routes(context),
    ]


def _see_other(path: str) -> RedirectResponse:
    return RedirectResponse(f"{HOME}{path}", status_code=303)


def _home(context: LabelContext, request: Request) -> Response:
    session = context.session(request)
    if session is None or session.annotator is None:
        return context.state.pages.render(request, "label/enter", who=None, problem="", progress=None)
    progress = context.labelling.progress(session.annotator)
    return context.state.pages.render(request, "label/enter", who=session.annotator.name, problem="", progress=progress)


def _enter(context: LabelContext, request: Request) -> Response:
    answer = _see_other("")
    try:
        session = context.enter(request, answer, form_of(request).get("name", ""))
    except ConfigError as error:
        problem = str(error)
        return context.state.pages.render(
            request, "label/enter", status=400, who=None, problem=f"{problem[:1].upper()}{problem[1:]}.", progress=None
        )
    answer.headers["location"] = _next_address(context, session)
    return answer


def _leave(context: LabelContext, _: Request) -> Response:
    answer = _see_other("")
    context.leave(answer)
    return answer


def _next(context: LabelContext, request: Request) -> Response:
    session = context.session(request)
    return _see_other("") if session is None else RedirectResponse(_next_address(context, session), status_code=303)


def _next_address(context: LabelContext, session: LabelSession) -> str:
    if session.annotator is None:
        return HOME
    showing = context.labelling.next(session.annotator)
    return f"{HOME}done" if showing is None else f"{HOME}p/{showing.token}"


def _annotator(context: LabelContext, request: Request) -> tuple[LabelSession, Annotator] | None:
    session = context.session(request)
    return None if session is None or session.annotator is None else (session, session.annotator)


def _own_states(context: LabelContext, annotator: Annotator) -> list[ShowingState]:
    """What the annotator was shown, in the order in which they first labelled it; the open one last."""
    own = [state for state in context.labelling.store.states() if state.showing.annotator == annotator.id]
    return sorted(own, key=lambda state: (state.first_event is None, state.first_event or state.showing.id))


def _own_showing(context: LabelContext, request: Request, annotator: Annotator) -> Showing:
    showing = context.labelling.store.showing(request.path_params["token"])
    if showing is None or showing.annotator != annotator.id:
        raise NotFoundError("There is no such pair here. Go on with the next one.")
    return showing


def _pair(context: LabelContext, request: Request) -> Response:
    who = _annotator(context, request)
    if who is None:
        return _see_other("")
    _, annotator = who
    showing = _own_showing(context, request, annotator)
    shown = context.labelling.shown(showing)
    if shown is None:
        return context.told(request, _GONE, status=410)
    return _page(context, request, annotator, showing, shown)


def _page(
    context: LabelContext, request: Request, annotator: Annotator, showing: Showing, shown: ShownPair
) -> Response:
    own = _own_states(context, annotator)
    place = next(number for number, state in enumerate(own) if state.showing.id == showing.id)
    labelled = own[place].choice is not None
    last = None
    if labelled:
        events = context.labelling.store.events(annotator=annotator)
        last = next(event for event in reversed(events) if event.showing.id == showing.id)
    limit = _limit(request)
    texts = [shown_text(text, limit=limit) for text in (shown.instruction, shown.first, shown.second)]
    return context.state.pages.render(
        request,
        "label/task",
        who=annotator.name,
        task=_Task(
            showing=showing,
            choice=None if last is None else last.choice,
            confidence=None if last is None else last.confidence,
            note="" if last is None else last.note,
            number=place + 1,
        ),
        back=own[place - 1].showing.token if place else None,
        instruction=texts[0],
        responses=texts[1:],
        more=min(limit * 10, _MOST_SHOWN) if limit < _MOST_SHOWN and any(text.left_out for text in texts) else None,
        progress=context.labelling.progress(annotator),
        form=secrets.token_urlsafe(12),
        opened=f"{time.time():.3f}",
    )


def _limit(request: Request) -> int:
    """How many characters of each text are shown: the same of both responses."""
    asked = request.query_params.get("chars", "")
    return (
        min(max(int(asked), TEXT_LIMIT), _MOST_SHOWN)
        if asked.isascii() and asked[:9].isdigit() and len(asked) < 9
        else TEXT_LIMIT
    )


def _label(context: LabelContext, request: Request) -> Response:
    who = _annotator(context, request)
    if who is None:
        return context.told(request, "Your label was not recorded: enter your name first.", status=403)
    session, annotator = who
    showing = _own_showing(context, request, annotator)
    if context.labelling.shown(showing) is None:
        return context.told(request, _GONE, status=410)
    form = form_of(request)
    confidence = form.get("confidence", "")
    try:
        choice = Choice(form.get("choice", ""))
    except ValueError:
        return context.told(request, "No label was recorded: choose one of the four answers.", status=400)
    context.labelling.store.label(
        session,
        showing,
        choice,
        form=form.get("form", "")[:64] or secrets.token_urlsafe(12),
        confidence=int(confidence) if confidence in ("1", "2", "3") else None,
        note=form.get("note", ""),
        seconds=_seconds(form.get("opened", "")),
    )
    return RedirectResponse(_next_address(context, session), status_code=303)


def _seconds(opened: str) -> float | None:
    try:
        return time.time() - float(opened[:20])
    except ValueError:
        return None


def _done(context: LabelContext, request: Request) -> Response:
    who = _annotator(context, request)
    if who is None:
        return _see_other("")
    return context.state.pages.render(
        request, "label/done", who=who[1].name, progress=context.labelling.progress(who[1])
    )


def _mine(context: LabelContext, request: Request) -> Response:
    """The annotator's own labels, latest first: what was said by place, so that it tells no more than the page did."""
    who = _annotator(context, request)
    if who is None:
        return _see_other("")
    labelled = [state for state in _own_states(context, who[1]) if state.choice is not None]
    rows = [
        {"number": number, "token": state.showing.token, "choice": state.choice}
        for number, state in enumerate(labelled, start=1)
    ]
    return context.state.pages.render(
        request, "label/mine", who=who[1].name, rows=rows[::-1][:_LISTED], hidden=max(len(rows) - _LISTED, 0)
    )


_LISTED: Final = 500
"""Own labels on one page."""
