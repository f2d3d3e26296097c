"""Recorded labels by rule, without a store."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from evenhand.records import Order, Pair
from evenhand.store.label_store_records import Choice, Drawn, LabelEvent, Showing
from evenhand.workflow.labelling_current import StatedLabel, state_labels

Answer = Callable[[int, Order], Choice]


class KnownPairs:
    """Stands for LabelPairs."""

    def __init__(self, count: int, *, group: int = 1, sources: int = 1) -> None:
        self.pairs = {
            f"p{n}": Pair(
                id=f"p{n}", instruction=f"q{n // group}", response_a="a", response_b="b", source=f"s{n % sources}"
            )
            for n in range(count)
        }

    def __contains__(self, pair_id: str) -> bool:
        return pair_id in self.pairs

    def pair(self, pair_id: str) -> Pair:
        return self.pairs[pair_id]

    def text_sha256(self, pair_id: str) -> str | None:
        return "t" if pair_id in self.pairs else None


def labels_of(
    name: str, rows: Iterable[int], answer: Answer, rng: np.random.Generator, *, first_id: int = 0
) -> Iterator[LabelEvent]:
    """One annotator's labels of pairs, each in a random order; ``again`` in the other order for a repeated row."""
    seen: dict[int, Order] = {}
    for place, row in enumerate(rows):
        repeat = row in seen
        order = seen[row].swapped if repeat else (Order.AB if rng.random() < 0.5 else Order.BA)
        seen[row] = order
        number = first_id + place + 1
        showing = Showing(
            id=number,
            token=str(number),
            annotator=first_id,
            pair_id=f"p{row}",
            text_sha256="t",
            shown_order=order,
            repeat=repeat,
            drawn=Drawn.REPEAT if repeat else Drawn.SHARED,
            created="",
        )
        yield LabelEvent(
            id=number,
            showing=showing,
            annotator=name,
            choice=answer(row, order),
            confidence=None,
            note="",
            seconds=3.0,
            recorded_at="2026-11-30T10:00:00+00:00",
            session=1,
            after_results=False,
        )


def stated(*people: Iterable[LabelEvent]) -> tuple[StatedLabel, ...]:
    """All of them, with what they are worth."""
    return state_labels([event for person in people for event in person], text_sha256=lambda _: "t")


def says_a(order: Order) -> Choice:
    """Response A, wherever it stands."""
    return Choice.FIRST if order is Order.AB else Choice.SECOND


def says_b(order: Order) -> Choice:
    """Response B."""
    return says_a(order.swapped)
