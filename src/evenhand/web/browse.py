"""The pages of the pair browser: the runs, the list of a run, a pair, and texts to keep."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from evenhand.records import Readout
from evenhand.web.filters import ListState, facets_of, parse_state
from evenhand.web.list_view import build_list_view, neighbours, row_view
from evenhand.web.pair_view import build_pair_view, other_runs
from evenhand.web.state import NotFoundError, state_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from evenhand.web.facets import Facet
    from evenhand.web.served import ServedRun
    from evenhand.web.state import WebState

__all__ = ["browse_routes"]

_ANSWER = re.compile(
    r"(?:answer-(?=[0-9]{1,6}\Z)|prompt-(?=[0-9]{1,6}-))(?P<number>[0-9]{1,6})(?:-(?P<message>[0-9]{1,3}))?"
)
_CODES = {readout.value: code for code, readout in enumerate(Readout)}


def browse_routes(state: WebState) -> list[Route]:  # noqa: ARG001 - as every part's function
    """``/``, ``/r/RUN/``, ``/r/RUN/pair/N``, ``/r/RUN/pair/N/text/NAME`` and ``/r/RUN/refresh``."""
    return [
        Route("/", _runs),
        Route("/r/{run:int}/", _list),
        Route("/r/{run:int}/refresh", _refresh, methods=["POST"]),
        Route("/r/{run:int}/pair/{pair:int}", _pair),
        Route("/r/{run:int}/pair/{pair:int}/text/{name}", _text),
    ]


def _run(request: Request) -> ServedRun:
    return state_of(request).run(int(request.path_params["run"]))


def _runs(request: Request) -> Response:
    state = state_of(request)
    if len(state.runs) == 1:
        return RedirectResponse("/r/0/", status_code=303)
    return state.pages.render(request, "runs")


def _facets(run: ServedRun) -> tuple[Facet, ...]:
    return facets_of(run.index, slots_seen=run.manifest.slots_seen)


def _list(request: Request) -> Response:
    run = _run(request)
    facets = _facets(run)
    listed = parse_state(request.query_params, facets)
    return state_of(request).pages.render(
        request,
        "list",
        run=run,
        view=build_list_view(run, facets, listed),
        state=listed,
        changed=run.changed(),
    )


def _refresh(request: Request) -> Response:
    run = _run(request)
    run.rebuild()
    return RedirectResponse(f"/r/{run.number}/", status_code=303)


def _pair(request: Request) -> Response:
    run, params = _run(request), request.query_params
    facets = _facets(run)
    listed = parse_state(params, facets)
    condition, readout = params.get("c", ""), params.get("o", "")
    view = build_pair_view(
        run,
        int(request.path_params["pair"]),
        condition=int(condition) if condition.isascii() and condition.isdigit() and len(condition) < 9 else None,
        readout=_CODES.get(readout),
        as_written=params.get("diff") == "written",
    )
    row = row_view(run, facets, view.row, state=listed)
    state = state_of(request)
    return state.pages.render(
        request,
        "pair",
        run=run,
        view=view,
        row=row,
        verdicts=[row_view(run, facets, each, state=listed) for each in view.rows],
        elsewhere=[row_view(run, facets, each, state=listed) for each in view.elsewhere],
        others=[
            (
                other,
                [row_view(other.run, _facets(other.run), each, state=ListState()) for each in other.rows],
            )
            for other in other_runs(state.runs, run, view)
        ],
        next_to=neighbours(run, facets, listed, view.row),
        back=listed.url(f"/r/{run.number}/", place=False),
        state=listed,
        written_url=row.url + "&diff=written#difference",
        named_url=row.url + "#difference",
    )


def _text(request: Request) -> Response:
    """One whole text as a file: whatever is in it, a browser keeps it and shows nothing of it."""
    run, ordinal, name = _run(request), int(request.path_params["pair"]), request.path_params["name"]
    pair = run.pair(ordinal)
    match name:
        case "instruction":
            text: str | None = pair.instruction
        case "response-a":
            text = pair.response_a
        case "response-b":
            text = pair.response_b
        case _:
            text = _answer_text(run, ordinal, name)
    if text is None:
        raise NotFoundError("There is no such text.")
    return Response(
        text.encode("utf-8", "backslashreplace"),
        headers={
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Disposition": f'attachment; filename="pair-{ordinal}-{name}.txt"',
        },
    )


def _answer_text(run: ServedRun, ordinal: int, name: str) -> str | None:
    """``answer-3``: what the judge wrote in the pair's fourth presentation; ``prompt-3-0``: its first message."""
    found = _ANSWER.fullmatch(name)
    entries = run.presentations(ordinal) if found is not None else ()
    if found is None or int(found["number"]) >= len(entries):
        return None
    entry = entries[int(found["number"])]
    if found["message"] is None:
        return None if entry.completion is None else entry.completion.text
    messages = entry.presentation.messages
    return messages[int(found["message"])].content if int(found["message"]) < len(messages) else None
