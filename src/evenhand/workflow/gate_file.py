"""Requirements from a TOML file, strict: an unknown key is an error, for a gate that is misspelt guards nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evenhand.audits.drift.requirements import SHORTHANDS, Requirement, readout_named
from evenhand.errors import ConfigError, DataError
from evenhand.records import Readout
from evenhand.records.toml_text import parse_toml
from evenhand.store.bounded import read_bounded

__all__ = ["GateFile", "read_gates"]

_LARGEST = 1 << 20
_REQUIRE_KEYS = frozenset({"measure", "max", "min", "max_size", "audit", "condition", "readout"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFile:
    """What a gate file asks. ``max_failures`` and ``allow_undecided`` are None where it doesn't say."""

    requirements: tuple[Requirement, ...]
    max_failures: float | None = None
    allow_undecided: bool | None = None


def read_gates(path: Path) -> GateFile:
    """Read a gate file.

    Top-level keys are the shorthands (``max_flip_rate = 0.15``), ``max_failures``, ``allow_undecided``, and
    ``condition`` and ``readout``, to which the shorthands are then limited; each ``[[require]]`` table has ``measure``,
    ``max``, ``min`` or ``max_size`` (of the distance from 0), and may have ``audit``,
    ``condition`` and ``readout``.

    Raises
    ------
    DataError
        Not TOML, an unknown key, a value of the wrong type or out of range: with file and field.
    """
    try:
        tree = parse_toml(read_bounded(path, most=_LARGEST, what="gate file").decode("utf-8"))
    except ValueError as error:
        raise DataError(f"not a TOML file ({error})", path=path) from error
    known = {*SHORTHANDS, "max_failures", "allow_undecided", "condition", "readout", "require"}
    for key in tree:
        if key not in known:
            raise DataError(f"unknown key; expected one of {', '.join(sorted(known))}", path=path, field=key)
    condition, readout = _text(tree, "condition", path), _readout(tree, path)
    requirements: list[Requirement] = []
    for key, short in SHORTHANDS.items():
        value = _number(tree, key, path)
        if value is not None:
            with _placed(path, key):
                requirements.append(short.requirement(value, condition=condition, readout=readout))
    requirements += _tables(tree.get("require", []), path)
    allow = tree.get("allow_undecided")
    if allow is not None and not isinstance(allow, bool):
        raise DataError(f"{allow!r}, expected true or false", path=path, field="allow_undecided")
    failures = _number(tree, "max_failures", path)
    if failures is not None and not 0 <= failures <= 1:
        raise DataError(f"{failures:g}, expected a share between 0 and 1", path=path, field="max_failures")
    return GateFile(requirements=tuple(requirements), max_failures=failures, allow_undecided=allow)


def _tables(tables: object, path: Path) -> Iterator[Requirement]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise DataError("expected tables, each headed [[require]]", path=path, field="require")
    for number, table in enumerate(tables, start=1):
        field = f"require, table {number}"
        if unknown := sorted(set(table) - _REQUIRE_KEYS):
            raise DataError(f"unknown key {unknown[0]!r}", path=path, field=field)
        measure = _text(table, "measure", path, place=field)
        if measure is None:
            raise DataError("has no measure", path=path, field=field)
        size = _number(table, "max_size", path, place=field)
        most, least = _number(table, "max", path, place=field), _number(table, "min", path, place=field)
        if size is not None and (most is not None or least is not None):
            raise DataError("max_size stands alone, without max and min", path=path, field=field)
        with _placed(path, field):
            yield Requirement(
                measure=measure,
                most=most if size is None else size,
                least=least,
                size=size is not None,
                audit=_text(table, "audit", path, place=field),
                condition=_text(table, "condition", path, place=field),
                readout=_readout(table, path, place=field),
            )


@contextmanager
def _placed(path: Path, field: str) -> Iterator[None]:
    """Name file and field in what a requirement says of itself."""
    try:
        yield
    except ConfigError as error:
        raise DataError(str(error), path=path, field=field) from error


def _place(key: str, place: str | None) -> str:
    return key if place is None else f"{place}, {key}"


def _number(tree: Mapping[str, object], key: str, path: Path, *, place: str | None = None) -> float | None:
    value = tree.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataError(f"{value!r}, expected a number", path=path, field=_place(key, place))
    return float(value)


def _text(tree: Mapping[str, object], key: str, path: Path, *, place: str | None = None) -> str | None:
    value = tree.get(key)
    if value is None or isinstance(value, str):
        return value
    raise DataError(f"{value!r}, expected a text", path=path, field=_place(key, place))


def _readout(tree: Mapping[str, object], path: Path, *, place: str | None = None) -> Readout | None:
    name = _text(tree, "readout", path, place=place)
    if name is None:
        return None
    with _placed(path, _place("readout", place)):
        return readout_named(name)
