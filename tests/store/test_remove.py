"""Only regular files go, and a file that can't says so."""

import pytest

from evenhand.errors import StoreError
from evenhand.store.remove import remove_files


def test_files_go_and_nothing_else(tmp_path):
    names = ("a.svg", "b.svg", "kept.svg")
    for name in names:
        (tmp_path / name).write_text(name)
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "link.svg").symlink_to(tmp_path / "kept.svg")
    remove_files(tmp_path / name for name in ("a.svg", "b.svg", "folder.svg", "link.svg", "missing.svg"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.svg", "kept.svg", "link.svg"]


def test_a_file_that_cannot_be_removed_is_named(tmp_path, monkeypatch):
    path = tmp_path / "a.svg"
    path.write_text("")

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "unlink", refuse)
    with pytest.raises(StoreError, match=r"a\.svg: can't be removed \(Permission denied\)"):
        remove_files([path])
