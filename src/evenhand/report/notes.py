"""The notes of a report: each thing said once, most important first, with the scopes it is true of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from evenhand.analysis import AuditResult, Finding, FindingKind, sentences
from evenhand.records import RunManifest
from evenhand.report.answers import answer_notes, changed_model
from evenhand.report.cells import readout_name
from evenhand.report.format import integer
from evenhand.report.grid import grid_of
from evenhand.report.model import Answers
from evenhand.report.scope import excluded_by_reason, scopes_of, short_names
from evenhand.report.text import visible
from evenhand.stats import Refusal

__all__ = ["NOT_REPEATED", "NO_RANKING", "SINGLE_ORDER", "build_notes", "places_text"]

SINGLE_ORDER = "Single order: each pair was judged in one order only, so no position figure is claimed."
NO_RANKING = (
    "Intervals of the conditions overlap: these data don't rank them, and another sample may order them otherwise."
)
NOT_REPEATED = "Noise was not measured: the repeated-AB control was not run, so part of each flip rate may be noise."
_LIMIT = 600
_PLACES = 3

_ALIKE = 4  # notes that differ in their figures alone, from which on one of them stands for all
_FIGURE = re.compile(r"[0-9][0-9,.]*")


def build_notes(
    manifest: RunManifest, audit: AuditResult, *, single: bool, answers: Answers | None = None
) -> tuple[str, ...]:
    """Everything a reader must know beside the figures."""
    grid = grid_of(manifest)
    excluded = [f"Excluded, {integer(len(what))}: {why}." for why, what in excluded_by_reason(manifest)]
    notes = [
        *([SINGLE_ORDER] if single and manifest.slots_seen else []),
        *excluded,
        *changed_model(answers),
        *answer_notes(answers),
        *([f"The baseline design is {visible(grid.baseline_text, limit=_LIMIT)}."] if grid is not None else []),
        *_unanswered(manifest, audit),
        *_of_findings(audit, single=single),
        *([NO_RANKING] if not single and _overlap(audit) else []),
        *_pooled(audit),
        *(
            visible(note, limit=_LIMIT)
            for note in audit.notes
            if audit.findings and note != sentences.SINGLE_ORDER  # how nothing was resampled is no note
        ),
        *([f"The log's own rule: {visible(manifest.log_rules, limit=_LIMIT)}"] if manifest.log_rules else []),
        *(_sentence(visible(note, limit=_LIMIT)) for note in manifest.notes),
        *([] if excluded else ["No pair was excluded before judging."]),
    ]
    return tuple(dict.fromkeys(notes))


def _sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?', ']')) else '.'}"


def _said(note: str, *, single: bool) -> str | None:
    """The note in this report's words; None where a table or another note says it."""
    if note == sentences.SINGLE_ORDER:
        return None if single else note
    if note == sentences.NOISE_NOT_MEASURED:
        return NOT_REPEATED
    return None if sentences.in_figures(note) else _sentence(visible(note, limit=_LIMIT))


def _unanswered(manifest: RunManifest, audit: AuditResult) -> list[str]:
    """The conditions that stand in no table because none of their presentations was answered."""
    answered = {finding.condition for finding in audit.select(FindingKind.READOUT)}
    missing = [visible(name, limit=60) for name in short_names(manifest).values() if name not in answered]
    return [f"Nothing answered yet under {', '.join(missing)}."] if missing and answered else []


def _of_findings(audit: AuditResult, *, single: bool) -> list[str]:
    carriers: dict[str, list[Finding]] = {}
    refused = audit.select(FindingKind.POOLED) if _pooled(audit) else ()
    if not single and audit.findings and not audit.select(FindingKind.REPEAT):
        carriers[NOT_REPEATED] = list(audit.select(FindingKind.READOUT))
    for finding in audit.findings:
        for note in finding.notes:
            if (
                finding.subset not in (None, "all") and note.startswith(sentences.EXCLUDED_FROM_BOTH)
            ) or finding in refused:
                continue
            said = _said(note, single=single)
            if said is not None and finding not in (own := carriers.setdefault(said, [])):
                own.append(finding)
    notes = []
    for note, own, alike in _gathered(carriers):
        kinds = {finding.kind for finding in own}
        of_whole = all(f.kind is FindingKind.DESIGN and f.condition is None for f in own)
        where = "" if of_whole else places_text(own, [f for f in audit.findings if f.kind in kinds])
        more = f" Likewise, with other figures, in {integer(alike)} more notes of audit.json." if alike else ""
        notes.append(f"{note} ({where}){more}" if where else f"{note}{more}")
    return notes


def _gathered(carriers: Mapping[str, list[Finding]]) -> Iterator[tuple[str, list[Finding], int]]:
    """Each note with those that carry it; of many that differ in their figures alone the first, and how many more."""
    families: dict[str, list[str]] = {}
    for note in carriers:
        families.setdefault(_FIGURE.sub("#", note), []).append(note)
    for notes in families.values():
        if len(notes) < _ALIKE:
            yield from ((note, carriers[note], 0) for note in notes)
        else:
            yield notes[0], carriers[notes[0]], len(notes) - 1


def places_text(carriers: Sequence[Finding], peers: Sequence[Finding]) -> str:
    """Where a note holds, as short as it can be said; empty where it holds for all that it could.

    Parameters
    ----------
    carriers
        The findings that carry the note.
    peers
        All findings of their kinds.
    """
    if len(carriers) == len(peers):
        return ""
    by_condition: dict[str, list[str]] = {}
    every: dict[str, list[str]] = {}
    for table, findings in ((by_condition, carriers), (every, peers)):
        for finding in findings:
            tails = table.setdefault(visible(finding.condition or "all conditions", limit=60), [])
            tails.extend(tail for tail in (_tail(finding),) if tail not in tails)
    if len(every) == 1:
        return ", ".join(next(iter(by_condition.values()))) or next(iter(by_condition))
    if by_condition.keys() == every.keys() and len({tuple(tails) for tails in by_condition.values()}) == 1:
        return f"{', '.join(next(iter(by_condition.values())))}: all conditions"
    texts = [
        condition
        if not any(tails)
        else f"{condition}: {'all readouts' if len(tails) > 1 and tails == every[condition] else ', '.join(tails)}"
        for condition, tails in by_condition.items()
    ]
    rest = len(texts) - _PLACES
    return "; ".join(texts[:_PLACES]) + (f"; and {rest} more" if rest > 0 else "")


def _tail(finding: Finding) -> str:
    """What of a finding's scope is not its condition."""
    subset = "" if finding.subset is None else f"{finding.subset} pairs"
    parts = ("" if finding.readout is None else readout_name(finding), visible(subset))
    return ", ".join(part for part in parts if part)


def _pooled(audit: AuditResult) -> list[str]:
    """One sentence instead of a table of refusals, where there are too few conditions to pool."""
    estimates = [m.estimate for f in audit.select(FindingKind.POOLED) for m in f.measures]
    reasons = [e.reason for e in estimates if isinstance(e, Refusal)]
    if not estimates or len(reasons) < len(estimates):
        return []
    return [f"No figure is pooled over conditions, each of them one cluster there: {visible(reasons[0])}."]


def _overlap(audit: AuditResult) -> bool:
    """Whether any two conditions' flip-rate intervals overlap under the same readout."""
    by_readout: dict[str, list[tuple[float, float]]] = {}
    for scope in scopes_of(audit):
        interval = getattr(scope.flips, "interval", None)
        if interval is not None:
            by_readout.setdefault(scope.readout.value, []).append((interval.low, interval.high))
    ordered = (sorted(bounds) for bounds in by_readout.values())
    return any(after[0] <= before[1] for bounds in ordered for before, after in pairwise(bounds))
