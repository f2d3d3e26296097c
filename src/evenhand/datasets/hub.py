"""Data sets from the Hugging Face hub, pinned: a commit is resolved first, then read, and recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from evenhand.datasets.base import LoadedPairs
from evenhand.datasets.rows import Row
from evenhand.errors import ConfigError, DataError, EvenhandError, install_hint
from evenhand.records import Pair

__all__ = ["DatasetsHub", "Hub", "HubDataset", "HubRequest", "HubTable", "hub_request"]

T = TypeVar("T")

_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HubRequest:
    """What stands after ``hub`` in a spec: a branch, tag or commit; None for the newest."""

    revision: str | None


def hub_request(name: str, rest: str | None) -> HubRequest | None:
    """Read ``hub`` or ``hub@REVISION`` after a data set's name; None where it is a path.

    Raises
    ------
    ConfigError
        Nothing stands after the ``@``.

    Examples
    --------
    >>> hub_request("judgebench", "hub@main"), hub_request("judgebench", "./hub")
    (HubRequest(revision='main'), None)
    """
    if rest == "hub":
        return HubRequest(revision=None)
    if rest is None or not rest.startswith("hub@"):
        return None
    revision = rest.removeprefix("hub@")
    if not revision or revision != revision.strip():
        raise ConfigError(f"{name}:{rest}: expected {name}:hub@REVISION, a commit, tag or branch")
    return HubRequest(revision=revision)


@dataclass(frozen=True, slots=True, kw_only=True)
class HubTable:
    """One split of a data set.

    Attributes
    ----------
    repository
        On the hub, such as ``ScalerLab/JudgeBench``.
    split
        Its name.
    url
        Where the data are files elsewhere: the address of this split's JSON, with ``{revision}`` in it. A revision is
        then a full commit there.
    """

    repository: str
    split: str
    url: str | None = None


class Hub(Protocol):
    """What is asked of the hub."""

    def resolve(self, repository: str, revision: str | None) -> str:
        """The commit that a branch, tag or the newest state is now."""
        ...

    def rows(self, table: HubTable, revision: str) -> Iterable[Mapping[str, object]]:
        """The rows of one split at a commit, in its order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetsHub:
    """The hub itself, through the ``datasets`` library. No code from the hub is ever run."""

    def resolve(self, repository: str, revision: str | None) -> str:
        """The commit that a branch, tag or the newest state is now; a full commit is taken as it is."""
        from huggingface_hub import HfApi

        if revision is not None and _COMMIT.fullmatch(revision):
            return revision
        found = HfApi().dataset_info(repository, revision=revision).sha
        if found is None:
            raise DataError(f"the hub names no commit of {repository} at {revision or 'its newest state'}")
        return found

    def rows(self, table: HubTable, revision: str) -> Iterable[Mapping[str, object]]:
        """The rows of one split at a commit."""
        from datasets import load_dataset

        if table.url is not None:
            files = {table.split: table.url.format(revision=revision)}
            found = load_dataset("json", data_files=files, split=table.split)
        else:
            found = load_dataset(table.repository, split=table.split, revision=revision)
        rows: Iterable[Mapping[str, object]] = found
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class HubDataset:
    """A data set of the hub, read with the same checks as its local files.

    Attributes
    ----------
    name
        As it is registered, such as ``judgebench``.
    tables
        The splits that are read, in this order. All are of one repository.
    revision
        What was asked for; None for the newest state.
    make
        From rows by split and the pinned spec to pairs.
    hub
        Who is asked.
    """

    name: str
    tables: tuple[HubTable, ...]
    revision: str | None
    make: Callable[[Mapping[str, Sequence[Row]], str], LoadedPairs]
    hub: Hub = field(default_factory=DatasetsHub)

    def __post_init__(self) -> None:
        elsewhere = any(table.url is not None for table in self.tables)
        if elsewhere and (self.revision is None or not _COMMIT.fullmatch(self.revision)):
            raise ConfigError(f"{self.spec}: expected a full commit of 40 hexadecimal digits after the @")

    @property
    def spec(self) -> str:
        """``NAME:hub``, with ``@REVISION`` where one is known."""
        return f"{self.name}:hub" if self.revision is None else f"{self.name}:hub@{self.revision}"

    @classmethod
    def from_spec(cls, rest: str | None) -> HubDataset:
        """Not by itself: the data set that is registered under the name builds it."""
        raise ConfigError(f"hub data set {rest!r}: write its name first, such as judgebench:hub")

    def pinned(self) -> HubDataset:
        """The same with its revision as a commit.

        Raises
        ------
        ConfigError
            The extra isn't installed.
        DataError
            The hub can't be reached or knows no such revision.
        """
        commit = self._asking(lambda: self.hub.resolve(self.tables[0].repository, self.revision))
        return replace(self, revision=commit)

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, as :meth:`read` gives them."""
        return self.read().pairs

    def read(self) -> LoadedPairs:
        """Resolve the revision, then read its rows.

        Raises
        ------
        ConfigError
            The extra isn't installed.
        DataError
            The hub can't be reached, knows no such revision or split, or a row or field can't be read.
        """
        pinned = self.pinned()
        rows = {table.split: pinned._rows(table) for table in pinned.tables}
        return self.make(rows, pinned.spec)

    def _rows(self, table: HubTable) -> tuple[Row, ...]:
        revision = self.revision or ""
        place = f"{table.repository}@{revision[:12]}, split {table.split}"
        found = self._asking(lambda: tuple(self.hub.rows(table, revision)))
        return tuple(Row(path=place, number=number, values=values) for number, values in enumerate(found, start=1))

    def _asking(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except EvenhandError:
            raise
        except ImportError as error:
            raise ConfigError(f"{self.spec} needs the datasets package ({error}): {install_hint('hub')}") from error
        except Exception as error:
            # The libraries below raise errors of several HTTP clients, which share no base.
            reason = str(error).strip().split("\n")[0][:200] or type(error).__name__
            raise DataError(
                f"{self.spec} can't be read from the hub ({type(error).__name__}: {reason})",
                remedy=f"check the connection and the revision; offline, get its files and write {self.name}:PATH",
            ) from error
