"""A real ``evenhand serve`` in a process of its own, and browsers of annotators who come in by its links."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Response

from browser.following import follow
from browser.looking import Scheme
from evenhand.store.label_store import LabelStore
from evenhand.store.label_store_records import LabelEvent

SECONDS = 60


class Desk:
    """The server. ``stop`` ends it by SIGKILL, ``start`` begins it again on the same files."""

    def __init__(self, run: Path, *words: str, labels: Path | None = None) -> None:
        self.labels = labels or run / "labels.sqlite"
        self._words = [str(run), *words, *(("--labels", str(labels)) if labels else ()), "--label-seed", "1"]
        self._cache = run.parent / "cache"
        self._links: Queue[str] = Queue()
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "evenhand", "serve", *self._words, "--no-browser", "--cache", str(self._cache)]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_environment()
        )
        self._reader = Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if "?token=" in line:
                self._links.put(line[line.index("http") :].strip())

    def link(self) -> str:
        """The next link; each works once."""
        return self._links.get(timeout=SECONDS)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join(SECONDS)
        assert self._process.stdout is not None
        self._process.stdout.close()
        while not self._links.empty():
            self._links.get_nowait()

    def events(self) -> tuple[LabelEvent, ...]:
        """What is on the disk."""
        return LabelStore(self.labels, create=False).events()


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}


@contextmanager
def desk_of(run: Path, *words: str, labels: Path | None = None) -> Iterator[Desk]:
    desk = Desk(run, *words, labels=labels)
    try:
        yield desk
    finally:
        desk.stop()


@dataclass(slots=True)
class Sitting:
    """An annotator's browser, and everything that went through it."""

    context: BrowserContext
    page: Page
    base: str
    outside: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    answers: list[Response] = field(default_factory=list)

    def open(self, path: str) -> None:
        self.page.goto(f"{self.base}{path}")

    def enter(self, name: str) -> None:
        self.open("/label/")
        self.page.get_by_label("Your name").fill(name)
        follow(self.page.get_by_role("button", name="Begin"))
        self.page.wait_for_selector("#answers")
        self.page.wait_for_load_state()

    def press(self, key: str) -> None:
        """A key that brings another page, and wait for it."""
        self.page.wait_for_load_state()  # keys are heard once the page's script is there
        with self.page.expect_navigation():
            self.page.keyboard.press(key)

    @property
    def token(self) -> str:
        return self.page.url.partition("?")[0].rpartition("/")[2]

    def clean(self) -> None:
        assert self.outside == [], self.outside
        assert self.messages == [], self.messages


@contextmanager
def sitting(
    browser: Browser, desk: Desk, *, width: int = 1280, scheme: Scheme = "light", script: bool = True, **more: Any
) -> Iterator[Sitting]:
    """A browser that came in by the next link."""
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=script, **more
    )
    try:
        link = desk.link()
        base = link.partition("/?")[0]
        found = Sitting(context=context, page=context.new_page(), base=base)
        found.page.on("request", lambda request: None if _own(request.url, base) else found.outside.append(request.url))
        found.page.on("console", lambda message: found.messages.append(f"{message.type}: {message.text}"))
        found.page.on("pageerror", lambda error: found.messages.append(str(error)))
        found.page.on("dialog", lambda dialog: found.messages.append(f"dialog: {dialog.message}"))
        found.page.on("response", lambda answer: found.answers.append(answer))
        found.page.goto(link)
        yield found
    finally:
        context.close()


def _own(url: str, base: str) -> bool:
    return url.startswith((f"{base}/", "data:"))
