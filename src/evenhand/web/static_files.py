"""Style sheets and scripts: a table made at the start from this package's own files. No path is ever looked up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from starlette.responses import Response
from starlette.routing import Route

from evenhand.web.state import NotFoundError

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["static_files", "static_routes"]

_PLACES: Final = (("", "evenhand.web"), ("label/", "evenhand.web.labelling"))
_TYPES: Final = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}


@cache
def static_files() -> Mapping[str, bytes]:
    """Every file that is served, by its name under ``/static/``."""
    found: dict[str, bytes] = {}
    for prefix, package in _PLACES:
        folder = files(package).joinpath("static")
        if folder.is_dir():
            for file in folder.iterdir():
                if file.is_file() and _kind(file.name) is not None:
                    found[f"{prefix}{file.name}"] = file.read_bytes()
    return MappingProxyType(found)


def static_routes() -> list[Route]:
    """``/static/NAME`` and ``/static/label/NAME``."""
    return [Route("/static/{name:path}", _static)]


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    content = static_files().get(name)
    if content is None:
        raise NotFoundError("There is no such file.")
    return Response(content, headers={"Content-Type": _kind(name) or ""})


def _kind(name: str) -> str | None:
    return next((kind for ending, kind in _TYPES.items() if name.endswith(ending)), None)
