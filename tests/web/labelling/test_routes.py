"""The pages of labelling: blind, durable, one's own, and whole without script."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evenhand.records import Order, Preference
from evenhand.store.label_store import LabelStore
from evenhand.store.label_store_records import Choice
from evenhand.workflow.labelling_settings import LabelSettings
from web.labelling.served import SETTINGS, Annotator, annotator, served
from workflow.labelled_runs import plain_pairs, unjudged_run

# What no byte of a labelling page may hold: identity, authorship, source, ids, judge, run and file names.
SECRETS = (
    "secret-source", "secret-author", "secret-judge", "secret:judge", "id-of-", "run-of-gpt", "labels.sqlite",
    "shown_order", "verdict", "gold",
)  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> Path:
    pairs = [replace(pair, gold=Preference.A) for pair in plain_pairs(8)]
    return unjudged_run(tmp_path / "run-of-gpt", pairs)


@pytest.fixture
def app(run: Path) -> Any:
    return served(run)


def events(run: Path) -> Any:
    return LabelStore(run / "labels.sqlite", create=False).events()


def everything(one: Annotator) -> str:
    """All bytes of the last answer, and what the browser sends with the next request."""
    answers = [*one.page.history, one.page]
    parts = [str(answer.url) for answer in answers]
    parts += [f"{name}: {value}" for answer in answers for name, value in answer.headers.items()]
    parts += [f"{cookie.name}={cookie.value}{cookie.path}" for cookie in one.client.cookies.jar]
    return "\n".join([*parts, *(answer.text for answer in answers)])


def test_no_byte_of_a_labelling_page_tells_where_a_response_comes_from(app: Any, run: Path) -> None:
    ann = annotator(app)
    pages = [everything(ann)]
    ann.enter("Ann")
    pages.append(everything(ann))
    for choice in ("first", "tie", "skip", "second", "first", "first", "first", "first"):
        ann.say(choice, note="n")
        pages.append(everything(ann))
    assert ann.address == "/label/done"
    for path in ("/label/", "/label/done", "/label/mine", "/label/agreement", "/label/p/nothing", "/label/nothing"):
        ann.get(path)
        pages.append(everything(ann))
    mine = ann.get("/label/mine")
    ann.get(re.findall(r'href="(/label/p/[^"]+)"', mine)[0])
    pages.append(everything(ann))
    assert len(pages) == 17
    assert sum("Text alpha" in page for page in pages) >= 9  # the texts themselves are there
    for page in pages:
        for secret in SECRETS:
            assert secret not in page.lower(), secret
    for name in ("/static/label/label.js", "/static/label/label.css"):
        assert not [secret for secret in SECRETS if secret in ann.client.get(name).text]
    assert len(events(run)) == 8


def test_an_error_names_no_run_or_file(app: Any, run: Path) -> None:
    ann = annotator(app)
    ann.enter("Ann")
    address, hidden = ann.address, ann.hidden()
    (run / "labels.sqlite").write_bytes(b"damaged" * 2000)
    ann.post(address, choice="first", **hidden)
    assert ann.page.status_code == 500
    assert "The labels are damaged or no label store" in ann.page.text
    assert not [secret for secret in SECRETS if secret in everything(ann)]


def test_responses_stand_where_the_order_drawn_puts_them(app: Any, run: Path) -> None:
    ann = annotator(app)
    text = ann.enter("Ann")
    seen = {}
    while ann.address != "/label/done":
        first, second = re.findall(r"Text (alpha|beta) \d+", text)
        token = ann.address.rpartition("/")[2]
        seen[token] = "AB" if (first, second) == ("alpha", "beta") else "BA"
        text = ann.say("first")
    states = LabelStore(run / "labels.sqlite").states()
    assert {state.showing.token: str(state.showing.shown_order) for state in states} == seen
    assert set(seen.values()) == {"AB", "BA"}
    for event in events(run):
        assert event.preference is (Preference.A if event.showing.shown_order is Order.AB else Preference.B)


def test_a_label_is_recorded_with_all_that_was_said(app: Any, run: Path) -> None:
    ann = annotator(app)
    ann.enter("Ann")
    ann.say("skip", confidence="3", note="=why\r\nnot")
    (event,) = events(run)
    assert (event.choice, event.confidence, event.note, event.annotator) == (Choice.SKIP, 3, "=why\nnot", "Ann")
    assert 0 <= event.seconds < 60


@pytest.mark.parametrize("choice", ["", "third", "A"])
def test_no_answer_is_no_label(app: Any, run: Path, choice: str) -> None:
    ann = annotator(app)
    ann.enter("Ann")
    ann.say(choice)
    assert ann.page.status_code == 400
    assert "No label was recorded" in ann.page.text
    assert events(run) == ()


def test_a_form_sent_twice_is_one_label(app: Any, run: Path) -> None:
    ann = annotator(app)
    ann.enter("Ann")
    address, hidden = ann.address, ann.hidden()
    ann.say("first")
    after = ann.address
    ann.post(address, choice="first", **hidden)
    assert ann.address == after
    assert [event.choice for event in events(run)] == [Choice.FIRST]


def test_another_answer_after_the_browsers_way_back_is_recorded(app: Any, run: Path) -> None:
    """A browser that keeps a page, or its fields, sends the form under the name that it had at first."""
    ann = annotator(app)
    ann.enter("Ann")
    address, hidden = ann.address, ann.hidden()
    ann.say("first")
    ann.post(address, choice="second", **hidden)
    first, change = events(run)
    assert (first.choice, change.choice) == (Choice.FIRST, Choice.SECOND)
    assert first.showing == change.showing


def test_a_wrong_token_records_nothing(app: Any, run: Path) -> None:
    ann = annotator(app)
    ann.enter("Ann")
    ann.csrf = "wrong"
    ann.say("first")
    assert ann.page.status_code == 403
    assert events(run) == ()


def test_back_shows_the_pair_before_with_what_was_said_and_keeps_both(app: Any, run: Path) -> None:
    ann = annotator(app)
    ann.enter("Ann")
    first = ann.address
    ann.say("first", confidence="1", note="unsure")
    back = re.search(r'id="back" href="([^"]+)"', ann.page.text)
    assert back is not None
    assert back[1] == first
    text = ann.get(first)
    assert re.search(r'value="first"[^>]*class="chosen"', text)
    assert 'value="1" checked' in text
    assert ">unsure</textarea>" in text
    assert 'id="back"' not in text
    ann.say("tie")
    assert ann.address != first
    assert [event.choice for event in events(run)] == [Choice.FIRST, Choice.TIE]
    assert ann.get("/label/mine").count("as good") == 1


def test_it_goes_on_where_it_stopped_after_a_restart(run: Path) -> None:
    ann = annotator(served(run))
    ann.enter("Ann")
    ann.say("first")
    open_pair, jar = ann.address, ann.client.cookies.jar
    app = served(run)
    again = annotator(app)
    for cookie in jar:
        if cookie.name.startswith("evenhand-label"):
            again.client.cookies.jar.set_cookie(cookie)
    assert "You label as Ann" in again.get("/label/")
    again.post("/label/next")
    assert again.address == open_pair
    # In a browser that was never here the name is enough.
    other = annotator(app)
    other.enter("ann")
    assert other.address == open_pair


def test_another_s_pair_cannot_be_seen_or_labelled(app: Any, run: Path) -> None:
    ann, bob = annotator(app), annotator(app)
    ann.enter("Ann")
    bob.enter("Bob")
    bob.get(ann.address)
    assert bob.page.status_code == 404
    bob.post(ann.address, choice="first", **ann.hidden())
    assert bob.page.status_code == 404
    stranger = annotator(app)
    stranger.get(ann.address)
    assert stranger.address == "/label/"
    stranger.post(ann.address, choice="first", **ann.hidden())
    assert stranger.page.status_code == 403
    assert events(run) == ()


def test_leaving_forgets_who_it_was(app: Any) -> None:
    ann = annotator(app)
    ann.enter("Ann")
    ann.post("/label/leave")
    assert "Your name" in ann.page.text
    assert not [cookie for cookie in ann.client.cookies.jar if cookie.name.startswith("evenhand-label")]


@pytest.mark.parametrize("name", ["", "=1+1", "x" * 61])
def test_a_name_that_cannot_be_one_is_said(app: Any, name: str) -> None:
    ann = annotator(app)
    text = ann.enter(name)
    assert ann.page.status_code == 400
    assert 'role="alert"' in text
    assert 'id="name"' in text


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(app: Any) -> None:
    ann = annotator(app)
    ann.enter("Ann")
    (cookie,) = [each for each in ann.page.history[0].headers.get_list("set-cookie") if "label" in each]
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    assert "path=/label" in cookie.lower()


def test_long_texts_are_cut_alike_and_more_is_a_link_away(tmp_path: Path) -> None:
    pairs = [replace(plain_pairs(1)[0], response_a="a" * 10_000_000, response_b="b" * 30_000)]
    ann = annotator(served(unjudged_run(tmp_path / "run", pairs)))
    text = ann.enter("Ann")
    assert len(text) < 60_000
    assert "9,980,000 more characters" in text
    assert "10,000 more characters" in text
    more = re.search(r'href="(\?chars=\d+)#response-1"', text)
    assert more is not None
    text = ann.get(f"{ann.address.partition('?')[0]}{more[1]}")
    assert "9,800,000 more characters" in text
    assert "b" * 30_000 in text
    for odd in ("?chars=-1", "?chars=9999999999999999", "?chars=x", "?chars=²"):
        assert len(ann.get(f"{ann.address.partition('?')[0]}{odd}")) < 60_000


def test_hostile_texts_are_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\u202e\x1b[31m\x00{{ 7*7 }}\r\n\ttab"
    pairs = [replace(plain_pairs(1)[0], instruction=evil, response_a=evil, response_b=f"{evil}\ud800")]
    ann = annotator(served(unjudged_run(tmp_path / "run", pairs)))
    text = ann.enter("Ann")
    assert ann.page.status_code == 200
    assert "<script>alert" not in text
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;[U+202E][U+001B][31m[U+0000]{{ 7*7 }}\n\ttab") == 3
    assert "[U+D800]" in text


def test_a_pair_that_changed_meanwhile_takes_no_label(run: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.sqlite"
    ann = annotator(served(run, labels=labels))
    ann.enter("Ann")
    address, hidden = ann.address, ann.hidden()
    changed = [replace(pair, response_b=f"{pair.response_b}!") for pair in plain_pairs(8)]
    again = annotator(served(unjudged_run(tmp_path / "new", changed), labels=labels))
    again.enter("Ann")
    again.post(address, choice="first", **hidden)
    assert again.page.status_code == 410
    assert again.get(address).count("other texts by now") == 1
    assert LabelStore(labels).events() == ()


def test_several_annotators_share_what_the_settings_say(run: Path) -> None:
    app = served(run, settings=LabelSettings(seed=1, overlap=0.25, repeats=0))
    people = [annotator(app) for _ in range(3)]
    for number, one in enumerate(people):
        one.enter(f"Person {number}")
    for _ in range(8):
        for one in people:
            if one.address.startswith("/label/p/"):
                one.say("first")
    assert all(one.address == "/label/done" for one in people)
    pairs = [event.showing.pair_id for event in events(run)]
    assert len(pairs) == 2 * 3 + 6
    assert SETTINGS.overlap == 0.5
