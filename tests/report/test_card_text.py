from html.parser import HTMLParser

from markdown_it import MarkdownIt

from evenhand.report.card import build_card, card_markdown, validate_card
from evenhand.report.card_text import card_rows
from evenhand.report.model import Answers

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
    for part in ("44.8 %", "26/58", "fewer than 30 clusters (12)", "not measured", "“ A” 50", "seed"):
        assert part in text


def test_hostile_card_is_valid_and_its_markdown_renders_as_text(hostile_view):
    validate_card(hostile_view.card)
    text = card_markdown(hostile_view.card)
    text.encode("utf-8")
    html = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(text)
    assert _Tags(html).tags <= ALLOWED
    assert html.count("<table>") == 2
    assert html.count("<tr>") == len(card_rows(hostile_view.card)) + 2, "a row each, and two headings"


def test_rows_of_no_card():
    assert card_rows({}) == ()


def test_resamples_are_named_only_where_there_was_a_bootstrap(view):
    intervals = view.card["intervals"]
    assert "2,000 resamples" in dict(card_rows(view.card))["intervals"]
    robust = {**view.card, "intervals": {**intervals, "methods": ["Wilson score"], "resamples": None}}
    validate_card(robust)
    assert dict(card_rows(robust))["intervals"] == "95 %; Wilson score; clusters are question groups"


def test_unknown_compliance_is_said_once(view):
    refusal = {"refused": "compliance is unknown: no log probabilities", "n": 0}
    condition = {**view.card["conditions"][0], "compliance": {"pairs": refusal, "presentations": refusal}}
    rows = dict(card_rows({**view.card, "conditions": [condition]}))
    name = condition["id"]
    assert rows[f"{name}: compliance"] == "— (compliance is unknown: no log probabilities)"


def test_percent_at_a_cell_s_start_is_not_taken_for_a_list(view):
    assert "| \\" not in card_markdown(view.card)


def test_rows_tell_prefill_design_budget_and_models(remedied, budgeted, designed, manifest, audit, counts):
    assert dict(card_rows(remedied.card()))["single-character, A/B: prefill"].startswith("“")
    rows = dict(card_rows(designed.card()))
    assert rows["designed: criteria=after, labels=1/2: design"] == "criteria=after, labels=1/2"
    text = card_markdown(budgeted.card())
    assert "text asked of | 50.0 % of the pairs, drawn at random" in text
    assert "(prediction-powered: text of 30 of 60 pairs)" in text
    answers = Answers(answered=3, served=(("m|1", 2), ("m-2", 1)))
    served = card_markdown(build_card(manifest, audit, counts=counts, answers=answers))
    assert r"answered by | m\|1 (2 answers); m-2 (1 answers)" in served
