"""Pair files that users write: JSON Lines, JSON, CSV or Parquet with named columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Self

from evenhand.datasets.base import require_path, unique_ids
from evenhand.datasets.fields import (
    as_metadata,
    gold_of,
    optional_text,
    plain_name,
    printable_name,
    refuse_near_names,
    required_text,
    wrong_value,
)
from evenhand.datasets.rows import Row, read_rows
from evenhand.errors import DataError
from evenhand.records import Pair, Preference, content_hash

__all__ = ["OPTIONAL_FIELDS", "REQUIRED_FIELDS", "TableDataset"]

REQUIRED_FIELDS = ("instruction", "response_a", "response_b")
"""Columns that every pair file has."""
OPTIONAL_FIELDS = ("id", "gold", "source", "group", "author_a", "author_b")
"""Columns with a meaning that may be left out; every other column becomes metadata."""
_NAMES_OF_METADATA = ("quality_a", "quality_b")
"""Metadata that an audit looks for by name."""

_GOLD: Mapping[object, Preference | None] = MappingProxyType(
    {"a": Preference.A, "b": Preference.B, "tie": Preference.TIE, "": None, None: None}
)

# Names that pair data in the wild gives these columns, for the hint only: nothing is ever read under another name.
_RESPONSE_STEMS = ("response", "output", "answer", "completion", "reply", "text", "generation", "candidate")
_OTHER_NAMES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "instruction": frozenset({"instructions", "prompt", "question", "input", "query", "task", "user", "request"}),
        "response_a": frozenset(
            {"a", "chosen", "model_a", "model_1", "response_model_a"}
            | {f"{stem}{join}{end}" for stem in _RESPONSE_STEMS for join in ("_", "") for end in "a1"}
        ),
        "response_b": frozenset(
            {"b", "rejected", "model_b", "model_2", "response_model_b"}
            | {f"{stem}{join}{end}" for stem in _RESPONSE_STEMS for join in ("_", "") for end in "b2"}
        ),
        "gold": frozenset(
            {"label", "labels", "winner", "preference", "preferred", "gold_label", "gold_preference"}
            | {"human_preference", "verdict", "ground_truth"}
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDataset:
    """One file with a row for each pair.

    Columns: ``instruction``, ``response_a`` and ``response_b`` are required; ``id``, ``gold`` (A, B, tie or empty),
    ``source``, ``group``, ``author_a`` and ``author_b`` are optional; every other column is kept as metadata.
    A row without an id gets ``pair-`` and 12 hexadecimal digits of the hash of its three texts, so it keeps its id
    when rows are moved or the format changes. See ``docs/reference/pair-files.md``.

    Attributes
    ----------
    path
        The file; its extension names the format.
    """

    path: Path

    @property
    def spec(self) -> str:
        """The path."""
        return str(self.path)

    @classmethod
    def from_spec(cls, rest: str | None) -> Self:
        """Build it from a path."""
        return cls(path=require_path("table", rest))

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs in the file's order.

        Raises
        ------
        DataError
            A file, row or field can't be read, or an id occurs twice.
        """
        return unique_ids((row.path, row.number, _pair_of(row)) for row in read_rows(self.path))


def _pair_of(row: Row) -> Pair:
    _check_names(row)
    instruction, response_a, response_b = (required_text(row, name) for name in REQUIRED_FIELDS)
    if not instruction.strip():
        raise wrong_value(row, "instruction", "a text that isn't blank")
    identity = optional_text(row, "id") or f"pair-{content_hash([instruction, response_a, response_b])[:12]}"
    return Pair(
        id=identity,
        instruction=instruction,
        response_a=response_a,
        response_b=response_b,
        gold=gold_of(row, "gold", _GOLD, expected="A, B, tie or empty"),
        source=optional_text(row, "source") or "",
        group=optional_text(row, "group") or "",
        author_a=optional_text(row, "author_a"),
        author_b=optional_text(row, "author_b"),
        metadata=tuple(_metadata(row)),
    )


def _metadata(row: Row) -> Iterable[tuple[str, str]]:
    known = {*REQUIRED_FIELDS, *OPTIONAL_FIELDS}
    for name, value in row.values.items():
        text = as_metadata(value) if name not in known else None
        if text is not None:
            yield name, text


def _check_names(row: Row) -> None:
    """Refuse a row that lacks a required column, or that has an optional one under another name."""
    missing = [name for name in REQUIRED_FIELDS if name not in row.values]
    if missing:
        wanted = missing[0]
        found = _look_alike(row, wanted)
        raise DataError(
            f"missing field {wanted}" + (f"; found {found}: rename it" if found else ""),
            path=row.path,
            row=row.number,
            remedy=_other_reader(row) or f"columns here: {', '.join(map(printable_name, row.values))[:200] or 'none'}",
        )
    if "gold" not in row.values and (found := _look_alike(row, "gold")) is not None:
        raise DataError(
            f"there is no field gold, but {found}, which would be ignored",
            path=row.path,
            row=row.number,
            remedy=f"rename {found} to gold with the values A, B or tie, or add an empty field gold to keep it aside",
        )
    refuse_near_names(row, (*OPTIONAL_FIELDS, *_NAMES_OF_METADATA))


def _look_alike(row: Row, wanted: str) -> str | None:
    """A column that is likely meant to be ``wanted``."""
    for name in row.values:
        plain = plain_name(name)
        if name != wanted and (plain == wanted or plain in _OTHER_NAMES[wanted]):
            return printable_name(name)
    return None


def _other_reader(row: Row) -> str | None:
    """A hint where the file is one that another data set reads."""
    names = set(row.values)
    if {"input", "output_1", "output_2", "label"} <= names:
        return f"this looks like an LLMBar file: use llmbar:{row.path}"
    if {"question", "response_A", "response_B", "label"} <= names:
        return f"this looks like a JudgeBench file: use judgebench:{row.path}"
    return None
