"""The measures that audits report: name, label, one-sentence definition and unit, in one registry.

Terminal, HTML, JSON, card and glossary all print from here, so that a figure is called the same everywhere.
"""

from __future__ import annotations

from evenhand.analysis.bias_measures import BIAS_MEASURES
from evenhand.analysis.contrast_measures import CONTRAST_MEASURES
from evenhand.analysis.measure_info import MeasureInfo
from evenhand.analysis.observed_measures import OBSERVED_MEASURES
from evenhand.analysis.position_measures import POSITION_MEASURES
from evenhand.analysis.prediction_powered_measures import PREDICTION_POWERED_MEASURES
from evenhand.analysis.probability_measures import PROBABILITY_MEASURES
from evenhand.analysis.readout_measures import READOUT_MEASURES
from evenhand.analysis.selective_measures import SELECTIVE_MEASURES

__all__ = ["MEASURES", "MeasureInfo", "measure_info"]

MEASURES: tuple[MeasureInfo, ...] = (
    *POSITION_MEASURES,
    *READOUT_MEASURES,
    *PREDICTION_POWERED_MEASURES,
    *SELECTIVE_MEASURES,
    *CONTRAST_MEASURES,
    *PROBABILITY_MEASURES,
    *BIAS_MEASURES,
    *OBSERVED_MEASURES,
)
"""Each family from its own module, in the order of the glossary."""

_BY_NAME = {info.name: info for info in MEASURES}


def measure_info(name: str) -> MeasureInfo:
    """Look a measure up; KeyError for an unknown name.

    Examples
    --------
    >>> measure_info("flip_rate").label
    'flip rate'
    """
    return _BY_NAME[name]
