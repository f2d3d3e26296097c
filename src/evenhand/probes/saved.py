"""A frozen flip predictor: linear in its features, with the standardisation it was fitted under, and its card.

Two files side by side: ``NAME.json``, the card, and ``NAME.safetensors``, the numbers. Nothing in them is executed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.probes.data import ProbeData, ProbeSubject
from evenhand.probes.features import Feature, feature_column
from evenhand.probes.places import Place
from evenhand.probes.saved_card import Overlap, ProbeCard, check_subject, subject_notes
from evenhand.probes.saved_json import TensorsFile, card_from_json, card_to_json
from evenhand.probes.saved_tensors import largest_file, read_tensors, write_tensors
from evenhand.records.regular_file import why_no_file
from evenhand.stats import Refusal
from evenhand.store.atomic import write_bytes_atomically, write_text_atomically
from evenhand.store.bounded import read_bounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FOLDERS", "SavedProbe", "card_path", "load_probe", "load_probes", "save_probe"]

_CARD: Final = ".json"
_TENSORS: Final = ".safetensors"
_DEFAULT_NAME: Final = "probe.json"

FOLDERS: Final = ("baselines", "beyond")
"""Where the predictors beside the probe lie in the folder of a fit."""

_KIND: Final = "saved probe of this card"
_LARGEST_CARD: Final = 64 << 20
"""Bytes: hashes of about a million pairs and groups."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedProbe:
    """A predictor that is fitted no more: standardise with the training set's figures, then a logistic line.

    Attributes
    ----------
    card
        What it is, whose activations it reads and what it was trained on.
    mean, scale, weights
        float64, shape (columns,), in the order of ``card.features``.
    intercept
        In nats.
    """

    card: ProbeCard
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    intercept: float

    def __post_init__(self) -> None:
        for name in ("mean", "scale", "weights"):
            values = getattr(self, name)
            if values.shape != (self.card.columns,) or values.dtype != np.float64:
                raise DataError(
                    f"is {values.dtype} of shape {values.shape}, expected float64 of ({self.card.columns},)", field=name
                )
            if not np.isfinite(values).all():
                raise DataError("holds a number that isn't finite", field=name)
        if not (self.scale > 0).all():
            raise DataError("holds a scale that isn't positive", field="scale")
        if not np.isfinite(self.intercept):
            raise DataError(f"is {self.intercept}, expected a finite number", field="intercept")

    @property
    def name(self) -> str:
        """The predictor's name."""
        return self.card.name

    def check(self, subject: ProbeSubject) -> None:
        """Refuse another model, layer structure, prompt, labels, readout or dtype, naming each mismatch in one line.

        Raises
        ------
        ConfigError
            A mismatch.
        """
        check_subject(self.card.subject, subject, name=self.name)

    def notes(self, subject: ProbeSubject) -> tuple[str, ...]:
        """Differences that matter little, such as another version of the engine."""
        return subject_notes(self.card.subject, subject)

    def overlap(self, data: ProbeData) -> Overlap:
        """How many groups and pairs of a set the probe was trained on, by their names."""
        return self.card.trained_on.overlap(data)

    def probabilities(self, data: ProbeData) -> NDArray[np.float64]:
        """Probability that each pair's verdict flips, from AB alone. Nothing is fitted, not even a mean.

        Returns
        -------
        numpy.ndarray
            float64, shape (n,), in the order of ``data.pair_ids``.

        Raises
        ------
        ConfigError
            The judge is another, or an activation that the probe reads wasn't collected.
        DataError
            A feature of a pair is missing (not finite).
        """
        self.check(data.subject)
        from scipy.special import expit

        logits = np.full(len(data), self.intercept)
        at = 0
        for feature in self.card.features:
            columns = _columns(feature, data, probe=self.name)  # block by block: activations of 10,000 pairs are large
            part = slice(at, at + columns.shape[1])
            columns -= self.mean[part]
            columns /= self.scale[part]
            logits += columns @ self.weights[part]
            at = part.stop
        return np.asarray(expit(logits), dtype=np.float64)


def _columns(feature: str, data: ProbeData, *, probe: str) -> NDArray[np.float64]:
    """A fresh float64 array, shape (n, width), of one of the card's features."""
    if "@" not in feature:
        column = feature_column(data, Feature(feature))
        if isinstance(column, Refusal):
            raise DataError(f"probe {probe} can't be applied: {column.reason}", field=feature)
        return np.array(column, dtype=np.float64)[:, None]
    place = Place.parse(feature)
    if place not in data.activations:
        have = ", ".join(each.name for each in sorted(data.activations)) or "none"
        raise ConfigError(
            f"probe {probe} reads {place.name}, which was not collected (collected: {have}); collect it with "
            f"evenhand probe collect --layers {place.layer}"
        )
    columns = np.array(data.activations[place], dtype=np.float64)
    if columns.shape[1] != data.subject.size:
        raise DataError(f"has {columns.shape[1]} columns, the model {data.subject.size}", field=place.name)
    unusable = np.flatnonzero(~np.isfinite(columns).all(axis=1))
    if unusable.size:
        raise DataError(f"is not finite for pair {data.pair_ids[unusable[0]]!r}", field=place.name)
    return columns


def save_probe(path: Path, probe: SavedProbe) -> Path:
    """Write the two files, each whole or not at all; the card comes last, so it never lies beside older numbers unseen.

    Parameters
    ----------
    path
        ``NAME.json``, ``NAME.safetensors`` or ``NAME``; the folder is made where it isn't there.

    Returns
    -------
    pathlib.Path
        The card's.

    Raises
    ------
    StoreError
        The folder can't be written.
    ConfigError
        safetensors isn't installed.
    """
    card = card_path(path)
    data = write_tensors(
        {"mean": probe.mean, "scale": probe.scale, "weights": probe.weights, "intercept": np.array([probe.intercept])}
    )
    tensors = TensorsFile(file=f"{_stem(card)}{_TENSORS}", sha256=hashlib.sha256(data).hexdigest())
    try:
        card.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{card.parent}: can't be made ({error.strerror or error})") from error
    write_bytes_atomically(card.with_name(tensors.file), data)
    write_text_atomically(card, card_to_json(probe.card, tensors))
    return card


def load_probe(path: str | Path) -> SavedProbe:
    """Read a saved probe and check all of it: format, card, checksums, names, dtypes, shapes, every number.

    Parameters
    ----------
    path
        ``NAME.json``, ``NAME.safetensors``, ``NAME``, or a folder with ``probe.json``.

    Raises
    ------
    DataError
        Missing, damaged, changed, or of a newer format; the message names the file.
    ConfigError
        safetensors isn't installed.
    """
    path = Path(path)
    folder = (why_no_file(path) or "").startswith("is a directory")
    where = card_path(path / _DEFAULT_NAME if folder else path)
    try:
        read = card_from_json(read_bounded(where, most=_LARGEST_CARD, what=_KIND).decode("utf-8", errors="strict"))
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 text ({error.reason})", path=where) from error
    except DataError as error:
        raise _at(error, where) from error
    beside = where.with_name(read.tensors.file)
    data = read_bounded(beside, most=largest_file(read.card.columns), what=_KIND)
    if hashlib.sha256(data).hexdigest() != read.tensors.sha256:
        raise DataError(f"doesn't fit the checksum in {where.name}: it was changed, cut off or exchanged", path=beside)
    try:
        tensors = read_tensors(data, columns=read.card.columns)
        return SavedProbe(
            card=read.card,
            mean=tensors["mean"],
            scale=tensors["scale"],
            weights=tensors["weights"],
            intercept=float(tensors["intercept"][0]),
        )
    except DataError as error:
        raise _at(error, beside) from error


def load_probes(path: Path) -> tuple[SavedProbe, ...]:
    """Read one saved probe, or all that ``evenhand probe fit`` saved into a folder, the probe itself (if any) first.

    Raises
    ------
    DataError, ConfigError
        As for :func:`load_probe`.
    """
    if not path.is_dir():
        return (load_probe(path),)
    cards = [path / _DEFAULT_NAME] if (path / _DEFAULT_NAME).exists() else []
    cards += [card for folder in FOLDERS for card in sorted((path / folder).glob(f"*{_CARD}"))]
    return tuple(map(load_probe, cards or [path]))


def card_path(path: Path) -> Path:
    """Where the card of a probe named so lies; a dot in the name (``qwen3-1.7b``) is no ending.

    Examples
    --------
    >>> [card_path(Path(name)).name for name in ("a.json", "a.safetensors", "qwen3-1.7b")]
    ['a.json', 'a.json', 'qwen3-1.7b.json']
    """
    return path.with_name(f"{_stem(path)}{_CARD}")


def _stem(path: Path) -> str:
    stem = path.name.removesuffix(_TENSORS) if path.name.endswith(_TENSORS) else path.name.removesuffix(_CARD)
    if not stem.strip("."):
        raise ConfigError(f"{path}: expected a file's name, such as probe.json")
    return stem


def _at(error: DataError, path: Path) -> DataError:
    return error if error.path is not None else DataError(error.problem, path=path, field=error.field)
