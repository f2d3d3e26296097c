"""Pages without a mouse: everything that can be followed, scrolled or unfolded is reached by Tab, and is seen to be."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from browser.looking import opened
from browser.page_files import PageFiles

_FOCUSABLE = """
() => [...document.querySelectorAll('a[href], summary, [tabindex="0"]')]
  .filter((e) => e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true})
    && !e.closest('details:not([open]) > :not(summary)'))
  .map((e, i) => { e.dataset.place = i; return e.tagName; })
"""
_HERE = """
() => {
  const e = document.activeElement, r = e.getBoundingClientRect(), s = getComputedStyle(e);
  return {
    place: e === document.body ? null : e.dataset.place ?? 'unknown',
    outline: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0,
    seen: r.width > 0 && r.height > 0 && r.right > 0 && r.left < innerWidth && r.bottom > 0 && r.top < innerHeight,
  };
}
"""
_MOST = 400


def places(page: Page) -> list[str | None]:
    """Where Tab leads, until it leaves the page; each stop must be seen and marked."""
    found: list[str | None] = []
    for _ in range(_MOST):
        page.keyboard.press("Tab")
        here = page.evaluate(_HERE)
        if here["place"] is None or here["place"] in found:
            break
        assert here["seen"], f"the focus is out of sight at {here['place']}"
        assert here["outline"], f"the focus isn't marked at {here['place']}"
        found.append(here["place"])
    return found


@pytest.mark.parametrize("name", ["audit-incomplete", "comparison", "judges", "probes"])
@pytest.mark.parametrize("width", [375, 1280])
def test_tab_reaches_everything_in_the_order_of_the_page(
    chromium: Browser, page_files: PageFiles, name: str, width: int
) -> None:
    with opened(chromium, page_files.page(name), width=width) as look:
        count = len(look.page.evaluate(_FOCUSABLE))
        assert count >= 6
        assert places(look.page) == [str(place) for place in range(count)]


def test_the_first_stop_skips_to_the_findings(chromium: Browser, page_files: PageFiles) -> None:
    with opened(chromium, page_files.page("audit-incomplete"), width=375) as look:
        skip = look.page.locator("a.skip")
        box = skip.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 0  # out of sight until it has the focus
        look.page.keyboard.press("Tab")
        assert look.page.evaluate("document.activeElement.className") == "skip"
        box = skip.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        look.page.keyboard.press("Enter")
        assert look.page.url.endswith("#main")


def test_a_wide_table_scrolls_by_the_arrow_keys(chromium: Browser, page_files: PageFiles) -> None:
    with opened(chromium, page_files.page("judges"), width=375) as look:
        wide = "[...document.querySelectorAll('.scroll')].find((e) => e.scrollWidth > e.clientWidth + 40)"
        assert look.page.evaluate(f"!!({wide})")
        look.page.evaluate(f"{wide}.focus()")
        # A key that comes before the first frame is drawn scrolls nothing: pressed as a reader would, until it moves.
        for _ in range(100):
            look.page.keyboard.press("ArrowRight")
            if look.page.evaluate(f"{wide}.scrollLeft > 0"):
                break
            look.page.wait_for_timeout(100)
        assert look.page.evaluate(f"{wide}.scrollLeft > 0")


def test_what_is_folded_opens_by_enter_and_holds_what_it_promises(chromium: Browser, page_files: PageFiles) -> None:
    with opened(chromium, page_files.page("audit"), width=1280) as look:
        folded = look.page.locator("details").first
        content = folded.locator(":scope > :not(summary)").first
        assert not content.is_visible()
        folded.locator("summary").focus()
        look.page.keyboard.press("Enter")
        assert content.is_visible()
        look.page.keyboard.press("Enter")
        assert not content.is_visible()
