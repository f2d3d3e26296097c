"""The figures of a study: which have something to draw, as SVG for the page and as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evenhand.analysis.study import StudyFigure
from evenhand.report.study.model import StudyView

__all__ = ["is_drawn", "write_study_figures"]


def is_drawn(figure: StudyFigure) -> bool:
    """Whether a figure has something to draw."""
    return False


def write_study_figures(view: StudyView, directory: Path, *, formats: Sequence[str] = ("svg",)) -> tuple[Path, ...]:
    """Write every figure."""
    return ()
