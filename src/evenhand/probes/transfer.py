"""Predictors fitted on all of one set, frozen with their standardisation, and applied to another without fitting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.errors import DataError
from evenhand.probes.candidates import Candidate
from evenhand.probes.data import ProbeData
from evenhand.probes.evaluate import HeldOut
from evenhand.probes.features import Feature
from evenhand.probes.logistic import PENALTIES
from evenhand.probes.predictors import NO_SIGNAL, Method, Predictor
from evenhand.probes.refit import fit_selected
from evenhand.probes.results import PredictorKind, Selection
from evenhand.probes.saved import SavedProbe
from evenhand.probes.saved_card import CardFigure, ProbeCard, Procedure, TrainedOn, column_width
from evenhand.stats import Refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Freezing", "apply_frozen", "freeze", "no_signal", "unfittable"]


_LABEL_GROUPS: Final = 5
"""Groups with a flip, and without, below which nothing is fitted: as in a cross-validated fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freezing:
    """How predictors are fitted on all of a set.

    Attributes
    ----------
    folds, seed, penalties
        Of the grouped cross-validation that chooses candidate and penalty.
    evenhand, created
        For the card: the version, and the time (UTC, ISO 8601).
    """

    folds: int = 5
    seed: int = 0
    penalties: tuple[float, ...] = PENALTIES
    evenhand: str = ""
    created: str = ""


def freeze(
    predictor: Predictor, data: ProbeData, *, how: Freezing, figures: Sequence[CardFigure] = ()
) -> SavedProbe | Refusal:
    """Fit a predictor on all pairs and freeze it.

    Parameters
    ----------
    predictor
        Of this data (:func:`evenhand.probes.predictors.predictors`).
    figures
        Its cross-validated figures, for the card.

    Returns
    -------
    SavedProbe or Refusal
        A refusal where the data doesn't allow the predictor, where too few groups have a flip or none, where there are
        fewer groups than folds, and for trees, which no file without code can hold.
    """
    refusal = unfittable(predictor, data, folds=how.folds)
    if refusal is not None:
        return refusal
    if predictor.method is Method.TREES:
        return Refusal(
            reason="trees can be saved only as pickles, which run code: they are fitted anew instead", n=len(data)
        )
    if predictor.method is Method.RATE:
        return no_signal(like=_card(predictor, data, how=how, figures=figures))
    candidates = predictor.build()
    fitted = fit_selected(candidates, data.flips, data.groups, folds=how.folds, seed=how.seed, penalties=how.penalties)
    chosen = next(each for each in candidates if each.name == fitted.candidate)
    features = _features_of(predictor, chosen, size=data.subject.size)
    card = _card(predictor, data, how=how, figures=figures)
    card = replace(
        card,
        features=features,
        candidate=fitted.candidate,
        l2=float(fitted.l2),
        procedure=replace(card.procedure, validation_brier=float(fitted.selection.validation_brier)),
    )
    return SavedProbe(
        card=card, mean=fitted.mean, scale=fitted.scale, weights=fitted.weights, intercept=float(fitted.intercept)
    )


def no_signal(*, like: ProbeCard) -> SavedProbe:
    """The constant prediction: the training set's flip rate for every pair.

    Parameters
    ----------
    like
        A card of a predictor that was trained there; some of the pairs flipped and some did not.
    """
    empty = np.empty(0)
    card = replace(
        like,
        name=NO_SIGNAL,
        kind=PredictorKind.CONTROL,
        features=(),
        candidate=NO_SIGNAL,
        l2=float("nan"),
        procedure=replace(like.procedure, validation_brier=float("nan")),
    )
    rate = like.trained_on.flip_rate
    return SavedProbe(card=card, mean=empty, scale=empty, weights=empty, intercept=float(np.log(rate / (1.0 - rate))))


def apply_frozen(probe: SavedProbe, data: ProbeData) -> HeldOut:
    """A frozen predictor's probabilities of another set's pairs. Nothing is fitted, not even a mean.

    Returns
    -------
    HeldOut
        With a refusal in place of probabilities where pairs lack a feature that it reads.

    Raises
    ------
    ConfigError
        Another judge or prompt than it was trained on, or a layer that wasn't collected.
    """
    card = probe.card
    try:
        probabilities: NDArray[np.float64] | Refusal = probe.probabilities(data)
    except DataError as error:
        probabilities = Refusal(reason=str(error), n=len(data))
    # One fit, so one selection: a report shows it where nested folds have theirs.
    brier = card.procedure.validation_brier
    chosen = Selection(fold=0, candidate=card.candidate, l2=card.l2, validation_brier=brier)
    return HeldOut(
        name=card.name,
        kind=card.kind,
        features=card.features or (f"flip rate of the training set ({card.trained_on.flip_rate:.3f})",),
        probabilities=probabilities,
        selections=(chosen,) if card.features else (),
    )


def unfittable(predictor: Predictor, data: ProbeData, *, folds: int) -> Refusal | None:
    """Why a predictor can't be fitted on all of a set; None where it can."""
    n = len(data)
    if predictor.refusal is not None:
        return Refusal(reason=predictor.refusal, n=n)
    if predictor.method is Method.RATE:
        alike = data.flips.all() or not data.flips.any()
        return Refusal(reason="the training pairs all flipped, or none did", n=n) if alike else None
    groups = len(set(data.groups))
    if groups < folds:
        return Refusal(reason=f"needs at least {folds} question groups to choose by, has {groups}", n=n)
    for wanted, what in ((True, "a flip"), (False, "a pair that doesn't flip")):
        count = len({group for group, flip in zip(data.groups, data.flips, strict=True) if bool(flip) is wanted})
        if count < _LABEL_GROUPS:
            reason = (
                f"too little to learn from: needs at least {_LABEL_GROUPS} question groups with {what}, has {count}"
            )
            return Refusal(reason=reason, n=n)
    return None


def _card(predictor: Predictor, data: ProbeData, *, how: Freezing, figures: Sequence[CardFigure]) -> ProbeCard:
    return ProbeCard(
        name=predictor.name,
        kind=predictor.kind,
        features=(),
        candidate=predictor.name,
        l2=float("nan"),
        subject=data.subject,
        trained_on=TrainedOn.of(data),
        procedure=Procedure(
            folds=how.folds, seed=how.seed, penalties=tuple(how.penalties), validation_brier=float("nan")
        ),
        figures=tuple(figures),
        evenhand=how.evenhand,
        created=how.created,
    )


def _features_of(predictor: Predictor, candidate: Candidate, *, size: int) -> tuple[str, ...]:
    """The places and features of a candidate's columns, in their order.

    A candidate is one place, all of the predictor's features side by side, or (``place+…``) one place and then the
    predictor's features.
    """
    columns = candidate.features.shape[1]
    scalars = tuple(name for name in predictor.features if name in set(Feature))
    known: list[tuple[str, ...]] = [(name,) for name in predictor.features if name == candidate.name]
    known += [predictor.features]
    known += [(name, *scalars) for name in predictor.features if name == candidate.name.partition("+")[0]]
    for features in known:
        if columns == sum(column_width(name, size=size) for name in features):
            return features
    raise DataError(f"candidate {candidate.name!r} of {columns} columns is none of {', '.join(predictor.features)}")
