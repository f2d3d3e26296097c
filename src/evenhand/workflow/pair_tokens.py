"""How long a pair's responses are in a judge's own tokens: counted while the judge is at hand, and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import DataError, StoreError
from evenhand.judges import Captures
from evenhand.records import Pair
from evenhand.store.atomic import write_atomically
from evenhand.store.parquet import read_table

__all__ = ["PairTokens", "count_pair_tokens", "read_pair_tokens", "write_pair_tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTokens:
    """Tokens of the two responses, as plain text.

    Examples
    --------
    >>> PairTokens(a=120, b=90).difference
    30
    """

    a: int
    b: int

    @property
    def difference(self) -> int:
        """Of A minus of B."""
        return self.a - self.b


def count_pair_tokens(judge: Captures, pairs: Sequence[Pair]) -> dict[str, PairTokens]:
    """Count the tokens of every pair's responses, by pair id."""
    return {
        pair.id: PairTokens(a=judge.count_tokens(pair.response_a), b=judge.count_tokens(pair.response_b))
        for pair in pairs
    }


def write_pair_tokens(path: Path, counts: Mapping[str, PairTokens]) -> None:
    """Write them as Parquet: ``pair_id``, ``tokens_a``, ``tokens_b``; whole or not at all.

    Raises
    ------
    StoreError
        The folder can't be written, or the disk is full.
    """
    import polars as pl

    table = pl.DataFrame(
        {
            "pair_id": [_utf8(pair_id) for pair_id in counts],
            "tokens_a": [each.a for each in counts.values()],
            "tokens_b": [each.b for each in counts.values()],
        },
        schema={"pair_id": pl.String, "tokens_a": pl.Int64, "tokens_b": pl.Int64},
    )
    write_atomically(path, table.write_parquet)


def read_pair_tokens(path: Path, pairs: Sequence[Pair]) -> dict[str, PairTokens]:
    """Read the counts of these pairs.

    Raises
    ------
    StoreError
        Not such a file, damaged, or a pair is not in it.
    """
    import polars as pl

    try:
        table = read_table(path)
    except DataError as error:
        raise StoreError(str(error)) from error
    if dict(table.schema) != {"pair_id": pl.String, "tokens_a": pl.Int64, "tokens_b": pl.Int64}:
        raise StoreError(f"{path}: damaged, or no counts of ours: its columns are {', '.join(table.columns)[:200]}")
    found = {row[0]: row[1:] for row in table.iter_rows()}
    counts = {}
    for pair in pairs:
        a, b = found.get(_utf8(pair.id), (None, None))
        if a is None or b is None or a < 0 or b < 0:
            raise StoreError(f"{path}: damaged: no token counts of pair {pair.id[:80]!r}")
        counts[pair.id] = PairTokens(a=a, b=b)
    return counts


def _utf8(text: str) -> str:
    """A lone surrogate, which Parquet can't hold, as its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
