"""Verdict logs that others wrote, read into the same records."""

from evenhand.logs.base import (
    Capability,
    ColumnarLog,
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
from evenhand.logs.read_columns import read_log_columns

__all__ = [
    "Capability",
    "ColumnarLog",
    "Excluded",
    "GrammarHint",
    "Inspection",
    "LogEntry",
    "LogFormat",
    "Problem",
    "VerdictLog",
    "inspect",
    "read_log",
    "read_log_columns",
]
