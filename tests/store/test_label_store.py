"""Labels are durable before they are confirmed, recorded once, kept for ever, and safe from two servers."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evenhand.errors import ConfigError
from evenhand.records import Order
from evenhand.store.label_store import LabelStore, is_label_store
from evenhand.store.label_store_records import Choice, Drawn, LabelSession, NewShowing, Showing

CHILD = Path(__file__).with_name("label_child.py")


def new(number: int) -> NewShowing:
    return NewShowing(pair_id=f"p{number}", text_sha256="t", shown_order=Order.BA, repeat=False, drawn=Drawn.SHARED)


def shown(store: LabelStore, session: LabelSession, number: int = 0) -> Showing:
    assert session.annotator is not None
    showing = store.show(session.annotator, lambda states: new(number))
    assert showing is not None
    return showing


@pytest.fixture
def store(tmp_path: Path) -> LabelStore:
    return LabelStore(tmp_path / "labels.sqlite", seed=7)


def test_what_was_said_is_there_after_a_restart(store: LabelStore) -> None:
    ann = store.enter("s", "Ann")
    showing = shown(store, ann)
    store.label(ann, showing, Choice.FIRST, form="f", confidence=2, note="a\r\nb\x00", seconds=1.5)
    again = LabelStore(store.path, seed=99)
    assert again.facts() == store.facts()
    assert again.facts().seed == 7
    assert again.session("s") == ann
    (event,) = again.events()
    assert (event.showing, event.choice, event.confidence, event.note) == (showing, Choice.FIRST, 2, "a\nb")
    assert (event.annotator, event.seconds, event.session) == ("Ann", 1.5, ann.id)


def test_a_changed_label_is_added_and_the_old_one_kept(store: LabelStore) -> None:
    ann = store.enter("s", "Ann")
    showing = shown(store, ann)
    for form, choice in (("1", Choice.FIRST), ("2", Choice.SKIP)):
        assert store.label(ann, showing, choice, form=form)
    assert [event.choice for event in store.events()] == [Choice.FIRST, Choice.SKIP]
    (state,) = store.states()
    assert (state.first_event, state.last_event, state.choice) == (1, 2, Choice.SKIP)


def test_a_form_sent_twice_is_recorded_once(store: LabelStore) -> None:
    ann = store.enter("s", "Ann")
    showing = shown(store, ann)
    assert store.label(ann, showing, Choice.FIRST, form="f", note=" why ", seconds=1.0)
    assert not store.label(ann, showing, Choice.FIRST, form="f", note="why", seconds=2.0)
    (event,) = store.events()
    assert (event.choice, event.note, event.seconds) == (Choice.FIRST, "why", 1.0)


def test_another_answer_from_a_page_that_the_browser_kept_is_a_change(store: LabelStore) -> None:
    ann = store.enter("s", "Ann")
    showing, other = shown(store, ann, 0), shown(store, ann, 1)
    said = (Choice.FIRST, Choice.SECOND, Choice.SECOND, Choice.FIRST, Choice.FIRST)
    recorded = [store.label(ann, showing, choice, form="f_%", seconds=1.0) for choice in said]
    assert recorded == [True, True, False, True, False]
    assert store.label(ann, showing, Choice.FIRST, form="f_%", confidence=3)
    assert store.label(ann, showing, Choice.FIRST, form="f_%", confidence=3, note="sure")
    assert store.label(ann, other, Choice.TIE, form="f_%")
    events = store.events()
    expected = ("first", "second", "first", "first", "first", "tie")
    assert tuple(event.choice.value for event in events) == expected
    # How long a later answer took is not what the page's clock says.
    assert [event.seconds for event in events] == [1.0, *[None] * 5]


def test_one_name_is_one_annotator_in_any_browser(store: LabelStore) -> None:
    ann, same, bob = store.enter("1", "Ann Lee"), store.enter("2", "  ann  lee "), store.enter("3", "Bob")
    assert ann.annotator == same.annotator
    assert ann.id != same.id
    assert [each.name for each in store.annotators()] == ["Ann Lee", "Bob"]
    with pytest.raises(ConfigError, match="belongs to another"):
        store.enter("3", "Ann Lee")
    with pytest.raises(ConfigError, match="shown to another"):
        store.label(bob, shown(store, ann), Choice.TIE, form="f")
    assert store.events() == ()


@pytest.mark.parametrize("seconds", [-3.0, 1e9, float("nan")])
def test_a_time_that_cannot_be_is_none(store: LabelStore, seconds: float) -> None:
    ann = store.enter("s", "Ann")
    store.label(ann, shown(store, ann), Choice.TIE, form="f", seconds=seconds)
    assert store.events()[0].seconds is None


def test_labels_after_a_look_at_results_are_told_by_annotator_and_by_browser(store: LabelStore) -> None:
    ann, elsewhere, bob = store.enter("1", "Ann"), store.enter("2", "Ann"), store.enter("3", "Bob")
    store.label(ann, shown(store, ann, 0), Choice.TIE, form="a")
    store.label(bob, shown(store, bob, 1), Choice.TIE, form="b")
    assert not store.has_seen_results(elsewhere)
    store.look_at_results(ann)
    assert store.has_seen_results(elsewhere)
    assert not store.has_seen_results(bob)
    store.label(elsewhere, shown(store, elsewhere, 2), Choice.TIE, form="c")
    store.label(bob, shown(store, bob, 3), Choice.TIE, form="d")
    assert [(e.annotator, e.after_results) for e in store.events()] == [
        ("Ann", False), ("Bob", False), ("Ann", True), ("Bob", False)
    ]  # fmt: skip
    assert bob.annotator is not None
    assert [e.after_results for e in store.events(annotator=bob.annotator)] == [False, False]


def test_whoever_only_looks_needs_no_name(store: LabelStore) -> None:
    nobody = store.enter("s", None)
    store.look_at_results(nobody)
    assert store.has_seen_results(nobody)
    assert store.annotators() == ()
    assert not store.has_seen_results(store.enter("t", None))


def test_a_label_store_is_told_from_other_files(store: LabelStore, tmp_path: Path) -> None:
    other, text = tmp_path / "other.sqlite", tmp_path / "labels.csv"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE x (y)")
    connection.close()
    text.write_text("pair_id,preference\n" * 100)
    assert is_label_store(store.path)
    assert not any(map(is_label_store, (other, text, tmp_path / "none.sqlite")))


def test_two_servers_make_one_store_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "labels.sqlite"

    def work(server: int) -> str:
        store = LabelStore(path)
        session = store.enter(f"s{server}", f"Ann{server % 3}")
        for number in range(15):
            showing = shown(store, session, 100 * server + number)
            assert store.label(session, showing, Choice.TIE, form=f"{server}-{number}")
        return store.facts().name

    with ThreadPoolExecutor(6) as pool:
        names = set(pool.map(work, range(6)))
    store = LabelStore(path, create=False)
    assert names == {store.facts().name}
    assert len(store.events()) == len({event.showing.pair_id for event in store.events()}) == 90
    assert len(store.annotators()) == 3


def test_no_pair_is_given_away_twice_by_two_servers(tmp_path: Path) -> None:
    stores = [LabelStore(tmp_path / "labels.sqlite") for _ in range(4)]

    def work(server: int) -> list[str]:
        store, given = stores[server], []
        session = store.enter(f"s{server}", f"Ann{server}")
        assert session.annotator is not None
        for _ in range(10):
            showing = store.show(session.annotator, lambda states: new(len(states)))
            assert showing is not None
            given.append(showing.pair_id)
        return given

    with ThreadPoolExecutor(4) as pool:
        given = [pair_id for each in pool.map(work, range(4)) for pair_id in each]
    assert sorted(given) == sorted(f"p{number}" for number in range(40))


def test_killed_at_random_moments_no_confirmed_label_is_lost_and_none_is_there_twice(tmp_path: Path) -> None:
    """Two servers of one file, each killed again and again."""
    path, count, kills = tmp_path / "labels.sqlite", 300, 0
    chance = random.Random(20261130)  # noqa: S311 - moments, not secrets
    people = [("Ann", 0), ("Bob", 1000)]
    for turn in range(40):
        children = [
            subprocess.Popen(
                [sys.executable, str(CHILD), str(path), str(tmp_path / name), name, str(first), str(count)],
                stdout=subprocess.PIPE,
            )
            for name, first in people
        ]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == b"begun\n"
        if turn < 12:
            time.sleep(chance.uniform(0, 0.12))
            for child in children:
                child.kill()
        for child in children:
            code = child.wait()
            kills += code == -signal.SIGKILL
            assert code in (0, -signal.SIGKILL)
            assert child.stdout is not None
            child.stdout.close()
        confirmed = {line for name, _ in people for line in (tmp_path / name).read_text().split()}
        if path.exists() and confirmed:
            labels = [event.showing.pair_id for event in LabelStore(path, create=False).events()]
            assert confirmed <= set(labels), "a confirmed label was lost"
            assert len(labels) == len(set(labels)), "a label was recorded twice"
            if len(labels) == 2 * count:
                break
    assert kills >= 10
    assert len(labels) == 2 * count
