import base64
import hashlib
import re

import pytest

from evenhand.report.study.html import render_study_html
from evenhand.report.study.view import build_study_view
from report.study.examples import make_empty, make_study
from report.test_html import Page, check_safe


def text_of(source):
    return " ".join("".join(Page(source).text).split())


def test_page_is_self_contained_and_its_policy_allows_only_its_style(study_view):
    source = render_study_html(study_view)
    page = check_safe(source)
    style = re.search(r"<style>(.*?)</style>", source, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(v for tag, name, v in page.attributes if tag == "meta" and name == "content" and "default-src" in v)
    assert policy.startswith("default-src 'none'")
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_hostile_text_stays_text(hostile_study_view):
    source = render_study_html(hostile_study_view)
    check_safe(source)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", source)
    assert len(source) < 1_500_000


def test_reader_finds_verdict_figures_tables_methods_notes_terms_and_command(study_view):
    source = render_study_html(study_view)
    order = (
        "verdict",
        "table-summary",
        "figures",
        "tables",
        "table-leaderboard",
        "methods",
        "notes",
        "terms",
        "reproduce",
    )
    positions = [source.index(f'id="{part}"') for part in order]
    assert positions == sorted(positions)
    for part in (
        "! Length sways this judge",
        "evenhand audit pairs.jsonl",
        "+12.0 pp",
        "25/60",
        "Change of the share of choices.",
        "left out",
    ):
        assert part in text_of(source)


def test_every_table_and_figure_is_there_once_and_named_for_those_who_hear_the_page(study_view):
    source = render_study_html(study_view)
    page = Page(source)
    assert page.tags.count("table") == page.tags.count("caption") == len(study_view.tables) == 2
    assert page.tags.count("svg") == page.tags.count("figure") == 3
    assert page.tags.count("desc") == 3
    assert "needs at least 5 clusters, has 3" in re.search(r"<desc[^>]*>(.*?)</desc>", source, re.DOTALL).group(1)
    assert set(page.values("scope")) <= {"col", "row", "rowgroup"}


def test_every_colour_of_a_series_follows_light_and_dark(study_view):
    source = render_study_html(study_view)
    drawn = [tag for tag in re.findall(r"<(?:path|use|g)\b[^>]*>", source) if "#0072b2" in tag]
    assert drawn
    assert all("generated" in tag for tag in drawn)


@pytest.mark.parametrize("part", ["figures", "tables", "methods", "notes", "terms"])
def test_a_part_without_content_is_neither_there_nor_linked(part):
    source = render_study_html(build_study_view(make_empty()))
    page = check_safe(source)
    if part != "terms":
        assert part not in page.values("id")
        assert f"#{part}" not in page.values("href")
    assert "<pre>" not in source


def test_same_study_same_bytes():
    assert render_study_html(build_study_view(make_study())) == render_study_html(build_study_view(make_study()))
