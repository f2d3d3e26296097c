"""Rewrites that the user supplies: one text for a pair, a factor, a level and a target.

See ``docs/reference/variant-files.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evenhand.errors import ConfigError, DataError
from evenhand.perturbations.registry import perturbations
from evenhand.perturbations.sides import check_change
from evenhand.perturbations.variant_rows import VariantRow, read_variant_file
from evenhand.records import Change, Pair, Preference, VariantsIdentity

__all__ = ["FIELDS", "Variants", "load_variants"]

FIELDS: Final = ("pair_id", "factor", "level", "target", "text")
"""The columns of a variant file; others are ignored."""

_BY_RULE_ONLY: Final = frozenset({"recency"})
"""Factors that change both responses at once, which one text can't."""
_SHOWN: Final = 60
"""Characters of an offending value that an error shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """What the user supplied.

    Attributes
    ----------
    texts
        By pair id and change. The text takes the place of the target response; for an endorsement it is the sentence
        that follows the instruction, in which ``{label}`` stands for the target's label.
    identity
        File, number of rewrites and the file's SHA-256, as they stand in a run's manifest.
    supplied
        (factor, level) of which there is at least one rewrite; no rule makes those.
    """

    texts: Mapping[tuple[str, Change], str]
    identity: VariantsIdentity
    supplied: frozenset[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        supplied = frozenset((change.factor, change.level) for _, change in self.texts)
        object.__setattr__(self, "supplied", supplied)

    def text(self, pair_id: str, change: Change) -> str | None:
        """The rewrite for a pair, or None where none was supplied."""
        return self.texts.get((pair_id, change))


def load_variants(path: str | Path, pairs: Iterable[Pair], *, partial: bool = False) -> Variants:
    """Read a variant file for these pairs.

    Parameters
    ----------
    path
        JSON Lines, CSV or Parquet with the columns of :data:`FIELDS`.
    pairs
        The pairs that will be judged.
    partial
        Whether the pairs are only a part of the data (``--limit``): then rows for others are checked and kept, and at
        least one row must be for one of these. Else a row for an unknown pair is an error.

    Raises
    ------
    DataError
        A file, row or field can't be read; a pair, factor, level or target is unknown; two rows supply the same; a
        text is blank; or there is none at all.
    """
    file = read_variant_file(Path(path))
    known = {pair.id for pair in pairs}
    texts: dict[tuple[str, Change], str] = {}
    rows: dict[tuple[str, Change], int] = {}
    for row in file.rows:
        key = (_pair_id(file.path, row, known, partial=partial), _change(file.path, row))
        if key in rows:
            raise DataError(
                f"supplies {key[1].name} of pair {key[0][:_SHOWN]!r} again, after row {rows[key]}",
                path=file.path,
                row=row.number,
            )
        rows[key] = row.number
        texts[key] = _text(file.path, row, key[1])
    if not texts:
        raise DataError("holds no rewrites", path=file.path)
    if not any(pair_id in known for pair_id, _ in texts):
        raise DataError("no row is for one of the pairs", path=file.path, field="pair_id")
    identity = VariantsIdentity(spec=str(path), rewrites=len(texts), sha256=file.sha256)
    return Variants(texts=texts, identity=identity)


def _field(path: Path, row: VariantRow, name: str) -> str:
    value = row.values.get(name)
    if name == "pair_id" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        what = "missing" if name not in row.values else "null" if value is None else f"of type {type(value).__name__}"
        raise DataError(
            f"is {what}, expected text",
            path=path,
            row=row.number,
            field=name,
            remedy=f"a variant file has the columns {', '.join(FIELDS)}",
        )
    return value


def _pair_id(path: Path, row: VariantRow, known: set[str], *, partial: bool) -> str:
    pair_id = _field(path, row, "pair_id")
    if pair_id not in known and not partial:
        raise DataError(
            f"is {pair_id[:_SHOWN]!r}, which is the id of none of the {len(known)} pairs",
            path=path,
            row=row.number,
            field="pair_id",
        )
    return pair_id


def _change(path: Path, row: VariantRow) -> Change:
    factor, level, target = (_field(path, row, name).strip() for name in ("factor", "level", "target"))
    possible = {name: one for name, one in perturbations().items() if name not in _BY_RULE_ONLY}
    if factor not in possible:
        raise DataError(
            f"is {factor[:_SHOWN]!r}, expected one of {', '.join(sorted(possible))}",
            path=path,
            row=row.number,
            field="factor",
        )
    try:
        side = Preference(target.upper())
        change = Change(factor=factor, level=level, target=side)
    except ValueError:
        raise DataError(f"is {target[:_SHOWN]!r}, expected A or B", path=path, row=row.number, field="target") from None
    try:
        check_change(change, factor=factor, levels=possible[factor].levels)
    except ConfigError as error:
        raise DataError(str(error), path=path, row=row.number, field="level") from error
    return change


def _text(path: Path, row: VariantRow, change: Change) -> str:
    text = _field(path, row, "text")
    if not text.strip():
        raise DataError("is blank", path=path, row=row.number, field="text", remedy="leave the row out")
    if change.factor == "endorsement" and "{label}" not in text:
        raise DataError(
            f"is {text[:_SHOWN]!r}, which lacks {{label}}",
            path=path,
            row=row.number,
            field="text",
            remedy="write {label} where the label of the endorsed response belongs",
        )
    return text
