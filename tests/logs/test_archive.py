import io
import struct
import sys
import zipfile
from pathlib import Path

import pytest

from evenhand.errors import DataError
from evenhand.logs import archive as module
from evenhand.logs.archive import open_archive

FILE = Path("log.eval")
MADE = Path(__file__).parent / "made"


def packed(members, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def test_members_are_listed_and_unpacked():
    archive = open_archive(packed([("header.json", b"{}"), ("samples/a.json", b"[1]")]), FILE)
    assert archive.names() == ("header.json", "samples/a.json")
    assert archive.read("samples/a.json") == b"[1]"
    with pytest.raises(DataError, match="has no member 'x'"):
        archive.read("x")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PK\x03\x04" + b"\x00" * 500, b"[]"])
def test_what_is_no_archive_is_a_data_error(content):
    with pytest.raises(DataError, match="is no readable archive"):
        open_archive(content, FILE)


def test_a_bomb_is_refused_before_and_while_it_unpacks(monkeypatch):
    data = packed([("header.json", b"\x00" * 3_000_000)])
    assert len(data) < 10_000
    monkeypatch.setattr(module, "_LARGEST_TOTAL", 1 << 20)
    with pytest.raises(DataError, match="unpacks to more than"):
        open_archive(data, FILE)
    monkeypatch.undo()
    monkeypatch.setattr(module, "LARGEST_MEMBER", 1 << 20)
    with pytest.raises(DataError, match="unpacks to more than 1 MiB") as caught:
        open_archive(data, FILE).read("header.json")
    assert caught.value.field == "header.json"


def test_a_member_that_lies_about_its_size_is_refused(monkeypatch):
    data = bytearray(packed([("header.json", b"\x00" * 3_000_000)]))
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 10)  # the uncompressed size that it claims
    monkeypatch.setattr(module, "_LARGEST_TOTAL", 1 << 20)
    with pytest.raises(DataError, match="can't be unpacked"):
        open_archive(bytes(data), FILE).read("header.json")


def test_a_name_twice_a_damaged_and_an_encrypted_member(monkeypatch):
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = packed([("a", b"1"), ("a", b"2")])
    with pytest.raises(DataError, match="has the member 'a' twice"):
        open_archive(twice, FILE)
    damaged = bytearray(packed([("a", b"hello hello hello")], zipfile.ZIP_STORED))
    damaged[damaged.index(b"hello")] ^= 1
    with pytest.raises(DataError, match="can't be unpacked: Bad CRC"):
        open_archive(bytes(damaged), FILE).read("a")
    locked = bytearray(packed([("a", b"1")]))
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        locked[locked.index(mark) + offset] |= 1
    with pytest.raises(DataError, match="is encrypted"):
        open_archive(bytes(locked), FILE).read("a")


def test_without_zstandard_the_way_out_is_named(monkeypatch):
    file = MADE / "inspect_zstandard.eval"
    archive = open_archive(file.read_bytes(), file)
    assert "header.json" in archive.names()
    monkeypatch.setattr(module, "_python_has_zstandard", lambda: False)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(DataError, match=r"packed with Zstandard.*pip install zstandard.*inspect log convert") as caught:
        archive.read("header.json")
    assert caught.value.field == "header.json"


def test_zstandard_by_the_package_of_that_name():
    pytest.importorskip("zstandard", reason="the package zstandard is not installed")
    file = MADE / "inspect_zstandard.eval"
    archive = open_archive(file.read_bytes(), file)
    assert archive._zstandard(archive.members["header.json"]).startswith(b"{")
    bad = bytearray(file.read_bytes())
    bad[60] ^= 1
    with pytest.raises(DataError, match=r"can't be unpacked|wrong checksum|damaged"):
        open_archive(bytes(bad), file)._zstandard(archive.members[archive.names()[0]])


def test_many_members_are_all_read():
    archive = open_archive(
        packed([(f"samples/{number}.json", b"{}") for number in range(3000)], zipfile.ZIP_STORED), FILE
    )
    assert all(archive.read(name) == b"{}" for name in archive.names())
