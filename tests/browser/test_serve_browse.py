"""The pair browser in Chromium, against the real server: browsing, filters, keys, differences, hostile texts, looks."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from browser.conftest import WIDTHS
from browser.following import enter, follow
from evenhand.records import Completion, Pair, Presentation
from evenhand.web.app import create_app
from evenhand.web.served import open_runs
from evenhand.web.server import address_of, bound
from hostile import SENTINELS, TEN_MEGABYTES, short_texts
from web.made_runs import OUTCOMES, make_run, said, small_run

NAMES = list(OUTCOMES)
SAME = " ".join(f"The argument number {n} is the same in both." for n in range(12))


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A server over some runs, and the tokens that still open it."""

    base: str
    tokens: list[str]

    def link(self) -> str:
        return f"{self.base}/?token={self.tokens[-1]}"


@contextmanager
def serving(*runs: Path, cache: Path) -> Iterator[Site]:
    with bound("127.0.0.1", 0) as listening:
        tokens = ["first"]
        port = listening.getsockname()[1]
        app = create_app(
            open_runs(runs, cache=cache), token=tokens[0], port=port, parts=("browse",), announce=tokens.append
        )
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield Site(base=address_of(listening, "").partition("/?")[0], tokens=tokens)
        server.should_exit = True
        thread.join(30)


def long_answer(pair: Pair, presentation: Presentation) -> Completion:
    more = "quite" if presentation.order == "AB" else "hardly"
    return said(f"{SAME} A is {more} convincing. {SAME} [[A]]")


def hostile_answer(pair: Pair, presentation: Presentation) -> Completion:
    return replace(said(f"{pair.instruction} [[A]] {pair.response_b}"), note=pair.response_a, served=pair.source)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    pairs = [Pair(id=f"long-{n}", instruction="Which?", response_a="one", response_b="two") for n in range(120)]
    runs = (small_run(folder / "small"), make_run(folder / "long", pairs, long_answer))
    with serving(*runs, cache=folder / "cache") as made:
        yield made


@dataclass(slots=True)
class Watched:
    """A page, and what it must not do."""

    page: Page
    problems: list[str] = field(default_factory=list)


@contextmanager
def opened(chromium: Browser, site: Site, **options: object) -> Iterator[Page]:
    """A page that came in by the link; a request elsewhere, a dialog, or an error of the console fails the test."""
    context = chromium.new_context(**options)  # type: ignore[arg-type]
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: problems.append(request.url) if not request.url.startswith((site.base, "data:,")) else None,
    )
    page.on("dialog", lambda dialog: (problems.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.goto(site.link())
    assert "token" not in page.url
    yield page
    context.close()
    assert problems == []


def test_a_session_is_the_browsers_own_and_no_script_reads_it(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as page:
        assert page.url == f"{site.base}/"
        assert page.evaluate("document.cookie") == ""
        cookie = page.context.cookies()[0]
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    other = chromium.new_context()
    page = other.new_page()
    answer = page.goto(f"{site.base}/r/0/")
    assert answer is not None
    assert answer.status == 403
    assert "lock-first" not in page.content()
    other.close()


def test_from_the_list_to_a_pair_and_back(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as page:
        follow(page.get_by_role("link", name="small"))
        follow(page.get_by_role("link", name=re.compile("Flip: first slot")))
        follow(page.get_by_role("link", name=re.compile(r"generated \d")))
        assert page.locator("table.list tbody tr").count() == 2
        listed = page.url
        follow(page.locator("a.open").first)
        assert page.locator("h1").inner_text() == "lock-first"
        orders = page.locator(".orders article")
        assert "First slot: response A" in orders.nth(0).inner_text()
        assert orders.nth(1).locator("h4").first.inner_text().startswith("First slot: response B")
        assert page.locator(".orders mark").all_inner_texts() == ["[[A]]", "[[A]]"]
        follow(page.get_by_role("link", name="Next"))
        assert page.get_by_role("link", name="Next").count() == 0
        follow(page.get_by_role("link", name="← List"))
        assert page.url == listed
        page.go_back()
        page.go_back()
        assert page.locator("h1").inner_text() == "lock-first"


def test_filters_tell_their_counts_and_live_in_the_address(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as page:
        page.goto(f"{site.base}/r/0/")
        value = page.locator("a.value", has_text="Tie in both orders")
        count = value.locator(".count").inner_text()
        follow(value)
        assert page.locator(".total strong").inner_text() == count == "2"
        assert "relation=both-tie" in page.url
        address = page.url
        page.get_by_role("searchbox").fill("two-ties")
        enter(page.get_by_role("searchbox"))
        assert "relation=both-tie" in page.url
        assert "q=two-ties" in page.url
        page.go_back()
        assert page.url == address
        follow(page.get_by_role("link", name="Clear all"))
        assert page.locator(".total strong").inner_text() == "28"
    with opened(chromium, site) as another:
        another.goto(address)
        assert another.locator(".total strong").inner_text() == count


def test_pages_of_a_long_list(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as page:
        page.goto(f"{site.base}/r/1/")
        first = page.locator("a.open").all_inner_texts()
        follow(page.get_by_role("link", name="Next"))
        second = page.locator("a.open").all_inner_texts()
        assert len(first) == len(second) == 50
        follow(page.get_by_role("link", name="Previous"))
        assert page.locator("a.open").all_inner_texts() == first


def test_everything_works_by_keys(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as page:
        page.goto(f"{site.base}/r/1/?readout=generated")
        focused = "document.activeElement.textContent"
        page.keyboard.press("j")
        assert page.evaluate(focused) == "long-0"
        page.keyboard.press("j")
        assert page.evaluate(focused) == "long-1"
        page.keyboard.press("k")
        page.keyboard.press("Enter")
        page.wait_for_url("**/pair/0?**")
        page.keyboard.press("j")
        page.wait_for_url("**/pair/1?**")
        page.keyboard.press("k")
        page.wait_for_url("**/pair/0?**")
        page.keyboard.press("u")
        page.wait_for_url("**/r/1/?**")
        page.keyboard.press("n")
        page.wait_for_url("**after=**")
        page.keyboard.press("p")
        page.wait_for_url("**before=**")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "q"
        page.keyboard.type("j?n")  # in a field keys are letters
        assert page.get_by_role("searchbox").input_value() == "j?n"
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        assert page.get_by_role("dialog").is_visible()
        page.get_by_label("Keys are on").uncheck()
        page.get_by_role("button", name="Close").click()
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") != "q"
        page.reload()
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") != "q"


def test_the_difference_folds_what_is_the_same(chromium: Browser, site: Site) -> None:
    with opened(chromium, site) as page:
        page.goto(f"{site.base}/r/1/pair/0?c=0&o=generated")
        shown = page.locator(".diff")
        assert [text.split()[2:] for text in shown.locator("del").all_inner_texts()] == [["⟦A⟧"], ["quite"], ["⟦A⟧"]]
        assert [text.split()[2:] for text in shown.locator("ins").all_inner_texts()] == [["⟦B⟧"], ["hardly"], ["⟦B⟧"]]
        assert shown.locator("details.fold").count() == 2
        assert not shown.locator("details.fold p").first.is_visible()
        page.keyboard.press("d")
        assert shown.locator("details.fold p").first.is_visible()
        page.keyboard.press("d")
        assert not shown.locator("details.fold p").first.is_visible()
        follow(page.get_by_role("link", name="Compare as written"))
        assert "⟦" not in page.locator(".diff").inner_text()


def test_all_of_it_works_without_script(chromium: Browser, site: Site) -> None:
    with opened(chromium, site, java_script_enabled=False) as page:
        follow(page.get_by_role("link", name="small"))
        follow(page.locator("a.value", has_text="Flip: second slot"))
        page.get_by_role("searchbox").fill("lock-second")
        follow(page.get_by_role("button", name="Search"))
        assert page.locator(".total strong").inner_text() == "2"
        follow(page.locator("a.open").first)
        assert page.locator("h1").inner_text() == "lock-second"
        page.locator("summary", has_text="The prompt as sent").first.click()
        assert page.locator(".orders details[open]").count() >= 1


def test_no_hostile_text_runs_loads_or_breaks_anything(chromium: Browser, tmp_path: Path) -> None:
    texts = list(short_texts().values())
    pairs = [
        Pair(
            id=f"{text} {n}",
            instruction=text,
            response_a=text,
            response_b=texts[n - 1],
            source=texts[n % 9],
            author_a=text,
            metadata=((text, text),),
        )
        for n, text in enumerate(texts)
    ]
    run = make_run(tmp_path / "<img src=x onerror=alert(1)>", pairs, hostile_answer)
    check: Callable[[Page], object] = lambda page: page.evaluate(  # noqa: E731
        "names => names.filter(name => name in window)", list(SENTINELS)
    )
    with serving(run, cache=tmp_path / "cache") as site, opened(chromium, site) as page:
        for url in ("/r/0/", "/r/0/?sort=id", *(f"/r/0/pair/{n}?c=0&o=generated" for n in range(len(pairs)))):
            page.goto(f"{site.base}{url}")
            assert check(page) == []
            assert page.locator("main h1").count() == 1
            assert page.evaluate("getComputedStyle(document.body).display") == "block"
        page.evaluate("document.querySelectorAll('*').forEach(e => e.dispatchEvent(new Event('mouseover')))")
        assert check(page) == []


def test_ten_megabytes_make_a_page_of_a_bounded_size(chromium: Browser, tmp_path: Path) -> None:
    pair = Pair(id="big", instruction="x" * TEN_MEGABYTES, response_a="y " * (TEN_MEGABYTES // 2), response_b="z")
    run = make_run(tmp_path / "run", [pair], lambda pair, presentation: said("w " * (TEN_MEGABYTES // 2) + "[[A]]"))
    with serving(run, cache=tmp_path / "cache") as site, opened(chromium, site) as page:
        page.goto(f"{site.base}/r/0/pair/0?c=0&o=generated")
        assert len(page.content()) < 1_000_000
        assert "further characters are not shown" in page.locator("main").inner_text()
        assert page.locator(".orders mark").first.inner_text() == "[[A]]"
        with page.expect_download() as saved:
            page.get_by_role("link", name="Save the whole text").first.click()
        assert Path(saved.value.path()).stat().st_size == TEN_MEGABYTES


PAGES = {
    "runs": "/",
    "list": "/r/0/",
    "list-filtered": "/r/1/?readout=generated&q=long&relation=flip-first&sort=pull",
    "pair": f"/r/0/pair/{NAMES.index('lock-first')}?c=0&o=generated",
    "pair-changed": f"/r/0/pair/{NAMES.index('same')}?c=1&o=first-token",
    "pair-broken": f"/r/0/pair/{NAMES.index('broken')}?c=0&o=generated",
    "pair-long": "/r/1/pair/3?c=0&o=generated",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_every_width_and_everybody(chromium: Browser, site: Site, shots: Path, scheme: str) -> None:
    with opened(chromium, site, color_scheme=scheme) as page:
        for name, path in PAGES.items() if scheme == "light" else [(name, PAGES[name]) for name in ("list", "pair")]:
            page.goto(f"{site.base}{path}")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.screenshot(path=shots / f"serve-{name}-{width}-{scheme}.png", full_page=True)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            found = Axe().run(page)
            assert found.violations_count == 0, f"{name}, {scheme}: {found.generate_report()}"


def test_an_error_page_is_accessible_too(chromium: Browser, site: Site) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{site.base}/r/0/")
    assert Axe().run(page).violations_count == 0
    assert page.locator("h1").inner_text() == "This page can't be shown"
    context.close()
