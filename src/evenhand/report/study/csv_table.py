"""A study's table as CSV for machines: the columns' names, plain numbers, and why there is none where there is none."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from numbers import Integral, Real

from evenhand.analysis.study import StudyTable, StudyValue
from evenhand.report.text import csv_cell
from evenhand.stats import Estimate, Refusal, TestResult

__all__ = ["study_csv"]

_ESTIMATE = ("", "_low", "_high", "_n", "_note")
_TEST = ("", "_log10", "_n", "_test")
_NOT_FINITE = "not a finite number"


def study_csv(table: StudyTable) -> str:
    """CSV (RFC 4180, one heading row of the columns' names).

    A column of estimates becomes five: value, ``_low``, ``_high``, ``_n`` and ``_note`` (why there is no number, or the
    flags); a column of tests four: p-value, ``_log10``, ``_n`` and ``_test``; one that has both becomes all of them.
    Shares and differences are plain numbers, not percent; an empty field is "does not apply". Texts that a spreadsheet
    would take for a formula get an apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    forms = [_form([row[index] for row in table.rows]) for index in range(len(table.columns))]
    writer.writerow(
        [csv_cell(column.name + end) for column, form in zip(table.columns, forms, strict=True) for end in form]
    )
    for row in table.rows:
        fields = [_fields(value) for value in row]
        writer.writerow([field.get(end, "") for field, form in zip(fields, forms, strict=True) for end in form])
    return out.getvalue()


def _form(values: Sequence[StudyValue]) -> tuple[str, ...]:
    """Ends of the names of the columns that one column becomes."""
    estimates = any(isinstance(value, Estimate | Refusal) for value in values)
    tests = any(isinstance(value, TestResult) for value in values)
    return tuple(dict.fromkeys((*(_ESTIMATE if estimates else ()), *(_TEST if tests else ())))) or ("",)


def _fields(value: StudyValue) -> dict[str, str]:
    match value:
        case None:
            return {}
        case str():
            return {"": csv_cell(value)}
        case Refusal():
            return {"_n": str(value.n), "_note": csv_cell(value.reason)}
        case Estimate(value=number) if not math.isfinite(number):
            return {"_n": str(value.n), "_note": _NOT_FINITE}
        case Estimate():
            bounds = value.interval
            return {
                "": _plain(value.value),
                "_low": "" if bounds is None else _plain(bounds.low),
                "_high": "" if bounds is None else _plain(bounds.high),
                "_n": str(value.n),
                "_note": csv_cell("; ".join(value.flags)),
            }
        case TestResult():
            return {
                "": _plain(value.p_value),
                "_log10": _plain(value.log10_p),
                "_n": str(value.n),
                "_test": csv_cell(value.name),
            }
        case _:
            return {"": _plain(value)}


def _plain(value: object) -> str:
    """A number as Python reads it back; empty where it is not finite."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    return repr(float(value)) if math.isfinite(value) else ""
