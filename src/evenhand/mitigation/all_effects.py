"""Every mitigation that a judge's verdicts allow, measured, with one family of tests over all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from evenhand.analysis.family import holm_adjusted
from evenhand.analysis.sampler import Sampler
from evenhand.errors import ConfigError
from evenhand.mitigation.by_system import SystemComparison, length_control_by_systems
from evenhand.mitigation.dawid_skene import DawidSkeneFit, dawid_skene
from evenhand.mitigation.effect import Effect, measure
from evenhand.mitigation.judged import NONE, JudgedPairs
from evenhand.mitigation.length_penalty import LengthPenalty, length_penalty
from evenhand.mitigation.order import Mitigated
from evenhand.mitigation.order_effects import NotMade, order_effects, the_before
from evenhand.mitigation.panel import Panel, accuracy_weighted, assemble, judge_alone, majority, one_judge
from evenhand.mitigation.panel_agreement import JudgeAgreement, judge_agreement
from evenhand.mitigation.recalibrate import Recalibration, recalibrate
from evenhand.mitigation.selection import SelectionEffect, selection_effect
from evenhand.stats import Estimate, Refusal, TestResult

__all__ = ["KINDS", "MitigationResults", "Truncation", "chosen_kinds", "measure_all"]

KINDS: Final = (
    "order",
    "selection",
    "length-control",
    "length-penalty",
    "truncation",
    "panel",
    "recalibration",
)
"""What can be asked for by name."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truncation:
    """The same pairs judged again with the longer response cut.

    ``pairs`` has the rows of the judge that it belongs to, in the same order, NONE where the second run lacks a pair.
    """

    judge: str
    pairs: JudgedPairs


@dataclass(frozen=True, slots=True, kw_only=True)
class MitigationResults:
    """Everything that was measured. Tests of ``effects`` and ``calibrations`` are one Holm family.

    Attributes
    ----------
    effects
        Per judge in the order of the rules, then panels.
    not_made
        What could not be made or measured, and why.
    model_accuracy
        (judge, accuracy) by Dawid and Skene's model; empty without it.
    alone
        Of a panel's judges, each by itself: (judge, agreement of its own verdict with the labels).
    """

    effects: tuple[Effect, ...]
    not_made: tuple[NotMade, ...]
    selections: tuple[SelectionEffect, ...] = ()
    penalties: tuple[LengthPenalty, ...] = ()
    systems: tuple[SystemComparison, ...] = ()
    calibrations: tuple[Recalibration, ...] = ()
    agreements: tuple[JudgeAgreement, ...] = ()
    model_accuracy: tuple[tuple[str, float], ...] = ()
    alone: tuple[tuple[str, Estimate | Refusal], ...] = ()
    tests: int = 0
    level: float = 0.95


def chosen_kinds(names: Collection[str]) -> tuple[str, ...]:
    """The kinds asked for, in order; all where none is named.

    Raises
    ------
    ConfigError
        A name that isn't one.
    """
    unknown = sorted(set(names) - set(KINDS))
    if unknown:
        raise ConfigError(f"mitigation {unknown[0]!r}: expected one of {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if not names or kind in names)


@dataclass(slots=True, kw_only=True)
class _Found:
    """What is collected on the way."""

    effects: list[Effect]
    not_made: list[NotMade]
    selections: list[SelectionEffect]
    penalties: list[LengthPenalty]
    systems: list[SystemComparison]
    calibrations: list[Recalibration]

    def refuse(self, judge: str, mitigation: str, refusal: Refusal) -> None:
        self.not_made.append(NotMade(judge=judge, mitigation=mitigation, reason=refusal.reason))


def measure_all(
    judges: Sequence[JudgedPairs],
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    only: Collection[str] = (),
    truncations: Sequence[Truncation] = (),
) -> MitigationResults:
    """Measure mitigations of one judge or several on the same pairs.

    Parameters
    ----------
    only
        Of :data:`KINDS`; empty: all.
    truncations
        Second runs on truncated pairs.

    Raises
    ------
    ConfigError
        A kind that there isn't, or a missing extra.
    """
    kinds = chosen_kinds(only)
    found = _Found(effects=[], not_made=[], selections=[], penalties=[], systems=[], calibrations=[])
    for pairs in judges:
        sampler = Sampler(clusters=pairs.clusters, seed=seed, resamples=resamples, level=level, scope=(pairs.judge,))
        _of_judge(pairs, kinds, sampler, found, [each for each in truncations if each.judge == pairs.judge])
    agreements: tuple[JudgeAgreement, ...] = ()
    accuracy: tuple[tuple[str, float], ...] = ()
    alone: tuple[tuple[str, Estimate | Refusal], ...] = ()
    if "panel" in kinds and (len(judges) > 1 or only):
        panel = assemble(judges)
        if isinstance(panel, Refusal):
            found.refuse("panel", "panel", panel)
        else:
            own = Sampler(
                clusters=panel.pairs.clusters, seed=seed, resamples=resamples, level=level, scope=(panel.pairs.judge,)
            )
            agreements, accuracy = judge_agreement(panel, sampler=own), _of_panel(panel, own, found)
            ways = [judge_alone(panel, index) for index in range(len(panel.names))]
            alone = tuple(
                (name, measure(way, panel.pairs, sampler=own).agreement)
                for name, way in zip(panel.names, ways, strict=True)
            )
    return _in_one_family(
        MitigationResults(
            effects=tuple(found.effects),
            not_made=tuple(found.not_made),
            selections=tuple(found.selections),
            penalties=tuple(found.penalties),
            systems=tuple(found.systems),
            calibrations=tuple(found.calibrations),
            agreements=agreements,
            model_accuracy=accuracy,
            alone=alone,
            level=level,
        )
    )


def _of_judge(
    pairs: JudgedPairs, kinds: tuple[str, ...], sampler: Sampler, found: _Found, truncations: Sequence[Truncation]
) -> None:
    before = the_before(pairs)
    if "order" in kinds:
        effects, missed = order_effects(pairs, sampler=sampler)
        found.effects += effects
        found.not_made += missed
    if "selection" in kinds:
        selection = selection_effect(pairs, sampler=sampler)
        if isinstance(selection, Refusal):
            found.refuse(pairs.judge, "selection effect", selection)
        else:
            found.selections.append(selection)
    if "length-control" in kinds:
        systems = length_control_by_systems(pairs, sampler=sampler)
        if isinstance(systems, Refusal):
            found.refuse(pairs.judge, "length control", systems)
        else:
            found.systems += systems
    if isinstance(before, Refusal):
        return
    if "length-penalty" in kinds:
        _penalty(pairs, before, sampler, found)
    if "truncation" in kinds and not truncations and len(kinds) < len(KINDS):
        reason = "needs a second run, on truncated pairs (--write-truncated, then --truncated)"
        found.refuse(pairs.judge, "truncation", Refusal(reason=reason))
    if "truncation" in kinds:
        for truncation in truncations:
            found.effects.append(
                measure(_truncated(truncation, pairs), pairs, sampler=sampler, before=before, one=before)
            )
    if "recalibration" in kinds:
        _recalibrated(pairs, before, sampler, found)


def _penalty(pairs: JudgedPairs, before: Mitigated, sampler: Sampler, found: _Found) -> None:
    penalty = length_penalty(pairs, sampler=sampler)
    if isinstance(penalty, Refusal):
        found.refuse(pairs.judge, "length penalty", penalty)
        return
    found.penalties.append(penalty)
    # Against its own scores without the penalty: what averaging the orders buys is another row's.
    found.effects.append(measure(penalty.after, pairs, sampler=sampler, before=penalty.before, one=before))


def _recalibrated(pairs: JudgedPairs, before: Mitigated, sampler: Sampler, found: _Found) -> None:
    calibration = recalibrate(pairs, sampler=sampler)
    if isinstance(calibration, Refusal):
        found.refuse(pairs.judge, "recalibration", calibration)
        return
    found.calibrations.append(calibration)
    for method, refusal in calibration.refused:
        found.refuse(pairs.judge, f"recalibration ({method})", refusal)
    for each in calibration.maps:
        for way in (each.one_order, each.both_orders):
            if way is not None:
                found.effects.append(measure(way, pairs, sampler=sampler, before=before, one=before))


def _truncated(truncation: Truncation, pairs: JudgedPairs) -> Mitigated:
    own = truncation.pairs
    both = bool(own.asked.all(axis=1).any())
    first = own.asked[:, 0]
    preference = np.where(first, own.preference[:, 0], own.preference[:, 1])[:, None]
    if both:
        preference = np.where((own.preference == NONE).any(axis=1)[:, None], np.int8(NONE), own.preference)
    return Mitigated(
        name="truncated to equal length",
        how="The longer response was cut to the length of the shorter; labels are those of the whole responses.",
        preference=preference,
        presentations=np.ones(len(pairs)),
        tokens=own.tokens.mean(axis=1) if both else np.where(first, own.tokens[:, 0], own.tokens[:, 1]),
        order_free=False,
        by_order=False,
    )


def _of_panel(panel: Panel, sampler: Sampler, found: _Found) -> tuple[tuple[str, float], ...]:
    before = one_judge(panel)
    one = replace(
        before,
        presentations=np.ones(len(panel.pairs)),
        tokens=(panel.tokens / panel.presentations).mean(axis=1),
    )
    found.effects.append(measure(before, panel.pairs, sampler=sampler, one=one))
    fit = dawid_skene(panel)
    ways: list[Mitigated | Refusal] = [
        majority(panel),
        accuracy_weighted(panel, sampler=sampler),
        fit.way if isinstance(fit, DawidSkeneFit) else fit,
    ]
    for name, way in zip(("majority", "weighted by accuracy", "Dawid-Skene"), ways, strict=True):
        if isinstance(way, Refusal):
            found.refuse(panel.pairs.judge, f"panel: {name}", way)
        else:
            found.effects.append(measure(way, panel.pairs, sampler=sampler, before=before, one=one))
    return tuple(zip(panel.names, fit.accuracy, strict=True)) if isinstance(fit, DawidSkeneFit) else ()


def _in_one_family(results: MitigationResults) -> MitigationResults:
    """Holm over the tests of all effects and all recalibrations together."""
    scores = [each.scores for calibration in results.calibrations for each in calibration.maps]
    raw = [*(effect.test for effect in results.effects), *(score.test for score in scores)]
    tests: list[TestResult] = [test for test in raw if test is not None]
    adjusted = iter(holm_adjusted(tests, family="mitigations"))
    placed = [None if test is None else next(adjusted) for test in raw]
    effects = tuple(replace(effect, test=test) for effect, test in zip(results.effects, placed, strict=False))
    of_scores = iter(placed[len(results.effects) :])
    calibrations = tuple(
        replace(
            calibration,
            maps=tuple(replace(each, scores=replace(each.scores, test=next(of_scores))) for each in calibration.maps),
        )
        for calibration in results.calibrations
    )
    return replace(results, effects=effects, calibrations=calibrations, tests=len(tests))
