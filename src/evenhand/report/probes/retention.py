"""What `evenhand probe collect` says at its end: how many pairs can be used."""

from __future__ import annotations

from rich.console import Console

from evenhand.probes import Retention
from evenhand.records import Readout
from evenhand.report.probes.tables import retention_table
from evenhand.report.terminal import print_table

__all__ = ["print_retention"]


def print_retention(console: Console, retention: Retention, *, readout: Readout | None = None) -> None:
    """Print planned, usable and lost pairs as a table, each lost pair under its first reason."""
    console.print()
    print_table(retention_table(retention, readout=readout), console)
    console.print()
