"""What a measure is: its name, label, one-sentence definition and unit."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MeasureInfo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureInfo:
    """What a measure is. ``unit`` is ``share`` (0–1, printed in percent), ``difference`` (of shares) or ``number``."""

    name: str
    label: str
    definition: str
    unit: str = "share"
