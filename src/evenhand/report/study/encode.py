"""A study's parts as plain JSON values: nothing that JSON can't hold, every refusal in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import assert_never

from evenhand.analysis.study import Forest, HeatMap, LineChart, Study, StudyFigure, StudyTable, StudyValue
from evenhand.report.encode import Json, encode_estimate, encode_headline, encode_test, finite
from evenhand.report.model import Headline
from evenhand.stats import Estimate, Refusal, TestResult

__all__ = ["encode_figure", "encode_study", "encode_table", "encode_value"]


def encode_study(study: Study, headline: Headline) -> Json:
    """Everything that a study holds, in an order of keys that never varies.

    Parameters
    ----------
    headline
        The study's own, its sentences tied to what they rest on.

    Raises
    ------
    ValueError
        Two columns of a table share a name, so that one would be lost.
    """
    head = study.headline
    return {
        "kind": study.kind,
        "title": study.title,
        "subtitle": study.subtitle,
        "headline": {
            "status": head.status,
            **encode_headline(headline),
            "meaning": list(head.meaning),
            "next_steps": list(head.next_steps),
        },
        "tables": [encode_table(table) for table in study.tables],
        "figures": [encode_figure(figure) for figure in study.figures],
        "notes": list(study.notes),
        "facts": [{"name": name, "text": text} for name, text in study.facts],
    }


def encode_table(table: StudyTable) -> Json:
    """A table; each row is an object whose keys are the columns' names.

    Raises
    ------
    ValueError
        Two columns share a name.
    """
    names = [column.name for column in table.columns]
    if len(set(names)) < len(names):
        raise ValueError(f"table {table.id!r}: two columns share a name among {', '.join(map(repr, names))}")
    return {
        "id": table.id,
        "title": table.title,
        "caption": table.caption,
        "headers": table.headers,
        "columns": [
            {"name": column.name, "label": column.label, "unit": column.unit, "definition": column.definition}
            for column in table.columns
        ],
        "rows": [dict(zip(names, map(encode_value, row), strict=True)) for row in table.rows],
        "notes": list(table.notes),
    }


def encode_value(value: StudyValue) -> object:
    """A cell: a figure, a refusal, a test, or a plain value; a number that isn't finite is a refusal.

    Examples
    --------
    >>> encode_value(float("nan")), encode_value(3), encode_value(None)
    ({'refused': 'not a finite number', 'n': 0}, 3, None)
    """
    match value:
        case None | str() | bool():
            return value
        case Estimate() | Refusal():
            return encode_estimate(value)
        case TestResult():
            return encode_test(value)
        case _:
            return _number(value)


def _number(value: object) -> object:
    """A plain number; numpy's are taken as what they stand for."""
    if isinstance(value, Integral):
        return int(value)
    if not isinstance(value, Real):
        return bool(value)
    return float(value) if math.isfinite(value) else {"refused": "not a finite number", "n": 0}


def encode_figure(figure: StudyFigure) -> Json:
    """A figure's data; ``figure`` says which kind it is, a gap is null."""
    match figure:
        case Forest():
            return {
                "figure": "forest",
                "id": figure.id,
                "title": figure.title,
                "x_label": figure.x_label,
                "unit": figure.unit,
                "reference": finite(figure.reference),
                "rows": [
                    {"group": row.group, "label": row.label, "estimate": encode_estimate(row.estimate)}
                    for row in figure.rows
                ],
            }
        case LineChart():
            return {
                "figure": "lines",
                "id": figure.id,
                "title": figure.title,
                "x_label": figure.x_label,
                "y_label": figure.y_label,
                "unit": figure.unit,
                "limits": [{"name": name, "value": finite(value)} for name, value in figure.limits],
                "x_ticks": list(figure.x_ticks),
                "series": [
                    {
                        "label": line.label,
                        "x": _numbers(line.x),
                        "y": _numbers(line.y),
                        "low": _numbers(line.low),
                        "high": _numbers(line.high),
                    }
                    for line in figure.series
                ],
            }
        case HeatMap():
            return {
                "figure": "heat map",
                "id": figure.id,
                "title": figure.title,
                "x_label": figure.x_label,
                "y_label": figure.y_label,
                "z_label": figure.z_label,
                "unit": figure.unit,
                "x": _numbers(figure.x),
                "y": _numbers(figure.y),
                "z": [_numbers(row) for row in figure.z],
                "y_names": list(figure.y_names),
            }
        case _:
            assert_never(figure)


def _numbers(values: Sequence[float]) -> list[float | int | None]:
    return [finite(float(value)) for value in values]
