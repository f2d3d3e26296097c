"""JudgeBench: 620 pairs with objective labels, from two response models (Tan et al., arXiv:2410.12784)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evenhand.datasets.base import Dataset, LoadedPairs, require_path, sources_in_turn, unique_ids
from evenhand.datasets.fields import gold_of, optional_text, required_text
from evenhand.datasets.hub import HubDataset, HubTable, hub_request
from evenhand.datasets.rows import Row, read_json_lines
from evenhand.errors import DataError
from evenhand.records import Pair, Preference
from evenhand.records.regular_file import why_no_file

__all__ = ["JudgeBenchDataset"]

_PATTERN = "dataset=judgebench,response_model=*.jsonl"
_TABLES = tuple(HubTable(repository="ScalerLab/JudgeBench", split=split) for split in ("claude", "gpt"))
_GOLD: Mapping[object, Preference | None] = MappingProxyType(
    {"a>b": Preference.A, "b>a": Preference.B, "a=b": Preference.TIE}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBenchDataset:
    """JudgeBench's own files: one ``dataset=judgebench,response_model=….jsonl``, or the directory that holds them.

    The group is the question's text, so pairs on one question share it across the two files. (The files' own
    ``original_id`` can't serve: it is null for every LiveBench and LiveCodeBench pair, and one question has two.)
    Both authors are the response model, which wrote both responses. Sources come in turn, so that a prefix spreads
    over them; within a source the files are in the order of their names. ``judgebench:hub`` is the same from the hub.

    Attributes
    ----------
    path
        The file or directory.
    """

    path: Path

    @property
    def spec(self) -> str:
        """``judgebench:PATH``."""
        return f"judgebench:{self.path}"

    @classmethod
    def from_spec(cls, rest: str | None) -> Dataset:
        """Build it from a path, or from ``hub`` or ``hub@REVISION``."""
        if (asked := hub_request("judgebench", rest)) is not None:
            return HubDataset(name="judgebench", tables=_TABLES, revision=asked.revision, make=_from_hub)
        return cls(path=require_path("judgebench", rest))

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, sources in turn.

        Raises
        ------
        DataError
            There is no data file, a row or field can't be read, or a ``pair_id`` occurs twice.
        """
        return _pairs(row for file in self._files() for row in read_json_lines(file))

    def _files(self) -> tuple[Path, ...]:
        problem = why_no_file(self.path)
        if problem is None:
            return (self.path,)
        if not problem.startswith("is a directory"):
            nothing = problem == "no such file"
            raise DataError("no such file or directory" if nothing else problem, path=self.path)
        # The pattern doesn't descend: judges' outputs lie in a directory of their own. A file of outputs may still be
        # put beside the data, and its name has the judge's in it.
        files = tuple(file for file in sorted(self.path.glob(_PATTERN)) if ",judge_name=" not in file.name)
        if not files:
            raise DataError(f"holds no {_PATTERN}", path=self.path, remedy="give JudgeBench's data directory")
        return files


def _from_hub(tables: Mapping[str, Sequence[Row]], spec: str) -> LoadedPairs:
    return LoadedPairs(pairs=_pairs(row for rows in tables.values() for row in rows), spec=spec)


def _pairs(rows: Iterable[Row]) -> tuple[Pair, ...]:
    places: Iterator[tuple[Path | str, int, Pair]] = ((row.path, row.number, _pair_of(row)) for row in rows)
    return sources_in_turn(unique_ids(places, field="pair_id"))


def _pair_of(row: Row) -> Pair:
    author = optional_text(row, "response_model")
    original = optional_text(row, "original_id")
    return Pair(
        id=required_text(row, "pair_id"),
        instruction=required_text(row, "question"),
        response_a=required_text(row, "response_A"),
        response_b=required_text(row, "response_B"),
        gold=gold_of(row, "label", _GOLD, expected="A>B, B>A or A=B"),
        source=required_text(row, "source"),
        author_a=author,
        author_b=author,
        metadata=(("original_id", original),) if original is not None else (),
    )
