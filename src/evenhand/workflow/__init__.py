"""The front door: plan, run and analyse in one call, for the command line and for Python."""

from evenhand.workflow.analyse import open_run
from evenhand.workflow.dry_run import DryRun
from evenhand.workflow.imported import import_log
from evenhand.workflow.live import audit, dry_run
from evenhand.workflow.opened import JudgeSetup
from evenhand.workflow.readout_choice import ReadoutChoice
from evenhand.workflow.result import AuditRun
from evenhand.workflow.selective_settings import SelectiveSettings
from evenhand.workflow.settings import AuditSettings

__all__ = [
    "AuditRun",
    "AuditSettings",
    "DryRun",
    "JudgeSetup",
    "ReadoutChoice",
    "SelectiveSettings",
    "audit",
    "dry_run",
    "import_log",
    "open_run",
]
