"""Names of a study's files and of the elements of its page: never a path, never two alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256

__all__ = ["distinct_names", "safe_name"]

_SAFE = re.compile(r"[a-z0-9](?:[a-z0-9_-]|\.(?=[a-z0-9_-])){0,79}")
_RISKY = re.compile(r"[^a-z0-9_-]+")
_LENGTH = 64
_DIGEST = 8


def safe_name(text: str) -> str:
    """The text where it is fit for a file's name, or its plain letters with a hash of the whole.

    Lower case only, since file systems that ignore case would take two names for one; no dot at an end, no slash.

    Examples
    --------
    >>> safe_name("rank-changes"), safe_name("../../etc/passwd")
    ('rank-changes', 'etc-passwd-3754d6cb')
    """
    if _SAFE.fullmatch(text):
        return text
    plain = _RISKY.sub("-", text[: 4 * _LENGTH].lower())[:_LENGTH].strip("-_")
    digest = sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:_DIGEST]
    return f"{plain}-{digest}" if plain else digest


def distinct_names(texts: Iterable[str]) -> tuple[str, ...]:
    """:func:`safe_name` of each text; one that was taken before gets a number.

    Examples
    --------
    >>> distinct_names(["main", "main", "other"])
    ('main', 'main-2', 'other')
    """
    taken: set[str] = set()
    made = []
    for text in texts:
        name = safe_name(text)
        candidate, number = name, 1
        while candidate in taken:
            number += 1
            candidate = f"{name}-{number}"
        taken.add(candidate)
        made.append(candidate)
    return tuple(made)
