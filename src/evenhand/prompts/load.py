"""Prompt templates from TOML: the library that ships with the package, or a file of the user's."""

from __future__ import annotations

import codecs
import difflib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from evenhand.errors import ConfigError
from evenhand.prompts.template import DECIDES, REQUIRED, Decides, PromptTemplate, placeholders_of
from evenhand.records import LabelSet
from evenhand.records.regular_file import why_never
from evenhand.records.toml_text import parse_toml

__all__ = ["DEFAULT_PROMPT", "available_prompts", "load_prompt", "prompt_file"]

DEFAULT_PROMPT: Final = "single-character"

_FIELDS: Final = frozenset(
    {
        *("name", "description", "source", "labels", "user", "system"),
        *("decision", "scale", "prefill", "budgets", "max_label_length"),
    }
)
_MAX_BYTES: Final = 1_000_000


def available_prompts() -> tuple[str, ...]:
    """Names of the prompts in the library, sorted.

    Examples
    --------
    >>> available_prompts()
    ('brief-reasoning', 'mt-bench-like', 'rubric', 'score-each', 'single-character')
    """
    library = files("evenhand.prompts") / "library"
    return tuple(sorted(entry.name[: -len(".toml")] for entry in library.iterdir() if entry.name.endswith(".toml")))


def load_prompt(name_or_path: str | Path) -> PromptTemplate:
    """Load a prompt by its name in the library, or from a TOML file.

    Anything with a path separator or ending in ``.toml`` is a file.

    Raises
    ------
    ConfigError
        Unknown name, unreadable file, wrong TOML, or a field that is missing, unknown or of the wrong type; the
        message names file and field.

    Examples
    --------
    >>> prompt = load_prompt("single-character")
    >>> prompt.labels.name, prompt.offers_tie
    ('A/B', False)
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or "/" in text or "\\" in text:
        return _parse(_read(Path(text)), origin=text)
    return _parse(_entry(text).read_bytes(), origin=f"{text}.toml")


def prompt_file(name: str) -> str:
    """The TOML text of a prompt in the library: a start for a file of one's own.

    Raises
    ------
    ConfigError
        Unknown name.
    """
    return _entry(name).read_text(encoding="utf-8")


def _entry(name: str) -> Traversable:
    known = available_prompts()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ConfigError(
            f"unknown prompt {name!r}{hint} (known: {', '.join(known)}; or give the path of a .toml file)"
        )
    return files("evenhand.prompts") / "library" / f"{name}.toml"


def _read(path: Path) -> bytes:
    if (problem := why_never(path)) is not None:
        raise ConfigError(f"prompt file {path}: {problem}")
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"prompt file {path}: {reason}") from error
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"prompt file {path}: larger than {_MAX_BYTES} bytes")
    return data


def _parse(data: bytes, *, origin: str) -> PromptTemplate:
    try:
        table = parse_toml(data.removeprefix(codecs.BOM_UTF8).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"prompt file {origin}: not UTF-8 (byte {error.start})") from error
    except ValueError as error:
        raise ConfigError(f"prompt file {origin}: not valid TOML: {error}") from error
    unknown = sorted(set(table) - _FIELDS)
    if unknown:
        raise ConfigError(f"prompt file {origin}, field {unknown[0]!r}: unknown (known: {', '.join(sorted(_FIELDS))})")
    user = _text(table, "user", origin).strip("\n")
    system = _text(table, "system", origin).strip("\n") if "system" in table else None
    _check_placeholders(user, system, origin)
    decision = _decision(table, origin)
    prompt = PromptTemplate(
        name=_text(table, "name", origin),
        description=_text(table, "description", origin),
        source=_text(table, "source", origin),
        user=user,
        system=system,
        labels=_labels(table, origin),
        decision=decision,
        scale=_scale(table, decision, origin),
        prefill=_text(table, "prefill", origin).strip() if "prefill" in table else None,
        budgets=_budgets(table, origin),
        max_label_length=_positive(table["max_label_length"], "max_label_length", origin)
        if "max_label_length" in table
        else None,
        origin=origin,
    )
    try:
        prompt.check_labels(prompt.labels)
    except ConfigError as error:
        raise ConfigError(f"prompt file {origin}, field 'labels': {error}") from error
    return prompt


def _check_placeholders(user: str, system: str | None, origin: str) -> None:
    present = placeholders_of(user, place=f"prompt file {origin}, field 'user'")
    if system is not None:
        present |= placeholders_of(system, place=f"prompt file {origin}, field 'system'")
    missing = [name for name in REQUIRED if name not in present]
    if missing:
        names = ", ".join(f"{{{name}}}" for name in missing)
        raise ConfigError(f"prompt file {origin}, field 'user': missing placeholder {names}")


def _text(table: dict[str, Any], field: str, origin: str) -> str:
    value = table.get(field)
    if not isinstance(value, str) or not value.strip():
        problem = "missing" if field not in table else f"expected a text, got {value!r}"
        raise ConfigError(f"prompt file {origin}, field {field!r}: {problem}")
    return value


def _labels(table: dict[str, Any], origin: str) -> LabelSet:
    try:
        return LabelSet.parse(_text(table, "labels", origin))
    except ConfigError as error:
        if str(error).startswith("prompt file"):
            raise
        raise ConfigError(f"prompt file {origin}, field 'labels': {error}") from error


def _decision(table: dict[str, Any], origin: str) -> Decides:
    value = table.get("decision", "label")
    for known in DECIDES:
        if value == known:
            return known
    raise ConfigError(f"prompt file {origin}, field 'decision': expected {', '.join(DECIDES)}, got {value!r}")


def _scale(table: dict[str, Any], decision: Decides, origin: str) -> tuple[int, int] | None:
    place = f"prompt file {origin}, field 'scale'"
    if decision != "scores":
        if "scale" in table:
            raise ConfigError(f'{place}: only for decision = "scores"')
        return None
    match table.get("scale"):
        case [int(low), int(high)] if 0 <= low < high and not isinstance(low, bool) and not isinstance(high, bool):
            return low, high
        case None:
            raise ConfigError(f'{place}: missing; decision = "scores" needs it, such as [1, 10]')
        case other:
            raise ConfigError(f"{place}: expected lowest and highest score, such as [1, 10], got {other!r}")


def _positive(value: object, field: str, origin: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(
            f"prompt file {origin}, field {field!r}: expected a whole number of at least 1, got {value!r}"
        )
    return value


def _budgets(table: dict[str, Any], origin: str) -> tuple[int, ...] | None:
    if "budgets" not in table:
        return None
    value = table["budgets"]
    if not isinstance(value, list) or not value:
        raise ConfigError(f"prompt file {origin}, field 'budgets': expected a list of whole numbers, got {value!r}")
    budgets = tuple(_positive(item, "budgets", origin) for item in value)
    if list(budgets) != sorted(set(budgets)):
        raise ConfigError(f"prompt file {origin}, field 'budgets': must ascend, got {value!r}")
    return budgets
