"""Reports of flip prediction: from a probe report to terminal, HTML, JSON, a disclosure, tables and figures."""

from evenhand.report.probes.json_report import probe_json, probe_schema
from evenhand.report.probes.retention import print_retention
from evenhand.report.probes.terminal import print_probe_report
from evenhand.report.probes.write import WrittenProbeReport, write_probe_report

__all__ = [
    "WrittenProbeReport",
    "print_probe_report",
    "print_retention",
    "probe_json",
    "probe_schema",
    "write_probe_report",
]
