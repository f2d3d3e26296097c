"""What the labelling pages share: the labels, who sits at the browser, and errors that give nothing away."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from evenhand.errors import ConfigError, EvenhandError
from evenhand.store.label_store import LABELS
from evenhand.store.label_store_records import LabelSession
from evenhand.web.state import NotFoundError
from evenhand.workflow.labelling import Labelling, open_labelling

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from evenhand.web.state import WebState

__all__ = ["HOME", "LabelContext"]

HOME: Final = "/label/"

_MONTH: Final = 30 * 86_400
_FILE, _RUN = "\x00", "\x01"
"""Stand for names in an error's text until it is known to hold no other."""


class LabelContext:
    """One server's labelling. The runs' pairs are looked through on the first visit, not at the start.

    Parameters
    ----------
    state
        The server's.
    """

    def __init__(self, state: WebState) -> None:
        self.state = state
        self._labelling: Labelling | None = None
        self._lock = threading.Lock()
        self._cookie: str | None = None

    @property
    def labelling(self) -> Labelling:
        """The labels and what is labelled; opened once."""
        with self._lock:
            if self._labelling is None:
                runs = [run.directory for run in self.state.runs]
                self._labelling = open_labelling(
                    runs, self.state.labels, settings=getattr(self.state, "labelling", None)
                )
            return self._labelling

    @property
    def cookie(self) -> str:
        """The cookie's name. It has the store's in it: cookies don't know ports, and two servers may run."""
        if self._cookie is None:
            self._cookie = f"evenhand-label-{self.labelling.store.facts().name}"
        return self._cookie

    def session(self, request: Request) -> LabelSession | None:
        """Who sits at the browser; None where nobody entered."""
        secret = request.cookies.get(self.cookie)
        return None if not secret else self.labelling.store.session(secret)

    def enter(self, request: Request, answer: Response, name: str | None) -> LabelSession:
        """Somebody enters under a name, or, without one, to look at results; the answer sets the cookie.

        A look at results by nobody in particular counts for whoever enters at the same browser afterwards.

        Raises
        ------
        ConfigError
            The name can't be one.
        """
        store = self.labelling.store
        before = self.session(request)
        secret = secrets.token_urlsafe(32)
        entered = store.enter(secret, name)
        if before is not None and before.annotator is None and store.has_seen_results(before):
            store.look_at_results(entered)
        answer.set_cookie(self.cookie, secret, max_age=_MONTH, httponly=True, samesite="strict", path="/label")
        return entered

    def leave(self, answer: Response) -> None:
        """Forget who sits at the browser."""
        answer.delete_cookie(self.cookie, path="/label")

    def guarded(self, handler: Callable[[Request], Response]) -> Callable[[Request], Response]:
        """The handler; errors become a page, in whose text no file or run is named."""

        def answer(request: Request) -> Response:
            try:
                return handler(request)
            except NotFoundError as error:
                return self.told(request, str(error), status=404)
            except ConfigError as error:
                return self.told(request, self._blind(error), status=400)
            except EvenhandError as error:
                return self.told(request, self._blind(error), status=500)

        return answer

    def told(self, request: Request, text: str, *, status: int) -> Response:
        """A page with one sentence."""
        return self.state.pages.render(request, "label/told", status=status, text=text)

    def _blind(self, error: EvenhandError) -> str:
        """The error's text without the names of files and runs: an annotator must not learn which judge it is."""
        text = str(error)
        runs = [run.directory for run in self.state.runs]
        files = [self.state.labels] if self.state.labels is not None else [run / LABELS for run in runs[:1]]
        said = {str(each): _FILE for path in files for each in (path, path.absolute())}
        said |= {str(each): _RUN for path in runs for each in (path, path.absolute())}
        for name in sorted(said, key=len, reverse=True):
            text = text.replace(name, said[name])
        parts = {part for path in (*files, *runs) for part in path.absolute().parts[1:]}
        if any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text) for each in (*parts, *_judges(self.state))):
            return "Something went wrong that this page can't tell without naming the run. Ask whoever started it."
        text = text.removeprefix(f"{_FILE}: ").replace(_FILE, "the labels").replace(_RUN, "a run")
        return f"{text[:1].upper()}{text[1:]}."


def _judges(state: WebState) -> list[str]:
    return [text for run in state.runs for text in (run.manifest.judge.spec, run.manifest.judge.model) if text]
