"""LLMBar: 419 pairs on instruction following in five subsets (Zeng et al., arXiv:2310.07641)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Self

from evenhand.datasets.base import require_path, sources_in_turn, unique_ids
from evenhand.datasets.fields import gold_of, required_text
from evenhand.datasets.rows import read_json_list
from evenhand.errors import DataError
from evenhand.records import Pair, Preference

__all__ = ["LlmBarDataset"]

_FILE = "dataset.json"
_GOLD: Mapping[object, Preference | None] = MappingProxyType({1: Preference.A, 2: Preference.B})


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmBarDataset:
    """LLMBar's own files: one subset's ``dataset.json``, or a directory with subsets in ``*/dataset.json``.

    Each subset (Natural, Neighbor, GPTInst, GPTOut, Manual; the name of its directory) is a source. A pair's id is
    ``llmbar-SUBSET-INDEX`` with the index from 0, as in LLMBar's own results; its group is its instruction.
    From a directory the subsets come in turn, so that a prefix spreads over them.

    Attributes
    ----------
    path
        The file or directory.
    """

    path: Path

    @property
    def spec(self) -> str:
        """``llmbar:PATH``."""
        return f"llmbar:{self.path}"

    @classmethod
    def from_spec(cls, rest: str | None) -> Self:
        """Build it from a path."""
        return cls(path=require_path("llmbar", rest))

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, subsets in turn.

        Raises
        ------
        DataError
            There is no ``dataset.json``, or a row or field can't be read.
        """
        return sources_in_turn(unique_ids(place for file in self._files() for place in _read(file)))

    def _files(self) -> tuple[Path, ...]:
        if self.path.is_file():
            return (self.path,)
        if not self.path.is_dir():
            raise DataError("no such file or directory", path=self.path)
        own = self.path / _FILE
        files = (own,) if own.is_file() else tuple(sorted(self.path.glob(f"*/{_FILE}")))
        if not files:
            raise DataError(
                f"holds no {_FILE} and no subset with one", path=self.path, remedy="give LLMBar's Dataset directory"
            )
        return files


def _read(file: Path) -> Iterator[tuple[Path, int, Pair]]:
    subset = file.resolve().parent.name
    for row in read_json_list(file):
        yield (
            file,
            row.number,
            Pair(
                id=f"llmbar-{subset}-{row.number - 1}",
                instruction=required_text(row, "input"),
                response_a=required_text(row, "output_1"),
                response_b=required_text(row, "output_2"),
                gold=gold_of(row, "label", _GOLD, expected="1 or 2"),
                source=subset,
            ),
        )
