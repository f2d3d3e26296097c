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
    from evenhand.probes.triage_question import TriageQuestion
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
    from evenhand.workflow.biases import BiasRun, biases
    from evenhand.workflow.collect import CollectRun, collect
    from evenhand.workflow.collect_settings import CollectSettings
    from evenhand.workflow.compare import RunComparison, compare_runs
    from evenhand.workflow.even import UnevenJudgeError, assert_even
    from evenhand.workflow.gate import GateCheck, check_gates
    from evenhand.workflow.history import History, add_to_history, show_history
    from evenhand.workflow.humans import HumanRun, compare_with_humans
    from evenhand.workflow.judges import JudgesReport, report_runs
    from evenhand.workflow.labelling_export import ExportedLabels, export_labels
    from evenhand.workflow.mitigate import MitigationRun, mitigate
    from evenhand.workflow.probe_data import load_probe_data
    from evenhand.workflow.probe_fit import ProbeFit, fit_probes
    from evenhand.workflow.probe_settings import FitSettings
    from evenhand.workflow.probe_transfer import ProbeTransfer, transfer_probes
    from evenhand.workflow.rank import RankRun, rank_authors
    from evenhand.workflow.simulate_figures import FigureSettings, simulate_figures
    from evenhand.workflow.simulate_power import PowerSettings, simulate_power
    from evenhand.workflow.triage import TriageRun, triage_run

_HOMES = {
    "AuditRun": "evenhand.workflow",
    "AuditSettings": "evenhand.workflow",
    "BiasRun": "evenhand.workflow.biases",
    "CollectRun": "evenhand.workflow.collect",
    "CollectSettings": "evenhand.workflow.collect_settings",
    "ConfigError": "evenhand.errors",
    "DataError": "evenhand.errors",
    "DryRun": "evenhand.workflow",
    "EvenhandError": "evenhand.errors",
    "ExportedLabels": "evenhand.workflow.labelling_export",
    "FigureSettings": "evenhand.workflow.simulate_figures",
    "FitSettings": "evenhand.workflow.probe_settings",
    "GateCheck": "evenhand.workflow.gate",
    "History": "evenhand.workflow.history",
    "HumanRun": "evenhand.workflow.humans",
    "JudgeError": "evenhand.errors",
    "JudgeSetup": "evenhand.workflow",
    "JudgesReport": "evenhand.workflow.judges",
    "LabelSet": "evenhand.records",
    "MitigationRun": "evenhand.workflow.mitigate",
    "Order": "evenhand.records",
    "Outcome": "evenhand.records",
    "Pair": "evenhand.records",
    "PowerSettings": "evenhand.workflow.simulate_power",
    "Preference": "evenhand.records",
    "Prices": "evenhand.runner",
    "ProbeData": "evenhand.probes",
    "ProbeFit": "evenhand.workflow.probe_fit",
    "ProbeTransfer": "evenhand.workflow.probe_transfer",
    "RankRun": "evenhand.workflow.rank",
    "Readout": "evenhand.records",
    "ReadoutChoice": "evenhand.workflow",
    "RunComparison": "evenhand.workflow.compare",
    "SavedProbe": "evenhand.probes.saved",
    "SelectiveSettings": "evenhand.workflow",
    "SpendLimit": "evenhand.runner",
    "StatisticsError": "evenhand.errors",
    "StoreError": "evenhand.errors",
    "TriageQuestion": "evenhand.probes.triage_question",
    "TriageRun": "evenhand.workflow.triage",
    "Verdict": "evenhand.records",
    "UnevenJudgeError": "evenhand.workflow.even",
    "add_to_history": "evenhand.workflow.history",
    "assert_even": "evenhand.workflow.even",
    "audit": "evenhand.workflow",
    "biases": "evenhand.workflow.biases",
    "check_gates": "evenhand.workflow.gate",
    "collect": "evenhand.workflow.collect",
    "compare_runs": "evenhand.workflow.compare",
    "compare_with_humans": "evenhand.workflow.humans",
    "dry_run": "evenhand.workflow",
    "export_labels": "evenhand.workflow.labelling_export",
    "fit_probes": "evenhand.workflow.probe_fit",
    "import_log": "evenhand.workflow",
    "load_judge": "evenhand.judges",
    "load_pairs": "evenhand.datasets",
    "load_probe": "evenhand.probes.saved",
    "load_probe_data": "evenhand.workflow.probe_data",
    "mitigate": "evenhand.workflow.mitigate",
    "open_run": "evenhand.workflow",
    "rank_authors": "evenhand.workflow.rank",
    "read_log": "evenhand.logs",
    "report_runs": "evenhand.workflow.judges",
    "show_history": "evenhand.workflow.history",
    "simulate_figures": "evenhand.workflow.simulate_figures",
    "simulate_power": "evenhand.workflow.simulate_power",
    "transfer_probes": "evenhand.workflow.probe_transfer",
    "triage_run": "evenhand.workflow.triage",
}

__all__ = [
    "AuditRun",
    "AuditSettings",
    "BiasRun",
    "CollectRun",
    "CollectSettings",
    "ConfigError",
    "DataError",
    "DryRun",
    "EvenhandError",
    "ExportedLabels",
    "FigureSettings",
    "FitSettings",
    "GateCheck",
    "History",
    "HumanRun",
    "JudgeError",
    "JudgeSetup",
    "JudgesReport",
    "LabelSet",
    "MitigationRun",
    "Order",
    "Outcome",
    "Pair",
    "PowerSettings",
    "Preference",
    "Prices",
    "ProbeData",
    "ProbeFit",
    "ProbeTransfer",
    "RankRun",
    "Readout",
    "ReadoutChoice",
    "RunComparison",
    "SavedProbe",
    "SelectiveSettings",
    "SpendLimit",
    "StatisticsError",
    "StoreError",
    "TriageQuestion",
    "TriageRun",
    "UnevenJudgeError",
    "Verdict",
    "__version__",
    "add_to_history",
    "assert_even",
    "audit",
    "biases",
    "check_gates",
    "collect",
    "compare_runs",
    "compare_with_humans",
    "dry_run",
    "export_labels",
    "fit_probes",
    "import_log",
    "load_judge",
    "load_pairs",
    "load_probe",
    "load_probe_data",
    "mitigate",
    "open_run",
    "rank_authors",
    "read_log",
    "report_runs",
    "show_history",
    "simulate_figures",
    "simulate_power",
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
