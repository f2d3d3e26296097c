"""The card of a saved probe: whose activations it reads, how, what it was trained on, and how good it was there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError, DataError
from evenhand.probes.data import ProbeData, ProbeSubject, Retention
from evenhand.probes.features import Feature
from evenhand.probes.places import Place
from evenhand.probes.results import Metric, PredictorKind
from evenhand.records import content_hash
from evenhand.stats import Estimate, Refusal

__all__ = [
    "CardFigure",
    "Overlap",
    "ProbeCard",
    "Procedure",
    "TrainedOn",
    "check_subject",
    "column_width",
    "known_by",
    "subject_notes",
]

_MOST_COLUMNS: Final = 1 << 22
"""Far above any model's layers times width: a card that says more is damaged, and would only eat memory."""

_LONGEST_NAME: Final = 100

_MINOR: Final = frozenset(
    {"attention", "budgets", "dtype", "engine", "device", "max_tokens", "n_ctx", "numpy", "platform", "python"}
    | {"torch", "transformers"}
)
"""Settings that move an activation by rounding at most, or that say only which prompts fit. ``dtype`` is a field of its
own and is compared there. A setting that isn't named here, such as the chat template, must be the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFigure:
    """A cross-validated figure of the predictor on its training set: an estimate with its interval, or a refusal.

    Attributes
    ----------
    value, low, high
        None where the figure was refused, or has no interval.
    refused
        Why there is no figure; None where there is one.
    """

    metric: Metric
    value: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    n: int = 0
    clusters: int | None = None
    refused: str | None = None

    @classmethod
    def of(cls, metric: Metric, figure: Estimate | Refusal) -> CardFigure:
        """What the card keeps of a report's figure.

        Examples
        --------
        >>> CardFigure.of(Metric.AUROC, Refusal(reason="needs at least 5 clusters, has 3", n=3)).refused
        'needs at least 5 clusters, has 3'
        """
        if isinstance(figure, Refusal):
            return cls(metric=metric, value=None, n=figure.n, refused=figure.reason)
        interval = figure.interval
        return cls(
            metric=metric,
            value=float(figure.value),
            low=None if interval is None else float(interval.low),
            high=None if interval is None else float(interval.high),
            level=None if interval is None else interval.level,
            n=figure.n,
            clusters=figure.clusters,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What a set shares with the set that a probe was trained on, both known by hashes of their names."""

    groups: int
    pairs: int

    def __bool__(self) -> bool:
        return self.groups > 0 or self.pairs > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedOn:
    """The training set.

    Attributes
    ----------
    spec, sha256
        The data set's spec and :func:`evenhand.records.pairs_hash` of the whole set that was judged.
    pairs, groups
        How many the probe was fitted on.
    flip_rate
        Share of these pairs that flipped (PFR).
    retention
        Of the collected run.
    group_hashes, pair_hashes
        Ascending, each once: :func:`known_by` of every group's name and every pair's id. With them an overlap with
        another set is seen without keeping any text.
    """

    spec: str
    sha256: str
    pairs: int
    groups: int
    flip_rate: float
    retention: Retention
    group_hashes: tuple[str, ...]
    pair_hashes: tuple[str, ...]

    def __post_init__(self) -> None:
        if (len(self.pair_hashes), len(self.group_hashes)) != (self.pairs, self.groups):
            raise DataError("the numbers of pairs and groups don't fit their hashes")
        if not 0.0 <= self.flip_rate <= 1.0:
            raise DataError(f"flip rate is {self.flip_rate}, expected 0 to 1")

    @classmethod
    def of(cls, data: ProbeData) -> TrainedOn:
        """What is kept of a training set."""
        groups = tuple(sorted({known_by(group) for group in data.groups}))
        return cls(
            spec=data.spec,
            sha256=data.sha256,
            pairs=len(data),
            groups=len(groups),
            flip_rate=float(data.flips.mean()) if len(data) else 0.0,
            retention=data.retention,
            group_hashes=groups,
            pair_hashes=tuple(sorted(known_by(pair) for pair in data.pair_ids)),
        )

    def holds(self, data: ProbeData) -> NDArray[np.bool_]:
        """Whether each pair of another set, or its question, was in this one, by name; shape (n,)."""
        groups, pairs = set(self.group_hashes), set(self.pair_hashes)
        return np.array(
            [
                known_by(group) in groups or known_by(pair) in pairs
                for group, pair in zip(data.groups, data.pair_ids, strict=True)
            ],
            dtype=np.bool_,
        )

    def overlap(self, data: ProbeData) -> Overlap:
        """How many groups and pairs of another set this one had too, by name."""
        return Overlap(
            groups=len({known_by(group) for group in data.groups}.intersection(self.group_hashes)),
            pairs=len({known_by(pair) for pair in data.pair_ids}.intersection(self.pair_hashes)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """How layer and penalty were chosen: by grouped cross-validation on all of the training set.

    Attributes
    ----------
    penalties
        The values of λ that were tried.
    validation_brier
        Of the choice, mean over the held-out pairs; NaN where nothing was chosen.
    """

    folds: int
    seed: int
    penalties: tuple[float, ...]
    validation_brier: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeCard:
    """Everything about a frozen predictor but its numbers.

    Attributes
    ----------
    name, kind
        As in the report.
    features
        Places and features in the order of the columns: a place takes ``subject.size`` columns, a feature one.
    candidate
        Which of the candidates was chosen.
    l2
        The penalty λ of ``mean log loss + λ/2 · |weights|²``; NaN where nothing was fitted.
    figures
        Of the nested cross-validation on the training set; empty where the predictor was refitted without a report.
    evenhand, created
        The version that made it, and when (UTC, ISO 8601).
    """

    name: str
    kind: PredictorKind
    features: tuple[str, ...]
    candidate: str
    l2: float
    subject: ProbeSubject
    trained_on: TrainedOn
    procedure: Procedure
    figures: tuple[CardFigure, ...] = ()
    evenhand: str = ""
    created: str = ""

    def __post_init__(self) -> None:
        if any(len(name) > _LONGEST_NAME for name in self.features):
            raise DataError(f"a name is longer than {_LONGEST_NAME} characters", field="features")
        if len(set(self.features)) != len(self.features):
            raise DataError(f"a feature is named twice: {', '.join(self.features)}", field="features")
        if self.subject.blocks < 1 or self.subject.size < 1:
            raise DataError(f"a model of {self.subject.blocks} blocks of size {self.subject.size}", field="subject")
        unknown = [name for name in self.features if "@" not in name and name not in set(Feature)]
        if unknown:
            raise DataError(f"{unknown[0]!r} is no feature: expected a place or one of {', '.join(Feature)}")
        for place in self.places:
            if place.layer > self.subject.blocks:
                raise DataError(f"{place.name}: the model has {self.subject.blocks} blocks", field="features")
        if self.columns > _MOST_COLUMNS:
            raise DataError(f"{self.columns:,} columns: no more than {_MOST_COLUMNS:,} are read", field="features")

    @property
    def places(self) -> tuple[Place, ...]:
        """Where the probe reads activations, in the order of its columns; none for a baseline."""
        return tuple(Place.parse(name) for name in self.features if "@" in name)

    @property
    def columns(self) -> int:
        """Columns of the feature matrix."""
        return sum(column_width(name, size=self.subject.size) for name in self.features)


def column_width(feature: str, *, size: int) -> int:
    """Columns that a feature takes: the residual stream's width for a place, else one.

    Examples
    --------
    >>> column_width("before-verdict@7", size=576), column_width("confidence", size=576)
    (576, 1)
    """
    return size if "@" in feature else 1


def known_by(name: str) -> str:
    """The truncated hash by which a group or a pair is known on a card: 64 bits, so that chance meets are out.

    Examples
    --------
    >>> known_by("question-81")
    '78bcf1633f5032f3'
    """
    return content_hash(name)[:16]


def check_subject(own: ProbeSubject, other: ProbeSubject, *, name: str) -> None:
    """Refuse another judge, layer structure, prompt, readout or dtype than the probe was trained with.

    Weights are compared by their revisions where both have one (so a local copy of a hub model fits), else by the
    model's name.

    Parameters
    ----------
    own, other
        The probe's subject and that of the data.
    name
        The probe's, for the message.

    Raises
    ------
    ConfigError
        Any mismatch; one line names each.
    """
    wrong = _mismatches(own, other)
    if wrong:
        raise ConfigError(
            f"probe {name} doesn't fit this judge: {'; '.join(wrong)} (fit a probe on activations collected from this "
            "judge under this prompt)"
        )


def subject_notes(own: ProbeSubject, other: ProbeSubject) -> tuple[str, ...]:
    """Settings that differ but matter little, such as another version of the engine, each as a sentence."""
    return tuple(
        f"{setting}: the probe was trained with {_shown(first)}, applied with {_shown(second)}"
        for setting, first, second in _differing_settings(own, other)
        if setting in _MINOR and setting != "dtype"
    )


def _mismatches(own: ProbeSubject, other: ProbeSubject) -> list[str]:
    wrong = []

    def compare(what: str, first: object, second: object) -> None:
        if first != second:
            wrong.append(f"{what} is {_shown(second)}, the probe's {_shown(first)}")

    if own.revision is not None and other.revision is not None:
        if own.revision != other.revision:
            compare("model", f"{own.model} at {own.revision}", f"{other.model} at {other.revision}")
    else:
        compare("model", own.model, other.model)
    compare("number of blocks", own.blocks, other.blocks)
    compare("residual stream's width", own.size, other.size)
    compare("dtype", own.dtype, other.dtype)
    if own.prompt_hash != other.prompt_hash:
        compare("prompt", f"{own.prompt} ({own.prompt_hash})", f"{other.prompt} ({other.prompt_hash})")
    compare("label pair", own.labels, other.labels)
    compare("readout", own.readout, other.readout)
    for setting, first, second in _differing_settings(own, other):
        if setting not in _MINOR:
            compare(f"setting {setting}", first, second)
    return wrong


def _differing_settings(own: ProbeSubject, other: ProbeSubject) -> list[tuple[str, str | None, str | None]]:
    first, second = dict(own.settings), dict(other.settings)
    names = [*first, *(name for name in second if name not in first)]
    return [(name, first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)]


def _shown(value: object) -> str:
    return "not recorded" if value is None else str(value)
