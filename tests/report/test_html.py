import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from evenhand.report.html import render_html
from evenhand.report.pair_example import excerpt_of, passage_of
from evenhand.report.view import build_view
from evenhand.store import PlanCounts

VOID = {"meta", "br", "path", "use", "rect", "line", "circle"}


class Page(HTMLParser):
    """What a browser would meet: elements, attributes, ids, and whether tags close in order."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.stack: list[str] = []
        self.text: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.stack.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]


def check_safe(source: str) -> Page:
    page = Page(source)
    assert not page.stack, "every element is closed"
    assert not {"script", "iframe", "object", "embed", "link", "img", "form", "base", "foreignobject"} & set(page.tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name in ("style", "srcdoc")]
    for name in ("href", "src", "xlink:href", "action", "data", "poster"):
        assert all(value.startswith(("#", "data:image/")) for value in page.values(name))
    assert page.tags.count("style") == 1
    assert not re.search(r"url\((?!#)", source)
    assert "@import" not in source
    ids = page.values("id")
    assert len(ids) == len(set(ids)), "ids are unique over the page and its figures"
    targets = {value[1:] for value in page.values("href")}
    targets |= {word for value in page.values("aria-labelledby") for word in value.split()}
    targets |= set(re.findall(r"url\(#([^)]+)\)", source))
    assert targets <= set(ids), "every reference has its target"
    source.encode("utf-8")
    return page


def test_page_is_self_contained_and_its_policy_allows_only_its_style(view):
    source = render_html(view)
    page = check_safe(source)
    style = re.search(r"<style>(.*?)</style>", source, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(v for tag, name, v in page.attributes if tag == "meta" and name == "content" and "default-src" in v)
    assert policy.startswith("default-src 'none'")
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_hostile_text_stays_text(hostile_view):
    source = render_html(hostile_view)
    page = check_safe(source)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", source)
    assert len(source) < 1_500_000, "a name of a million characters is cut"
    assert "alert(1)" not in "".join(v for _, name, v in page.attributes if name in ("href", "src"))


def test_same_input_same_bytes(view):
    assert render_html(view) == render_html(view)


def test_reader_finds_verdict_figures_tables_notes_card_and_command(view):
    source = render_html(view)
    text = " ".join("".join(Page(source).text).split())
    order = ("Position bias found", "Figures", "Tables", "Notes", "Disclosure card", "Reproduce")
    positions = [source.index(f">{part}") for part in order]
    assert positions == sorted(positions)
    for part in ("evenhand audit --judge llamacpp:smollm2-135m", "seed", "treats pairs as independent", "25/60"):
        assert part in text
    assert "Excluded, 1: longer than the context of 4,096 tokens." in text
    assert "p < 1e-300" in text


def test_tables_and_figures_are_announced(view):
    page = Page(render_html(view))
    tables = [table for table in view.tables if table.id != "pairs"]
    assert page.tags.count("table") == page.tags.count("caption") == len(tables) + len(view.pairs)
    assert set(page.values("scope")) == {"col", "row", "rowgroup"}
    assert page.tags.count("svg") == 4
    assert page.values("class").count("skip") == 1
    assert "en" in page.values("lang")


@pytest.mark.parametrize("errors", [250, 13])
def test_failed_calls_show_no_passing_grade(manifest, audit, errors):
    counts = PlanCounts(planned=250, finished=250 - errors, errors=errors)
    source = render_html(build_view(manifest, audit, counts=counts))
    assert 'class="verdict steady"' not in source
    assert f"{errors} of 250 calls failed" in source or f"{errors} ended in an error" in source


def test_a_condition_heads_its_rows_and_is_not_repeated_in_them(view):
    source = render_html(view)
    table = re.search(r'<table id="table-summary".*?</table>', source, re.DOTALL).group(0)
    assert len(re.findall(r'<th scope="rowgroup" colspan="5">', table)) == 2
    assert table.count("A/B") == table.count("X/Y") == 1
    assert table.count("<tbody>") == 2


def test_names_break_inside_words_only_where_a_word_is_too_long(manifest, audit, counts):
    assert 'class="sub long"' not in render_html(build_view(manifest, audit, counts=counts))
    css = render_html(build_view(manifest, audit, counts=counts))
    assert re.search(r"th\.long, \.long \{[^}]*overflow-wrap: anywhere", css)
    name = "w" * 60
    findings = tuple(replace(f, condition=name) for f in audit.findings[:2])
    conditions = (replace(manifest.conditions[0], id=name),)
    long = replace(manifest, conditions=conditions, label_tokens=())
    assert 'class="head long"' in render_html(build_view(long, replace(audit, findings=findings), counts=counts))


def test_how_intervals_were_made_stands_once_at_each_table(view):
    text = "".join(Page(render_html(view)).text).replace("\u00a0", " ")
    assert text.count("Intervals: 95 %") == sum(1 for table in view.tables if table.intervals)


def test_long_tables_wait_behind_their_names(many_designs, view_of):
    view = view_of(many_designs)
    source = render_html(view)
    page = check_safe(source)
    folded = [table for table in view.tables if table.folded]
    assert page.values("class").count("folded") == len(folded) > 5
    assert f"Main figures ({len(view.table('summary').rows)} rows)" in "".join(page.text)
    assert source.index('id="table-design"') < source.index('id="table-summary"')


@pytest.mark.parametrize("name", ["remedied", "budgeted", "designed"])
def test_runs_of_every_kind_make_safe_pages(name, request, view_of):
    check_safe(render_html(view_of(request.getfixturevalue(name))))


def test_bias_audits_are_a_section_of_the_page(biased):
    written = biased.write_report()
    source = written.html.read_text(encoding="utf-8")
    page = check_safe(source)
    text = "".join(page.text)
    assert {"biases", "table-biases-comparisons", "table-biases-sycophancy"} <= set(page.values("id"))
    assert "Biases beside order" in text
    assert "! Bias is shown in" in text
    assert (written.html.parent / "biases.html").is_file()
    for figure in (written.html.parent / "figures").iterdir():
        assert figure.suffix == ".svg"
    assert "Biases beside order" not in render_html(replace(written.view, study=None, numbers={}))


def claims_of(headline):
    return (*headline.trust, *headline.doubt, *headline.steps, *headline.more)


def check_bases(view):
    """Every sentence of the headline has a basis, each leads to a place of the page, and is called as that is."""
    page = Page(render_html(view))
    heads = [view.headline, *([view.study.headline] if view.study else [])]
    claims = [claim for head in heads for claim in claims_of(head)]
    assert claims
    assert all(claim.basis is not None for claim in claims)
    assert all(head.basis is not None for head in heads)
    assert {claim.basis.anchor for claim in claims} <= set(page.values("id"))
    assert page.values("class").count("basis") == len(claims) + len(heads)
    text = " ".join("".join(page.text).replace("\u00a0", " ").split())
    for basis in view.numbers.values():
        assert basis.name in text
    return page


@pytest.mark.parametrize("name", ["remedied", "budgeted", "designed", "many_designs", "biased"])
def test_every_sentence_is_tied_to_a_figure_or_table_of_the_page(name, request):
    run = request.getfixturevalue(name)
    view = run.view()
    page = check_bases(view)
    titles = {f"table-{table.id}" for table in view.tables}
    captions = {basis.name for anchor, basis in view.numbers.items() if anchor in titles}
    assert {f"Table {index}" for index in range(1, len(captions) + 1)} == captions
    assert "figure-outcomes" in page.values("id") or name == "many_designs"


@pytest.mark.parametrize("errors", [0, 13, 250])
@pytest.mark.parametrize("pending", [0, 250])
def test_sentences_on_what_is_missing_are_tied_too(manifest, audit, errors, pending):
    finished = max(250 - errors - pending, 0)
    counts = PlanCounts(planned=250, finished=finished, errors=errors, pending=250 - errors - finished)
    check_bases(build_view(manifest, audit, counts=counts))


def test_the_page_says_first_what_to_trust_then_what_not_then_what_to_do(view):
    source = render_html(view)
    parts = ("What you can trust", "What you can’t", "What to do next", "More findings", 'id="figures"', 'id="tables"')
    order = [source.index(part) for part in (*parts, 'id="pairs"', 'id="notes"')]
    assert order == sorted(order)
    assert re.search(r'<details class="more"><summary>More findings \(\d+\)', source)


def test_biases_stand_before_the_tables_and_in_the_headline(biased):
    view = biased.view()
    source = render_html(view)
    assert source.index('id="figures"') < source.index('id="biases"') < source.index('id="tables"')
    shown = [claim for claim in view.headline.doubt if claim.text.startswith("Bias is shown: ")]
    assert shown
    assert {claim.basis.anchor for claim in shown} <= {"figure-biases", "table-biases-comparisons"}
    in_section = [view.study.headline.basis, *(claim.basis for claim in claims_of(view.study.headline))]
    assert {basis.name for basis in in_section} >= {"Table B1"}
    assert {basis.anchor for basis in in_section} <= set(view.numbers)
    assert "Table B1" in "".join(Page(source).text)


def test_pairs_show_texts_verdicts_and_the_decisive_words(view):
    source = render_html(view)
    page = check_safe(source)
    section = source[source.index('id="pairs"') : source.index('id="notes"')]
    assert "The <mark>better response is A</mark>, as it is right." in section
    assert section.count('<article class="pair">') == len(view.pairs) == 2
    assert "[1,200 more characters]" in section
    assert "The run holds no texts of this pair." in section
    assert section.count('dir="auto"') == 5
    assert page.tags.count("mark") == 1


def test_hostile_texts_of_a_pair_are_neither_obeyed_nor_hidden(view, hostile):
    pair = replace(
        view.pairs[0],
        instruction=passage_of(hostile),
        response_a=passage_of(f"\u202e{hostile}\u05d0\u05d1"),
        answer_ab=excerpt_of(hostile, span=(0, 3)),
    )
    source = render_html(replace(view, pairs=(pair,)))
    check_safe(source)
    assert "[U+202E]" in source
    assert "\u05d0\u05d1" in source or len(hostile) > 2_000
    assert len(source) < 400_000


def test_a_table_of_many_columns_is_printed_across_the_page(biased, view):
    source = render_html(biased.view())
    style, body = source.split("</style>")
    assert "@page wide { size: A4 landscape" in style
    assert ".wide { page: wide; }" in style
    assert "details::details-content" in style[style.index("@media print") :]
    for block in body.split('<div class="block')[1:]:
        table = re.search(r"<table.*?</table>", block, re.DOTALL).group(0)
        columns = len(re.findall(r'scope="col"', table)) + (1 if 'class="group"' in table else 0)
        assert block.startswith(" wide") is (columns > 11), columns
    assert '<div class="block wide">' in body
    assert '<div class="block wide">' not in render_html(view)
