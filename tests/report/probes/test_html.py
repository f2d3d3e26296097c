import re

from evenhand.report.probes.html import render_html
from evenhand.report.probes.view import build_probe_view
from report.test_html import Page, check_safe


def test_page_is_self_contained(view):
    page = check_safe(render_html(view))
    policy = next(v for tag, name, v in page.attributes if tag == "meta" and name == "content" and "default-src" in v)
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_hostile_text_stays_text(hostile_view):
    source = render_html(hostile_view)
    check_safe(source)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", source)
    assert len(source) < 1_500_000


def test_reader_finds_verdict_figures_tables_methods_notes_and_command(view):
    source = render_html(view)
    text = " ".join("".join(Page(source).text).split())
    order = ("The probe ranks flips", "Figures", "Tables", "How it was made", "Notes", "Terms", "Reproduce")
    positions = [source.index(f">{part}") for part in order]
    assert positions == sorted(positions)
    for part in ("evenhand probe fit runs/qwen --seed 0", "579 of 620", "shuffled", "70d244cc86ccca08"):
        assert part in text


def test_every_table_and_figure_is_there_once(view):
    page = Page(render_html(view))
    assert page.tags.count("table") == page.tags.count("caption") == len(view.tables)
    assert page.tags.count("svg") == 4
    assert set(page.values("scope")) <= {"col", "row", "rowgroup"}


def test_same_view_same_bytes_and_a_page_without_a_command(view, report):
    assert render_html(view) == render_html(view)
    bare = render_html(build_probe_view(report))
    assert "<pre>" not in bare
    assert "fig-gain" not in bare
