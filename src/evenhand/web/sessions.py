"""Who may see the pages: a link that works once, and the session that it opens."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Session", "Sessions", "fresh_token"]

_BYTES = 32
"""Of a token: 256 bits, twice what OWASP's session cheat sheet asks for."""

_MOST = 64
"""Sessions kept; the oldest goes first. One person opens a few."""


def fresh_token() -> str:
    """A secret that goes into a URL or a cookie: letters, digits, ``-`` and ``_``.

    Examples
    --------
    >>> len(fresh_token()), fresh_token() == fresh_token()
    (43, False)
    """
    return secrets.token_urlsafe(_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One browser that came in by a link.

    Attributes
    ----------
    key
        What the cookie holds.
    csrf
        What every form of this browser must send back; it is never in a cookie or a URL.
    """

    key: str
    csrf: str


class Sessions:
    """The link that is open now, and the sessions that links opened. Safe to use from several threads.

    Parameters
    ----------
    token
        The first link's.
    announce
        Called with the token of the next link whenever one was used, so that a person can open another browser.

    Examples
    --------
    >>> sessions = Sessions("a-secret")
    >>> session = sessions.enter("a-secret")
    >>> sessions.find(session.key) == session
    True
    >>> sessions.enter("a-secret") is None
    True
    """

    def __init__(self, token: str, *, announce: Callable[[str], None] | None = None) -> None:
        self._token = token
        self._announce = announce
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def enter(self, token: str) -> Session | None:
        """Use the link up; None where the token is not that of the link which is open now."""
        with self._lock:
            if not same(token, self._token):
                return None
            self._token = following = fresh_token()
            session = Session(key=fresh_token(), csrf=fresh_token())
            self._sessions[session.key] = session
            while len(self._sessions) > _MOST:
                del self._sessions[next(iter(self._sessions))]
        if self._announce is not None:
            self._announce(following)
        return session

    def find(self, key: str) -> Session | None:
        """The session of a cookie."""
        with self._lock:
            known = tuple(self._sessions.values())
        found = None
        for session in known:  # all of them, each in constant time
            if same(key, session.key):
                found = session
        return found


def same(given: str, wanted: str) -> bool:
    """Whether two secrets are equal, in a time that doesn't tell where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode("utf-8", "surrogatepass"))
