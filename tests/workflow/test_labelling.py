"""Labelling put together: what is shown is the pair in the order drawn, and it goes on after a restart."""

from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import pytest

from evenhand.errors import ConfigError
from evenhand.records import Order
from evenhand.store.label_store_records import Choice
from evenhand.workflow.labelling import open_labelling
from evenhand.workflow.labelling_settings import LabelSettings
from workflow.labelled_runs import label_all, plain_pairs, prefers_a, unjudged_run


def test_the_texts_stand_in_the_order_of_the_showing(tmp_path: Path) -> None:
    labelling = open_labelling([unjudged_run(tmp_path / "run", plain_pairs(30))], settings=LabelSettings(seed=1))
    label_all(labelling, "Ann", prefers_a)
    orders = set()
    for state in labelling.store.states():
        shown = labelling.shown(state.showing)
        assert shown is not None
        orders.add(state.showing.shown_order)
        texts = (shown.first, shown.second) if state.showing.shown_order is Order.AB else (shown.second, shown.first)
        number = state.showing.pair_id.removeprefix("id-of-")
        assert texts == (f"Text alpha {number}", f"Text beta {number}")
    assert orders == set(Order)
    assert (tmp_path / "run" / "labels.sqlite").is_file()


def test_it_goes_on_after_a_restart_and_on_more_runs(tmp_path: Path) -> None:
    one = unjudged_run(tmp_path / "one", plain_pairs(20))
    settings = LabelSettings(seed=1, overlap=0.5, repeats=0.1)
    first = open_labelling([one], tmp_path / "labels.sqlite", settings=settings)
    ann = label_all(first, "Ann", prefers_a, most=7)
    before = [state.showing for state in first.store.states()]
    two = unjudged_run(tmp_path / "two", plain_pairs(26)[10:])
    again = open_labelling([one, two], tmp_path / "labels.sqlite", settings=settings)
    label_all(again, "ann", prefers_a)
    assert [state.showing for state in again.store.states()][:7] == before
    assert {state.showing.annotator for state in again.store.states()} == {ann.id}
    assert {state.showing.pair_id for state in again.store.states()} == set(again.pairs.ids)
    assert len(again.pairs.ids) == 26


def test_a_changed_pair_is_not_shown_under_its_old_showing(tmp_path: Path) -> None:
    pairs = plain_pairs(4)
    path = tmp_path / "labels.sqlite"
    labelling = open_labelling([unjudged_run(tmp_path / "one", pairs)], path)
    label_all(labelling, "Ann", lambda _: Choice.TIE)
    changed = [replace(pair, response_a=f"{pair.response_a}!") for pair in pairs[:1]] + pairs[1:]
    now = open_labelling([unjudged_run(tmp_path / "two", changed)], path)
    shown = {state.showing.pair_id: now.shown(state.showing) for state in now.store.states()}
    assert shown.pop("id-of-0") is None
    assert all(each is not None for each in shown.values())


def test_a_run_made_anew_while_it_is_labelled_shows_no_text_under_an_old_showing(tmp_path: Path) -> None:
    run, path = tmp_path / "run", tmp_path / "labels.sqlite"
    pairs = plain_pairs(2)
    labelling = open_labelling([unjudged_run(run, pairs)], path)
    session = labelling.store.enter("s", "Ann")
    assert session.annotator is not None
    before = labelling.next(session.annotator)
    assert before is not None
    assert labelling.shown(before) is not None
    rmtree(run)
    unjudged_run(run, [replace(pair, response_a=f"{pair.response_a}!") for pair in pairs])
    assert labelling.shown(before) is None
    # The same server goes on with the texts as they are: it offers no showing that can't be shown.
    for _ in pairs:
        after = labelling.next(session.annotator)
        assert after is not None
        shown = labelling.shown(after)
        if shown is not None:
            break
    assert shown is not None
    assert any(text.endswith("!") for text in (shown.first, shown.second))


def test_nothing_to_label_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name at least one run"):
        open_labelling([])
    empty = [replace(pair, response_a="", response_b="") for pair in plain_pairs(2)]
    with pytest.raises(ConfigError, match="no pair has the texts"):
        open_labelling([unjudged_run(tmp_path / "run", empty)])
    assert not (tmp_path / "run" / "labels.sqlite").exists()
