"""Clicks that bring another page. Playwright's own click returns before the page that it brings is there."""

from __future__ import annotations

from playwright.sync_api import Locator

__all__ = ["enter", "follow"]


def follow(locator: Locator) -> None:
    """Click, and wait for the page that comes."""
    with locator.page.expect_navigation():
        locator.click()


def enter(locator: Locator) -> None:
    """Press Enter in a field, and wait for the page that comes."""
    with locator.page.expect_navigation():
        locator.press("Enter")
