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

__all__ = ["Counts", "by_gold", "by_slot", "log_odds", "moves", "noise", "turned", "turned_test", "verdicts"]

_NOTHING: Final = "needs a verdict with and without the change on the same pair in the same order, has none"
_NO_REPEATS: Final = "no presentation of the control was repeated with a verdict both times: noise not measured"
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
    """

    cells: Cells
    repeats: Repeats
    gold: NDArray[np.int8]
    sampler: Sampler

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Indices into the table's facts."""
        return self.cells.pairs


def _per_pair(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Cells counted within each pair: both targets and both orders of a pair are one observation."""
    total: NDArray[np.int64] = cells.sum(axis=(1, 2), dtype=np.int64)
    return total


def _rate(counts: Counts, name: str, cells: NDArray[np.bool_], of_: NDArray[np.bool_], *, nothing: str) -> Measure:
    return counts.sampler.rate(name, _per_pair(cells & of_), _per_pair(of_), pairs=counts.pairs, nothing=nothing)


def _net(counts: Counts, name: str, among: NDArray[np.bool_], *, nothing: str) -> Measure:
    """Toward minus away among some of the cells compared, paired."""
    n = _per_pair(among)
    toward, away = _per_pair(counts.cells.toward & among), _per_pair(counts.cells.away & among)
    return counts.sampler.difference(name, (toward, n), (away, n), pairs=counts.pairs, nothing=nothing)


def turned(counts: Counts) -> Iterator[Measure]:
    """Net shift, toward and away rates, and how many of those that could turn did."""
    cells, compared = counts.cells, counts.cells.compared
    yield _net(counts, "net_shift", compared, nothing=_NOTHING)
    yield _rate(counts, "toward_rate", cells.toward, compared, nothing=_NOTHING)
    yield _rate(counts, "away_rate", cells.away, compared, nothing=_NOTHING)
    yield _rate(
        counts,
        "toward_of_turnable",
        cells.toward,
        compared & (cells.before < 1),
        nothing="needs a control verdict that isn't the target already, has none",
    )


def by_slot(counts: Counts) -> Iterator[Measure]:
    """Net shift by the slot that shows the target."""
    for slot, first in (("first", FIRST_SLOT), ("second", ~FIRST_SLOT)):
        nothing = f"needs a verdict with and without the change where the target is shown {slot}, has none"
        yield _net(counts, f"net_shift_{slot}_slot", counts.cells.compared & first, nothing=nothing)


def by_gold(counts: Counts) -> Iterator[Measure]:
    """Where a pair has a gold side: turned toward the wrong response, and toward the right one."""
    is_gold = np.stack([counts.gold == _PREFERENCES.index(target) for target in TARGETS], axis=1)[:, :, None]
    for name, among in (("wrong", is_gold[:, ::-1]), ("right", is_gold)):
        nothing = f"needs a pair with a gold side whose target is the {name} response, has none"
        cells = counts.cells.compared & among
        yield _net(counts, f"net_shift_{name}", cells, nothing=nothing)
        yield _rate(counts, f"toward_{name}_rate", counts.cells.toward, cells, nothing=nothing)


def noise(counts: Counts) -> Iterator[Measure]:
    """How often repeats turn toward the target by chance, and what the change adds, on the same presentations."""
    again = counts.repeats.compared[:, None, :]
    among = counts.cells.compared & (again > 0)
    times = np.where(among, again, 0)
    turned = np.where(among, counts.repeats.toward, 0)
    yield counts.sampler.rate(
        "repeat_toward_rate",
        turned.sum(axis=(1, 2)),
        times.sum(axis=(1, 2)),
        pairs=counts.pairs,
        nothing=_NO_REPEATS,
    )
    share = turned / np.maximum(times, 1)
    n = _per_pair(among)
    yield counts.sampler.difference(
        "toward_beyond_noise",
        (_per_pair(counts.cells.toward & among), n),
        (share.sum(axis=(1, 2)), n),
        pairs=counts.pairs,
        nothing=_NO_REPEATS,
    )


def verdicts(counts: Counts) -> Measure:
    """How much more often the changed presentations end in a verdict than the control's."""
    n = _per_pair(counts.cells.asked)
    return counts.sampler.difference(
        "verdict_rate_shift",
        (_per_pair(counts.cells.verdict_after), n),
        (_per_pair(counts.cells.verdict_before), n),
        pairs=counts.pairs,
        nothing="needs a presentation asked with and without the change, has none",
    )


def log_odds(counts: Counts) -> Measure:
    """Mean shift of the log-odds for the target, over pairs."""
    known = np.isfinite(counts.cells.log_odds)
    n = _per_pair(known)
    total = np.where(known, counts.cells.log_odds, 0.0).sum(axis=(1, 2))
    return counts.sampler.mean(
        "log_odds_shift",
        total[n > 0] / n[n > 0],
        pairs=counts.pairs[n > 0],
        nothing="needs a pair with log-odds with and without the change, has none",
    )


def turned_test(counts: Counts) -> tuple[TestResult, ...]:
    """Exchange the signs of whole clusters' turns toward the target less those away; nothing where nothing turned."""
    turns = _per_pair(counts.cells.toward) - _per_pair(counts.cells.away)
    if not (counts.cells.toward | counts.cells.away).any():
        return ()
    test = sign_flip_test(turns, counts.sampler.clusters[counts.pairs], rng=counts.sampler.stream("turned signs"))
    return (replace(test, name=f"{test.name}, verdicts turned toward the target against away"),)


def moves(cells: Cells) -> tuple[tuple[str, int], ...]:
    """From where to where the target went, as named counts of presentations."""
    return tuple(
        (
            f"{was} without, {now} with",
            int(np.count_nonzero(cells.compared & (cells.before == before) & (cells.after == after))),
        )
        for before, was in _STANDS
        for after, now in _STANDS
    )
