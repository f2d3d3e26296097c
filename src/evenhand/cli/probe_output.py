"""What ``evenhand probe fit`` and ``evenhand probe transfer`` print: the report, and where its files are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.probes import ProbeReport
    from evenhand.report.probes.write import WrittenProbeReport

__all__ = ["print_written"]


def print_written(
    report: ProbeReport, written: WrittenProbeReport, *, cards: Sequence[Path] = (), brief: bool = False
) -> None:
    """The report in the terminal, then the paths of the report, the predictions and the probe."""
    from evenhand.cli.output import terminal
    from evenhand.report.probes.terminal import print_probe_report
    from evenhand.report.text import visible

    console = terminal()
    print_probe_report(report, console, brief=brief)
    console.print()
    lines = [("Report", written.html), ("Predictions", written.predictions)]
    if cards:
        lines.append(("Probe", cards[0]))
    width = max(len(name) for name, _ in lines) + 1
    for name, path in lines:
        text = f"{name + ':':{width}} {visible(str(path), limit=None)}"
        console.print(text, soft_wrap=True, highlight=False, markup=False)
