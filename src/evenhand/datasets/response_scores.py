"""Scores that a judge gave each response by itself, one response a call: from a file, one pair a row."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from evenhand.datasets.fields import optional_text, refuse_near_names, wrong_value
from evenhand.datasets.rows import Row, read_rows
from evenhand.errors import DataError
from evenhand.records import file_sha256

__all__ = ["PairScores", "ResponseScores", "read_response_scores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairScores:
    """What each response of a pair got, None where the judge gave no score; ``tokens`` of both calls together."""

    a: float | None
    b: float | None
    tokens: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseScores:
    """The scores of a file, by pair id.

    Attributes
    ----------
    elsewhere
        Rows of pairs that aren't among those asked about.
    """

    path: Path
    sha256: str
    scores: Mapping[str, PairScores]
    elsewhere: int = 0


def read_response_scores(path: str | Path, pair_ids: Collection[str]) -> ResponseScores:
    """Read scores that were given to each response by itself.

    Columns: ``pair_id``, ``score_a`` and ``score_b`` (numbers of one scale, empty where there is none) are required,
    ``tokens`` (of both calls together) is optional.

    Raises
    ------
    DataError
        The file, a row or a field can't be read, a pair is there twice, or no row is of these pairs.
    """
    path = Path(path)
    known = frozenset(pair_ids)
    scores: dict[str, PairScores] = {}
    seen: dict[str, int] = {}
    elsewhere = 0
    for row in read_rows(path):
        for name in ("pair_id", "score_a", "score_b"):
            if name not in row.values:
                raise DataError(f"missing field {name}", path=path, row=row.number)
        refuse_near_names(row, ("tokens",))
        pair_id = optional_text(row, "pair_id")
        if pair_id is None:
            raise wrong_value(row, "pair_id", "the id of a pair")
        if pair_id in seen:
            raise DataError(f"pair {pair_id!r} stands in row {seen[pair_id]} already", path=path, row=row.number)
        seen[pair_id] = row.number
        found = PairScores(a=_number(row, "score_a"), b=_number(row, "score_b"), tokens=_number(row, "tokens"))
        if found.tokens is not None and found.tokens < 0:
            raise wrong_value(row, "tokens", "a number of tokens, 0 or more, or nothing")
        if pair_id in known:
            scores[pair_id] = found
        else:
            elsewhere += 1
    if not scores:
        raise DataError("no row is of a pair that was judged", path=path, remedy="pair_id must be the run's pair id")
    return ResponseScores(path=path, sha256=file_sha256(path), scores=scores, elsewhere=elsewhere)


def _number(row: Row, field: str) -> float | None:
    value = row.values.get(field)
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise wrong_value(row, field, "a number or nothing")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise wrong_value(row, field, "a number or nothing") from None
    if not math.isfinite(number):
        raise wrong_value(row, field, "a finite number or nothing")
    return number
