"""Content hashes: one canonical JSON form, SHA-256, hexadecimal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

__all__ = ["content_hash", "file_sha256"]

_CHUNK = 1 << 20


def content_hash(value: object) -> str:
    """SHA-256 of a JSON-able value in canonical form (sorted keys, no spaces, ASCII-escaped).

    Lone surrogates are escaped like any other character, so hostile text hashes too.

    Examples
    --------
    >>> content_hash({"b": 1, "a": [True, None]}) == content_hash({"a": [True, None], "b": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def file_sha256(path: Path, *, progress: Callable[[int], None] | None = None) -> str:
    """SHA-256 of a file's bytes, read in chunks; ``progress`` is told how many bytes each chunk had."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            if progress is not None:
                progress(len(chunk))
    return digest.hexdigest()
