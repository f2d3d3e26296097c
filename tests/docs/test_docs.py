"""Every block marked ``run`` in the docs is run, page by page, from top to bottom, in an empty folder."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(?P<language>\w+) run\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = sorted(page for page in DOCS.rglob("*.md") if BLOCK.search(page.read_text(encoding="utf-8")))


def test_the_start_page_is_among_those_run() -> None:
    assert DOCS / "start.md" in PAGES


@pytest.mark.engine
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with mock.patch.dict(os.environ):  # what a page sets is its own
        run_page(page, tmp_path)


def run_page(page: Path, folder: Path) -> None:
    namespace: dict[str, object] = {"__name__": "docs"}
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        match block["language"]:
            case "python":
                exec(compile(block["code"], str(page), "exec"), namespace)  # noqa: S102 - our own pages
            case "sh":
                for line in block["code"].replace("\\\n", " ").splitlines():
                    run_line(line, folder)
            case other:
                pytest.fail(f"{page}: no way to run a block of {other}")


def run_line(line: str, folder: Path) -> None:
    words = shlex.split(line, comments=True)
    if not words:
        return
    assert words[0] == "evenhand", f"only evenhand is run from the docs, not {words[0]}"
    done = subprocess.run(
        [sys.executable, "-m", "evenhand", *words[1:]],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


def test_links_between_pages_lead_somewhere() -> None:
    link = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")
    broken = [
        f"{page}: {target}"
        for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
        for target in link.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
