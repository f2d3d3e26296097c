"""Pages on paper: nothing is cut at the sheet's edge, and what is folded on the screen is printed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from browser.looking import opened
from browser.page_files import PAGES, PageFiles

_PX = 96 / 25.4  # CSS pixels a millimetre
_PORTRAIT, _LANDSCAPE = round((210 - 2 * 16) * _PX), round((297 - 2 * 12) * _PX)
"""Width of a sheet's text by the style sheet's margins, for common tables and for wide ones."""

_CUT = """
(wide) => {
  const found = [], limit = document.documentElement.clientWidth + 1;
  for (const e of document.querySelectorAll('table, figure svg, pre, p, li, dd, h1, h2, h3, caption')) {
    if (!!e.closest('.wide') !== wide) continue;
    const r = e.getBoundingClientRect();
    if (r.right > limit || r.left < -1)
      found.push(`${e.tagName} "${(e.textContent || '').trim().slice(0, 40)}" to ${Math.round(r.right)} of ${limit}`);
  }
  return [...new Set(found)];
}
"""
_FOLDED = """
() => [...document.querySelectorAll('details > :not(summary)')]
  .filter((e) => !e.getBoundingClientRect().height || !e.checkVisibility({contentVisibilityAuto: true}))
  .map((e) => (e.textContent || '').trim().slice(0, 40))
"""
_SHORT = [name for name in PAGES if name not in ("audit", "biases")]  # made of the same parts; thousands of cells


@pytest.mark.parametrize("name", _SHORT)
def test_nothing_is_cut_at_the_edge_of_a_sheet(chromium: Browser, page_files: PageFiles, name: str) -> None:
    with opened(chromium, page_files.page(name), width=_PORTRAIT) as look:
        look.page.emulate_media(media="print")
        assert look.page.evaluate(_CUT, False) == []
        assert look.page.evaluate(_FOLDED) == []
        assert not look.page.locator("nav").first.is_visible()
        look.page.set_viewport_size({"width": _LANDSCAPE, "height": 700})
        assert look.page.evaluate(_CUT, True) == []
        look.clean()


def test_the_dark_is_not_printed(chromium: Browser, page_files: PageFiles) -> None:
    with opened(chromium, page_files.page("comparison"), width=_PORTRAIT, scheme="dark") as look:
        look.page.emulate_media(media="print", color_scheme="dark")
        style = look.page.evaluate(
            "() => { const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]; }"
        )
    assert style == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext (Debian: poppler-utils)")
def test_the_printed_file_holds_the_verdict_and_what_is_folded(
    chromium: Browser, page_files: PageFiles, tmp_path: Path
) -> None:
    pdf = tmp_path / "page.pdf"
    with opened(chromium, page_files.page("audit-incomplete"), width=1280) as look:
        verdict = look.page.locator("#verdict").inner_text()
        inside = look.page.locator("details td, details p, details li").first.text_content() or ""
        look.page.pdf(path=pdf, prefer_css_page_size=True)
    text = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=True).stdout
    words = re.findall(r"\w+", text)
    assert set(re.findall(r"\w+", verdict)) <= set(words)
    assert inside.strip()
    assert set(re.findall(r"\w+", inside)[:6]) <= set(words)
