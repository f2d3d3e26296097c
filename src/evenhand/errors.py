"""The error tree. Every error says what is wrong, with which value, and what to do about it."""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "ConfigError",
    "DataError",
    "EvenhandError",
    "JudgeError",
    "StatisticsError",
    "StoreError",
    "install_hint",
]

_LONGEST = 1_500
"""Characters of an error's text."""

_ONE_LINE = dict.fromkeys(map(ord, "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def _one_line(text: str) -> str:
    r"""The text without line breaks, its middle left out where it is too long: the ends say where and what to do.

    Examples
    --------
    >>> _one_line("a\nb"), len(_one_line("x" * 1_000_000))
    ('a b', 1518)
    """
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}… [{len(text) - _LONGEST:,} more] …{text[-_LONGEST // 2 :]}"
    return text.translate(_ONE_LINE)


class EvenhandError(Exception):
    """Base of every error that Evenhand raises on purpose; its text is one line fit for a user."""

    def __init__(self, *parts: object) -> None:
        # A file's name may hold a line break, and so may what a library complains of; a key may have a megabyte.
        super().__init__(*(_one_line(part) if isinstance(part, str) else part for part in parts))

    exit_code: int = 2
    """What the command exits with: 2 for bad usage or input, 3 when the work could not be finished."""


class ConfigError(EvenhandError):
    """A setting, option, name or template is wrong, or a needed extra is missing."""


class DataError(EvenhandError):
    """An input file, row or field can't be read.

    Parameters
    ----------
    problem
        What is wrong, with the offending value where it is short.
    path
        The file, when there is one; for what comes from elsewhere, its place in words.
    row
        1-based row or line in that file.
    field
        The column or key.
    remedy
        What the user can do.

    Examples
    --------
    >>> str(DataError("gold is 'C', expected A, B, tie or empty", path=Path("p.csv"), row=3, field="gold"))
    "p.csv, row 3, field 'gold': gold is 'C', expected A, B, tie or empty"
    """

    def __init__(
        self,
        problem: str,
        *,
        path: Path | str | None = None,
        row: int | None = None,
        field: str | None = None,
        remedy: str | None = None,
    ) -> None:
        place = ", ".join(
            part
            for part in (
                str(path) if path is not None else "",
                f"row {row}" if row is not None else "",
                f"field {field!r}" if field is not None else "",
            )
            if part
        )
        text = f"{place}: {problem}" if place else problem
        super().__init__(f"{text} ({remedy})" if remedy else text)
        self.problem = problem
        self.path = path
        self.row = row
        self.field = field
        self.remedy = remedy


class JudgeError(EvenhandError):
    """The judge could not answer.

    Parameters
    ----------
    message
        What went wrong.
    retryable
        Whether asking the same again may succeed.
    """

    exit_code = 3

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class StoreError(EvenhandError):
    """A run's journal can't be opened, written or trusted."""

    exit_code = 3


class StatisticsError(EvenhandError):
    """A statistic was asked of arrays that don't fit it (shape, type, range): a caller's mistake.

    Too little data is not an error but a :class:`evenhand.stats.Refusal`.
    """


def install_hint(extra: str) -> str:
    """How to install what an optional part needs, for the end of a message.

    Examples
    --------
    >>> install_hint("probes")
    'pip install "evenhand[probes]", or from a checkout pip install ".[probes]"'
    """
    return f'pip install "evenhand[{extra}]", or from a checkout pip install ".[{extra}]"'
