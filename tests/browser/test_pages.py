"""Every page in three widths, light and dark, without script: whole, readable, and asking for nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

from browser.conftest import WIDTHS
from browser.looking import Scheme, axe_violations, contrast_violations, defects, opened
from browser.page_files import HOSTILE, PAGES, PageFiles

SCHEMES: tuple[Scheme, ...] = ("light", "dark")
_FEWEST_COLOURS = 8
"""A page of text and lines has many shades at its letters' edges; a blank one has one."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_in_every_width_and_in_the_dark(
    chromium: Browser, page_files: PageFiles, shots: Path, name: str
) -> None:
    found, shades = {}, {}
    with opened(chromium, page_files.page(name), width=WIDTHS[0]) as look:
        for width in WIDTHS:
            look.page.set_viewport_size({"width": width, "height": 900})
            found[width] = defects(look.page)
            for scheme in SCHEMES:
                look.page.emulate_media(color_scheme=scheme)
                shot = shots / f"{name}-{width}-{scheme}.png"
                # Whole pages are for eyes, and take seconds each: where they are to be kept.
                look.page.screenshot(path=shot, full_page="EVENHAND_SHOTS" in os.environ, animations="disabled")
                shades[scheme] = paper(shot, width=width)
        look.clean()
    assert {width: each for width, each in found.items() if each} == {}
    assert sum(shades["light"]) > 600 > 180 > sum(shades["dark"])


def paper(shot: Path, *, width: int) -> tuple[int, int, int]:
    """The commonest colour of a screenshot's first window, which must not be blank."""
    with Image.open(shot) as image:
        assert image.width == width
        colours = image.convert("RGB").crop((0, 0, width, 900)).getcolors(1 << 21)
    assert colours is not None
    assert len(colours) >= _FEWEST_COLOURS, f"{shot.name} is blank"
    return max(colours)[1]


@pytest.mark.parametrize("name", PAGES)
def test_the_verdict_and_the_first_findings_are_seen_without_scrolling(
    chromium: Browser, page_files: PageFiles, name: str
) -> None:
    with opened(chromium, page_files.page(name), width=1280) as look:
        title, verdict = look.page.locator("h1").first, look.page.locator("#verdict, .verdict h2").first
        for each in (title, verdict, look.page.locator(".verdict .lead").first):
            box = each.bounding_box()
            assert box is not None
            assert box["height"] > 0
            assert box["y"] + box["height"] < 900
        claims = look.page.locator(".verdict li")
        if claims.count():
            box = claims.first.bounding_box()
            assert box is not None
            assert box["y"] + 60 < 900  # two lines of it, however long it is


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_in_light_and_in_the_dark(chromium: Browser, page_files: PageFiles, name: str) -> None:
    with opened(chromium, page_files.page(name), width=WIDTHS[0], script=True) as look:
        assert axe_violations(look.page) == []
        assert contrast_violations(look.page) == []
        look.page.emulate_media(color_scheme="dark")
        assert contrast_violations(look.page) == []
        look.clean()  # the page's own policy: handing a script in breaks nothing


def test_hostile_texts_are_texts(chromium: Browser, page_files: PageFiles) -> None:
    with opened(chromium, page_files.page("audit-hostile"), width=768, script=True) as look:
        text = look.page.locator("body").inner_text()
        assert "<script>alert(1)</script>" in text
        assert "</style></title><svg onload=alert(1)>" in text
        assert "{{ 7 * 7 }}" in text
        assert "49" not in look.page.title()
        assert not set(text) & {"\x1b", "\x00", "\u202e"}
        assert "[U+202E]" in text
        assert look.page.locator("img, script, iframe, object, embed, form, input").count() == 0
        assert look.page.locator("a[href*='example.com']").count() == 0
        look.page.wait_for_timeout(50)
        look.clean()
    assert len(HOSTILE) >= 8


def test_a_page_that_is_cut_is_seen(chromium: Browser, tmp_path: Path) -> None:
    """The looking itself: each defect that the tests above must not miss."""
    path = tmp_path / "bad.html"
    path.write_text(
        "<!doctype html><html lang=en><title>x</title><body><main><h1>a</h1><h3>b</h3><a href='#gone'>c</a>"
        "<a href='https://example.com/'>d</a><p style='width:40px;overflow:hidden;white-space:nowrap'>far too long</p>"
        "<table><tr><th rowspan=2><span class=v>a</span><th><span class=v>b</span><tr><th style='padding-left:9px'>"
        "<span class=v>c</span></table>"
        "<figure><svg width=20 height=20><text x=0 y=10>far too long</text></svg></figure>"
        "<p style='position:absolute;left:2000px'>out</p><script>1</script></main>",
        encoding="utf-8",
    )
    with opened(chromium, path, width=375) as look:
        found = "\n".join(defects(look.page))
    for said in (
        "the page is",
        "no anchor for #gone",
        "leads outside",
        "comes after a heading of level 1",
        "is cut at its side",
        "begins beside its column's others",
        "has no caption",
        "has no name",
        "is cut at the drawing's edge",
        "stands out of the window",
        "there is a script",
    ):
        assert said in found, said


def test_a_request_and_an_error_are_seen(chromium: Browser, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text("<img src='https://example.com/x.png'><script>throw new Error('no')</script>", encoding="utf-8")
    with opened(chromium, path, width=375, script=True) as look:
        assert look.requests == ["https://example.com/x.png"]
        assert any("no" in message for message in look.messages)
        with pytest.raises(AssertionError):
            look.clean()
