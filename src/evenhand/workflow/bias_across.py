"""What only the runs of several judges show together: self-preference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.analysis import AuditResult
from evenhand.analysis.unit import ClusterBy
from evenhand.audits.bias.base import BiasData
from evenhand.errors import ConfigError
from evenhand.records import RunManifest

__all__ = ["NEEDS_SEVERAL", "Judged", "across_judges"]

NEEDS_SEVERAL = (
    "needs the runs of at least 2 judges on the same pairs, has 1: one judge's preference for its own responses can't "
    "be told from their quality"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """One judge's run."""

    manifest: RunManifest
    data: BiasData
    directory: Path


def across_judges(
    judged: Sequence[Judged],
    *,
    families: str | Path | Mapping[str, str] | None,
    seed: int,
    resamples: int,
    level: float,
    cluster: ClusterBy,
) -> AuditResult:
    """Self-preference over the pairs that all the runs share."""
    raise ConfigError("self-preference is not there yet")
