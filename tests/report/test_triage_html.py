"""The page of a triage: lead, figure, tables, methods; every sentence leads to the table that has its figures."""

import re
from dataclasses import replace

import pytest

from evenhand.report.study.markdown import study_markdown
from evenhand.report.triage_html import render_triage_html
from evenhand.report.triage_view import build_triage_view
from hostile import control_characters, short_texts
from report.studies.tied import has_figures
from report.test_html import Page, check_safe
from report.triage_reports import hostile_triage, saved_policy, triage_report


def page_of(report, **more):
    return render_triage_html(build_triage_view(report, **more), report)


def test_the_reader_finds_verdict_figure_tables_methods_notes_terms_and_command_in_this_order():
    source = page_of(triage_report(), command="evenhand triage RUN", created="2026-11-30T07:10:00Z")
    order = ("verdict", "figures", "figure-budgets", "tables", "table-budgets", "table-guarantees", "methods", "notes")
    places = [source.index(f'id="{part}"') for part in (*order, "terms", "reproduce")]
    assert places == sorted(places)
    page = check_safe(source)
    assert page.tags.count("svg") == page.tags.count("figure") == page.tags.count("desc") == 1
    assert page.tags.count("table") == page.tags.count("caption") == 6
    assert "<pre>evenhand triage RUN</pre>" in source
    assert "2026-11-30 07:10 UTC" in source
    heard = re.search(r"<desc[^>]*>(.*?)</desc>", source, re.DOTALL).group(1)
    missed = triage_report().point("probe", 0.3).missed.value
    assert f"30.0 % swapped, {missed * 100:.1f} % missed" in heard


def test_without_a_curve_there_is_no_figure_and_the_first_table_follows_the_lead():
    source = page_of(triage_report(budget=0.3))
    assert "figure-budgets" not in source
    assert source.index('id="table-budgets"') < source.index('id="tables"')


@pytest.mark.parametrize(
    "report",
    [
        triage_report(),
        triage_report(budget=0.3),
        triage_report(max_missed=0.1),
        triage_report(useless=True, seconds=False),
        triage_report(useless=True, max_missed=0.1),
        triage_report(score="random", authors=False),
        replace(triage_report(max_missed=0.2), policy=saved_policy(), policy_swaps=0.4, use="evenhand audit …"),
    ],
    ids=["all", "budget", "promise", "useless", "useless-promise", "random", "policy"],
)
def test_every_sentence_leads_to_a_place_of_the_page(report):
    view = build_triage_view(report)
    page = Page(page_of(report))
    said = [view.headline.basis, *(claim.basis for claim in (*view.headline.more, *view.headline.steps))]
    assert None not in said
    assert page.values("class").count("basis") == len(said)
    assert {basis.anchor for basis in said} <= set(page.values("id"))
    for claim in (*view.headline.more, *view.headline.steps):
        table = view.table(claim.basis.anchor.removeprefix("table-"))
        assert table is None or has_figures(table, claim.text), claim
    text = " ".join("".join(page.text).replace("\u00a0", " ").split())
    assert all(basis.name in text for basis in view.numbers.values())


@pytest.mark.parametrize("name", short_texts())
def test_hostile_texts_are_inert_on_the_page_and_in_markdown(name):
    text = short_texts()[name]
    report = hostile_triage(text)
    view = build_triage_view(report, command=text, created=text)
    source = render_triage_html(view, report)
    # As texts these are nothing: the policy allows one style sheet, told by its hash.
    check_safe(source.replace("url(", "").replace("@import", ""))
    assert not control_characters(source)
    assert not control_characters(study_markdown(view))
    source.encode("utf-8")


def test_markup_in_a_command_is_shown_as_text():
    source = page_of(triage_report(hostile=True), command="<script>alert(1)</script>")
    check_safe(source)
    assert "&lt;script&gt;alert(1)" in source
