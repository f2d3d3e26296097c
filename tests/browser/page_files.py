"""Every kind of page that the package writes, each from a run or a report that is cheap to make."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import evenhand
from audits.history_examples import history
from evenhand.records import LabelSet
from evenhand.report.probes.write import write_probe_report
from evenhand.report.studies.simulation import simulation_study
from evenhand.report.study.write import write_study
from evenhand.report.triage import write_triage
from evenhand.store.history_file import add_entry
from evenhand.workflow.compare import compare_runs
from evenhand.workflow.history import show_history
from evenhand.workflow.readout_choice import ReadoutChoice
from evenhand.workflow.simulate_figures import FigureSettings
from evenhand.workflow.simulate_settings import PowerSettings
from report.probes.examples import make_predictions, make_report, make_transfer
from report.studies.judge_examples import many_judges
from report.triage_reports import hostile_triage, triage_report
from workflow.drift_runs import failed, make_run
from workflow.human_labels import human_labels
from workflow.people_runs import people_run
from workflow.ranked_runs import ranked_run

__all__ = ["HOSTILE", "PAGES", "PageFiles"]

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "</style></title><svg onload=alert(1)><a href='https://example.com/'>x</a>",
    "\u202eright to left\u202c \x1b[31mred\x1b[0m \x00 null",
    "a" * 400,
    "名前の長い裁判官" * 12,
    "مقارنة الحكم " * 8,
    "e\u0301\u0302\u0303 " * 60,
    "{{ 7 * 7 }} {% raw %} &lt;b&gt; &#x3c;",
)
"""Texts that try to become markup, to reorder or hide others, or to push a page wide."""

_SLOW = 200  # resamples: pages are looked at here, not their figures


class PageFiles:
    """Makes each page once, and the runs below them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._made: dict[str, Path] = {}

    def page(self, name: str) -> Path:
        """The HTML file of a page."""
        return self.once(name, lambda: PAGES[name](self))

    def folder(self, name: str) -> Path:
        """A folder of the page's own."""
        path = self._root / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def run(self, name: str, judge: str = "simulated:position=0.4", **settings: object) -> Path:
        """A finished run."""
        return self.once(f"run {name}", lambda: make_run(self._root / "runs" / name, judge, **settings))  # type: ignore[arg-type]

    def once(self, name: str, make: Callable[[], Path]) -> Path:
        """What was made under a name, or is made now."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]


def _rich(files: PageFiles) -> Path:
    return files.run(
        "rich",
        "simulated:position=1.2,compliance=0.8,refusal=0.04,unparsed=0.05,tie=0.1,repeat_noise=0.3,tone=1,sycophancy=1",
        pairs=30,
        repeat=10,
        labels=(LabelSet(first="A", second="B"), LabelSet(first="X", second="Y")),
        biases=("tone", "sycophancy"),
        resamples=_SLOW,
    )


def _hybrid(files: PageFiles) -> Path:
    return files.run(
        "hybrid", "simulated:compliance=0.6,position=0.5", pairs=24, readout=ReadoutChoice.HYBRID, resamples=_SLOW
    )


def _log(folder: Path, *, orders: tuple[str, ...], hostile: bool) -> Path:
    """A log of other people's verdicts, whose every text is hostile where asked for."""
    lines = []
    for number in range(len(HOSTILE) * 3):
        bad = HOSTILE[number % len(HOSTILE)] if hostile else f"text {number}"
        for order in orders:
            row = {
                "pair_id": f"{_name(bad)[:60]} {number}",
                "order": order,
                "text": f"The better answer is {'A' if number % 3 else 'B'}. {bad}",
                "preference": "A" if (order == "AB") == bool(number % 2) else "B",
                "gold": "A",
                "source": _name(bad),
                "condition": _name(HOSTILE[(0, 2, 7)[number % 3]]) if hostile else "table",
                "instruction": bad,
                "response_a": bad * 3,
                "response_b": bad,
                "model": HOSTILE[1] if hostile else "judge",
            }
            lines.append(json.dumps(row))
    path = folder / "log.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _name(text: str) -> str:
    """What a log may call a thing: one with control characters is refused with its row and field."""
    return "".join(c for c in text if c >= " ")


def _imported(files: PageFiles, name: str, *, orders: tuple[str, ...], hostile: bool) -> Path:
    folder = files.folder(name)
    log = _log(folder, orders=orders, hostile=hostile)
    run = evenhand.import_log("table", log, out=folder / "run", resamples=_SLOW)
    return run.write_report(folder / "report").html


def _audit_page(run: Path) -> Path:
    return evenhand.open_run(run, resamples=_SLOW).write_report().html


def _failed(files: PageFiles) -> Path:
    target = files.folder("failed") / "run"
    return _audit_page(failed(files.run("plain", pairs=12), target))


def _half(files: PageFiles) -> Path:
    target = files.folder("half") / "run"
    return _audit_page(failed(files.run("plain", pairs=12), target, fails=lambda p: p.pair_id.startswith("a")))


def _judges(files: PageFiles) -> Path:
    runs = [files.run("steady", repeat=8, pairs=30), files.run("leaning", "simulated:position=2.5", pairs=30)]
    made = evenhand.report_runs([*runs, _rich(files)], resamples=_SLOW)
    return made.write_report(files.folder("judges")).html


def _many_judges(files: PageFiles) -> Path:
    return write_study(files.folder("many-judges"), many_judges(14)).html


def _comparison(files: PageFiles) -> Path:
    old, new = files.run("steady", repeat=8, pairs=30), files.run("leaning", "simulated:position=2.5", pairs=30)
    made = compare_runs(old, new, tolerances={"flip_rate": 0.1}, resamples=_SLOW)
    return write_study(files.folder("comparison"), made.study()).html


def _ranking(files: PageFiles) -> Path:
    run = files.once("run ranked", lambda: ranked_run(files.folder("ranked") / "run"))
    return write_study(files.folder("ranking"), evenhand.rank_authors(run, resamples=100).study()).html


def _humans(files: PageFiles) -> Path:
    run = files.once("run ranked", lambda: ranked_run(files.folder("ranked") / "run"))
    labels = human_labels(files.folder("humans") / "labels.jsonl")
    return write_study(files.folder("humans"), evenhand.compare_with_humans(run, labels, resamples=_SLOW).study()).html


def _labelled(files: PageFiles, page: str) -> Path:
    """A report of a run that people labelled: three of them, one with markup for a name."""
    run = files.once("run labelled", lambda: people_run(files.folder("labelled") / "run"))
    written = evenhand.open_run(run, resamples=_SLOW).write_report(files.folder("labelled") / "report")
    return written.html.with_name(page)


def _mitigation(files: PageFiles) -> Path:
    run = files.once("run ranked", lambda: ranked_run(files.folder("ranked") / "run"))
    return write_study(files.folder("mitigation"), evenhand.mitigate(run, resamples=_SLOW).study()).html


def _biases(files: PageFiles) -> Path:
    return evenhand.biases(_rich(files), resamples=_SLOW).write_report(files.folder("biases")).html


def _gate(files: PageFiles) -> Path:
    made = evenhand.check_gates(files.run("leaning", "simulated:position=2.5", pairs=30), ["flip_rate<=.1"])
    return write_study(files.folder("gate"), made.study()).html


def _history(files: PageFiles) -> Path:
    folder = files.folder("history")
    path = folder / "history.jsonl"
    for entry in history(0.1, 0.12, None, 0.3):
        add_entry(path, entry)
    return write_study(folder, show_history(path).study()).html


def _power(files: PageFiles) -> Path:
    from evenhand.report.studies.power import power_study

    made = evenhand.simulate_power(PowerSettings(question="flip-rate", effect=0.1))
    return write_study(files.folder("power"), power_study(made)).html


def _simulation(files: PageFiles) -> Path:
    made = evenhand.simulate_figures(FigureSettings(pairs=40, runs=5, seed=2))
    return write_study(files.folder("simulation"), simulation_study(made)).html


def _probes(files: PageFiles) -> Path:
    return write_probe_report(files.folder("probes"), make_report(), make_predictions()).html


def _transfer(files: PageFiles) -> Path:
    return write_probe_report(files.folder("transfer"), make_transfer(), make_predictions()).html


def _triage(files: PageFiles, name: str, **asked: object) -> Path:
    return write_triage(files.folder(name), triage_report(**asked), command="evenhand triage RUN").html  # type: ignore[arg-type]


PAGES: Mapping[str, Callable[[PageFiles], Path]] = {
    "audit": lambda files: _audit_page(_rich(files)),
    "audit-hybrid": lambda files: _audit_page(_hybrid(files)),
    "audit-hostile": lambda files: _imported(files, "hostile", orders=("AB", "BA"), hostile=True),
    "audit-one-order": lambda files: _imported(files, "one-order", orders=("AB",), hostile=False),
    "audit-labelled": lambda files: _labelled(files, "report.html"),
    "audit-failed": _failed,
    "audit-incomplete": _half,
    "biases": _biases,
    "comparison": _comparison,
    "gate": _gate,
    "history": _history,
    "humans": _humans,
    "judge-and-humans": lambda files: _labelled(files, "judge-and-humans.html"),
    "judges": _judges,
    "judges-many": _many_judges,
    "mitigation": _mitigation,
    "power": _power,
    "probes": _probes,
    "probes-transfer": _transfer,
    "ranking": _ranking,
    "simulation": _simulation,
    "triage": lambda files: _triage(files, "triage"),
    "triage-budget": lambda files: _triage(files, "triage-budget", budget=0.3),
    "triage-hostile": lambda files: write_triage(files.folder("triage-hostile"), hostile_triage(*HOSTILE)).html,
}
"""By name; each makes its page and returns its HTML file."""
