"""What went wrong with a call, and what follows from it: again, not again, or never for this judge."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

__all__ = ["ApiFault", "Fault", "FaultKind", "body_fault", "decode", "one_line", "retry_after", "status_fault"]

_SHOWN = 300
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""429 of OpenAI that no waiting helps."""
_AGAIN = frozenset({408, 409, 425, 429})
_JUDGE = frozenset({401, 402, 403, 404, 405, 501})


class FaultKind(StrEnum):
    """What follows from a fault."""

    AGAIN = "again"
    """The same request may succeed later."""
    UNREACHABLE = "unreachable"
    """Nobody took the connection: later, unless it goes on so."""
    REFUSED = "refused"
    """This request, or a parameter of it, is not taken."""
    JUDGE = "judge"
    """No request would be answered: key, model, address or quota."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One failed call.

    Attributes
    ----------
    text
        One line, without the key.
    wait
        Seconds that the endpoint asked to wait.
    slow_down
        Whether the endpoint said that there were too many requests.
    param
        The parameter that the endpoint names.
    """

    kind: FaultKind
    text: str
    status: int | None = None
    wait: float | None = None
    slow_down: bool = False
    param: str | None = None


class ApiFault(Exception):  # noqa: N818 - carries a Fault through await; never reaches a user
    """A call failed."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


def one_line(text: str, *, most: int = _SHOWN) -> str:
    r"""A server's text as one printable line.

    Examples
    --------
    >>> one_line("bad\x1b[31m\n  request")
    'bad [31m request'
    """
    flat = " ".join("".join(char if char.isprintable() else " " for char in text[: 20 * most]).split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """Seconds to wait by ``retry-after-ms`` or ``Retry-After`` (seconds or an HTTP date); None where not told.

    Parameters
    ----------
    headers
        Lower-case names, or a mapping that ignores case.
    now
        Unix time.

    Examples
    --------
    >>> retry_after({"retry-after": "1.5"}, now=0)
    1.5
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=50)
    10.0
    """
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        given = headers.get(name)
        if given is None:
            continue
        try:
            seconds = float(given) * scale
        except ValueError:
            try:
                seconds = parsedate_to_datetime(given).timestamp() - now
            except (ValueError, OverflowError, OSError):
                continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def status_fault(status: int, content: bytes, headers: Mapping[str, str], *, now: float) -> Fault:
    """The fault behind an HTTP status that is no success."""
    message, code, param = _message(content)
    text = f"HTTP {status}" + (f": {message}" if message else "")
    wait = retry_after(headers, now=now)
    if 300 <= status < 400:
        target = one_line(headers.get("location", "nowhere").partition("?")[0], most=120)
        return Fault(kind=FaultKind.JUDGE, status=status, text=f"HTTP {status}: the endpoint redirects to {target}")
    if status in _JUDGE or code in _QUOTA:
        kind = FaultKind.JUDGE
    elif status in _AGAIN or status >= 500:
        kind = FaultKind.AGAIN
    else:
        kind = FaultKind.REFUSED
    return Fault(kind=kind, status=status, text=text, wait=wait, slow_down=status == 429, param=param)


def body_fault(error: Any, *, now: float) -> Fault:  # noqa: ANN401 - a server's own
    """The fault that a response of status 200 holds in place of an answer (some gateways do that)."""
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return status_fault(status, json.dumps({"error": error}).encode(), {}, now=now)


def decode(content: bytes) -> dict[str, Any]:
    """A response's JSON object.

    Raises
    ------
    ApiFault
        It is none: cut, garbled, or an HTML page.
    """
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    message, _, _ = _message(content)
    raise ApiFault(
        Fault(kind=FaultKind.AGAIN, status=200, text=f"the endpoint answered no JSON object: {message or 'nothing'}")
    )


def _message(content: bytes) -> tuple[str, str | None, str | None]:
    """A server's own words with the code and parameter that it names, whatever it sent."""
    text = content[:100_000].decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        if title is not None or "<html" in text[:1000].lower():
            return f"an HTML page ({one_line(title.group(1), most=120) if title else 'untitled'})", None, None
        return one_line(text), None, None
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return one_line(_as_text(error)), None, None
    message = next((error[name] for name in ("message", "detail", "msg") if error.get(name)), error)
    code, param = error.get("code") or error.get("type"), error.get("param")
    return (
        one_line(_as_text(message)),
        str(code) if code is not None else None,
        str(param) if param is not None else None,
    )


def _as_text(value: Any) -> str:  # noqa: ANN401 - a server's own
    try:
        return value if isinstance(value, str) else json.dumps(value)
    except RecursionError:
        return "something nested too deeply"
