"""The measures of controlled changes: padding, endorsement, tone, formatting, register, recency, interaction."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["BIAS_MEASURES"]

BIAS_MEASURES: tuple[MeasureInfo, ...] = ()
