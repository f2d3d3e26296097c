"""Pairs with the longer response cut, as a pair file that ``evenhand audit --pairs`` reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import ConfigError, DataError
from evenhand.mitigation.truncate import truncate_pair
from evenhand.records import Pair
from evenhand.store.atomic import write_text_atomically

__all__ = ["TruncatedFile", "write_truncated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedFile:
    """What was written.

    Attributes
    ----------
    pairs, cut
        How many, and how many of them were cut.
    at
        (``sentence``, ``word``, ``character`` or ``nothing``, how many).
    """

    path: Path
    pairs: int
    cut: int
    at: tuple[tuple[str, int], ...]


def write_truncated(path: Path, pairs: Sequence[Pair]) -> TruncatedFile:
    """Cut the longer response of each pair and write all pairs as JSON Lines.

    Ids, groups, sources and gold stay as they are, so that the second run can be set against the first. What was done
    to a pair stands in its columns ``truncated``, ``truncated_characters`` and ``truncated_at``.

    Raises
    ------
    ConfigError
        The name doesn't end in ``.jsonl``.
    DataError
        The run keeps no texts.
    StoreError
        The file can't be written.
    """
    if path.suffix.lower() != ".jsonl":
        raise ConfigError(f"truncated pairs {path}: expected a name that ends in .jsonl")
    if not any(pair.response_a or pair.response_b for pair in pairs):
        raise DataError("the run keeps no texts of the responses: nothing can be cut")
    found = [truncate_pair(pair) for pair in pairs]
    write_text_atomically(path, "".join(json.dumps(_row(each.pair), ensure_ascii=True) + "\n" for each in found))
    return TruncatedFile(
        path=path,
        pairs=len(found),
        cut=sum(each.cut is not None for each in found),
        at=tuple(sorted(Counter(each.at for each in found).items())),
    )


def _row(pair: Pair) -> dict[str, object]:
    known = {
        "id": pair.id,
        "instruction": pair.instruction,
        "response_a": pair.response_a,
        "response_b": pair.response_b,
        "gold": None if pair.gold is None else str(pair.gold),
        "source": pair.source,
        "group": pair.group,
        "author_a": pair.author_a,
        "author_b": pair.author_b,
    }
    return {**{name: value for name, value in pair.metadata if name not in known}, **known}
