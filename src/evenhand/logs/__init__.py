"""Verdict logs that others wrote, read into the same records."""

from evenhand.logs.base import (
    Capability,
    Excluded,
    GrammarHint,
    Inspection,
    LogEntry,
    LogFormat,
    Problem,
    VerdictLog,
)
from evenhand.logs.inspection import inspect
from evenhand.logs.read import read_log

__all__ = [
    "Capability",
    "Excluded",
    "GrammarHint",
    "Inspection",
    "LogEntry",
    "LogFormat",
    "Problem",
    "VerdictLog",
    "inspect",
    "read_log",
]
