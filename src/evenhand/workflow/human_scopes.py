"""The verdicts of one condition and readout, put beside labels: what every comparison with people starts from."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Scope, WideTable
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.audits.humans.beside import LabelledScope
from evenhand.audits.humans.labelled import Asked, gather
from evenhand.datasets.labels import Labels

__all__ = ["labelled_scope"]


def labelled_scope(
    wide: WideTable,
    scope: Scope,
    labels: Labels,
    *,
    judge: str,
    asked: Asked,
    authors: Mapping[str, tuple[str | None, str | None]] | None = None,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> LabelledScope:
    """Gather one scope's labelled pairs, with a sampler that resamples as the audit does.

    Parameters
    ----------
    authors
        (author of A, author of B) by pair id, for win rates; None where those aren't asked for.
    """
    unit = resampling_unit(wide.facts, cluster)
    pairs = gather(
        scope,
        judge=judge,
        ids=tuple(map(str, wide.facts.ids)),
        clusters=unit.clusters,
        labels=labels.labels,
        authors=authors or {},
        asked=asked,
    )
    sampler = Sampler(clusters=pairs.clusters, seed=seed, resamples=resamples, level=level)
    return LabelledScope(condition=scope.condition, readout=scope.readout, pairs=pairs, sampler=sampler, unit=unit.name)
