"""LLMBar: 419 pairs on instruction following in five subsets (Zeng et al., arXiv:2310.07641)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evenhand.datasets.base import Dataset, LoadedPairs, require_path, sources_in_turn, unique_ids
from evenhand.datasets.fields import gold_of, required_text
from evenhand.datasets.hub import HubDataset, HubTable, hub_request
from evenhand.datasets.rows import Row, read_json_list
from evenhand.errors import DataError
from evenhand.records import Pair, Preference
from evenhand.records.regular_file import why_no_file

__all__ = ["LlmBarDataset"]

_FILE = "dataset.json"
_FOLDERS = ("Adversarial/GPTInst", "Adversarial/GPTOut", "Adversarial/Manual", "Natural", "Adversarial/Neighbor")
"""In the order of the subsets' names, as from a directory."""
_TABLES = tuple(
    HubTable(
        repository="princeton-nlp/LLMBar",
        split=folder.rpartition("/")[2],
        url=f"https://raw.githubusercontent.com/princeton-nlp/LLMBar/{{revision}}/Dataset/LLMBar/{folder}/{_FILE}",
    )
    for folder in _FOLDERS
)
_COMMIT = "caa7bee794bfed74baed038b99229fa3f0c4c511"
"""Of github.com/princeton-nlp/LLMBar: what ``llmbar:hub`` reads where no other commit is named.

The hub's princeton-nlp/LLMBar holds no data, only a script that downloads these files from the main branch there.
``datasets`` runs no scripts from version 4 on, and we never would: the same files are read at a fixed commit.
"""
_GOLD: Mapping[object, Preference | None] = MappingProxyType({1: Preference.A, 2: Preference.B})


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmBarDataset:
    """LLMBar's own files: one subset's ``dataset.json``, or a directory with subsets in ``*/dataset.json``.

    Each subset (Natural, Neighbor, GPTInst, GPTOut, Manual; the name of its directory) is a source. A pair's id is
    ``llmbar-SUBSET-INDEX`` with the index from 0, as in LLMBar's own results; its group is its instruction.
    From a directory the subsets come in turn, so that a prefix spreads over them. ``llmbar:hub`` is the same online.

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
    def from_spec(cls, rest: str | None) -> Dataset:
        """Build it from a path, or from ``hub`` or ``hub@COMMIT``."""
        if (asked := hub_request("llmbar", rest)) is not None:
            revision = asked.revision or _COMMIT
            return HubDataset(name="llmbar", tables=_TABLES, revision=revision, make=_from_hub)
        return cls(path=require_path("llmbar", rest))

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, subsets in turn.

        Raises
        ------
        DataError
            There is no ``dataset.json``, or a row or field can't be read.
        """
        return _pairs((file.resolve().parent.name, row) for file in self._files() for row in read_json_list(file))

    def _files(self) -> tuple[Path, ...]:
        problem = why_no_file(self.path)
        if problem is None:
            return (self.path,)
        if not problem.startswith("is a directory"):
            nothing = problem == "no such file"
            raise DataError("no such file or directory" if nothing else problem, path=self.path)
        own = self.path / _FILE
        files = (own,) if own.is_file() else tuple(sorted(self.path.glob(f"*/{_FILE}")))
        if not files:
            raise DataError(
                f"holds no {_FILE} and no subset with one", path=self.path, remedy="give LLMBar's Dataset directory"
            )
        return files


def _from_hub(tables: Mapping[str, Sequence[Row]], spec: str) -> LoadedPairs:
    return LoadedPairs(pairs=_pairs((subset, row) for subset, rows in tables.items() for row in rows), spec=spec)


def _pairs(rows: Iterable[tuple[str, Row]]) -> tuple[Pair, ...]:
    """The pairs of (subset, row), subsets in turn."""
    places: Iterator[tuple[Path | str, int, Pair]] = (
        (row.path, row.number, _pair_of(row, subset)) for subset, row in rows
    )
    return sources_in_turn(unique_ids(places))


def _pair_of(row: Row, subset: str) -> Pair:
    return Pair(
        id=f"llmbar-{subset}-{row.number - 1}",
        instruction=required_text(row, "input"),
        response_a=required_text(row, "output_1"),
        response_b=required_text(row, "output_2"),
        gold=gold_of(row, "label", _GOLD, expected="1 or 2"),
        source=subset,
    )
