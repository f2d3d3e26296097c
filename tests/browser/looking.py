"""Looking at a page as a browser shows it: what was asked for, what was said, and what is cut, hidden or unnamed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

import axe_playwright_python
from playwright.sync_api import Browser, Page, Route

__all__ = ["Look", "Scheme", "axe_violations", "contrast_violations", "defects", "opened"]

Scheme = Literal["light", "dark"]
_HEIGHT = 900

_DEFECTS = """
() => {
  const found = [];
  const name = (e) => `${e.tagName.toLowerCase()}${e.id && '#' + e.id}${[...e.classList].map((c) => '.' + c).join('')}`
    + ` "${(e.textContent || '').trim().slice(0, 40)}"`;
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth)
    found.push(`the page is ${root.scrollWidth} px wide in a window of ${root.clientWidth}`);
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) found.push(`the id ${id} is there twice`);
  for (const a of document.querySelectorAll('a[href]')) {
    const href = a.getAttribute('href');
    if (!href.startsWith('#')) found.push(`a link leads outside: ${href}`);
    else if (!document.getElementById(decodeURIComponent(href.slice(1)))) found.push(`no anchor for ${href}`);
    if (!a.textContent.trim()) found.push(`a link without a name: ${href}`);
  }
  for (const e of document.querySelectorAll('[aria-labelledby],[aria-describedby]'))
    for (const id of [e.getAttribute('aria-labelledby'), e.getAttribute('aria-describedby')].join(' ').split(/\\s+/))
      if (id && !document.getElementById(id)) found.push(`${name(e)} is named by ${id}, which isn't there`);
  let last = 0;
  for (const h of document.querySelectorAll('h1,h2,h3,h4,h5,h6')) {
    const level = Number(h.tagName[1]);
    if (level > last + 1) found.push(`${name(h)} comes after a heading of level ${last}`);
    if (!h.textContent.trim()) found.push(`${h.tagName} is empty`);
    last = level;
  }
  if (document.querySelectorAll('h1').length !== 1) found.push('there is not one h1');
  if (document.querySelectorAll('main').length !== 1) found.push('there is not one main');
  if (document.querySelectorAll('script').length) found.push('there is a script');
  for (const f of document.querySelectorAll('figure')) {
    const svg = f.querySelector('svg');
    if (!f.querySelector('figcaption')?.textContent.trim()) found.push(`${name(f)} has no caption`);
    if (!svg) { found.push(`${name(f)} has no drawing`); continue; }
    const by = (svg.getAttribute('aria-labelledby') || '').split(/\\s+/).filter(Boolean);
    const said = [svg.getAttribute('aria-label'), ...by.map((id) => document.getElementById(id)?.textContent)].join('');
    if (svg.getAttribute('role') !== 'img') found.push(`the drawing of ${name(f)} has no role`);
    if (!said.trim()) found.push(`the drawing of ${name(f)} has no name`);
    const box = svg.getBoundingClientRect();
    for (const t of svg.querySelectorAll('text')) {
      const r = t.getBoundingClientRect();
      const out = r.left < box.left - 2 || r.right > box.right + 2 || r.top < box.top - 2 || r.bottom > box.bottom + 2;
      if (r.width && out)
        found.push(`in ${f.id} the text "${t.textContent.slice(0, 40)}" is cut at the drawing's edge`);
    }
  }
  for (const table of document.querySelectorAll('table')) {
    // Where each row's names begin, by column: names that go over several rows push those of the next to the right.
    const starts = [], over = [];
    for (const row of table.querySelectorAll('tbody tr:not(.group)')) {
      let column = 0;
      for (const cell of row.children) {
        while ((over[column] || 0) > 0) over[column++] -= 1;
        const text = cell.tagName === 'TH' && cell.querySelector('.v, .none');
        if (text && text.getClientRects().length) {
          const left = text.getClientRects()[0].left;
          starts[column] ??= left;
          if (Math.abs(left - starts[column]) > 1)
            found.push(`${name(table).slice(0, 60)}: ${name(text)} begins beside its column's others`);
        }
        over[column] = cell.rowSpan - 1;
        column += 1;
      }
    }
  }
  const hidden = (e) => e.closest('.skip, .off, details:not([open]) > :not(summary)');
  const scrolls = (e) => {
    for (let p = e; p && p !== document.body; p = p.parentElement) {
      const x = getComputedStyle(p).overflowX;
      if (x === 'auto' || x === 'scroll') return true;
    }
    return false;
  };
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  for (const e of document.body.querySelectorAll('*')) {
    if (e.closest('svg') || !own(e) || hidden(e) || !e.checkVisibility()) continue;
    const style = getComputedStyle(e), r = e.getBoundingClientRect();
    if ((style.overflowX === 'hidden' || style.overflowX === 'clip') && e.scrollWidth > e.clientWidth + 1)
      found.push(`${name(e)} is cut at its side`);
    if ((style.overflowY === 'hidden' || style.overflowY === 'clip') && e.scrollHeight > e.clientHeight + 1)
      found.push(`${name(e)} is cut at its foot`);
    if (style.textOverflow === 'ellipsis') found.push(`${name(e)} may end in an ellipsis`);
    if ((r.right > root.clientWidth + 1 || r.left < -1) && !scrolls(e))
      found.push(`${name(e)} stands out of the window`);
  }
  for (const e of document.body.querySelectorAll('*:not(svg *)'))
    if (e.tabIndex < 0 && e.scrollWidth > e.clientWidth + 1 && scrolls(e) && !scrolls(e.parentElement))
      found.push(`${name(e)} scrolls and can't be reached by keyboard`);
  return [...new Set(found)];
}
"""


@dataclass(slots=True)
class Look:
    """A page in a window, and what happened while it was there."""

    page: Page
    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def clean(self) -> None:
        """Fail where it asked for anything but itself, or said anything on the console."""
        assert self.requests == [], "the page asks for something outside"
        assert self.messages == [], "the page says something on the console"


@contextmanager
def opened(
    browser: Browser, path: Path, *, width: int, scheme: Scheme = "light", script: bool = False
) -> Iterator[Look]:
    """The page in a window of its own; every request but the one for the page itself is stopped and noted."""
    context = browser.new_context(
        viewport={"width": width, "height": _HEIGHT}, color_scheme=scheme, java_script_enabled=script
    )
    try:
        page = context.new_page()
        look = Look(page)

        def route(asked: Route) -> None:
            if asked.request.url == path.as_uri():
                asked.continue_()
            else:
                look.requests.append(asked.request.url)
                asked.abort()

        context.route("**/*", route)
        page.on("console", lambda message: look.messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: look.messages.append(str(error)))
        page.on("dialog", lambda dialog: look.messages.append(f"dialog: {dialog.message}"))
        page.goto(path.as_uri())
        yield look
    finally:
        context.close()


def defects(page: Page) -> list[str]:
    """What is wrong with a page as it is shown now; empty where nothing is."""
    return cast("list[str]", page.evaluate(_DEFECTS))


@cache
def _axe() -> str:
    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def axe_violations(page: Page) -> list[str]:
    """What axe-core finds (https://github.com/dequelabs/axe-core), contrast apart; the page loads nothing for it."""
    return _axe_found(page, {"rules": {"color-contrast": {"enabled": False}}})


def contrast_violations(page: Page) -> list[str]:
    """Texts without enough contrast, by axe-core; of rows and entries that look alike the first few stay."""
    page.evaluate(_PRUNED)
    return _axe_found(page, {"runOnly": {"type": "rule", "values": ["color-contrast"]}})


_PRUNED = """
() => {
  for (const e of document.querySelectorAll('details')) e.open = true;
  for (const e of document.querySelectorAll('tbody > tr:nth-child(n+4), tbody:nth-of-type(n+4), li:nth-child(n+6)'))
    e.remove();
}
"""


def _axe_found(page: Page, options: dict[str, Any]) -> list[str]:
    page.evaluate(_axe())
    found = page.evaluate("(options) => axe.run(document, {...options, resultTypes: ['violations']})", options)
    return [
        f"{each['id']}: {each['help']} ({len(each['nodes'])}): {each['nodes'][0]['html'][:160]} "
        f"{each['nodes'][0].get('failureSummary', '')[:200]}"
        for each in found["violations"]
    ]
