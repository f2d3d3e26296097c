"""The columns of a verdict table as codes, and the first row whose value could be wrong."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError
from evenhand.logs.columns import TableColumns, UnsuitedError
from evenhand.logs.table_row import LARGEST_REPEAT
from evenhand.records.codes import NO_CODE, CodedTexts, code_texts
from evenhand.records.labels import LabelSet

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ColumnValues"]

_DIGITS = f"^[0-9]{{1,{len(str(LARGEST_REPEAT))}}}$"


class ColumnValues:
    """Reads columns one at a time, so that only one of them is there as texts.

    Attributes
    ----------
    first_odd
        The first row, counted from 0, that the row-wise reader may refuse; the number of rows where there is none.
        It errs on the side of too early.
    """

    def __init__(self, table: TableColumns) -> None:
        self._table = table
        self.first_odd = table.height

    def mark(self, odd: NDArray[np.bool_]) -> None:
        """Note that these rows could be wrong; shape (rows,)."""
        if odd.any():
            self.first_odd = min(self.first_odd, int(odd.argmax()))

    def choice(self, name: str, kind: type[StrEnum], *, needed: bool = False) -> NDArray[np.int8]:
        """Index of each value in ``kind``, -1 for none."""
        import polars as pl

        texts = self._texts(name)
        if texts is None:
            return np.full(self._table.height, -1, dtype=np.int8)
        coded = texts.cast(pl.Enum([member.value for member in kind]), strict=False).to_physical().cast(pl.Int8)
        codes = coded.fill_null(-1).to_numpy()
        self.mark((codes < 0) if needed else (codes < 0) & texts.is_not_null().to_numpy())
        return codes

    def names(self, name: str, *, needed: bool = False, absent: str | None = None) -> CodedTexts | None:
        """Identifiers, or integers for them; ``absent`` stands for an empty field. None where there is no column."""
        texts = self._texts(name, integers=True)
        if texts is None:
            return None
        if needed:
            self.mark(texts.is_null().to_numpy())
        coded = code_texts(texts if absent is None else texts.fill_null(absent))
        values = coded.values
        blank = values.str.contains(r"\p{Cc}") | (values.str.strip_chars().str.len_bytes() == 0)
        self._mark_codes(coded, blank.arg_true().to_numpy())
        return coded

    def texts(self, name: str) -> CodedTexts | None:
        """Texts of any kind; None where there is no column or nothing in it."""
        texts = self._texts(name)
        if texts is None or texts.null_count() == len(texts):
            return None
        return code_texts(texts)

    def labels(self) -> tuple[CodedTexts, list[LabelSet]] | None:
        """Label sets, one for each distinct text of the column."""
        coded = self.texts("labels")
        if coded is None:
            return None
        sets: list[LabelSet] = []
        odd: list[int] = []
        default = LabelSet(first="A", second="B")
        for code, text in enumerate(coded.values.to_list()):
            try:
                sets.append(LabelSet.parse(text))
            except ConfigError:
                sets.append(default)
                odd.append(code)
        self._mark_codes(coded, np.array(odd, dtype=np.int64))
        return coded, sets

    def repeat(self) -> NDArray[np.uint32]:
        """Numbers of repeated questions, 0 where there is none."""
        import polars as pl

        series = self._table.column("repeat")
        if series is None or series.dtype == pl.Null:
            return np.zeros(self._table.height, dtype=np.uint32)
        stated = series.is_not_null()
        if series.dtype == pl.String:
            stated &= (series != "").fill_null(value=False)
            series = series.set(~series.str.contains(_DIGITS).fill_null(value=False), None).cast(pl.Int64)
        if series.dtype.is_integer():
            series = series.cast(pl.Int64, strict=False)  # what is too large for it is null, as it shall be
            series = series.set(~series.is_between(0, LARGEST_REPEAT).fill_null(value=False), None)
        else:
            series = pl.Series("repeat", [None], dtype=pl.Int64).new_from_index(0, len(series))
        self.mark((series.is_null() & stated).to_numpy())
        return series.fill_null(0).cast(pl.UInt32).to_numpy()

    def refuse_texts(self) -> NDArray[np.bool_]:
        """Rows with an empty ``text``, which may be an answer of no words.

        Raises
        ------
        UnsuitedError
            There are texts or log probabilities, which a readout has to read.
        """
        import polars as pl

        for name in ("text", "logprobs"):
            if self._table.holds(name):
                raise UnsuitedError
        text = self._table.column("text")
        if text is None or text.dtype == pl.Null:
            return np.zeros(self._table.height, dtype=np.bool_)
        return text.is_not_null().to_numpy()

    def _texts(self, name: str, *, integers: bool = False) -> pl.Series | None:
        """A column as strings with null for empty; values of another type are marked, and become null."""
        import polars as pl

        series = self._table.column(name)
        if series is None:
            return None
        kind = series.dtype
        if kind in (pl.String, pl.Categorical, pl.Enum) or (integers and kind.is_integer()):
            texts = series.cast(pl.String)
            empty = texts == ""
            return texts.set(empty.fill_null(value=False), None) if empty.any() else texts
        self.mark(series.is_not_null().to_numpy())
        return pl.Series(name, [None], dtype=pl.String).new_from_index(0, len(series))

    def _mark_codes(self, coded: CodedTexts, odd: NDArray[np.integer]) -> None:
        if odd.size:
            lookup = np.zeros(len(coded.values) + 1, dtype=np.bool_)
            lookup[odd] = True
            known = coded.codes != NO_CODE
            self.mark(lookup[np.where(known, coded.codes, len(coded.values))])
