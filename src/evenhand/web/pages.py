"""Pages from templates: every text is escaped, hidden characters are shown, and no name may be undefined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse

from evenhand.report.text import shortened, visible
from evenhand.web.shown import shown_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request
    from starlette.responses import Response

    from evenhand.web.served import ServedRun

__all__ = ["PARTS", "Pages"]

PARTS: Mapping[str, str] = {"": "evenhand.web", "label": "evenhand.web.labelling"}
"""Where a template lies, by what stands before the slash in its name: ``pair`` and ``label/task``."""


class Pages:
    """Renders ``templates/NAME.html.j2`` of this package, and ``label/NAME`` of the labelling package.

    Templates extend ``base`` (blocks ``title``, ``styles``, ``nav``, ``main``, ``footer``, ``scripts``). Beside what
    they are handed they get ``path`` (of the request), ``csrf`` (for a form; empty without a session),
    ``runs``, ``parts`` (see :func:`evenhand.web.app.create_app`), ``signed_in``, and the filters ``one_line`` (a name;
    cut at 160 characters, which is said), ``short(n)`` (cut in the middle) and ``shown`` (a
    :class:`evenhand.web.shown.Shown` for a long text: safe, bounded, line breaks kept).
    """

    def __init__(self, *, parts: Sequence[str] = ()) -> None:
        self.parts = tuple(parts)
        self.runs: tuple[ServedRun, ...] = ()

    def render(self, request: Request, name: str, *, status: int = 200, **context: object) -> Response:
        """A template as an answer; every text in it is escaped."""
        session = request.scope.get("state", {}).get("session")
        shared: dict[str, object] = {
            "path": request.url.path,
            "csrf": "" if session is None else session.csrf,
            "runs": self.runs,
            "parts": self.parts,
            "signed_in": session is not None,
        }
        text = self._environment.get_template(name).render({**shared, **context})
        return HTMLResponse(text.encode("utf-8", "backslashreplace"), status_code=status)

    @cached_property
    def _environment(self) -> Environment:
        from jinja2 import Environment, FunctionLoader, StrictUndefined

        environment = Environment(
            loader=FunctionLoader(_source),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters.update({"one_line": visible, "short": shortened, "shown": shown_text})
        return environment


def _source(name: str) -> str:
    part, slash, rest = name.rpartition("/")
    package = PARTS[part]
    return files(package).joinpath(f"templates/{rest if slash else name}.html.j2").read_text(encoding="utf-8")
