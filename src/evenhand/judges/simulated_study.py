"""Whole bias audits' worth of simulated verdicts: controls and changed conditions, with confounding set by parameter.

The model is linear in log-odds, so that every true effect has an exact value
(:mod:`evenhand.judges.simulated_study_truth`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import hypot, log

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError
from evenhand.judges.simulated_biases import BiasStrengths
from evenhand.records import Change, Order, Preference

__all__ = ["StudyParameters", "StudyWorld", "draw_world", "identity_pull", "log_odds"]

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyParameters:
    """A judge and the pairs that it is asked about. Scales are log-odds; differences are response A's minus B's.

    A pair's true difference is ``q = N(0, group_sd) + N(0, quality_sd) + quality_author · a``, with ``a`` 1 where only
    A, and -1 where only B, is by an author of the judge's family (``own_share`` of the pairs, at even odds), 0 else.
    The better response is right: gold is A where ``q > 0``. The log length ratio is ``length_slot + length_author · a``
    plus N(0, length_sd), which correlates with the random part of ``q`` by ``length_quality``. The log-odds of the
    first slot are ``±q``, plus what :meth:`BiasStrengths.pull` makes of the cues, plus N(0, noise) anew for each
    presentation.

    Attributes
    ----------
    length_slot
        Mean log length ratio of A over B. A is shown first in order AB: in a table of that order alone, length is
        then confounded with the slot.
    length_author
        How much longer, in log units, a response of the judge's own family is: confounds length with authorship.
    length_quality
        Correlation of length and quality, -1 … 1.
    quality_author
        How much better a response of the judge's own family is: what self-preference must not be mistaken for.
    padding
        Factor by which the change ``padding`` lengthens its target.
    group_position_sd
        Spread of the position bias between questions: makes flips cluster.
    tie, refusal
        Chances of a tie and of no verdict, independently of everything else.
    """

    quality_sd: float = 1.0
    group_sd: float = 0.0
    length_sd: float = 0.5
    own_share: float = 0.0
    length_slot: float = 0.0
    length_author: float = 0.0
    length_quality: float = 0.0
    quality_author: float = 0.0
    padding: float = 2.0
    position: float = 0.0
    group_position_sd: float = 0.0
    noise: float = 0.5
    tie: float = 0.0
    refusal: float = 0.0
    biases: BiasStrengths = field(default_factory=BiasStrengths)

    def __post_init__(self) -> None:
        for name in ("quality_sd", "group_sd", "length_sd", "group_position_sd"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name}={getattr(self, name)}: a spread must not be negative")
        if self.noise <= 0:
            raise ConfigError(f"noise={self.noise}: must be positive, so that presentations can differ")
        if not -1 <= self.length_quality <= 1:
            raise ConfigError(f"length_quality={self.length_quality}: a correlation must lie in -1 … 1")
        for name in ("own_share", "tie", "refusal"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name}={getattr(self, name)}: a share must lie in 0 … 1")
        if self.tie + self.refusal > 1:
            raise ConfigError(f"tie + refusal = {self.tie + self.refusal}: more than 1")
        if self.padding <= 0:
            raise ConfigError(f"padding={self.padding}: a factor must be positive")
        if self.biases.repeat_noise:
            raise ConfigError("repeat_noise is the live judge's: here all noise is drawn anew for each presentation")

    @property
    def drawn_quality_sd(self) -> float:
        """Standard deviation of the random part of a pair's true difference."""
        return hypot(self.quality_sd, self.group_sd)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyWorld:
    """Pairs as they are, A's minus B's: arrays of shape (n_pairs,), sorted by question.

    Attributes
    ----------
    group
        Question, coded from 0.
    quality, log_length
        True difference and log length ratio.
    own
        1, 0 or -1: whose author is of the judge's family.
    shift
        The question's own position bias, beside the judge's.
    """

    group: NDArray[np.int64]
    quality: Numbers
    log_length: Numbers
    own: Numbers
    shift: Numbers

    @property
    def gold_is_a(self) -> NDArray[np.bool_]:
        """Where A is the better response."""
        return np.asarray(self.quality > 0, dtype=np.bool_)


def draw_world(
    parameters: StudyParameters, *, n_pairs: int, n_groups: int | None = None, rng: np.random.Generator
) -> StudyWorld:
    """Draw pairs.

    Parameters
    ----------
    n_groups
        Questions, of (nearly) equal size; None: every pair has its own.

    Raises
    ------
    ConfigError
        Fewer pairs than questions, or none.

    Examples
    --------
    >>> made = draw_world(StudyParameters(length_slot=3.0), n_pairs=50, rng=np.random.default_rng(1))
    >>> bool((made.log_length > 0).all()), made.group.max()
    (True, np.int64(49))
    """
    n_groups = n_pairs if n_groups is None else n_groups
    if not 1 <= n_groups <= n_pairs:
        raise ConfigError(f"n_groups={n_groups}, n_pairs={n_pairs}: expected 1 <= n_groups <= n_pairs")
    p = parameters
    group = np.sort(np.arange(n_pairs) % n_groups)
    drawn = rng.normal(0.0, p.quality_sd, n_pairs) + rng.normal(0.0, p.group_sd, n_groups)[group]
    own = np.where(rng.random(n_pairs) < p.own_share, rng.choice([-1.0, 1.0], n_pairs), 0.0)
    scaled = drawn / p.drawn_quality_sd if p.drawn_quality_sd else drawn
    free = rng.normal(0.0, 1.0, n_pairs)
    spread = p.length_sd * (p.length_quality * scaled + np.sqrt(1 - p.length_quality**2) * free)
    return StudyWorld(
        group=group,
        quality=drawn + p.quality_author * own,
        log_length=p.length_slot + p.length_author * own + spread,
        own=own,
        shift=rng.normal(0.0, p.group_position_sd, n_groups)[group],
    )


def log_odds(
    parameters: StudyParameters,
    world: StudyWorld,
    *,
    order: Order,
    changes: Sequence[Change] = (),
    rng: np.random.Generator,
) -> Numbers:
    """Log-odds of the *first slot* in one order under one condition; shape (n_pairs,). Noise is drawn anew."""
    sign = 1.0 if order is Order.AB else -1.0
    pull = identity_pull(
        parameters,
        log_length=world.log_length,
        own=world.own,
        position=parameters.position + world.shift,
        order=order,
        changes=changes,
    )
    noise = rng.normal(0.0, parameters.noise, len(world.quality))
    return np.asarray(sign * (world.quality + pull) + noise, dtype=np.float64)


def identity_pull(
    parameters: StudyParameters,
    *,
    log_length: Numbers,
    own: Numbers,
    position: Numbers | float,
    order: Order,
    changes: Sequence[Change] = (),
) -> Numbers:
    """What all biases together add to the log-odds of response A; shape (n,).

    The same rule as :meth:`BiasStrengths.pull`, over arrays.

    Parameters
    ----------
    log_length, own
        As they are before any change; shape (n,).
    position
        Toward the first slot.
    """
    b = parameters.biases
    sign = 1.0 if order is Order.AB else -1.0
    pulls = [sign * np.broadcast_to(position, log_length.shape), b.self_preference * own]
    length = log_length
    for change in changes:
        toward = 1.0 if change.target is Preference.A else -1.0
        if change.factor == "padding":
            length = length + toward * log(parameters.padding)
        else:
            pulls.append(np.full(log_length.shape, toward * _strength(b, change)))
    pulls.append(b.verbosity * length)
    stacked = np.stack(pulls)
    total = np.zeros(log_length.shape)
    for same in (np.maximum(stacked, 0.0), np.minimum(stacked, 0.0)):
        together = np.count_nonzero(same, axis=0) > 1
        total += same.sum(axis=0) * np.where(together, 1 + b.compound, 1.0)
    return total


def _strength(b: BiasStrengths, change: Change) -> float:
    """Pull toward a change's target."""
    by_factor = {
        "endorsement": b.sycophancy,
        "authority": b.authority,
        "injection": b.injection,
        "tone": -b.tone if change.level == "hedged" else b.tone,
        "format": 0.0 if change.level == "plain" else b.formatting,
        "register": -b.register,
        "recency": b.recency,
    }
    if change.factor not in by_factor:
        raise ConfigError(f"change {change.name!r}: a simulated judge knows {', '.join(('padding', *by_factor))}")
    return by_factor[change.factor]
