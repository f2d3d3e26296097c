"""The figure: the same report gives the same bytes; hostile names stay labels; nothing to draw is said beforehand."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from evenhand.report.triage_figure import caption, has_figure, triage_svg, write_triage_figure
from report.triage_reports import triage_report


def triage_figure(report, directory, *, form="svg"):
    (path,) = write_triage_figure(report, directory, formats=[form])
    assert path == directory / f"triage.{form}"
    return path.read_bytes()


def test_a_curve_for_every_usable_score_and_the_promises(tmp_path):
    report = triage_report()
    assert has_figure(report)
    first = triage_figure(report, tmp_path / "a")
    assert first == triage_figure(report, tmp_path / "b")
    root = ET.fromstring(first)  # noqa: S314 - made by matplotlib in this process
    texts = " ".join("".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text"))
    for name in ("probe", "confidence", "small-margin", "random", "with a promise: 5 %, 10 %, 20 %", "flips missed"):
        assert name in texts
    assert "combined" not in texts


def test_other_formats(tmp_path):
    assert triage_figure(triage_report(), tmp_path, form="png").startswith(b"\x89PNG")
    assert triage_figure(triage_report(), tmp_path, form="pdf").startswith(b"%PDF")


def test_one_budget_is_no_curve():
    assert not has_figure(triage_report(budget=0.3))
    assert has_figure(triage_report(max_missed=0.1))


def test_on_a_page_it_has_words_and_ids_of_its_own():
    report = triage_report()
    element = triage_svg(report)
    assert element.startswith("<svg")
    assert "style=" not in element
    assert 'id="fig-budgets-desc"' in element
    assert "Open diamonds" in caption(report)
    assert "Open diamonds" not in caption(replace(report, guarantees=()))
