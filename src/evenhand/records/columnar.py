"""A log of verdicts without texts, as columns: ten million presentations as numbers instead of records.

It says exactly what the records :class:`Pair`, :class:`Presentation` and :class:`Completion` say, and gives them one by
one where somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evenhand.records.completion import Completion, FinishReason
from evenhand.records.hashing import content_hash
from evenhand.records.outcome import Order, Outcome, Preference
from evenhand.records.pair import Pair
from evenhand.records.presentation import Presentation

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FAILED", "PAIR_TEXTS", "LoggedPresentation", "VerdictColumns", "presentation_key"]

PAIR_TEXTS = ("instruction", "response_a", "response_b")
"""Columns of ``pairs`` that are there only where the log has such texts."""

FAILED = "the table says error"
"""``Completion.error`` of a presentation that a log calls failed."""

_AT_ONCE = 50_000
"""Rows that become Python records at a time."""


def presentation_key(log_format: str, file_sha256: str, pair_id: str, order: str, condition: str, repeat: int) -> str:
    """Key of an imported presentation: the file and its place in it."""
    return content_hash([log_format, file_sha256, pair_id, order, condition, repeat])


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedPresentation:
    """One row as records."""

    presentation: Presentation
    completion: Completion


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VerdictColumns:
    """The pairs and presentations of a log, one row each.

    Attributes
    ----------
    pairs
        Ascending by id: ``id``, ``ordinal`` (its place in the log), ``source``, ``group``, ``gold``, and those of
        :data:`PAIR_TEXTS` that the log has.
    presentations
        In the log's order: ``pair`` (row of ``pairs``), ``order``, ``condition``, ``repeat``, ``outcome`` (the log's
        own), ``finish_reason``.
    log_format, file_sha256
        Of the file that was read; keys are made of them.
    """

    pairs: pl.DataFrame
    presentations: pl.DataFrame
    log_format: str
    file_sha256: str

    def iter_pairs(self) -> Iterator[Pair]:
        """The pairs as records, in the log's order."""
        for part in self.pairs.sort("ordinal").iter_slices(_AT_ONCE):
            for row in part.iter_rows(named=True):
                yield _pair(row)

    def iter_presentations(self) -> Iterator[LoggedPresentation]:
        """The presentations as records, in the log's order."""
        ids = self.pairs["id"]
        for part in self.presentations.iter_slices(_AT_ONCE):
            named = part.with_columns(pair_id=ids.gather(part["pair"]))
            for row in named.iter_rows(named=True):
                yield self._logged(row)

    def iter_keys(self) -> Iterator[str]:
        """The presentations' keys, in the log's order."""
        return (logged.presentation.key for logged in self.iter_presentations())

    def _logged(self, row: dict[str, Any]) -> LoggedPresentation:
        finish, outcome = FinishReason(row["finish_reason"]), row["outcome"]
        return LoggedPresentation(
            presentation=Presentation(
                key=presentation_key(
                    self.log_format,
                    self.file_sha256,
                    row["pair_id"],
                    row["order"],
                    row["condition"],
                    row["repeat"],
                ),
                pair_id=row["pair_id"],
                condition=row["condition"],
                order=Order(row["order"]),
                repeat=row["repeat"],
            ),
            completion=Completion(
                text=None,
                finish_reason=finish,
                error=FAILED if finish is FinishReason.ERROR else None,
                log_outcome=None if outcome is None else Outcome(outcome),
            ),
        )

    def of_pairs(self, rows: Collection[int]) -> VerdictColumns:
        """Some pairs (rows of ``pairs``) with their presentations, numbered anew."""
        import polars as pl

        chosen = pl.DataFrame({"pair": sorted(rows)}, schema={"pair": pl.UInt32}).with_row_index("new")
        return replace(
            self,
            pairs=self.pairs[chosen["pair"]],
            presentations=self.presentations.join(chosen, on="pair", maintain_order="left")
            .with_columns(pl.col("new").alias("pair"))
            .drop("new"),
        )

    def of_condition(self, condition: str) -> VerdictColumns:
        """The presentations of one condition, and the pairs that were shown under it."""
        import polars as pl

        own = replace(self, presentations=self.presentations.filter(pl.col("condition").cast(pl.String) == condition))
        return own.of_pairs(own.presentations["pair"].unique().to_list())

    def verdict_table(self) -> pl.DataFrame:
        """The log's own verdicts as :func:`evenhand.records.verdict_table` has them: about 200 bytes a row."""
        import polars as pl

        rows = self.presentations
        pairs = self.pairs.select("id", "group", "source", pl.col("gold").cast(pl.String))
        at = rows["pair"]
        first, second = (pl.col("outcome") == outcome.value for outcome in (Outcome.FIRST, Outcome.SECOND))
        straight = pl.col("order") == Order.AB.value
        tie = pl.col("outcome") == Outcome.TIE.value
        return rows.select(
            pair_id=pairs["id"].gather(at),
            group=pairs["group"].gather(at),
            source=pairs["source"].gather(at),
            gold=pairs["gold"].gather(at),
            condition=pl.col("condition").cast(pl.String),
            readout=pl.lit("logged"),
            order=pl.col("order").cast(pl.String),
            repeat=pl.col("repeat").cast(pl.Int64),
            outcome=pl.col("outcome").cast(pl.String),
            preference=pl.when(tie)
            .then(pl.lit(Preference.TIE.value))
            .when((straight & first) | (~straight & second))
            .then(pl.lit(Preference.A.value))
            .when(first | second)
            .then(pl.lit(Preference.B.value)),
            compliant=pl.lit(None, dtype=pl.Boolean),
            lead=pl.lit(None, dtype=pl.String),
            log_odds=pl.lit(None, dtype=pl.Float64),
            mass=pl.lit(None, dtype=pl.Float64),
            log_outcome=pl.lit(None, dtype=pl.String),
            generated=pl.lit(None, dtype=pl.Boolean),
        )

    @property
    def failed(self) -> int:
        """Presentations that the log calls failed."""
        return int((self.presentations["finish_reason"] == FinishReason.ERROR.value).sum())


def _pair(row: dict[str, Any]) -> Pair:
    return Pair(
        id=row["id"],
        instruction=row.get("instruction") or "",
        response_a=row.get("response_a") or "",
        response_b=row.get("response_b") or "",
        gold=None if row["gold"] is None else Preference(row["gold"]),
        source=row["source"],
        group=row["group"],
    )
