from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.records import Order, Pair, Presentation, Readout
from evenhand.store import Journal
from evenhand.web.pair_view import PairView, build_pair_view, other_runs
from evenhand.web.run_source import TableSource
from evenhand.web.served import ServedRun
from evenhand.web.state import NotFoundError
from web.made_runs import ENDORSED, OUTCOMES, make_run, said, served, small_answer, small_pairs, small_run

NAMES = list(OUTCOMES)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ServedRun:
    folder = tmp_path_factory.mktemp("pair")
    return served(small_run(folder / "run"), folder / "cache")


def seen(run: ServedRun, name: str, **more: object) -> PairView:
    chosen: dict[str, object] = {"condition": 0, "readout": 1, **more}
    return build_pair_view(run, NAMES.index(name), **chosen)  # type: ignore[arg-type]


def test_each_order_shows_the_responses_where_the_judge_saw_them(run: ServedRun) -> None:
    view = seen(run, "same")
    ab, ba = view.orders
    assert (ab.order, ba.order) == (Order.AB, Order.BA)
    assert [(slot.slot, slot.identity.value) for slot in ab.slots] == [("First", "A"), ("Second", "B")]
    assert [(slot.slot, slot.identity.value) for slot in ba.slots] == [("First", "B"), ("Second", "A")]
    assert ba.slots[0].text == view.pair.response_b
    assert ba.slots[0].author == "model-two"
    assert ab.main is not None
    assert [piece.text for piece in ab.text if piece.kind == "mark"] == ["[[A]]"]
    assert view.kept


def test_repeats_and_other_conditions_are_linked(run: ServedRun) -> None:
    view = seen(run, "same")
    assert [answer.presentation.repeat for answer in view.orders[0].repeats] == [1]
    assert view.orders[1].repeats == ()
    assert {row.codes["condition"] for row in view.rows} == {0}
    assert [row.codes["readout"] for row in view.rows] == [0, 1]
    assert [(row.codes["condition"], row.codes["readout"]) for row in view.elsewhere] == [(1, 1)]
    assert seen(run, "two-ties").orders[0].repeats == ()


def test_a_swap_alone_is_no_difference_and_the_same_words_for_the_other_response_are(run: ServedRun) -> None:
    # "A is short and B is long" in both orders says the opposite of the responses.
    named = seen(run, "same").difference
    written = seen(run, "same", as_written=True).difference
    assert named is not None
    assert written is not None
    assert "".join(part.text for part in named.parts if part.kind == "ab").count("⟦A⟧") == 1
    assert (written.ab_words, written.ba_words) == (1, 1)
    assert not named.identical
    ties = seen(run, "two-ties").difference
    assert ties is not None
    assert ties.identical


def test_a_missing_text_is_said(run: ServedRun) -> None:
    view = seen(run, "broken")
    assert view.difference is None
    assert view.no_difference == "There is no text of the judge in order AB."
    assert view.orders[0].main is not None
    assert view.orders[0].main.completion is not None
    assert view.orders[0].main.completion.error == "the endpoint said no"


def test_a_changed_pair_is_shown_as_it_was_sent_or_not_at_all(tmp_path: Path) -> None:
    shown = small_pairs()[:1]

    def run_with(instruction: str) -> ServedRun:
        folder = tmp_path / str(len(instruction))
        pairs = [replace(shown[0], instruction=instruction)]
        made = make_run(folder / "run", pairs, small_answer, conditions=(ENDORSED,))
        return served(made, folder / "cache")

    view = build_pair_view(run_with("Which is larger?"), 0, condition=0, readout=1)
    assert len(view.orders[0].slots) == 2
    assert view.orders[0].instruction == "Which is larger?\n\nI think response B is the better one."
    assert view.orders[1].instruction == "Which is larger?\n\nI think response A is the better one."

    longer = run_with("Which is larger here?")
    pair = longer.pair(0)
    with Journal.create(longer.directory, longer.manifest, [replace(pair, response_a="never sent")]) as journal:
        journal.set_plan(list(journal.plan()))
    other = build_pair_view(served(longer.directory, tmp_path / "again"), 0, condition=0, readout=1)
    assert [side.slots for side in other.orders] == [(), ()]


def test_a_run_without_texts_has_verdicts_only(tmp_path: Path) -> None:
    table = ServedRun(number=0, source=TableSource(directory=small_run(tmp_path / "run")), cache=tmp_path / "cache")
    view = seen(table, "lock-first")
    assert not view.kept
    assert view.difference is None
    assert len(view.rows) == 2
    assert view.orders[0].main is None
    assert len(view.orders[0].slots) == 2


@pytest.mark.parametrize(("pair", "condition", "readout"), [(99, None, None), (0, 7, None), (0, 0, 5)])
def test_what_is_not_there_is_not_found(run: ServedRun, pair: int, condition: int | None, readout: int | None) -> None:
    with pytest.raises(NotFoundError):
        build_pair_view(run, pair, condition=condition, readout=readout)


def test_without_a_choice_the_first_row_is_shown(run: ServedRun) -> None:
    view = build_pair_view(run, 0, condition=None, readout=None)
    assert list(Readout)[view.row.codes["readout"]] is Readout.FIRST_TOKEN
    assert view.condition.id == "plain, A/B"


def test_ten_megabytes_of_rationale_are_compared_as_far_as_a_page_goes(tmp_path: Path) -> None:
    def answer(pair: Pair, presentation: Presentation) -> object:
        return said("A is fine, B is not. " * 500_000 + f"[[{'A' if presentation.order is Order.AB else 'B'}]]")

    run = served(make_run(tmp_path / "run", small_pairs()[:1], answer), tmp_path / "cache")  # type: ignore[arg-type]
    view = build_pair_view(run, 0, condition=0, readout=1)
    assert view.difference is not None
    assert view.difference.left_out_ab > 10_000_000 - 60_000
    for side in view.orders:
        assert sum(len(piece.text) for piece in side.text) < 25_000
        assert "[[" in "".join(piece.text for piece in side.text if piece.kind == "mark")
        assert sum(piece.left_out for piece in side.text) > 10_000_000


def test_the_same_pair_in_other_runs(run: ServedRun, tmp_path: Path) -> None:
    pairs = [replace(small_pairs()[1], response_a="Another answer."), *small_pairs()[2:]]
    other = served(make_run(tmp_path / "other", pairs, small_answer), tmp_path / "cache")
    runs = (run, other)

    absent = other_runs(runs, run, seen(run, "same"))
    assert [each.ordinal for each in absent] == [None]
    changed = other_runs(runs, run, seen(run, "lock-first"))[0]
    assert (changed.ordinal, changed.same_texts, changed.same_condition) == (0, False, True)
    assert [order for order, _ in changed.texts] == [Order.AB, Order.BA]
    assert len(changed.rows) == 2
    equal = other_runs(runs, run, seen(run, "two-ties", condition=1))[0]
    assert (equal.same_texts, equal.same_condition, equal.condition) == (True, False, "plain, A/B")
