"""What a run's bias audits add to its headline: biases shown, ruled out and open, each with its figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.analysis import AuditResult
from evenhand.report.model import Claim
from evenhand.report.numbering import claims
from evenhand.report.studies.bias_claims import TOLERANCE, claims_of
from evenhand.report.studies.bias_headline import (
    bias_headline,
    listed_subjects,
    said,
    strongest,
    subjects_by_state,
    within_by_half,
)
from evenhand.report.text import visible

__all__ = ["BiasFound", "bias_found"]

_ONE_BY_ONE = 3  # biases that have a sentence each; the others share one
_BASIS = ("figure-biases", "table-biases-comparisons", "biases")
_LIMIT = 1_200


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasFound:
    """How many comparisons show a bias, and sentences for each of a headline's lists."""

    shown: int = 0
    trust: tuple[Claim, ...] = ()
    doubt: tuple[Claim, ...] = ()
    steps: tuple[Claim, ...] = ()
    more: tuple[Claim, ...] = ()


def bias_found(audit: AuditResult, *, conditions: Sequence[str] = (), tolerance: float = TOLERANCE) -> BiasFound:
    """Sort what bias audits found, by the decisions of their own study.

    Parameters
    ----------
    conditions
        Ids of the controls: where there are several, each comparison says which is its own.
    tolerance
        As in :func:`evenhand.report.studies.biases.bias_study`.
    """
    made = claims_of(audit, tolerance=tolerance, conditions=conditions)
    by_state = subjects_by_state(made)
    shown, within, open_ones = (by_state[state] for state in ("shown", "within", "undecided"))
    gravest = strongest(shown)
    rest = gravest[_ONE_BY_ONE:]
    return BiasFound(
        shown=len(shown),
        trust=_claims([f"No bias beyond ±{tolerance * 100:g} pp: {listed_subjects(within)}."] if within else []),
        doubt=_claims([*(f"Bias is shown: {said(claim)}." for claim in gravest[:_ONE_BY_ONE]), *within_by_half(made)]),
        steps=_claims(bias_headline(made, tolerance=tolerance).next_steps),
        more=_claims(
            [
                *([f"Biases shown beside these: {'; '.join(map(said, rest))}."] if rest else []),
                *([f"Biases that stay open: {listed_subjects(open_ones)}."] if open_ones else []),
            ]
        ),
    )


def _claims(texts: Sequence[str]) -> tuple[Claim, ...]:
    return claims([visible(text, limit=_LIMIT) for text in texts], *_BASIS)
