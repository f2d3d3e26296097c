"""What people install: wheel and sdist are built, looked into, and the wheel is run where the source tree isn't."""

import email
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def build(source: Path, out: Path, *kinds: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(out), str(source)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    build(ROOT, out, "--sdist", "--wheel")
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return next(built.glob("*.whl"))


def names(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    source = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "evenhand").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "evenhand/py.typed" in source
    assert {name for name in names(wheel) if name.startswith("evenhand/")} == source


def test_the_wheel_has_nothing_else_than_its_metadata(wheel: Path) -> None:
    others = {name.split("/")[0] for name in names(wheel)} - {"evenhand"}
    assert others == {f"evenhand-{version()}.dist-info"}


def test_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        folder = f"evenhand-{version()}.dist-info"
        metadata = email.message_from_bytes(archive.read(f"{folder}/METADATA"))
        entry_points = archive.read(f"{folder}/entry_points.txt").decode()
    assert metadata["Version"] == version()
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert set(metadata.get_all("Provides-Extra") or []) == set(PROJECT["optional-dependencies"])
    assert metadata.get_payload().startswith("# Evenhand")  # type: ignore[union-attr]
    assert "evenhand = evenhand.cli.main:run" in entry_points
    assert "[pytest11]\nevenhand = evenhand.pytest_plugin" in entry_points


def test_the_sdist_makes_the_same_wheel(built: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    for needed in ("tests/test_packaging.py", "docs/start.md", "LICENSE", "CITATION.cff", "SECURITY.md", "Makefile"):
        assert (source / needed).is_file(), needed
    build(source, tmp_path / "again", "--wheel")
    again = next((tmp_path / "again").glob("*.whl"))
    assert names(again) == names(wheel)
    assert again.read_bytes() == wheel.read_bytes()


def test_the_wheel_runs_where_the_source_is_not(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    if not python.exists():
        pytest.skip("venvs lie otherwise on this system")
    place = Path(
        subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    )
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)  # noqa: S202 - our own wheel, built a moment ago
    # Libraries come from this environment; a path in a .pth file doesn't bring its editable installs along.
    (place / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")

    def evenhand(*arguments: str) -> str:
        done = subprocess.run(
            [python, "-m", "evenhand", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = subprocess.run(
        [python, "-c", "import evenhand; print(evenhand.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(place))
    assert evenhand("--version") == f"evenhand {version()}\n"
    evenhand("audit", "--judge", "simulated:position=2", "--pairs", "starter", "--limit", "8", "--out", "run")
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000
    assert "single-character" in evenhand("prompts")
    assert '"$schema"' in evenhand("schema", "card")


def version() -> str:
    import evenhand

    return evenhand.__version__


def test_every_extra_is_among_what_tests_install_or_named_as_too_large() -> None:
    """A library that only an extra brings is tested too; vLLM is left out (gigabytes, and needs a GPU at size)."""
    extras = PROJECT["optional-dependencies"]
    tested = {requirement_name(text) for text in extras["test"]}
    missing = {
        extra: sorted({requirement_name(text) for text in needed} - tested)
        for extra, needed in extras.items()
        if extra not in ("test", "bench", "vllm")
    }
    assert {extra: names for extra, names in missing.items() if names} == {}


def requirement_name(text: str) -> str:
    return text.split(";")[0].split(">")[0].split("=")[0].strip()


def test_the_citation_names_this_version() -> None:
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert "cff-version: 1.2.0" in lines
    assert f"version: {version()}" in lines
    assert {"title", "message", "authors", "license"} <= {line.split(":")[0] for line in lines}


def test_fragments_make_a_changelog() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "## 9.9.9" in done.stdout
    kinds = {"added", "changed", "fixed", "security"}
    names = [path.name for path in (ROOT / "changelog.d").glob("*.md") if path.name != "README.md"]
    assert names
    assert [name for name in names if name.split(".")[-2] not in kinds] == []
    assert [name for name in names if not name.startswith("+")] == [], "without + a name is taken for an issue's number"
    assert "(issue" not in done.stdout
