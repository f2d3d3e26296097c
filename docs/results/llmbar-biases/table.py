"""Position, length and rationales of the real judges whose LLMBar Natural outputs are published.

    python docs/results/llmbar-biases/table.py ../shared/data/llmbar/verdicts/Natural

prints the tables of docs/results/llmbar-biases.md. Takes no judge and no network.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.records import Readout
from evenhand.stats import Estimate, Refusal
from evenhand.workflow.biases import biases
from evenhand.workflow.imported import import_log

__all__ = ["Evaluator", "audited", "main"]

POSITION = ("flip_rate", "position_bias_strength", "first_slot_rate", "accuracy_ab", "accuracy_ba")
LENGTH = ("length_effect", "quality_effect", "length_per_quality", "length_effect_unadjusted")
CHOICE = ("longer_chosen", "verbosity_bias_rate", "error_rate_agreeing", "verbosity_excess")
RATIONALE = ("rationale_similarity_flips", "rationale_similarity_consistent", "near_identical_flips")
NUMBERS = frozenset({"length_per_quality"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """One published evaluator: a model and how it was asked, with the findings of both audits."""

    name: str
    position: AuditResult
    bias: tuple[Finding, ...]

    def finding(self, audit: str) -> Finding:
        """The one finding of a bias audit on the verdicts that our parser reads from the texts."""
        return next(f for f in self.bias if f.audit == audit and f.readout is Readout.GENERATED)

    def slots(self, readout: Readout) -> Finding:
        """The position audit of our reading, or of the log's own."""
        return self.position.select(FindingKind.READOUT, readout=readout)[0]


def audited(result: Path, directory: Path, *, resamples: int = 2000) -> Evaluator:
    """Import one ``result.json`` into a run below the directory and audit it."""
    name = "/".join(result.parts[-3:-1])
    run = import_log("llmbar", result, out=directory / name.replace("/", "-"), resamples=resamples)
    found = biases(run, ("verbosity", "rationale"), resamples=resamples)
    return Evaluator(name=name, position=run.audit, bias=found.findings)


def _cell(estimate: Estimate | Refusal | None, *, number: bool) -> str:
    if estimate is None or isinstance(estimate, Refusal):
        return "—"
    scale, digits = (1, 2) if number else (100, 0)
    text = f"{scale * estimate.value:.{digits}f}"
    if estimate.interval is None:
        return text
    return f"{text} \\[{scale * estimate.interval.low:.{digits}f}, {scale * estimate.interval.high:.{digits}f}\\]"


def _table(rows: list[tuple[str, Finding]], measures: tuple[str, ...]) -> str:
    lines = [f"| evaluator | {' | '.join(f'`{name}`' for name in measures)} |"]
    lines.append("| --- |" + " ---: |" * len(measures))
    for name, finding in rows:
        cells = (_cell(finding.measure(measure), number=measure in NUMBERS) for measure in measures)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Audit every evaluator below the folder and print the tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    results = sorted(folder.glob("*/*/result.json"))
    with tempfile.TemporaryDirectory() as scratch:
        evaluators = [audited(result, Path(scratch)) for result in results]
    print(_table([(e.name, e.slots(Readout.GENERATED)) for e in evaluators], POSITION), end="\n\n")
    print("As the log itself read the texts:\n")
    print(_table([(e.name, e.slots(Readout.LOGGED)) for e in evaluators], POSITION), end="\n\n")
    for evaluator in evaluators:
        disagreement = evaluator.position.select(FindingKind.LOG)[0].measure("log_disagreement")
        print(f"- {evaluator.name}: read otherwise {_cell(disagreement, number=False)}")
    for measures in (LENGTH, CHOICE):
        print(_table([(e.name, e.finding("verbosity")) for e in evaluators], measures), end="\n\n")
    print(_table([(e.name, e.finding("rationale")) for e in evaluators], RATIONALE), end="\n\n")
    for evaluator in evaluators:
        finding = evaluator.finding("verbosity")
        tests = "; ".join(f"p = {test.p_value:.2g}" for test in finding.tests[:1])
        print(f"- {evaluator.name}: {tests}; {dict(finding.table)}; {dict(evaluator.finding('rationale').table)}")


if __name__ == "__main__":
    main()
