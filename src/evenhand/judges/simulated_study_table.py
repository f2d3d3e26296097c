"""Verdict tables, pairs and conditions of a simulated bias audit: all that the audits are given of a real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError
from evenhand.judges.simulated_rows import (
    FIRST,
    REFUSED,
    SECOND,
    TIE,
    Presentations,
    group_name,
    pair_name,
    verdict_rows,
)
from evenhand.judges.simulated_study import StudyParameters, StudyWorld, draw_world, log_odds
from evenhand.records import Change, Condition, LabelSet, Order, Pair, Preference, Readout

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CONTROL", "SimulatedStudy", "changed_condition", "copied_rows", "simulate_study", "study_pairs"]

CONTROL = "simulated, A/B"
"""Id of the condition that changes nothing."""
_WORDS = 60
"""Length of a response whose log length ratio is 0: a free choice. Rounding to words costs a ratio under 1 %."""
_OTHERS = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedStudy:
    """A simulated bias audit, and the world behind it.

    Attributes
    ----------
    table
        Columns of :func:`evenhand.records.verdict_table`.
    conditions
        The control first.
    pairs
        With texts of the drawn lengths, authors and gold.
    """

    table: pl.DataFrame
    conditions: tuple[Condition, ...]
    pairs: tuple[Pair, ...]
    world: StudyWorld
    parameters: StudyParameters


def simulate_study(
    parameters: StudyParameters,
    *,
    n_pairs: int,
    rng: np.random.Generator,
    changes: Sequence[tuple[Change, ...]] = (),
    n_groups: int | None = None,
    icc: float = 0.0,
    repeats: int = 0,
    orders: Sequence[Order] = (Order.AB, Order.BA),
    readouts: Sequence[Readout] = (Readout.GENERATED,),
) -> SimulatedStudy:
    """Simulate an audit: every pair under the control and under each of the changes.

    Parameters
    ----------
    n_pairs, n_groups
        Pairs and questions; None: every pair has its own.
    icc
        Intra-question correlation of every outcome: see :func:`copied_rows`. It leaves all true values as they are.
    changes
        What each changed condition changes, together.
    repeats
        The first so many pairs are asked in order AB once more, under the control.
    orders
        One order alone is a log of single comparisons, in which A is always shown first.
    readouts
        Which readouts to make rows of; the same verdicts in each, but ties and refusals are written only.

    Raises
    ------
    ConfigError
        A number is out of range, or a change is one that a simulated judge doesn't know.

    Examples
    --------
    >>> padded = (Change(factor="padding", level="redundant", target=Preference.A),)
    >>> made = simulate_study(StudyParameters(), n_pairs=20, rng=np.random.default_rng(1), changes=[padded])
    >>> made.table.height, made.conditions[1].id
    (80, 'simulated, A/B; padding=redundant:A')
    """
    if not 0 <= repeats <= n_pairs:
        raise ConfigError(f"repeats={repeats}: expected 0 … n_pairs={n_pairs}")
    import polars as pl

    n_groups = n_pairs if n_groups is None else n_groups
    drawn = _drawn(parameters, n_pairs=n_pairs, n_groups=n_groups, icc=icc, rng=rng)
    world, rows = drawn.world, drawn.rows
    shown = replace(
        world,
        group=np.sort(np.arange(n_pairs) % n_groups),
        quality=world.quality[rows],
        log_length=world.log_length[rows],
        own=world.own[rows],
        shift=world.shift[rows],
    )
    conditions = (changed_condition(()), *(changed_condition(tuple(each)) for each in changes))
    gold = np.where(shown.gold_is_a, 1.0, -1.0)
    frames = []
    for condition in conditions:
        asked = [_ask(parameters, world, rows, order=order, changes=condition.changes, rng=rng) for order in orders]
        if repeats and condition.control is None:
            asked.append(_ask(parameters, world, rows, order=Order.AB, changes=(), rng=rng, repeat=1, first=repeats))
        frames.append(verdict_rows(asked, group=shown.group, gold=gold, readouts=readouts, condition=condition.id))
    return SimulatedStudy(
        table=pl.concat(frames),
        conditions=conditions,
        pairs=study_pairs(shown, family=parameters.biases.family or "own"),
        world=shown,
        parameters=parameters,
    )


def changed_condition(changes: tuple[Change, ...]) -> Condition:
    """The condition that makes these changes; without any, the control."""
    name = "; ".join((CONTROL, *([" + ".join(each.name for each in changes)] if changes else [])))
    return Condition(
        id=name,
        prompt="simulated",
        prompt_hash="0" * 64,
        labels=LabelSet.parse("A/B"),
        changes=changes,
        control=CONTROL if changes else None,
    )


def study_pairs(world: StudyWorld, *, family: str) -> tuple[Pair, ...]:
    """Pairs whose texts have the drawn length ratios, in words, and whose authors are of the family or of another."""
    longest = _WORDS * np.exp(np.abs(world.log_length) / 2)
    shortest = _WORDS * np.exp(-np.abs(world.log_length) / 2)
    words_a = np.rint(np.where(world.log_length > 0, longest, shortest)).clip(1).astype(int).tolist()
    words_b = np.rint(np.where(world.log_length > 0, shortest, longest)).clip(1).astype(int).tolist()
    own = world.own.tolist()
    right = world.gold_is_a.tolist()
    return tuple(
        Pair(
            id=pair_name(i),
            instruction=f"Simulated question {group}.",
            response_a=" ".join(["word"] * words_a[i]),
            response_b=" ".join(["word"] * words_b[i]),
            gold=Preference.A if right[i] else Preference.B,
            source="simulated",
            group=group_name(group),
            author_a=f"{family}-1" if own[i] > 0 else f"{_OTHERS}-1",
            author_b=f"{family}-1" if own[i] < 0 else f"{_OTHERS}-2",
        )
        for i, group in enumerate(world.group.tolist())
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Drawn:
    """Drawn pairs, and which of them each pair of the study takes everything from."""

    world: StudyWorld
    rows: NDArray[np.int64]


def _drawn(p: StudyParameters, *, n_pairs: int, n_groups: int, icc: float, rng: np.random.Generator) -> _Drawn:
    if not icc:
        return _Drawn(world=draw_world(p, n_pairs=n_pairs, n_groups=n_groups, rng=rng), rows=np.arange(n_pairs))
    if p.group_sd or p.group_position_sd:
        raise ConfigError(f"icc={icc} with group_sd or group_position_sd: give one or the other")
    if not 1 <= n_groups <= n_pairs:
        raise ConfigError(f"n_groups={n_groups}, n_pairs={n_pairs}: expected 1 <= n_groups <= n_pairs")
    group = np.sort(np.arange(n_pairs) % n_groups)
    world = draw_world(p, n_pairs=n_pairs + n_groups, rng=rng)
    return _Drawn(world=world, rows=copied_rows(group, icc=icc, rng=rng))


def copied_rows(group: NDArray[np.int64], *, icc: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Which drawn pair each pair takes everything from: its question's model with chance √icc, else its own.

    Two pairs of a question take after the same model with chance icc, so that every outcome correlates by that, while
    each pair by itself is distributed as before. The models are drawn beside the pairs and are none themselves.

    Parameters
    ----------
    group
        Question codes from 0; shape (n,).

    Returns
    -------
    ndarray
        Indices into n drawn pairs followed by one model for each question; shape (n,).

    Raises
    ------
    ConfigError
        The correlation isn't in 0 … 1.

    Examples
    --------
    >>> copied_rows(np.array([0, 0, 0, 1]), icc=1.0, rng=np.random.default_rng(0)).tolist()
    [4, 4, 4, 5]
    """
    if not 0 <= icc <= 1:
        raise ConfigError(f"icc={icc}: a correlation within questions must lie in 0 … 1")
    n = len(group)
    return np.where(rng.random(n) < np.sqrt(icc), n + group, np.arange(n))


def _ask(
    p: StudyParameters,
    world: StudyWorld,
    rows: NDArray[np.int64],
    *,
    order: Order,
    changes: tuple[Change, ...],
    rng: np.random.Generator,
    repeat: int = 0,
    first: int | None = None,
) -> Presentations:
    """One order of the first so many pairs (None: all), under one condition."""
    odds = log_odds(p, world, order=order, changes=changes, rng=rng)
    outcome = np.where(odds > 0, FIRST, SECOND)
    if p.tie or p.refusal:
        draw = rng.random(len(odds))
        outcome = np.where(draw < p.tie + p.refusal, REFUSED, outcome)
        outcome = np.where(draw < p.tie, TIE, outcome)
    kept = rows[:first]
    always: NDArray[np.bool_] = np.ones(len(kept), dtype=bool)
    return Presentations(order=order, repeat=repeat, log_odds=odds[kept], compliant=always, generated=outcome[kept])
