"""The probe report in a terminal."""

from __future__ import annotations

from rich.console import Console

from evenhand.probes import ProbeReport
from evenhand.report.probes.view import build_probe_view
from evenhand.report.terminal import print_report

__all__ = ["print_probe_report"]


def print_probe_report(report: ProbeReport, console: Console, *, brief: bool = False) -> None:
    """Print the headline, the tables and the notes; ``brief`` stops after the main table."""
    print_report(build_probe_view(report), console, brief=brief)
