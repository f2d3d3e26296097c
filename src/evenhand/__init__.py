"""Evenhand audits LLM judges: how far a verdict depends on order and on how it was read, with honest intervals.

The front door is :func:`audit`; :func:`load_pairs`, :func:`read_log`, :func:`import_log` and :func:`open_run` stand
beside it. Whether a verdict will flip is predicted by :func:`collect`, :func:`load_probe_data`, :func:`fit_probes` and
:func:`transfer_probes`, and put to use by :func:`triage_run` and an audit's :class:`SelectiveSettings`.

Names are loaded on first use, so that importing the package stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from evenhand.datasets import load_pairs
    from evenhand.errors import ConfigError, DataError, EvenhandError, JudgeError, StatisticsError, StoreError
    from evenhand.judges import load_judge
    from evenhand.logs import read_log
    from evenhand.probes import ProbeData
    from evenhand.probes.saved import SavedProbe, load_probe
    from evenhand.probes.triage import TriageQuestion
    from evenhand.records import LabelSet, Order, Outcome, Pair, Preference, Readout, Verdict
    from evenhand.runner import Prices, SpendLimit
    from evenhand.workflow import (
        AuditRun,
        AuditSettings,
        DryRun,
        JudgeSetup,
        ReadoutChoice,
        SelectiveSettings,
        audit,
        dry_run,
        import_log,
        open_run,
    )
    from evenhand.workflow.collect import CollectRun, collect
    from evenhand.workflow.collect_settings import CollectSettings
    from evenhand.workflow.probe_data import load_probe_data
    from evenhand.workflow.probe_fit import ProbeFit, fit_probes
    from evenhand.workflow.probe_settings import FitSettings
    from evenhand.workflow.probe_transfer import ProbeTransfer, transfer_probes
    from evenhand.workflow.triage import TriageRun, triage_run

_HOMES = {
    "AuditRun": "evenhand.workflow",
    "AuditSettings": "evenhand.workflow",
    "CollectRun": "evenhand.workflow.collect",
    "CollectSettings": "evenhand.workflow.collect_settings",
    "ConfigError": "evenhand.errors",
    "DataError": "evenhand.errors",
    "DryRun": "evenhand.workflow",
    "EvenhandError": "evenhand.errors",
    "FitSettings": "evenhand.workflow.probe_settings",
    "JudgeError": "evenhand.errors",
    "JudgeSetup": "evenhand.workflow",
    "LabelSet": "evenhand.records",
    "Order": "evenhand.records",
    "Outcome": "evenhand.records",
    "Pair": "evenhand.records",
    "Preference": "evenhand.records",
    "Prices": "evenhand.runner",
    "ProbeData": "evenhand.probes",
    "ProbeFit": "evenhand.workflow.probe_fit",
    "ProbeTransfer": "evenhand.workflow.probe_transfer",
    "Readout": "evenhand.records",
    "ReadoutChoice": "evenhand.workflow",
    "SavedProbe": "evenhand.probes.saved",
    "SelectiveSettings": "evenhand.workflow",
    "SpendLimit": "evenhand.runner",
    "StatisticsError": "evenhand.errors",
    "StoreError": "evenhand.errors",
    "TriageQuestion": "evenhand.probes.triage",
    "TriageRun": "evenhand.workflow.triage",
    "Verdict": "evenhand.records",
    "audit": "evenhand.workflow",
    "collect": "evenhand.workflow.collect",
    "dry_run": "evenhand.workflow",
    "fit_probes": "evenhand.workflow.probe_fit",
    "import_log": "evenhand.workflow",
    "load_judge": "evenhand.judges",
    "load_pairs": "evenhand.datasets",
    "load_probe": "evenhand.probes.saved",
    "load_probe_data": "evenhand.workflow.probe_data",
    "open_run": "evenhand.workflow",
    "read_log": "evenhand.logs",
    "transfer_probes": "evenhand.workflow.probe_transfer",
    "triage_run": "evenhand.workflow.triage",
}

__all__ = [
    "AuditRun",
    "AuditSettings",
    "CollectRun",
    "CollectSettings",
    "ConfigError",
    "DataError",
    "DryRun",
    "EvenhandError",
    "FitSettings",
    "JudgeError",
    "JudgeSetup",
    "LabelSet",
    "Order",
    "Outcome",
    "Pair",
    "Preference",
    "Prices",
    "ProbeData",
    "ProbeFit",
    "ProbeTransfer",
    "Readout",
    "ReadoutChoice",
    "SavedProbe",
    "SelectiveSettings",
    "SpendLimit",
    "StatisticsError",
    "StoreError",
    "TriageQuestion",
    "TriageRun",
    "Verdict",
    "__version__",
    "audit",
    "collect",
    "dry_run",
    "fit_probes",
    "import_log",
    "load_judge",
    "load_pairs",
    "load_probe",
    "load_probe_data",
    "open_run",
    "read_log",
    "transfer_probes",
    "triage_run",
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
