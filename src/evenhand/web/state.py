"""What every page needs: the runs that are served, the templates and the sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import EvenhandError
from evenhand.web.sessions import Sessions

if TYPE_CHECKING:
    from starlette.requests import Request

    from evenhand.web.pages import Pages
    from evenhand.web.served import ServedRun
    from evenhand.workflow.labelling_settings import LabelSettings

__all__ = ["NotFoundError", "WebState", "state_of"]


class NotFoundError(EvenhandError):
    """A run, pair or page that isn't there: the page says so in one line, with status 404."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebState:
    """One server's state; ``request.app.state.web``.

    Attributes
    ----------
    runs
        As the command line named them; a page's URL has their position.
    pages
        Renders templates.
    sessions
        Who came in.
    labels
        The file that blind labels go into; None where nobody said.
    labelling
        Which pairs annotators get; None: as usual.
    """

    runs: Sequence[ServedRun]
    pages: Pages
    sessions: Sessions
    labels: Path | None = None
    labelling: LabelSettings | None = None

    def run(self, number: int) -> ServedRun:
        """The run at a position; NotFoundError where there is none."""
        if not 0 <= number < len(self.runs):
            raise NotFoundError(f"There is no run {number} here.")
        return self.runs[number]


def state_of(request: Request) -> WebState:
    """The state of the server that answers this request."""
    state = request.app.state.web
    if not isinstance(state, WebState):
        raise TypeError("not an application of create_app")
    return state
