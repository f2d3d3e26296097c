"""Hostile text end to end: a run of it, every surface that shows the run, and a browser with scripts and no policy."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser
from rich.console import Console
from typer.testing import CliRunner

from browser.hostile_run import hostile_pairs, make_hostile_run, read_json, write_labels
from evenhand.cli.main import app
from evenhand.report.probes.terminal import print_probe_report
from evenhand.report.probes.write import write_probe_report
from evenhand.report.triage import print_triage, write_triage
from evenhand.store import Journal
from hostile import FORMULAS, LATEX, MARK, MARKUP, SENTINELS, TERMINAL, control_characters, short_texts
from report.probes.examples import make_hostile, make_predictions
from report.test_html import Page
from report.triage_reports import hostile_triage


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("hostile"))


class Made:
    """The runs, the commands' outputs, and the files that they left."""

    def __init__(self, root: Path) -> None:
        self.root, self.shown = root, {}
        self.run = make_hostile_run(root / "runs" / "one")
        other = make_hostile_run(root / "runs" / "two", number=1)
        labels = write_labels(root / "labels.csv")
        gates = root / "gates.toml"
        gates.write_text("max_flip_rate = 0.1\n")
        history = root / "history.jsonl"
        for name, words in {
            "report": ["report", self.run, "--resamples", "100"],
            "compare": ["compare", self.run, other, "--resamples", "100"],
            "rank": ["rank", self.run, "--resamples", "100"],
            "mitigate": ["mitigate", self.run, "--resamples", "100"],
            "humans": ["humans", self.run, "--labels", labels, "--resamples", "100"],
            "gate": ["gate", self.run, "--gates", gates],
            "biases": ["biases", self.run],
            "history add": ["history", "add", history, self.run],
            "history show": ["history", "show", history],
        }.items():
            done = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "120", "TERM": "dumb"})
            self.shown[name] = f"{done.output}\n{done.exception or ''}"
        self._of_probes()

    def _of_probes(self) -> None:
        """What a triage and a fitted probe leave: every name of theirs a text of the corpus, in turn."""
        texts = [*short_texts().values()]
        for number, start in enumerate(range(0, len(texts), 12)):
            written = hostile_triage(*texts[start : start + 12])
            write_triage(self.root / "triage" / str(number), written, command=texts[start])
            self.shown[f"triage {number}"] = self._printed(partial(print_triage, written))
        for number, text in enumerate((MARKUP["script"], TERMINAL["title"], FORMULAS["equals"], LATEX["input"])):
            fitted = make_hostile(text)
            predictions = make_predictions(fitted)
            write_probe_report(self.root / "probes" / str(number), fitted, predictions, command=text)
            self.shown[f"probe {number}"] = self._printed(partial(print_probe_report, fitted))

    @staticmethod
    def _printed(show: Callable[[Console], None]) -> str:
        console = Console(file=io.StringIO(), width=120)
        show(console)
        return console.file.getvalue()  # type: ignore[attr-defined]

    def files(self, *suffixes: str) -> list[Path]:
        return [path for path in sorted(self.root.rglob("*")) if path.suffix in suffixes and path.is_file()]


def test_the_reports_were_made(made: Made) -> None:
    pages = {path.name for path in made.files(".html")}
    assert {"report.html", "comparison.html", "gate.html"} <= pages
    assert "triage.html" in pages
    assert len(pages) >= 6
    assert (made.root / "probes" / "0" / "report.html").exists()
    text = (made.run / "report.html").read_text()
    assert MARK in text


def test_the_terminal_gets_no_control_of_anyone_else(made: Made) -> None:
    for name, shown in made.shown.items():
        assert control_characters(shown) == [], name
        assert "\x1b]" not in shown, name


def test_the_journal_has_every_text_as_it_was(made: Made) -> None:
    with Journal.open(made.run, read_only=True) as journal:
        assert journal.pairs() == hostile_pairs()
        texts = [entry.completion.text or "" for entry in journal.completions() if entry.completion is not None]
    assert max(map(len, texts)) == 10_000_000
    assert any("\ud800" in text for text in texts)


def test_nothing_runs_in_a_browser_that_allows_scripts(made: Made, chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=True, bypass_csp=True)
    for path in made.files(".html"):
        page = context.new_page()
        seen: list[str] = []
        page.on("dialog", lambda dialog, seen=seen: (seen.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda message, seen=seen: seen.append(f"console {message.text}"))
        page.on("pageerror", lambda error, seen=seen: seen.append(f"error {error}"))
        page.on(
            "request",
            lambda request, seen=seen: request.url.startswith(("file:", "data:image/")) or seen.append(request.url),
        )
        page.goto(path.as_uri(), wait_until="load")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.mouse.move(300, 300)
        page.keyboard.press("Tab")
        page.wait_for_timeout(50)
        assert seen == [], path
        assert page.evaluate(f"{list(SENTINELS)}.filter((name) => name in window)") == [], path
        found = page.evaluate(
            """() => [...document.querySelectorAll('*')].flatMap((e) => [
                ...(['script', 'iframe', 'object', 'embed', 'link', 'img', 'form', 'base', 'foreignobject', 'audio',
                     'video', 'animate', 'set'].includes(e.localName.toLowerCase()) ? [e.localName] : []),
                ...[...e.attributes].filter((a) => a.name.startsWith('on') || a.name === 'srcdoc'
                     || (['href', 'src', 'action', 'xlink:href'].includes(a.name) && !a.value.startsWith('#')
                         && !a.value.startsWith('data:image/'))).map((a) => `${e.localName} ${a.name}=${a.value}`)])"""
        )
        assert found == [], path
        hidden = page.evaluate(
            "(document.body.innerText.match(/[\\u202a-\\u202e\\u2066-\\u2069\\u200b]/g) || []).length"
        )
        assert hidden == 0, path
        page.close()
    context.close()


def test_markdown_is_no_markup_to_a_reader_that_allows_html(made: Made) -> None:
    reader = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table")
    files = made.files(".md")
    assert files
    for path in files:
        page = Page(reader.render(path.read_text(encoding="utf-8")).replace("<br>", " ").replace("<hr />", " "))
        assert not {"script", "img", "iframe", "svg", "style", "form", "details", "base", "meta"} & set(page.tags), path
        assert [value for value in page.values("href") if not value.startswith("#")] == [], path
        assert [name for _, name, _ in page.attributes if name.startswith("on")] == [], path


def test_no_cell_of_a_csv_is_a_formula(made: Made) -> None:
    files = made.files(".csv")
    number = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")
    for path in files:
        if path.name == "labels.csv":
            continue
        for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")):
            for cell in row:
                assert cell[:1] not in tuple("=+-@\t\r\n") or not cell or number.fullmatch(cell), (path, cell[:80])
                assert control_characters(cell) == [], (path, cell[:80])


def test_latex_holds_no_command_from_data(made: Made) -> None:
    files = made.files(".tex")
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        for command in ("input", "include", "write", "immediate", "openout", "catcode", "def"):
            assert not re.search(rf"(?<!textbackslash\{{\}})\\{command}\b", text), (path, command)
        assert text.count(r"\end{document}") == 0, path
        assert text.count(r"\begin{tabular") == text.count(r"\end{tabular"), path
        assert "^^" not in text, path


def test_json_is_json_and_holds_nothing_hidden(made: Made) -> None:
    files = made.files(".json")
    assert files
    for path in files:
        read_json(path)
        text = path.read_text(encoding="utf-8")
        assert (
            not re.search(r"[\u202a-\u202e\u2066-\u2069\u200b\x7f-\x9f]|\\ud[89a-f]", text) or path.name == "run.json"
        ), path


def test_figures_are_xml_without_anything_foreign(made: Made) -> None:
    files = made.files(".svg")
    assert files
    for path in files:
        for element in ElementTree.fromstring(path.read_text(encoding="utf-8")).iter():  # noqa: S314 - our own figures
            name = str(element.tag).rpartition("}")[2].lower()
            assert name not in ("script", "foreignobject", "image", "animate", "set", "iframe", "a"), path
            for attribute, value in element.attrib.items():
                local = attribute.rpartition("}")[2]
                assert not local.startswith("on"), path
                assert local != "href" or value.startswith("#"), path


def test_every_file_lies_where_it_was_asked_for(made: Made) -> None:
    outside = [path for path in made.root.parent.rglob("*") if made.root not in (path, *path.parents)]
    assert not [path for path in outside if MARK in path.name]
    for path in made.root.rglob("*"):
        assert path.name.isprintable()
        assert MARK not in path.name, "no text of the data names a file"
        assert path.resolve().is_relative_to(made.root.resolve())
