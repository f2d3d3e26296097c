"""The pages of the pair browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from evenhand.web.state import WebState

__all__ = ["browse_routes"]


def browse_routes(state: WebState) -> list[Route]:
    """``/`` and what is under it."""

    def first(request: Request) -> Response:
        return state.pages.render(request, "error", code=200, reason="The pair browser is being built.")

    return [Route("/", first)]
