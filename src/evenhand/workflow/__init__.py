"""The front door: plan, run and analyse in one call, for the command line and for Python."""

from evenhand.workflow.imported import import_log
from evenhand.workflow.live import audit, dry_run
from evenhand.workflow.result import AuditRun, DryRun, open_run
from evenhand.workflow.settings import AuditSettings, ReadoutChoice

__all__ = [
    "AuditRun",
    "AuditSettings",
    "DryRun",
    "ReadoutChoice",
    "audit",
    "dry_run",
    "import_log",
    "open_run",
]
