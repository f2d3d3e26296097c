"""A run that varies its prompt's design: what its baseline is, and short names for its many conditions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evenhand.records import RunManifest

__all__ = ["BASELINE", "MANY_CONDITIONS", "Grid", "design_names", "grid_of"]

BASELINE = "baseline"
"""What the design is called that is at the baseline on every axis."""

MANY_CONDITIONS = 8
"""Conditions above which nobody reads a table of each: those tables are folded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The designs of a run: how many, and the ordered (axis, level) of the first, which is the baseline."""

    designs: int
    baseline: tuple[tuple[str, str], ...]

    @property
    def baseline_text(self) -> str:
        """``labels=A/B, criteria=before``."""
        return _settings_text(self.baseline)

    def level_of(self, axis: str) -> str:
        """The baseline's level on an axis; empty for an axis that is not varied."""
        return dict(self.baseline).get(axis, "")


def grid_of(manifest: RunManifest) -> Grid | None:
    """The run's grid; None where no condition is a design."""
    designs = [condition.design for condition in manifest.conditions if condition.design]
    return Grid(designs=len(designs), baseline=designs[0]) if designs else None


def design_names(manifest: RunManifest) -> dict[str, str]:
    """Designs by what they change of the baseline: ``baseline``, ``labels=1/2``, ``labels=1/2, criteria=after``.

    Empty where not every condition is a design, or where two would share a name.
    """
    grid = grid_of(manifest)
    if grid is None or grid.designs < len(manifest.conditions):
        return {}
    same = set(grid.baseline)
    names = {
        condition.id: _settings_text(setting for setting in condition.design if setting not in same) or BASELINE
        for condition in manifest.conditions
    }
    return names if len(set(names.values())) == len(names) else {}


def _settings_text(settings: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{axis}={level}" for axis, level in settings)
