"""Verdicts: what a readout read from one presentation, as records and as a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.records.outcome import Order, Outcome, Preference, Readout, preference_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Reading", "Verdict", "verdict_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One readout of one completion.

    Attributes
    ----------
    outcome
        See :class:`Outcome`.
    rule
        The name of the pattern or rule that gave it, for people who check.
    excerpt
        The matched text, at most 120 characters; None where nothing matched.
    log_odds
        First-token readout: natural log of the summed probability of the first slot's variants over the
        second's; None where one side is censored or there is no first token.
    mass
        First-token readout: probability of all label variants together; a lower bound where some are censored.
    """

    outcome: Outcome
    rule: str
    excerpt: str | None = None
    log_odds: float | None = None
    mass: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A reading with its place: the row that every audit works on.

    Attributes
    ----------
    compliant
        Whether the argmax of the whole vocabulary is a verdict token; None where unknown (a log without
        log probabilities).
    lead
        The verdict whose token is that argmax; None where not compliant or unknown.
    log_outcome
        An imported log's own reading.
    generated
        Whether this readout needed the judge to generate (a hybrid readout generates only sometimes).
    """

    pair_id: str
    group: str
    source: str
    gold: Preference | None
    condition: str
    readout: Readout
    order: Order
    repeat: int
    outcome: Outcome
    compliant: bool | None = None
    lead: Outcome | None = None
    log_odds: float | None = None
    mass: float | None = None
    log_outcome: Outcome | None = None
    generated: bool | None = None

    @property
    def preference(self) -> Preference | None:
        """The verdict mapped to identity; None where there is none."""
        return preference_of(self.outcome, self.order)


def verdict_table(verdicts: Iterable[Verdict]) -> pl.DataFrame:
    r"""The verdicts as a Polars frame with one row each: the attributes above plus ``preference``.

    Enumerations become plain strings, missing values nulls; the dtypes don't depend on the rows. A lone surrogate,
    which a column of UTF-8 can't hold, is written as its escape (``\udc80``).
    """
    import polars as pl

    strings = ("pair_id", "group", "source", "gold", "condition", "readout", "order")
    rows = list(verdicts)
    columns: dict[str, tuple[type[pl.DataType], list[object]]] = {
        **{name: (pl.String, [getattr(row, name) for row in rows]) for name in strings},
        "repeat": (pl.Int64, [row.repeat for row in rows]),
        "outcome": (pl.String, [row.outcome for row in rows]),
        "preference": (pl.String, [row.preference for row in rows]),
        "compliant": (pl.Boolean, [row.compliant for row in rows]),
        "lead": (pl.String, [row.lead for row in rows]),
        "log_odds": (pl.Float64, [row.log_odds for row in rows]),
        "mass": (pl.Float64, [row.mass for row in rows]),
        "log_outcome": (pl.String, [row.log_outcome for row in rows]),
        "generated": (pl.Boolean, [row.generated for row in rows]),
    }
    return pl.DataFrame(
        [
            pl.Series(name, [_utf8(v) if dtype is pl.String and v is not None else v for v in values], dtype=dtype)
            for name, (dtype, values) in columns.items()
        ]
    )


def _utf8(value: object) -> str:
    text = str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
