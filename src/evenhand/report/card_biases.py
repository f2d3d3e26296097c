"""The card's bias audits: each with its main figures, or with why there are none."""

from __future__ import annotations

from evenhand.analysis import AuditResult, Finding
from evenhand.analysis.family import HOLM_MARK
from evenhand.records import RunManifest
from evenhand.report.encode import Json, encode_estimate, encode_test
from evenhand.report.studies.bias_claims import main_measure

__all__ = ["BIAS_FIGURES", "card_biases"]

BIAS_FIGURES = ("toward_beyond_noise", "repeat_toward_rate", "verdict_rate_shift")
"""What stands on a card beside each finding's main figure, where the finding has it."""

NOT_ANALYSED = "nothing answered yet, or not analysed"


def card_biases(manifest: RunManifest, biases: AuditResult | None) -> list[Json]:
    """One entry for each bias audit that the run asks for, in their order; empty where it asks for none."""
    found = () if biases is None else biases.findings
    names = dict.fromkeys((*manifest.biases, *(finding.audit for finding in found if finding.audit is not None)))
    return [_entry(name, [finding for finding in found if finding.audit == name]) for name in names]


def _entry(name: str, findings: list[Finding]) -> Json:
    figures = [_figure(finding) for finding in findings if finding.measures]
    why = "; ".join(dict.fromkeys(note for finding in findings for note in finding.notes)) or NOT_ANALYSED
    return {"audit": name, "findings": figures, "without": None if figures else why}


def _figure(finding: Finding) -> Json:
    first, tests = main_measure(finding), finding.tests
    adjusted = [test for test in tests if HOLM_MARK in test.name]
    shown = [first, *(name for name in BIAS_FIGURES if name != first)]
    figures = {name: estimate for name in shown if (estimate := finding.measure(name)) is not None}
    return {
        "comparison": finding.subset,
        "condition": finding.condition,
        "readout": None if finding.readout is None else finding.readout.value,
        "pairs": finding.pairs,
        "presentations": finding.presentations,
        "figures": {name: encode_estimate(estimate) for name, estimate in figures.items()},
        "test": encode_test(tests[0]) if tests else None,
        "test_adjusted": encode_test(adjusted[-1]) if adjusted else None,
    }
