"""Which pairs a selective run asks in order BA, beside its journal: written once, before any of them is asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.audits.sample import in_a_table
from evenhand.audits.swap_design import SwapDesign, SwapPair, SwapStratum
from evenhand.errors import ConfigError, DataError
from evenhand.records import RunManifest, SwapRecord, content_hash
from evenhand.store.atomic import write_atomically
from evenhand.store.codec import encode
from evenhand.store.parquet import read_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE", "design_key", "read_design", "write_design"]

FILE = "swap.parquet"
_NOT_YET = f"{FILE}, which says which, isn't there; it is made once order AB was asked of every pair"
_ANOTHER = f"{FILE} is of another plan of this run: start the same command again"


def design_key(manifest: RunManifest) -> str:
    """A hash over all that the design follows from, but for what the judge answered."""
    # Parts of a condition that came later are left out where they say nothing, so that the keys of older runs hold.
    conditions = [
        {name: part for name, part in condition.items() if name not in ("changes", "control") or part}
        for condition in map(encode, manifest.conditions)
        if isinstance(condition, dict)
    ]
    parts = map(encode, (manifest.swap, manifest.seed, manifest.judge, manifest.data))
    return content_hash([*parts, conditions])


def write_design(directory: Path, design: SwapDesign, manifest: RunManifest) -> None:
    """Write the design; when this returns it is on the disk.

    Raises
    ------
    StoreError
        The folder can't be written, or the disk is full.
    """
    import polars as pl

    key, rows = design_key(manifest), [_row(each) for each in design.pairs]
    checksum = content_hash(rows)
    table = pl.DataFrame(
        [(*row, key, checksum) for row in rows],
        schema=_schema(),
        orient="row",
    )
    write_atomically(directory / FILE, table.write_parquet)


def read_design(directory: Path, manifest: RunManifest) -> SwapDesign:
    """The design of a run, without pairs where none was drawn yet, or under another plan.

    Ids are as in a table of verdicts: a lone surrogate is its escape.

    Raises
    ------
    DataError
        The file is damaged.
    """
    record = manifest.swap
    if record is None:
        raise ConfigError(f"{directory}: the run asks every pair in both orders")
    path = directory / FILE
    if not path.is_file():
        return _design(record, manifest, (), why=_NOT_YET)
    table = _read(path)
    if table["design"].n_unique() != 1 or table["design"][0] != design_key(manifest):
        return _design(record, manifest, (), why=_ANOTHER)
    try:
        pairs = tuple(
            SwapPair(
                pair_id=row["pair_id"],
                stratum=SwapStratum(row["stratum"]),
                risk=row["risk"],
                place=row["place"],
                drawn=row["drawn"],
            )
            for row in table.iter_rows(named=True)
        )
        checksum = content_hash([_row(each) for each in pairs])
    except ValueError as error:  # no such stratum, or a risk that is no number
        raise DataError(f"damaged: {error}", path=path) from error
    if set(table["rows"]) != {checksum}:
        # Which pairs were drawn by what chance is all that makes the estimates fair: a changed row would bend them.
        raise DataError("damaged: its rows don't fit their own checksum", path=path, field="rows")
    return _design(record, manifest, pairs, why="")


def _row(pair: SwapPair) -> list[str | float | int | None]:
    return [in_a_table(pair.pair_id), pair.stratum.value, pair.risk, pair.place, pair.drawn]


def _schema() -> dict[str, pl.DataType]:
    import polars as pl

    return {
        "pair_id": pl.String(),
        "stratum": pl.String(),
        "risk": pl.Float64(),
        "place": pl.Int64(),
        "drawn": pl.Boolean(),
        "design": pl.String(),
        "rows": pl.String(),
    }


def _read(path: Path) -> pl.DataFrame:
    table = read_table(path)
    if dict(table.schema) != _schema():
        raise DataError(f"has the columns {', '.join(table.columns)[:200]}, or other types in them", path=path)
    for name in table.columns:
        if name != "risk" and table[name].null_count():
            raise DataError("has rows without a value", path=path, field=name)
    return table


def _design(record: SwapRecord, manifest: RunManifest, pairs: tuple[SwapPair, ...], *, why: str) -> SwapDesign:
    return SwapDesign(
        pairs=pairs,
        floor=record.floor,
        minimum=record.floor_pairs,
        seed=manifest.seed,
        rule=record.rule,
        guarantee=record.guarantee,
        why_empty=why,
    )
