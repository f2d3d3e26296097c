"""Evenhand audits LLM judges: how far a verdict depends on order and on how it was read, with honest intervals.

The front door is :func:`audit`; :func:`load_pairs`, :func:`read_log`, :func:`import_log` and :func:`open_run` stand
beside it. Names are loaded on first use, so that importing the package stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from evenhand.datasets import load_pairs
    from evenhand.errors import (
        ConfigError,
        DataError,
        EvenhandError,
        JudgeError,
        StatisticsError,
        StoreError,
    )
    from evenhand.judges import load_judge
    from evenhand.logs import read_log
    from evenhand.records import LabelSet, Order, Outcome, Pair, Preference, Readout, Verdict
    from evenhand.runner import Prices, SpendLimit
    from evenhand.workflow import (
        AuditRun,
        AuditSettings,
        DryRun,
        JudgeSetup,
        ReadoutChoice,
        audit,
        dry_run,
        import_log,
        open_run,
    )

_HOMES = {
    "AuditRun": "evenhand.workflow",
    "AuditSettings": "evenhand.workflow",
    "ConfigError": "evenhand.errors",
    "DataError": "evenhand.errors",
    "DryRun": "evenhand.workflow",
    "EvenhandError": "evenhand.errors",
    "JudgeError": "evenhand.errors",
    "JudgeSetup": "evenhand.workflow",
    "LabelSet": "evenhand.records",
    "Order": "evenhand.records",
    "Outcome": "evenhand.records",
    "Pair": "evenhand.records",
    "Preference": "evenhand.records",
    "Prices": "evenhand.runner",
    "Readout": "evenhand.records",
    "ReadoutChoice": "evenhand.workflow",
    "SpendLimit": "evenhand.runner",
    "StatisticsError": "evenhand.errors",
    "StoreError": "evenhand.errors",
    "Verdict": "evenhand.records",
    "audit": "evenhand.workflow",
    "dry_run": "evenhand.workflow",
    "import_log": "evenhand.workflow",
    "load_judge": "evenhand.judges",
    "load_pairs": "evenhand.datasets",
    "open_run": "evenhand.workflow",
    "read_log": "evenhand.logs",
}

__all__ = [
    "AuditRun",
    "AuditSettings",
    "ConfigError",
    "DataError",
    "DryRun",
    "EvenhandError",
    "JudgeError",
    "JudgeSetup",
    "LabelSet",
    "Order",
    "Outcome",
    "Pair",
    "Preference",
    "Prices",
    "Readout",
    "ReadoutChoice",
    "SpendLimit",
    "StatisticsError",
    "StoreError",
    "Verdict",
    "__version__",
    "audit",
    "dry_run",
    "import_log",
    "load_judge",
    "load_pairs",
    "open_run",
    "read_log",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes are of any type
    """Load a public name on first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
