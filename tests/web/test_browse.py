"""The pages over a small run, asked as a browser asks them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from evenhand.records import Completion, Pair, Presentation
from evenhand.store import Journal
from evenhand.workflow.imported import import_log
from hostile import CONTROLS, MARK, short_texts
from web.made_runs import OUTCOMES, client, make_run, said, small_pairs, small_run

NAMES = list(OUTCOMES)
OF_A_PAIR = "table thead tbody tr td th article mark del ins h3 h4 h5 code dl dt dd strong"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("browse")
    with client(small_run(folder / "run"), cache=folder / "cache") as made:
        yield made


def pair_url(name: str, more: str = "&c=0&o=generated") -> str:
    return f"/r/0/pair/{NAMES.index(name)}?{more[1:]}"


def links(body: str) -> list[str]:
    return [html.unescape(found) for found in re.findall(r'href="([^"]*)"', body)]


def test_every_link_of_every_page_leads_to_a_page(browser: TestClient) -> None:
    seen: set[str] = set()
    waiting = ["/r/0/", pair_url("same"), pair_url("broken")]
    while waiting and len(seen) < 150:
        url = waiting.pop(0)
        if url in seen:
            continue
        seen.add(url)
        answer = browser.get(url)
        assert answer.status_code == 200, url
        if answer.headers["content-type"].startswith("text/html") and len(seen) < 40:
            waiting += [link.partition("#")[0] for link in links(answer.text) if link.startswith("/")]
    assert len(seen) > 60


def test_one_run_opens_at_once_and_several_are_listed(browser: TestClient, tmp_path: Path) -> None:
    assert browser.get("/", follow_redirects=False).headers["location"] == "/r/0/"
    runs = [small_run(tmp_path / name) for name in ("one", "two")]
    with client(*runs, cache=tmp_path / "cache") as several:
        body = several.get("/").text
        assert "one" in body
        assert 'href="/r/1/"' in body
        assert several.get("/r/1/").status_code == 200
        assert several.get("/r/2/").status_code == 404
        pair = several.get("/r/1/pair/0?c=0&o=generated").text
        assert "The same pair in the other runs" in pair
        assert 'href="/r/0/pair/0' in pair


def test_a_list_shows_counts_rows_and_what_is_on(browser: TestClient) -> None:
    body = browser.get("/r/0/?relation=flip-first&readout=generated&condition=0").text
    assert re.search(r"<strong>1</strong> of 28 rows", body)
    assert "lock-first" in body
    assert "lock-second" not in body
    assert "Both orders together: Flip: first slot in both orders" in body
    assert "Nothing matches" in browser.get("/r/0/?q=no-such-word").text


def test_a_pair_shows_both_orders_and_what_decided(browser: TestClient) -> None:
    body = browser.get(pair_url("lock-first")).text
    assert body.index("First slot: response A") < body.index("First slot: response B")
    assert body.count("[[A]]</mark>") == 2
    assert "Flip (first slot)" in body
    assert "Repeat 1" in body
    assert "endorsement=user:B" in body
    assert "⟦A⟧" in body
    assert (
        "⟦A⟧" not in browser.get(pair_url("lock-first", "&c=0&o=generated&diff=written")).text.split("Compared as")[1]
    )
    assert "the endpoint said no" in browser.get(pair_url("broken")).text


def test_texts_are_saved_and_never_shown_raw(browser: TestClient) -> None:
    base = f"/r/0/pair/{NAMES.index('same')}/text"
    pair = small_pairs()[NAMES.index("same")]
    for name, text in (
        ("instruction", pair.instruction),
        ("response-a", pair.response_a),
        ("response-b", pair.response_b),
        ("answer-0", "A is short and B is long. [[A]]"),
        ("prompt-0-0", f"{pair.instruction}\n\nA: {pair.response_a}\nB: {pair.response_b}"),
    ):
        answer = browser.get(f"{base}/{name}")
        assert answer.text == text
        assert answer.headers["content-disposition"].startswith("attachment;")
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    for name in (
        "answer-99",
        "answer-",
        "answer-0-0",
        "prompt-0",
        "prompt-0-9",
        "answer-٣",
        "x",
        "answer--1",
        "run.json",
    ):
        assert browser.get(f"{base}/{name}").status_code == 404
    broken = f"/r/0/pair/{NAMES.index('broken')}/text/answer-0"
    assert browser.get(broken).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/r/0/pair/99",
        "/r/0/pair/99999999999999999999999",
        "/r/7/",
        "/r/-1/",
        "/r/0/pair/x",
        "/r/0/pair/0?c=99",
        "/nothing",
        "/r/0/pair/0?c=%D9%A3&o=generated&x=1&c=99",
        "/r/..%2f..%2fetc/passwd",
        "/r/0/pair/0/text/..%2f..%2frun.json",
    ],
)
def test_what_is_not_there_is_one_line(browser: TestClient, path: str) -> None:
    answer = browser.get(path)
    assert answer.status_code == 404
    assert "can't be shown" in answer.text
    assert "Traceback" not in answer.text


def test_wild_parameters_do_no_harm(browser: TestClient) -> None:
    for query in (
        "after=x",
        "ab=nope",
        "sort=;",
        "q=%00%ff%F0%9F",
        "c=-1",
        "o=x",
        "page=9",
        "after=1e308:5&sort=pull",
        "=",
        "&&&",
        "q=" + "a" * 5000,
    ):
        assert browser.get(f"/r/0/?{query}").status_code == 200
        assert browser.get(f"/r/0/pair/0?{query}").status_code == 200


def test_a_run_that_grows_is_read_again_on_request(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run", unanswered=1, changed=False, repeats=0)
    with client(run, cache=tmp_path / "cache") as made:
        assert "has changed since" not in made.get("/r/0/").text
        with Journal.open(run) as journal:
            journal.record(journal.pending_keys()[0], said("[[A]]"))
        body = made.get("/r/0/").text
        assert "has changed since" in body
        token = re.search(r'name="csrf" value="([^"]+)"', body)
        assert token is not None
        assert made.post("/r/0/refresh").status_code == 403
        assert made.get("/r/0/refresh").status_code == 405
        answer = made.post("/r/0/refresh", data={"csrf": token[1]}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/r/0/")
        assert "has changed since" not in made.get("/r/0/").text


def test_no_hostile_text_becomes_markup_anywhere(tmp_path: Path) -> None:
    texts = list(short_texts().values())

    def answer(pair: Pair, presentation: Presentation) -> Completion:
        return replace(said(f"{pair.instruction} [[A]] {pair.response_b}"), note=pair.response_a, served=pair.source)

    pairs = [
        Pair(
            id=f"{text} {n}", instruction=text, response_a=text, response_b=text, source=texts[n % 5],
            author_a=text, author_b=text, metadata=((text, text),),
        )
        for n, text in enumerate(texts)
    ]  # fmt: skip
    folder = tmp_path / "run <script>alert(1)</script>"
    with client(make_run(folder, pairs, answer), cache=tmp_path / "cache") as made:
        ours = set(re.findall(r"<([a-z0-9]+)", made.get("/r/0/?q=nothing-like-it").text)) | set(OF_A_PAIR.split())
        for url in ("/r/0/", *(f"/r/0/pair/{n}?o=generated" for n in range(len(pairs)))):
            body = made.get(url).text
            assert MARK in body
            assert set(re.findall(r"<([a-z0-9!?]+)", body)) - {"!doctype"} <= ours
            assert not re.search(r"<[^>]*\son[a-z]+=", body)
            assert not re.search(r"<[^>]*\sstyle=", body)
            assert not [found for found in CONTROLS.findall(body) if found not in "\n\t"]
            assert all(link.startswith(("/", "#", "data:,")) for link in links(body))


def test_a_text_that_a_log_does_not_keep_is_not_called_empty(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [f"p{n},{order},first" for n in range(6) for order in ("AB", "BA")]
    log.write_text("\n".join(["pair_id,order,outcome", *rows]), encoding="utf-8")
    without = import_log("table", log, out=tmp_path / "without", resamples=100).directory
    empty = [replace(pair, instruction="", response_a="") for pair in small_pairs()]
    with_texts = make_run(tmp_path / "with", empty, lambda *_: said("A"))
    with client(without, with_texts, cache=tmp_path / "cache") as made:
        absent, kept = made.get("/r/0/pair/0").text, made.get("/r/1/pair/0").text
    assert absent.count("(the run has no text of it)") == 5
    assert "(empty)" not in absent
    assert "(empty)" in kept
    assert "no text of it" not in kept


def test_a_log_of_responses_judged_alone_has_no_order_and_no_slot(tmp_path: Path) -> None:
    rows = [
        {"id": f"q{n}", "prompt": f"Question {n}", "text_chosen": "better", "text_rejected": "worse", "subset": "chat",
         "scores_chosen": 2.0 - n % 2, "scores_rejected": 1.5}
        for n in range(8)
    ]  # fmt: skip
    log = tmp_path / "scores.jsonl"
    log.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    run = import_log("rewardbench", log, out=tmp_path / "run", pairs="by-score")
    assert not run.manifest.slots_seen
    with client(run.directory, cache=tmp_path / "cache") as browser:
        listed = browser.get("/r/0/").text
        pages = [browser.get(f"/r/0/pair/{n}").text for n in range(8)]
    verdicts = dict(run.to_polars().select("pair_id", "preference").iter_rows())
    assert set(verdicts.values()) == {"A", "B"}
    for shown in (listed, *pages):
        words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", shown))
        assert not re.search(r"(?i)\b(first|second) slot|order (AB|BA)|both orders|log-odds", words)
    for preference in "AB":
        count = sum(each == preference for each in verdicts.values())
        assert listed.count(f"Preferred response {preference}") == count > 0
    for page in pages:
        assert "Judged one by one" in page
        [pair_id] = re.findall(r"<h1>(.*?)</h1>", page)
        assert f"Preferred response {verdicts[pair_id]}" in page
        assert page.index("<h4>Response A") < page.index("<h4>Response B")
        chosen = re.findall(r"<h4>Response ([AB])[^\n]*preferred</span>", page)
        assert chosen == [verdicts[pair_id]]
