"""A checksum inside a JSON record: damage that still reads as JSON is found out, and never becomes another figure.

SQLite checks the structure of its pages, not what stands in them: one flipped bit can turn a verdict into another.
"""

from __future__ import annotations

import re
import zlib

from evenhand.errors import DataError

__all__ = ["SEAL", "seal", "unseal"]

SEAL = "crc32"
"""Name of the last member of a sealed record."""

_SEALED = re.compile(rf',"{SEAL}":"([0-9a-f]{{8}})"\}}\Z')


def seal(text: str) -> str:
    """Add the checksum of a JSON object's text as its last member; it stays one JSON object.

    CRC-32 as in ISO 3309, over the UTF-8 bytes of the text before: it finds every single burst of up to 32 bits.

    Examples
    --------
    >>> seal('{"a":1}')
    '{"a":1,"crc32":"561bacaf"}'
    """
    return f'{text[:-1]},"{SEAL}":"{_crc(text):08x}"}}'


def unseal(text: object, *, what: str) -> str:
    """The text that :func:`seal` was given. A record without a seal, of a run made before there were any, is as it is.

    Raises
    ------
    DataError
        The text isn't the one that was sealed.

    Examples
    --------
    >>> unseal(seal('{"a":1}'), what="pair"), unseal('{"a":1}', what="pair")
    ('{"a":1}', '{"a":1}')
    >>> unseal(seal('{"a":1}').replace("1", "3", 1), what="pair")
    Traceback (most recent call last):
        ...
    evenhand.errors.DataError: pair: doesn't fit its own checksum
    """
    if not isinstance(text, str):  # a column of SQLite takes bytes too
        raise DataError(f"{what}: not JSON (bytes, expected a text)")
    found = _SEALED.search(text, max(len(text) - len(SEAL) - 15, 0))
    if found is None:
        return text
    plain = f"{text[: found.start()]}}}"
    if _crc(plain) != int(found[1], 16):
        raise DataError(f"{what}: doesn't fit its own checksum")
    return plain


def _crc(text: str) -> int:
    return zlib.crc32(text.encode("utf-8"))
