"""What is counted of changed verdicts beside their control, and the measures and the test made of the counts.

Both targets and both orders of a pair are one observation: they are added up within the pair before anything is
estimated, and pairs within clusters by the statistics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Measure
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.control import FIRST_SLOT, TARGETS, Cells
from evenhand.audits.bias.noise import Repeats
from evenhand.records import Preference
from evenhand.stats import TestResult, sign_flip_test

__all__ = [
    "Counts",
    "any_target",
    "by_gold",
    "by_slot",
    "log_odds",
    "moves",
    "noise",
    "turned",
    "turned_test",
    "verdicts",
]

_NO_REPEATS: Final = "no compared presentation was repeated with a verdict both times: noise not measured"
_STANDS: Final = ((1, "target"), (0, "tie"), (-1, "other"))
_PREFERENCES: Final = tuple(Preference)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """What the measures of one comparison count.

    Attributes
    ----------
    repeats
        Of the control, on the same pairs.
    gold
        Of each pair: index into :class:`Preference`, or ABSENT; shape (pairs,).
    sampler
        Of the finding.
    both_targets
        Whether a cell enters only with its counterpart for the other target. Then whatever a change does for another
        reason than its target drops out. False where the two conditions compared are each other's counterpart.
    """

    cells: Cells
    repeats: Repeats
    gold: NDArray[np.int8]
    sampler: Sampler
    both_targets: bool = True

    @property
    def entering(self) -> NDArray[np.bool_]:
        """Cells that the figures and the test are of; shape (pairs, 2, 2)."""
        return self.cells.for_both if self.both_targets else self.cells.compared

    @property
    def one_target(self) -> NDArray[np.bool_]:
        """Pairs with compared cells of which none enters: they have one target alone; shape (pairs,)."""
        alone: NDArray[np.bool_] = (_per_pair(self.cells.compared) > 0) & (_per_pair(self.entering) == 0)
        return alone

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Indices into the table's facts."""
        return self.cells.pairs


def _per_pair(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Cells counted within each pair: both targets and both orders of a pair are one observation."""
    total: NDArray[np.int64] = cells.sum(axis=(1, 2), dtype=np.int64)
    return total


def _nothing(counts: Counts) -> str:
    """What the figures of a finding need, and how near it comes."""
    targets = " for both targets" if counts.both_targets else ""
    alone = int(np.count_nonzero(counts.one_target))
    near = f" ({alone:,} {'pair has' if alone == 1 else 'pairs have'} them for one target alone)" if alone else ""
    return f"needs a verdict with and without the change{targets} on the same pair in the same order, has none{near}"


def _rate(counts: Counts, name: str, cells: NDArray[np.bool_], of_: NDArray[np.bool_], *, nothing: str) -> Measure:
    return counts.sampler.rate(name, _per_pair(cells & of_), _per_pair(of_), pairs=counts.pairs, nothing=nothing)


def _net(counts: Counts, name: str, among: NDArray[np.bool_], *, nothing: str) -> Measure:
    """Toward minus away among some of the cells compared, paired."""
    n = _per_pair(among)
    toward, away = _per_pair(counts.cells.toward & among), _per_pair(counts.cells.away & among)
    return counts.sampler.net(name, toward, away, n, pairs=counts.pairs, nothing=nothing)


def turned(counts: Counts) -> Iterator[Measure]:
    """Net shift, toward and away rates, and how many of those that could turn did."""
    cells, entering, nothing = counts.cells, counts.entering, _nothing(counts)
    yield _net(counts, "net_shift", entering, nothing=nothing)
    yield _rate(counts, "toward_rate", cells.toward, entering, nothing=nothing)
    yield _rate(counts, "away_rate", cells.away, entering, nothing=nothing)
    yield _rate(
        counts,
        "toward_of_turnable",
        cells.toward,
        entering & (cells.before < 1),
        nothing="needs a compared presentation whose control verdict isn't the target already, has none",
    )


def any_target(counts: Counts) -> Measure:
    """Net shift of every compared cell, whether or not the other target has its counterpart: it has no protection."""
    nothing = "needs a verdict with and without the change on the same pair in the same order, has none"
    return _net(counts, "net_shift_any_target", counts.cells.compared, nothing=nothing)


def by_slot(counts: Counts) -> Iterator[Measure]:
    """Net shift by the slot that shows the target."""
    for slot, first in (("first", FIRST_SLOT), ("second", ~FIRST_SLOT)):
        nothing = f"needs a compared presentation that shows the target {slot}, has none"
        yield _net(counts, f"net_shift_{slot}_slot", counts.entering & first, nothing=nothing)


def by_gold(counts: Counts) -> Iterator[Measure]:
    """Where a pair has a gold side: turned toward the wrong response, toward the right one, and toward either.

    A pair's wrong response is one target and its right one the other. So the first two hold what a change does in no
    direction, with opposite signs, as those by slot do. Their mean is the third, where that drops out.
    """
    is_gold = np.stack([counts.gold == _PREFERENCES.index(target) for target in TARGETS], axis=1)[:, :, None]
    for name, among in (("wrong", is_gold[:, ::-1]), ("right", is_gold)):
        nothing = f"needs a compared pair with a gold side whose target is the {name} response, has none"
        cells = counts.entering & among
        yield _net(counts, f"net_shift_{name}", cells, nothing=nothing)
        yield _rate(counts, f"toward_{name}_rate", counts.cells.toward, cells, nothing=nothing)
    decided = counts.entering & is_gold.any(axis=1, keepdims=True)
    yield _net(counts, "net_shift_gold", decided, nothing="needs a compared pair with a gold side, has none")


def noise(counts: Counts) -> Iterator[Measure]:
    """How often repeats turn toward the target by chance, and what the change adds, on the same presentations.

    Repeats of one presentation share its weight in both figures.
    """
    again = counts.repeats.compared[:, None, :]
    among = counts.entering & (again > 0)
    share = np.where(among, counts.repeats.toward / np.maximum(again, 1), 0.0)
    yield counts.sampler.rate(
        "repeat_toward_rate",
        share.sum(axis=(1, 2)),
        _per_pair(among),
        pairs=counts.pairs,
        nothing=_NO_REPEATS,
    )
    toward = counts.cells.toward & among
    # A presentation that turned both times counts on neither side, as far as its repeats turned.
    yield counts.sampler.net(
        "toward_beyond_noise",
        np.where(toward, 1 - share, 0.0).sum(axis=(1, 2)),
        np.where(among & ~toward, share, 0.0).sum(axis=(1, 2)),
        _per_pair(among),
        pairs=counts.pairs,
        nothing=_NO_REPEATS,
    )


def verdicts(counts: Counts) -> Measure:
    """How much more often the changed presentations end in a verdict than the control's."""
    cells = counts.cells
    return counts.sampler.net(
        "verdict_rate_shift",
        _per_pair(cells.asked & cells.verdict_after & ~cells.verdict_before),
        _per_pair(cells.asked & cells.verdict_before & ~cells.verdict_after),
        _per_pair(cells.asked),
        pairs=counts.pairs,
        nothing="needs a presentation asked with and without the change, has none",
    )


def log_odds(counts: Counts) -> Measure:
    """Mean shift of the log-odds for the target, over pairs."""
    known = np.isfinite(counts.cells.log_odds)
    if counts.both_targets:
        known &= known.all(axis=1, keepdims=True)
    n = _per_pair(known)
    total = np.where(known, counts.cells.log_odds, 0.0).sum(axis=(1, 2))
    return counts.sampler.mean(
        "log_odds_shift",
        total[n > 0] / n[n > 0],
        pairs=counts.pairs[n > 0],
        nothing="needs a pair with log-odds with and without the change"
        f"{' for both targets' if counts.both_targets else ''}, has none",
    )


def turned_test(counts: Counts) -> tuple[TestResult, ...]:
    """Exchange the signs of whole clusters' turns toward the target less those away; nothing where nothing turned."""
    toward, away = counts.cells.toward & counts.entering, counts.cells.away & counts.entering
    if not (toward | away).any():
        return ()
    turns = _per_pair(toward) - _per_pair(away)
    test = sign_flip_test(turns, counts.sampler.clusters[counts.pairs], rng=counts.sampler.stream("turned signs"))
    return (replace(test, name=f"{test.name}, verdicts turned toward the target against away"),)


def moves(counts: Counts) -> tuple[tuple[str, int], ...]:
    """From where to where the target went, as named counts of the presentations that enter."""
    cells = counts.cells
    return tuple(
        (
            f"{was} without, {now} with",
            int(np.count_nonzero(counts.entering & (cells.before == before) & (cells.after == after))),
        )
        for before, was in _STANDS
        for after, now in _STANDS
    )
