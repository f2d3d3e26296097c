import os
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.report.plotting import _writable

SCRIPT = """
from evenhand.report.plotting import load_matplotlib
print(load_matplotlib().get_cachedir())
"""


def load(home: str, **more: str) -> subprocess.CompletedProcess[str]:
    plain = {n: v for n, v in os.environ.items() if n not in ("MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    return subprocess.run(
        [sys.executable, "-c", SCRIPT], env={**plain, "HOME": home, **more}, capture_output=True, text=True, check=True
    )


def test_nothing_is_said_where_home_cannot_be_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file, in which nobody, root included, makes a directory", encoding="utf-8")
    done = load(str(home), TMPDIR=str(tmp_path))
    assert done.stderr == ""
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == [home], "and the temporary directory is gone"


@pytest.mark.parametrize("own", [False, True])
def test_the_users_directory_is_used(tmp_path: Path, *, own: bool) -> None:
    more = {"MPLCONFIGDIR": str(tmp_path / "own")} if own else {}
    done = load(str(tmp_path), **more)
    assert Path(done.stdout.strip()).is_relative_to(tmp_path / "own" if own else tmp_path / ".cache")


def test_what_can_be_made_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert _writable(tmp_path / "a" / "b")
    assert not _writable(tmp_path / "file" / "b")
