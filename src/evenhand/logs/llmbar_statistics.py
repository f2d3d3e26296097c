"""LLMBar's own statistics, by its own rules, and the same figures with a missing verdict left missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.errors import DataError
from evenhand.logs.base import VerdictLog
from evenhand.records.outcome import Order, Preference, preference_of

__all__ = ["DecidedStatistics", "LlmBarStatistics", "decided_statistics", "published_statistics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmBarStatistics:
    """What ``statistics.json`` holds, recomputed by the rule that LLMBar published (``evaluate.py``).

    The rule counts over all pairs: None (no verdict) is wrong, and *equal* to None. The kappas code a winner of 1 as
    1 and everything else, None included, as 0. ``kappa_false``, ``kappa_true`` and their average then compare those
    codes with labels coded 1 and 2, which no chance correction makes meaningful: reproduced, not recommended. A kappa
    whose chance agreement is complete is NaN, as it is there.

    Attributes
    ----------
    pairs
        Pairs in the file.
    correct_false, correct_true, correct_both
        Pairs whose winner is the label without a swap, with it, and both.
    equal
        Pairs with the same winner in both orders, None = None counted as the same.
    kappa_false, kappa_true, kappa_average, kappa_agreement
        Cohen's kappa of the codes: against the label in each order, their mean, and between the two orders.
    """

    pairs: int
    correct_false: int
    correct_true: int
    correct_both: int
    equal: int
    kappa_false: float
    kappa_true: float
    kappa_average: float
    kappa_agreement: float

    def as_published(self) -> dict[str, str | float]:
        """Give the figures in the form that ``statistics.json`` writes them in."""

        def share(count: int) -> str:
            return f"{count} / {self.pairs} = {count / self.pairs * 100}%"

        return {
            "correct_False": share(self.correct_false),
            "correct_True": share(self.correct_true),
            "correct_average": f"{(self.correct_false + self.correct_true) / 2 / self.pairs * 100}%",
            "correct_both": share(self.correct_both),
            "equal": share(self.equal),
            "kappa_False": self.kappa_false,
            "kappa_True": self.kappa_true,
            "kappa_average": self.kappa_average,
            "kappa_agreement": self.kappa_agreement,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedStatistics:
    """The same figures where a missing verdict is missing: over the pairs with a verdict in both orders.

    Attributes
    ----------
    pairs
        Pairs with both verdicts: the denominator of ``equal`` and ``correct_both``.
    missing
        Pairs without a verdict in at least one order.
    equal, correct_both
        Among those with both.
    verdicts_false, correct_false, verdicts_true, correct_true
        Per order, the verdicts and how many of them are right.
    kappa_agreement
        Cohen's kappa between the orders over ``pairs``; None where it is undefined (every verdict the same).
    """

    pairs: int
    missing: int
    equal: int
    correct_both: int
    verdicts_false: int
    correct_false: int
    verdicts_true: int
    correct_true: int
    kappa_agreement: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Winners:
    label: Preference
    false: Preference | None
    true: Preference | None


def published_statistics(log: VerdictLog) -> LlmBarStatistics:
    """Recompute ``statistics.json`` from a log by LLMBar's published rule.

    Raises
    ------
    DataError
        The log is no LLMBar log read with its final rounds.

    References
    ----------
    Zeng, Yu, Gao, Meng, Goyal and Chen, "Evaluating Large Language Models at Evaluating Instruction Following", 2024,
    arXiv:2310.07641; ``LLMEvaluator/evaluate.py`` of its repository.
    """
    if ("round", "final") not in log.judge.settings:
        raise DataError("LLMBar's statistics use the final rounds", remedy="read the log with round=final")
    rows = _winners(log)
    no_swap = [int(row.false is Preference.A) for row in rows]
    swap = [int(row.true is Preference.A) for row in rows]
    labels = [1 if row.label is Preference.A else 2 for row in rows]
    kappas = [_kappa(first, second) for first, second in ((no_swap, labels), (swap, labels), (no_swap, swap))]
    against_false, against_true, agreement = (float("nan") if kappa is None else kappa for kappa in kappas)
    return LlmBarStatistics(
        pairs=len(rows),
        correct_false=sum(row.false is row.label for row in rows),
        correct_true=sum(row.true is row.label for row in rows),
        correct_both=sum(row.false is row.label and row.true is row.label for row in rows),
        equal=sum(row.false is row.true for row in rows),
        kappa_false=against_false,
        kappa_true=against_true,
        kappa_average=(against_false + against_true) / 2,
        kappa_agreement=agreement,
    )


def decided_statistics(log: VerdictLog) -> DecidedStatistics:
    """Compute the same figures with a missing verdict left out and counted, never taken as equal or wrong."""
    rows = _winners(log)
    both = [row for row in rows if row.false is not None and row.true is not None]
    return DecidedStatistics(
        pairs=len(both),
        missing=len(rows) - len(both),
        equal=sum(row.false is row.true for row in both),
        correct_both=sum(row.false is row.label and row.true is row.label for row in both),
        verdicts_false=sum(row.false is not None for row in rows),
        correct_false=sum(row.false is row.label for row in rows),
        verdicts_true=sum(row.true is not None for row in rows),
        correct_true=sum(row.true is row.label for row in rows),
        kappa_agreement=_kappa(
            [int(row.false is Preference.A) for row in both], [int(row.true is Preference.A) for row in both]
        ),
    )


def _winners(log: VerdictLog) -> list[_Winners]:
    if log.format != "llmbar":
        raise DataError(f"expected an llmbar log, got {log.format}")
    found: dict[tuple[str, Order], Preference | None] = {}
    for entry in log.entries:
        outcome = entry.completion.log_outcome
        order = entry.presentation.order
        found[entry.presentation.pair_id, order] = None if outcome is None else preference_of(outcome, order)
    rows: list[_Winners] = []
    for pair in log.pairs:
        if pair.gold is None:
            raise DataError(f"pair {pair.id!r} has no label")
        rows.append(_Winners(label=pair.gold, false=found[pair.id, Order.AB], true=found[pair.id, Order.BA]))
    return rows


def _kappa(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Cohen's kappa of two codings; None where chance agreement is complete or there is nothing to compare."""
    total = len(first)
    categories = sorted({*first, *second})
    disagreements = sum(a != b for a, b in zip(first, second, strict=True))
    by_chance = sum(first.count(a) * second.count(b) / total for a in categories for b in categories if a != b)
    return 1.0 - disagreements / by_chance if by_chance else None
