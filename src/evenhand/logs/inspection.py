"""What a file supports as a verdict log, and what is missing, without importing it."""

from __future__ import annotations

from pathlib import Path

from evenhand.logs.base import Inspection

__all__ = ["inspect"]


def inspect(path: Path | str, format: str | None = None) -> Inspection:
    """Say what a log file supports and what is missing, row and field named."""
    raise NotImplementedError
