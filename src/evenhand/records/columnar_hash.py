"""The hash of a set of pairs held as columns: the same as :func:`evenhand.records.pairs_hash`, without the records."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.records.columnar import PAIR_TEXTS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["columns_hash"]

_AT_ONCE = 250_000
_PLAIN = r"^[ !#-\[\]-~]*$"
"""Texts that JSON writes as they are: ASCII without quotes, backslashes and control characters."""
_HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)


def columns_hash(pairs: pl.DataFrame) -> str:
    """One hash for a whole set of pairs, whatever their order.

    Parameters
    ----------
    pairs
        As :class:`evenhand.records.columnar.VerdictColumns` holds them.

    Examples
    --------
    >>> import polars as pl
    >>> from evenhand.records import Pair, pairs_hash
    >>> frame = pl.DataFrame({"id": ["p", "q"], "source": ["s", ""], "group": ["g", "h"], "gold": ["A", None]})
    >>> columns_hash(frame) == pairs_hash(
    ...     [
    ...         Pair(id="q", instruction="", response_a="", response_b="", group="h"),
    ...         Pair(id="p", instruction="", response_a="", response_b="", gold="A", source="s", group="g"),
    ...     ]
    ... )
    True
    """
    digests = np.empty((len(pairs), 32), dtype=np.uint8)
    begin = 0
    for part in pairs.iter_slices(_AT_ONCE):
        sha = hashlib.sha256
        data = b"".join([sha(text).digest() for text in _records(part)])
        digests[begin : begin + len(part)] = np.frombuffer(data, dtype=np.uint8).reshape(-1, 32)
        begin += len(part)
    return _hash_of(_ascending(digests))


def _records(pairs: pl.DataFrame) -> pl.Series:
    """Each pair as the canonical JSON that :attr:`Pair.content_hash` hashes, in bytes."""
    import polars as pl

    fields = ["id", *PAIR_TEXTS, "gold", "source", "group"]
    written = [_json(pairs[name], name) if name in pairs.columns else pl.lit('""').alias(name) for name in fields]
    parts: list[pl.Expr] = []
    for name, field in zip(fields, written, strict=True):
        parts += [pl.lit("[" if name == "id" else ","), field if isinstance(field, pl.Expr) else pl.lit(field)]
    whole = pl.concat_str([*parts, pl.lit("]")])
    return pairs.select(whole.cast(pl.Binary).alias("record"))["record"]


def _json(series: pl.Series, name: str) -> pl.Series:
    import polars as pl

    texts = series.cast(pl.String)
    quoted = ('"' + texts + '"').fill_null("null" if name == "gold" else '""')
    odd = (~texts.str.contains(_PLAIN)).fill_null(value=False).arg_true()
    if not len(odd):
        return quoted
    return quoted.scatter(odd, [json.dumps(text) for text in texts.gather(odd)])


def _ascending(digests: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The rows in the order of their bytes, which is that of their hexadecimal forms."""
    lead = digests.view(">u8")[:, 0].astype(np.uint64)
    order = np.argsort(lead, kind="stable")
    lead = lead[order]
    if (lead[1:] == lead[:-1]).any():  # of 2**64 values: as good as never, or the same pair twice
        return np.sort(np.ascontiguousarray(digests).view("S32")[:, 0]).view(np.uint8).reshape(-1, 32)
    return digests[order]


def _hash_of(digests: NDArray[np.uint8]) -> str:
    """SHA-256 of the JSON list of the hexadecimal forms."""
    whole = hashlib.sha256(b"[")
    for begin in range(0, len(digests), _AT_ONCE):
        part = digests[begin : begin + _AT_ONCE]
        text = np.empty((len(part), 67), dtype=np.uint8)
        text[:, 0] = text[:, 65] = ord('"')
        text[:, 1:65:2], text[:, 2:65:2], text[:, 66] = _HEX[part >> 4], _HEX[part & 15], ord(",")
        last = begin + len(part) == len(digests)
        whole.update(text.tobytes()[: -1 if last else None])
    whole.update(b"]")
    return whole.hexdigest()
