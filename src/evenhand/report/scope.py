"""Looking figures up in an audit: which finding holds which, and what a single-order log may not claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.audits.decision import is_flagged
from evenhand.records import Readout, RunManifest
from evenhand.report.grid import design_names
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = [
    "POSITION_MEASURES",
    "Scope",
    "compliance_of",
    "decided_pairs",
    "excluded_by_reason",
    "in_order",
    "judged_alone",
    "locks_of",
    "of_controls",
    "renamed",
    "repeat_of",
    "scopes_of",
    "short_names",
    "without_position",
]

POSITION_MEASURES = frozenset(
    {
        "accuracy_ba",
        "compliance_contrast",
        "compliance_pairs",
        "accuracy_consistent",
        "first_position_bias_rate",
        "flip_contrast",
        "flip_difference",
        "flip_rate",
        "inconsistency_rate",
        "position_bias_strength",
        "repeat_flip_rate",
        "slot_lock_rate",
        "swap_consistency",
        "swap_minus_repeat",
    }
)
"""Measures that need both orders of a pair: a log with one order never shows them, whatever it contains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One condition under one readout, with what must stand beside its position figures.

    Attributes
    ----------
    estimated
        For the generated readout of a budgeted run: the finding that estimates its figures for all pairs, from the
        sample whose text was asked for and the first token of all. ``finding`` then speaks of the sample alone. For
        every readout of a selective run: the one that estimates them from the pairs that were asked in order BA;
        ``finding`` then speaks of order AB alone.
    """

    condition: str
    readout: Readout
    finding: Finding
    compliance: Estimate | Refusal | None
    repeat: Finding | None
    estimated: Finding | None = None

    @property
    def flips(self) -> Estimate | Refusal | None:
        """The flip rate over all pairs: counted, or estimated where not all were asked in both orders, or for text."""
        return self.finding.measure("flip_rate") if self.estimated is None else self.for_all("flip_rate")

    @property
    def sampled(self) -> bool:
        """Whether the text of a random sample alone was asked for."""
        return self.estimated is not None and not self.selective

    @property
    def selective(self) -> bool:
        """Whether order BA was asked of a part of the pairs only."""
        return self.estimated is not None and self.estimated.kind is FindingKind.SELECTIVE

    def for_all(self, name: str) -> Estimate | Refusal | None:
        """A measure as it is estimated for all pairs; None where it is not."""
        prefix = "selective" if self.selective else "pp"
        return None if self.estimated is None else self.estimated.measure(f"{prefix}_{name}")

    @property
    def flagged(self) -> bool:
        """Whether position bias was detected; an estimate for all pairs must leave 0 out as well as the sample's.

        The pairs of a selective run are no sample to test, so there the estimate alone must.
        """
        if self.estimated is None:
            return is_flagged(self.finding)
        strength = self.for_all("position_bias_strength")
        leans = (
            isinstance(strength, Estimate)
            and strength.interval is not None
            and (strength.interval.low > 0 or strength.interval.high < 0)
        )
        return leans and (self.selective or is_flagged(self.finding))

    @property
    def repeat_flips(self) -> Estimate | Refusal | None:
        """The flip rate under repetition; None where noise was not measured."""
        return None if self.repeat is None else self.repeat.measure("repeat_flip_rate")


def compliance_of(
    audit: AuditResult, condition: str, *, name: str = "compliance_pairs", readout: Readout | None = None
) -> Estimate | Refusal | None:
    """A condition's compliance: it belongs to the condition, so any of its readouts' findings may hold it.

    All but the prefilled one's: a prefill makes it another position, so its compliance stands for the condition only
    where nothing else was read, and any other readout's never for the prefilled one (``readout``).
    """
    kind = FindingKind.READOUT
    if name == "compliance_pairs" and audit.select(FindingKind.SELECTIVE, condition=condition):
        kind, name = FindingKind.SELECTIVE, "selective_compliance_pairs"
    everything = audit.select(kind, condition=condition)
    prefilled = [f for f in everything if f.readout is Readout.PREFILLED]
    others = [f for f in everything if f.readout is not Readout.PREFILLED]
    own = prefilled if readout is Readout.PREFILLED else others or prefilled
    found = (f.measure(name) for f in own)
    known = [estimate for estimate in found if estimate is not None]
    return next((e for e in known if isinstance(e, Estimate)), known[0] if known else None)


def repeat_of(audit: AuditResult, condition: str, readout: Readout) -> Finding | None:
    """The repeated-AB control of a scope; None where it was not run."""
    found = audit.select(FindingKind.REPEAT, condition=condition, readout=readout)
    return found[0] if found else None


def _estimated(audit: AuditResult, finding: Finding) -> Finding | None:
    if finding.condition is None:
        return None
    swapped = audit.select(FindingKind.SELECTIVE, condition=finding.condition, readout=finding.readout)
    if swapped:
        return swapped[0]
    if finding.readout is not Readout.GENERATED:
        return None
    found = audit.select(FindingKind.PREDICTION_POWERED, condition=finding.condition)
    return found[0] if found else None


def scopes_of(audit: AuditResult) -> tuple[Scope, ...]:
    """Every condition under every readout, in the audit's order."""
    return tuple(
        Scope(
            condition=finding.condition or "",
            readout=finding.readout,
            finding=finding,
            compliance=compliance_of(audit, finding.condition or "", readout=finding.readout),
            repeat=repeat_of(audit, finding.condition or "", finding.readout),
            estimated=_estimated(audit, finding),
        )
        for finding in audit.select(FindingKind.READOUT)
        if finding.readout is not None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Locks:
    """Pairs that chose the same slot twice."""

    first: int
    second: int
    decided: int


def locks_of(finding: Finding) -> Locks | None:
    """Slot locks by slot, from the counts behind two rates; None where they are not there.

    The first-position bias rate counts first-slot locks among flips, the flip rate flips among decided pairs.
    """
    flips, first = finding.measure("flip_rate"), finding.measure("first_position_bias_rate")
    if not isinstance(flips, Estimate) or flips.count is None:
        return None
    locked = round(flips.count)
    if locked == 0:
        return Locks(first=0, second=0, decided=flips.n)
    if not isinstance(first, Estimate) or first.count is None:
        return None
    return Locks(first=round(first.count), second=locked - round(first.count), decided=flips.n)


_DECIDED = ("same preference, decided", "first slot twice", "second slot twice")


def decided_pairs(finding: Finding) -> int:
    """Pairs decided in both orders: from the finding's small counts, else the flip rate's own denominator."""
    table, flips = dict(finding.table), finding.measure("flip_rate")
    if all(name in table for name in _DECIDED):
        return sum(table[name] for name in _DECIDED)
    return 0 if flips is None else flips.n


def in_order(audit: AuditResult, manifest: RunManifest) -> AuditResult:
    """The audit with its conditions in the order in which they were asked for; kinds keep theirs."""
    kinds = {kind: index for index, kind in enumerate(dict.fromkeys(f.kind for f in audit.findings))}
    conditions = {condition.id: index for index, condition in enumerate(manifest.conditions)}
    last = len(conditions)

    def place(finding: Finding) -> tuple[int, int]:
        return kinds[finding.kind], -1 if finding.condition is None else conditions.get(finding.condition, last)

    return replace(audit, findings=tuple(sorted(audit.findings, key=place)))


def of_controls(manifest: RunManifest) -> RunManifest:
    """The manifest with the conditions alone that show pairs as they are; the others are a study of their own."""
    controls = tuple(condition for condition in manifest.conditions if not condition.changes)
    known = {condition.id for condition in controls}
    tokens = tuple((name, tokens) for name, tokens in manifest.label_tokens if name in known)
    return replace(manifest, conditions=controls, label_tokens=tokens)


def judged_alone(scopes: Sequence[Scope]) -> bool:
    """Whether each response was judged by itself, so that no figure speaks of slots."""
    rates = [scope.finding.measure("first_slot_rate") for scope in scopes]
    return bool(rates) and all(isinstance(rate, Refusal) and rate.reason == NO_SLOTS for rate in rates)


def without_position(audit: AuditResult) -> AuditResult:
    """The audit with every figure that needs both orders left out."""
    kept = (FindingKind.READOUT, FindingKind.LOG, FindingKind.POOLED)
    findings = (f for f in audit.findings if f.kind in kept)
    return replace(
        audit,
        findings=tuple(
            replace(f, measures=tuple(m for m in f.measures if m.name not in POSITION_MEASURES), tests=())
            for f in findings
        ),
    )


def short_names(manifest: RunManifest) -> dict[str, str]:
    """Conditions by their labels alone, where they differ in nothing else; designs by what they change; else in full.

    A report then says ``A/B`` rather than ``single-character, A/B`` in every row, and names the prompt once.
    """
    designs = design_names(manifest)
    if designs:
        return designs
    conditions = manifest.conditions
    by_labels = {c.id: c.labels.name for c in conditions}
    one_prompt = len({c.prompt for c in conditions}) == 1
    plain = all(c.id == f"{c.prompt}, {c.labels.name}" for c in conditions)
    if len(conditions) > 1 and one_prompt and plain and len(set(by_labels.values())) == len(conditions):
        return by_labels
    return {c.id: c.id for c in conditions}


def renamed(audit: AuditResult, names: Mapping[str, str]) -> AuditResult:
    """The audit with its conditions under other names; ``X | Y`` is renamed on both sides."""
    both = {f"{a} | {b}": f"{names[a]} | {names[b]}" for a in names for b in names}
    table = {**both, **names}
    return replace(
        audit,
        findings=tuple(
            replace(f, condition=None if f.condition is None else table.get(f.condition, f.condition))
            for f in audit.findings
        ),
        displays=tuple(replace(d, condition=table.get(d.condition, d.condition)) for d in audit.displays),
    )


def excluded_by_reason(manifest: RunManifest) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What was left out before judging, gathered by why, in order of first appearance."""
    reasons: dict[str, list[str]] = {}
    for what, why in manifest.excluded:
        reasons.setdefault(visible(why, limit=400), []).append(visible(what))
    return tuple((why, tuple(what)) for why, what in reasons.items())
