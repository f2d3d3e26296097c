"""The measures of biases that need no changed pair: verbosity by regression, self-preference, rationales."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["OBSERVED_MEASURES"]

OBSERVED_MEASURES: tuple[MeasureInfo, ...] = ()
