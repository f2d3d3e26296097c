"""Predictors of flips fitted on all of a set, frozen, and saved in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import StoreError
from evenhand.probes.data import ProbeData
from evenhand.probes.predictors import PREDICTORS, PROBE, predictors
from evenhand.probes.results import PredictorKind, ProbeReport
from evenhand.probes.saved import SavedProbe, card_path, save_probe
from evenhand.probes.saved_card import CardFigure
from evenhand.probes.transfer import Freezing, freeze
from evenhand.stats import Refusal
from evenhand.workflow.probe_settings import FitSettings

if TYPE_CHECKING:
    from evenhand.workflow.probe_fit import FitProgress

__all__ = ["FrozenPredictors", "freeze_predictors", "freezing", "save_frozen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenPredictors:
    """What was fitted on all of a set.

    Attributes
    ----------
    probes
        Those that can be saved, in the order of the report.
    refused
        (name, reason) of the others.
    """

    probes: tuple[SavedProbe, ...]
    refused: tuple[tuple[str, Refusal], ...]


def freeze_predictors(
    data: ProbeData,
    *,
    settings: FitSettings | None = None,
    report: ProbeReport | None = None,
    created: str = "",
    progress: FitProgress | None = None,
) -> FrozenPredictors:
    """Fit every linear predictor on all pairs of a set: candidate and penalty by grouped cross-validation on all of it.

    Parameters
    ----------
    settings
        Which predictors, the penalties, the seed, and as many folds as a fit has outer ones.
    report
        Of :func:`evenhand.workflow.probe_fit.fit_probes` on the same data: its figures go onto the cards.
    created
        When (UTC, ISO 8601).
    """
    settings = settings or FitSettings()
    how = freezing(settings, created=created)
    figures = {} if report is None else {each.name: each.metrics for each in report.predictors}
    wanted = predictors(data, without=settings.without)
    probes: list[SavedProbe] = []
    refused: list[tuple[str, Refusal]] = []
    for done, each in enumerate(wanted):
        if progress is not None:
            progress(f"{each.name}, on all pairs", done, len(wanted))
        cards = tuple(CardFigure.of(metric, figure) for metric, figure in figures.get(each.name, ()))
        made = freeze(each, data, how=how, figures=cards)
        if isinstance(made, Refusal):
            refused.append((each.name, made))
        else:
            probes.append(made)
    if progress is not None:
        progress("", len(wanted), len(wanted))
    return FrozenPredictors(probes=tuple(probes), refused=tuple(refused))


def freezing(settings: FitSettings, *, created: str) -> Freezing:
    """How a fit's settings freeze: as many folds as it has outer ones."""
    from evenhand import __version__

    return Freezing(
        folds=settings.outer_folds,
        seed=settings.seed,
        penalties=settings.penalties,
        evenhand=__version__,
        created=created,
    )


def save_frozen(frozen: FrozenPredictors, folder: Path, *, probe: Path | None = None) -> tuple[Path, ...]:
    """Save frozen predictors: ``probe.json`` in the folder, others under ``baselines`` and ``beyond``, two files each.

    What an earlier fit saved there and this one doesn't have is removed, so that a folder holds one fit.

    Parameters
    ----------
    probe
        Where the probe itself goes instead.

    Returns
    -------
    tuple of pathlib.Path
        The cards, the probe's first.

    Raises
    ------
    StoreError
        The folder can't be written, or a file of an earlier fit can't be removed.
    """
    made = {
        _place_of(each.card.kind, each.name, folder=folder, probe=probe): each
        for each in frozen.probes
        if each.card.kind is not PredictorKind.CONTROL
    }
    cards = tuple(save_probe(path, each) for path, each in made.items())
    for kind in PredictorKind:
        for name in PREDICTORS:
            card = _place_of(kind, name, folder=folder, probe=None)
            if card not in made:
                _remove(card)
    return cards


def _remove(card: Path) -> None:
    for stale in (card, card.with_suffix(".safetensors")):
        try:
            stale.unlink(missing_ok=True)
        except NotADirectoryError:
            continue
        except OSError as error:
            raise StoreError(f"{stale}: can't be removed ({error.strerror or error})") from error


def _place_of(kind: PredictorKind, name: str, *, folder: Path, probe: Path | None) -> Path:
    if name == PROBE:
        return card_path(folder / "probe.json" if probe is None else probe)
    return folder / ("baselines" if kind is PredictorKind.BASELINE else "beyond") / f"{name}.json"
