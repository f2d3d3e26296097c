"""One Chromium for the tests of a module, and pages that record what they must not do: errors, requests, overflow."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from browser.page_files import PageFiles

WIDTHS = (375, 768, 1280)
"""A phone, a tablet, a desk: the three widths that every page is looked at in."""

# Quiet about the network, which no page of ours needs: Chromium's own look-ups are refused where CI runs.
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium_path() -> str | None:
    """Chromium of the system; the variable EVENHAND_CHROMIUM names another."""
    named = os.environ.get("EVENHAND_CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


# One a module, closed with it: Playwright's loop runs in this thread as long as it is open, and no test after it
# could call asyncio.run.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("CI has no Chromium: .ci/run should have installed it")
        pytest.skip("no Chromium (Debian: apt-get install chromium; or set EVENHAND_CHROMIUM)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    """Where screenshots go; EVENHAND_SHOTS names a folder to keep them in."""
    kept = os.environ.get("EVENHAND_SHOTS")
    folder = Path(kept) if kept else tmp_path / "shots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def page_files(tmp_path_factory: pytest.TempPathFactory) -> PageFiles:
    """Every kind of page, each made when it is first looked at."""
    return PageFiles(tmp_path_factory.mktemp("pages"))
