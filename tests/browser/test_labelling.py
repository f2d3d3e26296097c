"""Blind labelling in Chromium against the real server: by keyboard, without script, after a kill, by several people."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from browser.conftest import WIDTHS
from browser.following import follow
from browser.label_desk import Desk, desk_of, sitting
from browser.looking import Scheme, axe_violations
from evenhand.records import Pair
from evenhand.store.label_store_records import Choice
from evenhand.workflow.humans import compare_with_humans
from workflow.labelled_runs import plain_pairs, unjudged_run
from workflow.ranked_runs import ranked_run

EVIL = (
    "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\"><svg onload=alert(1)>"
    "</p></div></form><style>*{display:none}</style><a href=javascript:alert(1)>x</a>\u202egnp.exe\x1b[31m\x00"
)
CODE = "```python\ndef f(x):\n\tif x:\n        return   'two  spaces'\n```\n\n| a | b |\n|---|---|\n"
SECRETS = (b"secret-source", b"secret-author", b"simulated", b"id-of-", b"run-of-gpt", b"sqlite")

_LOOKS = """(id) => {
  const [pane, text] = [id, `${id} .text`].map((each) => getComputedStyle(document.querySelector(each)));
  return [pane.backgroundColor, pane.borderColor, pane.padding, text.font, text.color, text.whiteSpace].join('|');
}"""
_BUTTON = """(id) => {
  const button = document.querySelector(id), style = getComputedStyle(button), box = button.getBoundingClientRect();
  const size = [Math.round(box.width), Math.round(box.height)];
  return [style.backgroundColor, style.color, style.font, style.borderColor, ...size].join('|');
}"""


def pairs() -> list[Pair]:
    made = plain_pairs(8)
    long = "".join(f"Line {number} of a long response.\n" for number in range(400))
    made[0] = replace(made[0], response_a=f"{EVIL} Text alpha 0", response_b="Text beta 0")
    made[1] = replace(made[1], response_a=f"{CODE}Text alpha 1", response_b=f"{long}Text beta 1")
    made[2] = replace(made[2], response_a="Text alpha 2 " + "w" * 3000, response_b="Text beta 2\n" + "k" * 40_000)
    return made


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ranked_run(tmp_path_factory.mktemp("labelling") / "run-of-gpt", pairs=pairs())


@pytest.fixture(scope="module")
def server(run: Path) -> Iterator[Desk]:
    with desk_of(run, "--overlap", "1", "--repeats", "0") as desk:
        yield desk


@pytest.fixture
def desk(server: Desk) -> Desk:
    return server


def of(desk: Desk, name: str) -> list[Choice]:
    return [event.choice for event in desk.events() if event.annotator == name]


def test_a_session_by_keyboard_alone(chromium: Browser, desk: Desk) -> None:
    with sitting(chromium, desk) as ann:
        ann.open("/label/")
        for _ in range(20):
            ann.page.keyboard.press("Tab")
            if ann.page.evaluate("document.activeElement.id") == "name":
                break
        ann.page.keyboard.type("Keys")
        ann.press("Enter")
        tokens = [ann.token]
        for key in ("1", "2", "0", "t", "s"):
            ann.press(key)
            tokens.append(ann.token)
        assert len(set(tokens)) == 6
        assert of(desk, "Keys") == [Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.TIE, Choice.SKIP]
        # Back, twice, and another answer.
        ann.press("u")
        assert ann.token == tokens[4]
        ann.press("u")
        assert ann.token == tokens[3]
        assert ann.page.locator("button.chosen").get_attribute("value") == "tie"
        ann.press("1")
        assert ann.token == tokens[5]
        assert of(desk, "Keys")[-1] is Choice.FIRST
        # How sure, and a note in which keys are letters.
        ann.page.keyboard.press("c")
        ann.page.keyboard.press("c")
        ann.page.keyboard.press("n")
        ann.page.keyboard.type("12 tusks?")
        ann.page.keyboard.press("Escape")
        assert ann.token == tokens[5]
        ann.press("2")
        event = desk.events()[-1]
        assert (event.note, event.confidence, event.choice) == ("12 tusks?", 2, Choice.SECOND)
        ann.page.keyboard.press("?")
        assert ann.page.locator("#help").get_attribute("open") is not None
        assert ann.page.get_by_text("back to the pair before").is_visible()
        ann.clean()


def test_a_key_that_is_held_or_belongs_to_the_browser_answers_nothing(chromium: Browser, desk: Desk) -> None:
    with sitting(chromium, desk) as ann:
        ann.enter("Held")
        before = ann.page.url
        ann.page.evaluate("dispatchEvent(new KeyboardEvent('keydown', {key: '1', repeat: true}))")
        for name in ("ctrlKey", "metaKey", "altKey"):
            ann.page.evaluate(f"dispatchEvent(new KeyboardEvent('keydown', {{key: '1', {name}: true}}))")
        ann.page.get_by_label("a guess").focus()
        ann.page.keyboard.press("Enter")  # a form's first button would answer
        ann.page.wait_for_timeout(200)
        assert ann.page.url == before
        assert of(desk, "Held") == []
        ann.page.evaluate("document.getElementById('answers').requestSubmit(document.querySelector('[value=tie]'))")
        ann.page.wait_for_url(lambda url: url != before)
        assert of(desk, "Held") == [Choice.TIE]


def test_two_clicks_on_one_answer_are_one_label(chromium: Browser, desk: Desk) -> None:
    with sitting(chromium, desk) as ann:
        ann.enter("Twice")
        with ann.page.expect_navigation():
            ann.page.get_by_role("button", name="As good").dblclick()
        assert of(desk, "Twice") == [Choice.TIE]


def test_without_script_every_step_is_a_form_or_a_link(chromium: Browser, desk: Desk) -> None:
    with sitting(chromium, desk, script=False) as ann:
        ann.enter("Forms")
        first = ann.token
        ann.page.get_by_label("sure", exact=True).check()
        ann.page.get_by_label("Note").fill("by hand")
        follow(ann.page.get_by_role("button", name="Response 2 is better"))
        assert ann.token != first
        follow(ann.page.get_by_role("link", name="Back"))
        assert ann.token == first
        follow(ann.page.get_by_role("button", name="Can’t tell"))
        events = [event for event in desk.events() if event.annotator == "Forms"]
        assert [(e.choice, e.confidence, e.note) for e in events] == [
            (Choice.SECOND, 3, "by hand"),
            (Choice.SKIP, 3, "by hand"),
        ]
        follow(ann.page.get_by_role("link", name="Your labels"))
        assert ann.page.get_by_role("row").count() == 2
        follow(ann.page.get_by_role("link", name="Change the answer of pair 1"))
        assert ann.token == first
        follow(ann.page.get_by_role("button", name="To the next open pair"))
        assert ann.token != first
        follow(ann.page.get_by_role("button", name="Leave"))
        assert ann.page.get_by_label("Your name").is_visible()
        ann.clean()


def test_hostile_texts_run_nothing_and_no_byte_tells_where_they_come_from(chromium: Browser, desk: Desk) -> None:
    with sitting(chromium, desk) as ann:
        ann.enter("Blind")
        titles, texts, pages = set(), [], []
        while "/label/p/" in ann.page.url:
            titles.add(ann.page.title())
            pages.append(ann.context.request.get(ann.page.url).body())  # the bytes, as they come
            texts.append(ann.page.locator(".responses").inner_text())
            assert ann.page.locator(".responses img, .responses script, .responses a[href^=java]").count() == 0
            ann.press("1")
        assert ann.page.url.endswith("/label/done")
        assert titles == {f"Pair {number} · Evenhand" for number in range(1, 9)}
        assert any("onerror=" in text and "[U+202E]gnp.exe[U+001B][31m[U+0000]" in text for text in texts)
        assert any("def f(x):\n\tif x:\n        return   'two  spaces'" in text for text in texts)
        for answer in ann.answers:
            for secret in SECRETS:
                assert secret not in answer.url.encode() + str(answer.all_headers()).encode()
        assert len(pages) == 8
        assert all(b"Text alpha" in page for page in pages)
        assert not [secret for secret in SECRETS if any(secret in page for page in pages)]
        cookies = str(ann.context.cookies()).encode()
        assert not [secret for secret in SECRETS if secret in cookies]
        ann.clean()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_both_responses_look_alike_at_every_width(
    chromium: Browser, desk: Desk, shots: Path, width: int, scheme: Scheme
) -> None:
    with sitting(chromium, desk, width=width, scheme=scheme) as ann:
        ann.enter(f"Looks {width} {scheme}")
        for number in range(8):
            boxes = [ann.page.locator(f"#response-{slot}").bounding_box() for slot in (1, 2)]
            first, second = boxes
            assert first is not None
            assert second is not None
            assert abs(first["width"] - second["width"]) < 1
            if width >= 900:
                assert (first["y"], first["height"]) == (second["y"], second["height"])
                assert first["height"] <= 0.6 * 800
                assert second["x"] > first["x"] + first["width"]
            else:
                assert first["x"] == second["x"]
                assert second["y"] >= first["y"] + first["height"]
            looks = [ann.page.evaluate(_LOOKS, f"#response-{slot}") for slot in (1, 2)]
            assert looks[0] == looks[1]
            assert "pre-wrap" in looks[0]
            answers = [ann.page.evaluate(_BUTTON, f"button[value={value}]") for value in ("first", "second")]
            assert answers[0] == answers[1]
            overflow = ann.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert overflow == 0
            for value in ("first", "second", "tie", "skip"):  # in reach without scrolling, however long the texts are
                box = ann.page.locator(f"button[value={value}]").bounding_box()
                assert box is not None
                assert box["y"] >= 0
                assert box["y"] + box["height"] <= 800
            if number in (0, 5):
                ann.page.screenshot(path=shots / f"label-{width}-{scheme}-{number}.png")
            if number < 7:
                ann.press("1")
        ann.clean()


def test_each_response_scrolls_by_itself_and_by_keyboard(chromium: Browser, desk: Desk) -> None:
    with sitting(chromium, desk) as ann:
        ann.enter("Scrolls")
        while "Line 399" not in ann.page.locator(".responses").inner_text():
            ann.press("1")
        long = "1" if "Line 399" in ann.page.locator("#response-1").inner_text() else "2"
        pane, other = (ann.page.locator(f"#response-{slot}") for slot in (long, "1" if long == "2" else "2"))
        pane.focus()
        ann.page.keyboard.press("PageDown")
        for _ in range(50):
            if pane.evaluate("(e) => e.scrollTop") > 100:
                break
            ann.page.wait_for_timeout(20)
        assert pane.evaluate("(e) => e.scrollTop") > 100
        assert other.evaluate("(e) => e.scrollTop") == 0
        assert ann.page.evaluate("scrollY") == 0


def test_a_cut_text_says_so_and_more_of_both_is_a_link_away(chromium: Browser, desk: Desk) -> None:
    with sitting(chromium, desk) as ann:
        ann.enter("Cut")
        while "Cut here" not in ann.page.locator(".responses").inner_text():
            ann.press("1")
        assert ann.page.get_by_text("20,012 more characters").is_visible()
        follow(ann.page.get_by_role("link", name="Show more of all texts"))
        assert ann.page.get_by_text("more characters").count() == 0
        ann.press("2")  # answered from the longer page, as from the other
        assert of(desk, "Cut")[-1] is Choice.SECOND
        ann.clean()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(chromium: Browser, desk: Desk, scheme: Scheme) -> None:
    with sitting(chromium, desk, scheme=scheme) as ann:
        ann.open("/label/")
        found = {"enter": axe_violations(ann.page)}
        ann.page.get_by_label("Your name").fill("=1")
        follow(ann.page.get_by_role("button", name="Begin"))
        found["wrong name"] = axe_violations(ann.page)
        ann.enter(f"Axe {scheme}")
        ann.page.locator("#help summary").click()
        found["pair"] = axe_violations(ann.page)
        ann.press("1")
        ann.press("u")
        found["again"] = axe_violations(ann.page)
        for path in ("/label/", "/label/mine", "/label/done", "/label/agreement"):
            ann.open(path)
            found[path] = axe_violations(ann.page)
        follow(ann.page.get_by_role("button", name="I may see results"))
        found["results"] = axe_violations(ann.page)
        follow(ann.page.get_by_role("link", name="Judges beside these people"))
        found["judges"] = axe_violations(ann.page)
        assert len(found) == 10
        assert {name: each for name, each in found.items() if each} == {}
        # The browser says of itself that the wrong name's answer was 400.
        ann.messages = [text for text in ann.messages if "400 (Bad Request)" not in text]
        ann.clean()


def test_after_a_kill_every_confirmed_label_is_there_and_it_goes_on(chromium: Browser, tmp_path: Path) -> None:
    run = unjudged_run(tmp_path / "run", plain_pairs(10))
    with desk_of(run, "--repeats", "0") as desk:
        with sitting(chromium, desk) as ann:
            ann.enter("Ann")
            for key in ("1", "2", "0"):
                ann.press(key)
            token, cookies = ann.token, ann.context.cookies()
            desk.stop()
        assert of(desk, "Ann") == [Choice.FIRST, Choice.SECOND, Choice.TIE]
        desk.start()
        with sitting(chromium, desk) as ann:
            ann.context.add_cookies([each for each in cookies if "label" in each["name"]])  # type: ignore[list-item]
            ann.open("/label/")
            assert ann.page.get_by_text("3 of 10").is_visible()
            follow(ann.page.get_by_role("button", name="Go on"))
            assert ann.token == token
            ann.press("s")
        with sitting(chromium, desk) as other:
            other.enter("ann")  # another browser: the name is enough
            while "/label/p/" in other.page.url:
                other.press("2")
        assert len(of(desk, "Ann")) == 10
        assert len({event.showing.pair_id for event in desk.events()}) == 10


def test_two_people_label_agree_and_take_the_file_to_humans(chromium: Browser, tmp_path: Path, shots: Path) -> None:
    run = ranked_run(tmp_path / "run")
    with (
        desk_of(run, "--overlap", "0.5", "--repeats", "0") as desk,
        sitting(chromium, desk) as ann,
        sitting(chromium, desk) as bob,
    ):
        ann.enter("Ann")
        bob.enter("Bob")
        for number in range(24):
            for person in (ann, bob):
                person.press(
                    "1" if "quality:-" in person.page.locator("#response-2").inner_text() else "20"[number % 2]
                )
        for person in (ann, bob):
            person.clean()
        events = desk.events()
        shared = {e.showing.pair_id for e in events if e.showing.drawn == "shared"}
        assert len(events) == 48
        assert all(sum(e.showing.pair_id == pair for e in events) == 2 for pair in shared)
        assert len(shared) == 12
        ann.open("/label/agreement")
        assert ann.page.get_by_text("May you see results?").is_visible()
        follow(ann.page.get_by_role("button", name="I may see results"))
        among = ann.page.locator("#table-among")
        assert among.get_by_text("%").count() >= 2
        assert "—" not in among.inner_text()
        assert "36 pairs have a label that counts, by 2 annotators." in ann.page.locator("#results").inner_text()
        for width in WIDTHS:
            ann.page.set_viewport_size({"width": width, "height": 800})
            assert ann.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            ann.page.screenshot(path=shots / f"label-agreement-{width}.png", full_page=True)
        # Live: another label, and the page says so by itself.
        bob.press("1")
        ann.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        follow(ann.page.get_by_role("link", name="There are new labels"))
        assert ann.page.get_by_text("37 pairs have a label").is_visible()
        with ann.page.expect_download() as download:
            ann.page.get_by_role("link", name="Labels as CSV").click()
        path = tmp_path / "labels.csv"
        download.value.save_as(path)
        follow(ann.page.get_by_role("link", name="Judges beside these people"))
        heading = ann.page.locator("h1").inner_text()
        ann.clean()
    with path.open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 49
    study = compare_with_humans(run, path).study()
    assert heading == study.headline.verdict
    assert study.headline.verdict.startswith("Agreement with people")
