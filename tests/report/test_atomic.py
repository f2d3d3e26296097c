import pytest

from evenhand.report.atomic import write_bytes, write_text


def test_replaces_whole_content_and_leaves_nothing_beside(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "long content" * 100)
    write_text(path, "é \ud800")
    assert path.read_bytes() == "é \\ud800".encode()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_failure_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.bin"
    write_bytes(path, b"old")
    with pytest.raises(TypeError):
        write_bytes(path, "not bytes")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]
