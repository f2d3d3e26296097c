from pathlib import Path

import pytest

from evenhand.cli.targets import check_out, check_save
from evenhand.errors import ConfigError


def test_what_can_be_written_is_fine(tmp_path: Path) -> None:
    check_out(tmp_path)
    check_out(tmp_path / "new" / "folder")
    check_save(None)
    check_save(tmp_path / "new" / "x.json", reads=[tmp_path / "x.json"])
    assert not (tmp_path / "new").exists()


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "file" / "under"):
        with pytest.raises(ConfigError, match=r"--out .*file is a file, expected a folder"):
            check_out(path)
    with pytest.raises(ConfigError, match=r"--save .* is a file, expected a folder"):
        check_save(tmp_path / "file" / "x.json")


def test_a_folder_that_nobody_may_write_in_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(ConfigError, match="nothing may be written in"):
        check_out(tmp_path / "new")


@pytest.mark.parametrize("name", ["", ".", "/", ".."])
def test_no_file_name_is_no_place_to_save(name: str) -> None:
    with pytest.raises(ConfigError, match=r"--save .*: expected a file.s name"):
        check_save(Path(name))


def test_a_folder_and_the_file_that_is_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a folder"):
        check_save(tmp_path)
    with pytest.raises(ConfigError, match="would replace the file that is read"):
        check_save(tmp_path / "a" / ".." / "probe.json", reads=[tmp_path / "probe.json"])
