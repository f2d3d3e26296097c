"""The two readouts of one condition on the same pairs: what reading the first token adds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Finding, FindingKind
from evenhand.analysis.paired_tests import mcnemar_test, signs_test
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, Booleans, Scope
from evenhand.analysis.sentences import EXCLUDED_FROM_BOTH, SAME_PAIRS, excluded_states, of
from evenhand.audits.readout import NO_ARGMAX
from evenhand.stats import TestResult

__all__ = [
    "SUBSETS",
    "PairedReadouts",
    "flip_cells",
    "flip_tests",
    "forced_minus_generated",
    "pair_readouts",
]

SUBSETS = ("all", "compliant", "non-compliant")
_WHAT = "flips by first-token only against flips by generated only"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedReadouts:
    """Pairs that both readouts of a condition have, aligned.

    Attributes
    ----------
    pairs
        Indices into the table's pairs, shape (n,).
    decided
        Decided in both orders by both readouts.
    forced, generated
        Flips of each among the decided.
    compliant
        1 compliant in both orders, 0 not, ABSENT unknown in some order.
    first, second
        The scopes, and in ``rows`` their rows of these pairs.
    """

    first: Scope
    second: Scope
    pairs: NDArray[np.int64]
    rows: tuple[NDArray[np.intp], NDArray[np.intp]]
    decided: Booleans
    forced: Booleans
    generated: Booleans
    compliant: NDArray[np.int8]

    def subset(self, name: str) -> Booleans:
        """Which pairs belong to a subset, decided or not."""
        match name:
            case "all":
                return np.ones(self.pairs.size, dtype=np.bool_)
            case "compliant":
                return np.asarray(self.compliant == 1)
            case _:
                return np.asarray(self.compliant == 0)


def pair_readouts(first: Scope, second: Scope) -> PairedReadouts:
    """Align the first-token scope (``first``) and the generated scope of one condition."""
    pairs, i, j = np.intersect1d(first.pairs, second.pairs, assume_unique=True, return_indices=True)
    # Compliance belongs to the presentation; a log may keep it with one readout only.
    by_order = np.where(first.compliant[i] != ABSENT, first.compliant[i], second.compliant[j])
    known = (by_order != ABSENT).all(axis=1)
    decided = first.decided_both[i] & second.decided_both[j]
    return PairedReadouts(
        first=first,
        second=second,
        pairs=pairs,
        rows=(i, j),
        decided=decided,
        forced=first.flips[i] & decided,
        generated=second.flips[j] & decided,
        compliant=np.where(known, (by_order == 1).all(axis=1), ABSENT).astype(np.int8),
    )


def forced_minus_generated(first: Scope, second: Scope, *, sampler: Sampler) -> Iterator[Finding]:
    """Findings for all pairs, the compliant and the non-compliant."""
    paired = pair_readouts(first, second)
    for name in SUBSETS:
        here = sampler.within(FindingKind.FORCED_MINUS_GENERATED, first.condition, name, bootstrap=True)
        yield _finding(paired, name, sampler=here)


def flip_cells(paired: PairedReadouts, among: Booleans) -> dict[str, int]:
    """The McNemar table of flips, over decided pairs of a subset."""
    f, g, decided = paired.forced, paired.generated, paired.decided & among
    cells = {
        "both flip": decided & f & g,
        "only first-token flips": decided & f & ~g,
        "only generated flips": decided & ~f & g,
        "neither flips": decided & ~f & ~g,
    }
    return {name: int(np.count_nonzero(cell)) for name, cell in cells.items()}


def _finding(paired: PairedReadouts, name: str, *, sampler: Sampler) -> Finding:
    member = paired.subset(name)
    entering = paired.decided & member
    unknown = bool((paired.compliant == ABSENT).all())
    nothing = f"needs a pair ({name}) decided in both orders by both readouts, has none"
    ones = entering.astype(np.int64)
    measure = sampler.difference(
        "flip_difference",
        (paired.forced & member, ones),
        (paired.generated & member, ones),
        pairs=paired.pairs,
        nothing=NO_ARGMAX if unknown and name != "all" else nothing,
    )
    cells = flip_cells(paired, member)
    return Finding(
        kind=FindingKind.FORCED_MINUS_GENERATED,
        condition=paired.first.condition,
        subset=name,
        pairs=int(np.count_nonzero(entering)),
        presentations=2 * int(np.count_nonzero(entering)),
        measures=(measure,),
        tests=flip_tests(
            paired.forced[entering], paired.generated[entering], pairs=paired.pairs[entering], sampler=sampler
        ),
        table=tuple(cells.items()),
        notes=tuple(_notes(paired, name, cells=cells)),
    )


def flip_tests(
    first: Booleans, second: Booleans, *, pairs: NDArray[np.int64], sampler: Sampler
) -> tuple[TestResult, ...]:
    """Flips by the first token against flips of the text, over clusters and by the paper's McNemar test.

    Parameters
    ----------
    first, second, pairs
        Of decided pairs, shape (n,); a pair may be there once in each of several conditions.
    """
    b, c = (int(np.count_nonzero(here & ~there)) for here, there in ((first, second), (second, first)))
    return (
        *signs_test(first, second, pairs=pairs, sampler=sampler, what=_WHAT, stream="flip signs"),
        *mcnemar_test(b, c, what=_WHAT),
    )


def _notes(paired: PairedReadouts, name: str, *, cells: dict[str, int]) -> Iterator[str]:
    member = paired.subset(name)
    total = sum(cells.values())
    if total:
        forced = cells["both flip"] + cells["only first-token flips"]
        generated = cells["both flip"] + cells["only generated flips"]
        yield (
            f"{SAME_PAIRS}first-token flips {of(forced, total, 'pairs')}, generated {of(generated, total, 'pairs')}."
        )
    out = member & ~paired.decided
    excluded = int(np.count_nonzero(out))
    if excluded:
        by_readout = "; ".join(
            f"{scope.readout}: {states}"
            for scope, rows in zip((paired.first, paired.second), paired.rows, strict=True)
            if (states := excluded_states(scope.outcome[rows[out]], decided=scope.decided[rows[out]]))
        )
        non_compliant = int(np.count_nonzero(out & (paired.compliant == 0)))
        yield (
            f"{EXCLUDED_FROM_BOTH}{of(excluded, int(np.count_nonzero(member)), 'pairs')} without a decided "
            f"verdict in both orders by both (presentations: {by_readout}); "
            f"{non_compliant:,} of them are non-compliant."
        )
    unknown = int(np.count_nonzero(paired.compliant == ABSENT))
    if name != "all" and unknown:
        share = of(unknown, paired.pairs.size, "pairs")
        yield f"{share} have unknown compliance in some order and are in neither subset."
