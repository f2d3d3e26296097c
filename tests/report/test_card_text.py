from html.parser import HTMLParser

from markdown_it import MarkdownIt

from evenhand.report.card import card_markdown, validate_card
from evenhand.report.card_text import card_rows

ALLOWED = {"h1", "table", "thead", "tbody", "tr", "th", "td", "p", "code"}


class _Tags(HTMLParser):
    def __init__(self, source):
        super().__init__()
        self.tags = set()
        self.feed(source)

    def handle_starttag(self, tag, _attrs):
        self.tags.add(tag)


def test_markdown_is_short_and_says_the_figures(view):
    text = card_markdown(view.card)
    assert len(text.splitlines()) < 40
    for part in ("44.8 %", "26/58", "fewer than 30 clusters (12)", "noise was not measured", "“ A” 50", "seed"):
        assert part in text


def test_hostile_card_is_valid_and_its_markdown_renders_as_text(hostile_view):
    validate_card(hostile_view.card)
    text = card_markdown(hostile_view.card)
    text.encode("utf-8")
    html = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(text)
    assert _Tags(html).tags <= ALLOWED
    assert html.count("<tr>") == len(card_rows(hostile_view.card)) + 1


def test_rows_of_no_card():
    assert card_rows({}) == ()
