"""The scores that a triage compares: a saved probe's or a fit's, fitted features, confidence, small margins, chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError, DataError
from evenhand.probes.data import ProbeData
from evenhand.probes.features import Feature
from evenhand.probes.fitting import Folding, held_out
from evenhand.probes.folds import grouped_folds
from evenhand.probes.predictors import (
    COMBINED,
    PREDICTORS,
    PROBE,
    Method,
    Predictor,
    predictors,
    probability_column,
)
from evenhand.probes.saved import SavedProbe, card_path, load_probe
from evenhand.probes.triage_scores import RiskScore, ScoreKind, raw_scores, refitter
from evenhand.records import file_sha256
from evenhand.stats import Refusal
from evenhand.store.parquet import read_table

__all__ = ["LEFT", "Scored", "UsedProbe", "gather_scores", "linear_predictor", "without_trained"]

LEFT = 20
"""Questions that must be left where those that a probe was trained on are dropped."""

_FOLDS = 5
_FITTED = (COMBINED, Feature.ABSOLUTE_MARGIN.value)
"""Compared with the probe; the margin's size is fitted too, since its sign of the risk isn't known beforehand."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UsedProbe:
    """A saved probe, and the checksum of its card."""

    probe: SavedProbe
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scored:
    """Scores by name, in the order of the report.

    Attributes
    ----------
    main
        The name that ``--score probe`` stands for: a saved probe keeps its own.
    used
        The saved probe that one of them comes from; None without.
    scoring
        Seconds from activations to scores, measured over all pairs.
    """

    scores: Mapping[str, RiskScore | Refusal]
    main: str
    used: UsedProbe | None
    scoring: float
    notes: tuple[str, ...] = ()


def gather_scores(data: ProbeData, *, also: str = "", probe: Path | None, fit: Path | None, seed: int) -> Scored:
    """The scores to compare.

    Parameters
    ----------
    also
        Another predictor of the fit to take, such as ``all-layers``.
    probe
        A saved probe, applied as it is.
    fit
        A directory of ``evenhand probe fit`` on the same pairs: its held-out predictions are taken. With neither, probe
        and combined features are cross-validated here.

    Raises
    ------
    ConfigError
        Both, or a probe of another judge.
    DataError
        The directory isn't of such a fit, or is of other pairs.
    """
    if probe is not None and fit is not None:
        raise ConfigError("--probe and --fit: give one of them")
    raw = raw_scores(data, seed=seed)
    if probe is not None:
        return _with_saved(data, probe, raw, seed=seed)
    scores: dict[str, RiskScore | Refusal] = {}
    scoring = 0.0
    taken = {} if fit is None else _held_out_of(fit, data)
    for name in (PROBE, *_FITTED):
        predictor = linear_predictor(data, name)
        values = taken.pop(name) if name in taken else _cross_validated(predictor, data, seed=seed)
        scores[name] = _fitted(predictor, values, data)
        if name == PROBE and isinstance(scores[name], RiskScore):
            scoring = _scoring_seconds(predictor)
    # The raw figures rank alike whether or not a model was fitted on one of them.
    if also in taken and also not in raw:
        scores[also] = RiskScore(name=also, kind=ScoreKind.HELD_OUT, values=taken[also])
    return Scored(scores={**scores, **raw}, main=PROBE, used=None, scoring=scoring)


def linear_predictor(data: ProbeData, name: str) -> Predictor:
    """The predictor of that name on these pairs, refused or not.

    Raises
    ------
    ConfigError
        There is none of that name that is linear in its features.
    """
    for each in predictors(data):
        if each.name == name and each.method is Method.LOGISTIC:
            return each
    raise ConfigError(f"{name!r} is no linear predictor of flips")


def _with_saved(data: ProbeData, path: Path, raw: Mapping[str, RiskScore | Refusal], *, seed: int) -> Scored:
    saved = load_probe(path)
    where = card_path(path / "probe.json" if path.is_dir() else path)
    began = perf_counter()
    values = saved.probabilities(data)
    scoring = perf_counter() - began
    overlap = saved.overlap(data)
    kind = ScoreKind.OVERLAPPING if overlap.groups else ScoreKind.FROZEN
    notes = list(saved.notes(data.subject))
    if overlap.groups:
        notes.append(
            f"The probe {saved.name} was fitted on {overlap.groups:,} of these {len(set(data.groups)):,} questions: "
            "nothing can be said of it here. Leave --probe out, and it is fitted anew on splits; or triage another run."
        )
    scores: dict[str, RiskScore | Refusal] = {saved.name: RiskScore(name=saved.name, kind=kind, values=values)}
    for name in _FITTED:
        if name != saved.name:
            predictor = linear_predictor(data, name)
            scores[name] = _fitted(predictor, _cross_validated(predictor, data, seed=seed), data)
    # A saved baseline may be named like a raw score: it is the fitted one that was asked for.
    scores = {**scores, **{name: each for name, each in raw.items() if name not in scores}}
    used = UsedProbe(probe=saved, sha256=file_sha256(where))
    return Scored(scores=scores, main=saved.name, used=used, scoring=scoring, notes=tuple(notes))


def without_trained(data: ProbeData, saved: SavedProbe) -> NDArray[np.bool_] | None:
    """The pairs of questions that a probe wasn't trained on, shape (n,); None where too few would be left to judge it.

    Few: under :data:`LEFT` questions, or all of their pairs flipping or none.
    """
    new = ~saved.card.trained_on.holds(data)
    groups = {group for group, keep in zip(data.groups, new.tolist(), strict=True) if keep}
    flips = data.flips[new]
    return new if len(groups) >= LEFT and flips.any() and not flips.all() else None


def _cross_validated(predictor: Predictor, data: ProbeData, *, seed: int) -> NDArray[np.float64] | Refusal:
    groups = len(set(data.groups))
    if groups < 2 * _FOLDS:
        return Refusal(reason=f"needs at least {2 * _FOLDS} questions to cross-validate, has {groups}", n=groups)
    if data.flips.all() or not data.flips.any():
        return Refusal(reason="all pairs flipped, or none did: there is nothing to learn", n=len(data))
    folding = Folding(groups=data.groups, outer=grouped_folds(data.groups, folds=_FOLDS, seed=seed), seed=seed)
    return held_out(predictor, data.flips, folding).probabilities


def _fitted(predictor: Predictor, values: NDArray[np.float64] | Refusal, data: ProbeData) -> RiskScore | Refusal:
    if isinstance(values, Refusal):
        return values
    refit = None if predictor.refusal is not None else refitter(predictor, data)
    return RiskScore(name=predictor.name, kind=ScoreKind.HELD_OUT, values=values, refit=refit)


def _scoring_seconds(predictor: Predictor) -> float:
    """What applying the widest candidate takes: standardise every row, then one product. Measured, not guessed."""
    features = max((each.features for each in predictor.build()), key=lambda x: x.shape[1])
    weights = np.ones(features.shape[1])
    began = perf_counter()
    _ = ((features.astype(np.float64) - weights) / weights) @ weights
    return perf_counter() - began


def _held_out_of(directory: Path, data: ProbeData) -> dict[str, NDArray[np.float64]]:
    """Held-out predictions of a fit, by predictor, in the order of the data."""
    path = directory / "predictions.parquet"
    try:
        table = read_table(path)
    except DataError as error:
        raise DataError(error.problem, path=path, remedy="name a directory of evenhand probe fit") from error
    if not {"pair_id", "flip"} <= set(table.columns) or str(table.schema["pair_id"]) != "String":
        raise DataError(
            f"has the columns {', '.join(table.columns)[:200]}, expected texts in pair_id, and flip", path=path
        )
    pair_ids = [pair.encode("utf-8", "backslashreplace").decode("utf-8") for pair in data.pair_ids]  # as in a table
    row = {pair: number for number, pair in enumerate(table["pair_id"].to_list())}
    if len(table) != len(data) or set(row) != set(pair_ids):
        raise DataError(
            f"has {len(table):,} pairs, the run has {len(data):,} usable ones, and they aren't the same: fit it again",
            path=path,
        )
    table = table[[row[pair] for pair in pair_ids]]
    if table["flip"].to_list() != data.flips.tolist():
        raise DataError("has other flips than the run: fit it again", path=path, field="flip")
    columns = {name: probability_column(name) for name in PREDICTORS}
    held = {name: column for name, column in columns.items() if column in table.columns}
    if not held:
        raise DataError("has no column of predictions", path=path)
    for column in held.values():
        if not table.schema[column].is_float():
            raise DataError(f"the column is {table.schema[column]}, expected probabilities", path=path, field=column)
    # A missing prediction is NaN here: a predictor that could not be fitted has nothing else.
    found = {name: np.asarray(table[column].to_numpy(), dtype=np.float64) for name, column in held.items()}
    return {name: values for name, values in found.items() if np.isfinite(values).all()}
