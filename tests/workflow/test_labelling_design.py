"""Who gets what: shared pairs in one order for all, the others once, repeats swapped and apart, orders balanced."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from evenhand.records import Order
from evenhand.store.label_store_records import Annotator, Choice, Drawn, NewShowing, Showing, ShowingState
from evenhand.workflow.labelling_design import GAP, HOLD, LabelDesign
from evenhand.workflow.labelling_settings import LabelSettings

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ANN, BOB, CY = (Annotator(id=number, name=name) for number, name in enumerate(["Ann", "Bob", "Cy"], start=1))


class Desk:
    """A store in memory."""

    def __init__(self, count: int, **chosen: object) -> None:
        self.texts = {f"p{number}": f"text {number}" for number in range(count)}
        self.states: list[ShowingState] = []
        self.seed = chosen.pop("seed", 3)
        self.priority = chosen.pop("priority", None)
        self.settings = LabelSettings(**chosen)  # type: ignore[arg-type]

    @property
    def design(self) -> LabelDesign:
        return LabelDesign(
            tuple(self.texts),
            text_sha256=self.texts.get,
            settings=self.settings,
            seed=self.seed,
            priority=self.priority,
        )

    def show(self, who: Annotator, now: datetime = NOW) -> Showing | None:
        found = self.design.next(who, self.states, now=now)
        if isinstance(found, NewShowing):
            found = Showing(
                id=len(self.states) + 1,
                token="t",  # noqa: S106 - a name in an address
                annotator=who.id,
                pair_id=found.pair_id,
                text_sha256=found.text_sha256,
                shown_order=found.shown_order,
                repeat=found.repeat,
                drawn=found.drawn,
                created=now.isoformat(),
            )
            self.states.append(ShowingState(showing=found))
        return found

    def label(self, who: Annotator, choice: Choice = Choice.FIRST, now: datetime = NOW) -> Showing | None:
        showing = self.show(who, now)
        if showing is not None:
            event = sum(state.choice is not None for state in self.states) + 1
            self.states = [
                ShowingState(showing=showing, first_event=event, last_event=event, choice=choice)
                if state.showing == showing
                else state
                for state in self.states
            ]
        return showing

    def label_all(self, who: Annotator, choice: Choice = Choice.FIRST) -> list[Showing]:
        found = []
        while (showing := self.label(who, choice)) is not None:
            found.append(showing)
        return found


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 40), st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0]), st.sampled_from([0.0, 0.1]), st.integers(0, 99))
def test_shared_pairs_by_everybody_and_the_others_by_one(count: int, overlap: float, repeats: float, seed: int) -> None:
    desk = Desk(count, overlap=overlap, repeats=repeats, seed=seed)
    given_to: dict[Annotator, list[Showing]] = {who: [] for who in (ANN, BOB, CY)}
    going = [ANN, BOB, CY]
    while going:
        for who in tuple(going):
            showing = desk.label(who)
            given_to[who].append(showing) if showing is not None else going.remove(who)
    first = [s for each in given_to.values() for s in each if not s.repeat]
    times = Counter(showing.pair_id for showing in first)
    shared = set(desk.design.shared)
    assert set(times) == set(desk.texts)
    assert all(times[pair_id] == (3 if pair_id in shared else 1) for pair_id in times)
    assert {s.drawn for s in first if s.pair_id in shared} <= {Drawn.SHARED}
    assert len(shared) == -(-count * round(overlap * 10) // 10)
    for who, own in given_to.items():
        again = [s for s in own if s.repeat]
        assert len({s.pair_id for s in again}) == len(again)
        for showing in again:
            at = next(s for s in own if s.pair_id == showing.pair_id)
            assert showing.shown_order is at.shown_order.swapped
            assert own.index(showing) - own.index(at) > GAP
        if not repeats:
            assert not again
        progress = desk.design.progress(who, desk.states, now=NOW)
        assert progress.done == len(own)
        assert progress.left == 0


def test_annotators_who_stop_early_have_labelled_the_same_shared_pairs() -> None:
    desk = Desk(200, overlap=0.2, repeats=0)
    own = {who: [desk.label(who) for _ in range(20)] for who in (ANN, BOB)}
    shared = [[s.pair_id for s in each if s is not None and s.drawn is Drawn.SHARED] for each in own.values()]
    assert shared[0] == shared[1] == list(desk.design.shared[:4])
    rest = [{s.pair_id for s in each if s is not None and s.drawn is Drawn.RANDOM} for each in own.values()]
    assert not rest[0] & rest[1]


def test_a_restart_or_another_server_changes_nothing() -> None:
    desk, other = Desk(60), Desk(60)
    one = [(s.pair_id, s.shown_order) for s in desk.label_all(ANN)]
    assert one == [(s.pair_id, s.shown_order) for s in other.label_all(ANN)]
    assert one != [(s.pair_id, s.shown_order) for s in Desk(60, seed=4).label_all(ANN)]
    # What is open stays open.
    desk = Desk(60)
    assert desk.show(ANN) == desk.show(ANN)


def test_added_pairs_leave_the_turn_of_the_others() -> None:
    few, more = Desk(50, overlap=0, repeats=0), Desk(80, overlap=0, repeats=0)
    added = set(more.texts) - set(few.texts)
    assert [s.pair_id for s in few.label_all(ANN)] == [s.pair_id for s in more.label_all(ANN) if s.pair_id not in added]


def test_orders_are_a_fair_coin_for_each_annotator_and_pair() -> None:
    design = Desk(1).design
    pairs = [f"p{number}" for number in range(4000)]
    orders = {who: [design.order(who, pair) is Order.AB for pair in pairs] for who in (ANN, BOB)}
    for tosses in orders.values():
        assert binomtest(sum(tosses), len(tosses)).pvalue > 1e-4
    same = sum(a == b for a, b in zip(*orders.values(), strict=True))
    assert binomtest(same, len(pairs)).pvalue > 1e-4  # one annotator's order tells nothing of another's


def test_shared_pairs_are_a_random_sample_whatever_is_informative() -> None:
    priority = {f"p{number}": float(number) for number in range(1000)}
    hard = Desk(1000, order="informative", priority=priority).design.shared
    assert hard == Desk(1000).design.shared
    mean = sum(priority[pair] for pair in hard) / len(hard)
    assert abs(mean - 499.5) < 4 * 288.7 / len(hard) ** 0.5


def test_the_most_informative_come_first_among_those_labelled_once() -> None:
    priority = {"p7": 2.0, "p3": 1.5}
    desk = Desk(30, overlap=0, repeats=0, order="informative", priority=priority)
    own = desk.label_all(ANN)
    assert [s.pair_id for s in own[:2]] == ["p7", "p3"]
    assert {s.drawn for s in own} == {Drawn.INFORMATIVE}


def test_a_pair_is_held_for_whom_it_was_shown_for_an_hour() -> None:
    desk = Desk(1, overlap=0)
    held = desk.show(ANN)
    assert held is not None
    assert desk.show(BOB) is None
    assert desk.design.progress(BOB, desk.states, now=NOW).left == 0
    later = desk.show(BOB, NOW + HOLD + timedelta(seconds=1))
    assert later is not None
    assert later.pair_id == held.pair_id


def test_what_one_could_not_decide_comes_last_to_the_others() -> None:
    desk = Desk(12, overlap=0, repeats=0)
    skipped = {desk.label(ANN, Choice.SKIP).pair_id for _ in range(4)}  # type: ignore[union-attr]
    own = [s.pair_id for s in desk.label_all(BOB)]
    assert set(own[-4:]) == skipped
    assert len(own) == 12


def test_a_skipped_pair_is_not_repeated() -> None:
    desk = Desk(60, overlap=0, repeats=0.5)
    assert not [s for s in desk.label_all(ANN, Choice.SKIP) if s.repeat]
    assert len([s for s in Desk(60, overlap=0, repeats=0.5).label_all(ANN) if s.repeat]) == 30


def test_a_pair_with_other_texts_comes_again() -> None:
    desk = Desk(5, overlap=1, repeats=0)
    assert len(desk.label_all(ANN)) == 5
    desk.texts["p2"] = "other text"
    again = desk.label_all(ANN)
    assert [(s.pair_id, s.text_sha256) for s in again] == [("p2", "other text")]
    # An open showing of old texts isn't shown again either.
    desk.show(BOB)
    old = desk.states[-1].showing
    desk.texts[old.pair_id] = "newest"
    found = desk.show(BOB)
    assert found is not None
    assert found.text_sha256 != old.text_sha256


@pytest.mark.parametrize("share", [0.1, 0.25])
def test_repeats_are_the_share_asked_for_and_spread(share: float) -> None:
    own = Desk(200, overlap=0.2, repeats=share).label_all(ANN)
    at = [place for place, showing in enumerate(own) if showing.repeat]
    assert len(at) == int(200 * share)
    assert max(b - a for a, b in pairwise(at)) <= 2 / share
