"""Planted biases against recovered ones, and false positives of whole families, by simulated audits.

Run ``python benchmarks/bias_simulation.py [--runs 400] [--pairs 60] [--seed 0] [--names AUDIT ...]
[--judges NAME ...]``. It prints the tables of docs/results/planted-biases.md: judges without a bias, of whom everything
found is false, and judges with planted ones, whose exact net shift stands beside the mean of the audits' estimates.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evenhand.analysis import Finding
from evenhand.audits.bias.audit import audit_biases, plan_changes
from evenhand.judges.simulated_biases import BiasStrengths
from evenhand.judges.simulated_study import StudyParameters
from evenhand.judges.simulated_study_table import simulate_study
from evenhand.judges.simulated_study_truth import study_truth
from evenhand.records import Change, Preference
from evenhand.stats import Estimate, wilson
from evenhand.workflow.simulate_audits import bias_data

NAMES = ("verbosity", "sycophancy", "tone", "formatting", "register")
CONFOUNDED = StudyParameters(own_share=0.6, length_slot=0.4, length_author=0.5)
"""A is the longer response, and so is the one by the judge's own family."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A judge, its pairs, and which findings are of what was planted (by the beginning of their subset)."""

    name: str
    parameters: StudyParameters
    planted: tuple[str, ...] = ()
    shifts: Mapping[str, Change] = field(default_factory=dict)
    clustered: bool = False


def change(factor: str, level: str) -> Change:
    """A change of response A."""
    return Change(factor=factor, level=level, target=Preference.A)


FAIR = (
    Judge(name="no bias", parameters=StudyParameters()),
    Judge(
        name="position 1, ties 8 %, refusals 4 %, two pairs a question (ICC .3)",
        parameters=StudyParameters(position=1.0, tie=0.08, refusal=0.04),
        clustered=True,
    ),
    Judge(
        name="position 1, length goes with slot and author",
        parameters=replace(CONFOUNDED, position=1.0),
    ),
    Judge(
        name="length goes with quality (r .5)",
        parameters=StudyParameters(length_quality=0.5),
    ),
)
PLANTED = (
    Judge(
        name="verbosity .3, length goes with slot and author",
        parameters=replace(CONFOUNDED, position=0.5, biases=BiasStrengths(verbosity=0.3)),
        planted=("length", "padding"),
        shifts={"padding=redundant": change("padding", "redundant")},
    ),
    Judge(
        name="self-preference 1, own family longer",
        parameters=replace(CONFOUNDED, biases=BiasStrengths(self_preference=1.0, family="own")),
        planted=(),
    ),
    Judge(
        name="sycophancy .2",
        parameters=StudyParameters(position=0.5, biases=BiasStrengths(sycophancy=0.2)),
        planted=("endorsement",),
        shifts={"endorsement=user": change("endorsement", "user")},
    ),
    Judge(
        name="tone .2",
        parameters=StudyParameters(position=0.5, biases=BiasStrengths(tone=0.2)),
        planted=("tone",),
        shifts={"tone=assertive": change("tone", "assertive"), "tone=hedged": change("tone", "hedged")},
    ),
    Judge(
        name="formatting .25, register .25",
        parameters=StudyParameters(position=0.5, biases=BiasStrengths(formatting=0.25, register=0.25)),
        planted=("format", "register"),
        shifts={"register=informal": change("register", "informal")},
    ),
    Judge(
        name="verbosity .3 and sycophancy .2, compounding .5",
        parameters=StudyParameters(position=0.5, biases=BiasStrengths(verbosity=0.3, sycophancy=0.2, compound=0.5)),
        planted=("length", "padding", "endorsement"),
        shifts={
            "padding=redundant": change("padding", "redundant"),
            "endorsement=user": change("endorsement", "user"),
        },
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is simulated, and which audits are asked."""

    runs: int
    pairs: int
    seed: int
    names: tuple[str, ...]


def audits(judge: Judge, size: Size) -> Iterator[tuple[Finding, ...]]:
    """Findings of each simulated audit."""
    changes, pairs = plan_changes(size.names), size.pairs
    questions, icc = (pairs // 2, 0.3) if judge.clustered else (None, 0.0)
    for run in range(size.runs):
        rng = np.random.default_rng([size.seed, run])
        study = simulate_study(judge.parameters, n_pairs=pairs, n_groups=questions, icc=icc, changes=changes, rng=rng)
        yield audit_biases(bias_data(study), size.names, resamples=100).findings


def accused(findings: Sequence[Finding]) -> set[str]:
    """Subsets whose Holm-adjusted test rejects at 5 %."""
    return {f.subset or "" for f in findings for t in f.tests if "Holm" in t.name and t.p_value < 0.05}


def exact_shift(p: StudyParameters, wanted: Change) -> float:
    """Net shift toward the target, over both targets and orders."""
    other = Change(factor=wanted.factor, level=wanted.level, target=Preference.B)
    before = study_truth(p).prefers_a
    toward_a, toward_b = study_truth(p, (wanted,)).prefers_a, study_truth(p, (other,)).prefers_a
    return ((toward_a - before) + (before - toward_b)) / 2


def share(count: int, runs: int) -> str:
    """A share of audits with Wilson's interval."""
    interval = wilson(count, runs)
    return f"{count / runs * 100:.1f} % [{interval.low * 100:.1f}, {interval.high * 100:.1f}]"


def fair_row(judge: Judge, size: Size) -> str:
    """One line of the table of false positives."""
    families, by_subset = 0, Counter[str]()
    for findings in audits(judge, size):
        found = accused(findings)
        families += bool(found)
        by_subset.update(found)
    most = ", ".join(f"{name} {count}" for name, count in by_subset.most_common(2)) or "none"
    return f"| {judge.name} | {share(families, size.runs)} | {most} |"


def planted_rows(judge: Judge, size: Size) -> Iterator[str]:
    """A line for each shift that is known, and one for what was accused beside it."""
    estimates: dict[str, list[Estimate]] = {name: [] for name in judge.shifts}
    found_of, others = Counter[str](), 0
    for findings in audits(judge, size):
        found = accused(findings)
        found_of.update(found)
        others += any(not name.startswith(judge.planted or ("-",)) for name in found)
        for f in findings:
            made = f.measure("net_shift")
            if f.subset in estimates and isinstance(made, Estimate):
                estimates[f.subset].append(made)
    for name, wanted in judge.shifts.items():
        exact = exact_shift(judge.parameters, wanted)
        values = np.array([e.value for e in estimates[name]])
        covered = sum(e.interval is not None and e.interval.low <= exact <= e.interval.high for e in estimates[name])
        yield (
            f"| {judge.name} | {name} | {exact * 100:+.2f} | {values.mean() * 100:+.2f} ± "
            f"{values.std() / len(values) ** 0.5 * 100:.2f} | {covered / len(values) * 100:.1f} % | "
            f"{share(found_of[name], size.runs)} | {share(others, size.runs)} |"
        )
    if not judge.shifts:
        yield f"| {judge.name} | none is planted here | | | | | {share(others, size.runs)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--names", nargs="*", default=NAMES, help="the audits of a family")
    parser.add_argument("--judges", nargs="*", help="only those whose name begins so")
    given = parser.parse_args(arguments)
    size = Size(runs=given.runs, pairs=given.pairs, seed=given.seed, names=tuple(given.names))

    def chosen(judges: Sequence[Judge]) -> list[Judge]:
        return [judge for judge in judges if not given.judges or judge.name.startswith(tuple(given.judges))]

    print("| judge | families that accuse it | findings that did so most |\n|---|---|---|")
    for judge in chosen(FAIR):
        print(fair_row(judge, size), flush=True)
    print("\n| judge | finding | planted | recovered | covered | found | something else found |\n" + "|---" * 7 + "|")
    for judge in chosen(PLANTED):
        for row in planted_rows(judge, size):
            print(row, flush=True)


if __name__ == "__main__":
    main()
