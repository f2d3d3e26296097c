"""Reading members of a zip archive that a stranger wrote: every size is bounded before anything is unpacked."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from evenhand.errors import DataError
from evenhand.logs.documents import short

__all__ = ["LARGEST_MEMBER", "ZIP_MAGIC", "Archive", "open_archive"]

ZIP_MAGIC = b"PK\x03\x04"

LARGEST_MEMBER = 256 << 20
"""Bytes that one member may unpack to. A sample of a judge's evaluation has some kilobytes."""

_LARGEST_TOTAL = 4 << 30
_MOST_MEMBERS = 1_000_000
_ZSTANDARD = 93
"""The zip format's number for Zstandard (APPNOTE 6.3.10, section 4.4.5), which recent versions of Inspect write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The members of an archive, by name, unread."""

    path: Path
    members: Mapping[str, zipfile.ZipInfo]
    data: bytes
    archive: zipfile.ZipFile

    def names(self) -> tuple[str, ...]:
        """The members' names, in the archive's order."""
        return tuple(self.members)

    def read(self, name: str) -> bytes:
        """Unpack one member.

        Raises
        ------
        DataError
            It is too large, damaged, encrypted, or packed in a way that this Python can't unpack.
        """
        member = self.members.get(name)
        if member is None:
            raise DataError(f"has no member {short(name)}", path=self.path, remedy="is it a log of Inspect?")
        if member.flag_bits & 0x1:
            raise self._error(name, "is encrypted")
        try:
            if member.compress_type == _ZSTANDARD and not _python_has_zstandard():
                return self._zstandard(member)
            with self.archive.open(member) as file:
                content = file.read(LARGEST_MEMBER + 1)
        except _unpacking_errors() as error:
            raise self._error(name, f"can't be unpacked: {error}") from error
        if len(content) > LARGEST_MEMBER:
            raise self._error(name, f"unpacks to more than {LARGEST_MEMBER >> 20} MiB")
        return content

    def _error(self, name: str, problem: str) -> DataError:
        return DataError(problem, path=self.path, field=name)

    def _zstandard(self, member: zipfile.ZipInfo) -> bytes:
        """Unpack a Zstandard member by the package of that name, which Python before 3.14 needs."""
        try:
            zstandard: Any = import_module("zstandard")
        except ImportError as error:
            raise DataError(
                "is packed with Zstandard, which Python unpacks from 3.14 on",
                path=self.path,
                field=member.filename,
                remedy="pip install zstandard, or write JSON: inspect log convert LOG --to json --output-dir DIR",
            ) from error
        packed = self._raw(member)
        try:
            content: bytes = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)).read(LARGEST_MEMBER + 1)
        except zstandard.ZstdError as error:
            raise self._error(member.filename, f"can't be unpacked: {error}") from error
        if len(content) > LARGEST_MEMBER:
            raise self._error(member.filename, f"unpacks to more than {LARGEST_MEMBER >> 20} MiB")
        if zlib.crc32(content) != member.CRC:
            raise self._error(member.filename, "has a wrong checksum")
        return content

    def _raw(self, member: zipfile.ZipInfo) -> bytes:
        """The packed bytes: they begin after a local header, whose name and extra field have their own lengths."""
        start = member.header_offset
        header = self.data[start : start + 30]
        if len(header) < 30 or not header.startswith(ZIP_MAGIC):
            raise self._error(member.filename, "has a damaged header")
        begin = start + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        return self.data[begin : begin + member.compress_size]


def open_archive(data: bytes, path: Path) -> Archive:
    """List an archive's members, all of whose sizes are bounded.

    Raises
    ------
    DataError
        It is no zip archive, has a name twice, or claims to unpack to more than 4 GiB.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))  # in memory: nothing to close
        members = archive.infolist()
    except _unpacking_errors() as error:
        raise DataError(f"is no readable archive: {error}", path=path, remedy="is the file complete?") from error
    if len(members) > _MOST_MEMBERS:
        raise DataError(f"has {len(members)} members", path=path)
    if sum(member.file_size for member in members) > _LARGEST_TOTAL:
        raise DataError(f"unpacks to more than {_LARGEST_TOTAL >> 30} GiB", path=path)
    names = [member.filename for member in members]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"has the member {short(twice)} twice", path=path)
    return Archive(path=path, members=dict(zip(names, members, strict=True)), data=data, archive=archive)


def _unpacking_errors() -> tuple[type[Exception], ...]:
    """What the ways of packing that Python knows raise for damaged bytes."""
    known: list[type[Exception]] = [
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        ValueError,
        OSError,
        RuntimeError,
    ]
    if _python_has_zstandard():
        known.append(import_module("compression.zstd").ZstdError)
    return tuple(known)


def _python_has_zstandard() -> bool:
    return hasattr(zipfile, "ZIP_ZSTANDARD")
