"""The arrays that probes learn from stay aligned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import DataError
from evenhand.probes import Place, Position, ProbeData, ProbeSubject, Retention
from evenhand.records import Readout

PLACE = Place(position=Position.BEFORE_VERDICT, layer=2)


def data(n: int = 4) -> ProbeData:
    return ProbeData(
        subject=ProbeSubject(
            model="tiny",
            revision="sha256:0",
            dtype="float32",
            prompt="brief-reasoning",
            prompt_hash="0",
            labels="A/B",
            readout=Readout.GENERATED,
            blocks=3,
            size=2,
        ),
        pair_ids=tuple(f"p{i}" for i in range(n)),
        groups=tuple(f"g{i // 2}" for i in range(n)),
        flips=np.arange(n) % 2 == 0,
        choice_ab=(np.arange(n) % 2).astype(np.int8),
        confidence=np.arange(n, dtype=np.float64),
        margin=-np.arange(n, dtype=np.float64),
        length_difference=np.zeros(n),
        activations={PLACE: np.arange(2 * n, dtype=np.float32).reshape(n, 2)},
        retention=Retention(planned=n + 1, usable=n, lost=(("AB: no verdict", 1),)),
    )


def test_rows_keep_every_array_aligned() -> None:
    some = data().rows(np.array([True, False, False, True]))
    assert some.pair_ids == ("p0", "p3")
    assert some.groups == ("g0", "g1")
    assert some.flips.tolist() == [True, False]
    assert some.choice_ab.tolist() == [0, 1]
    assert some.confidence.tolist() == [0, 3]
    assert some.margin.tolist() == [0, -3]
    assert some.activations[PLACE].tolist() == [[0, 1], [6, 7]]
    assert data().rows([3, 0]).pair_ids == ("p3", "p0")


def test_pairs_by_their_ids_in_the_order_given() -> None:
    some = data().only(["p3", "p0"])
    assert some.pair_ids == ("p3", "p0")
    assert some.activations[PLACE].tolist() == data().rows([3, 0]).activations[PLACE].tolist()
    assert len(data().only([])) == 0
    with pytest.raises(DataError, match="no pair 'p9'"):
        data().only(["p0", "p9"])


@pytest.mark.parametrize("none", [[], range(0), np.zeros(4, dtype=np.bool_)])
def test_no_rows_are_an_empty_set(none: object) -> None:
    empty = data().rows(none)
    assert len(empty) == 0
    assert empty.activations[PLACE].shape == (0, 2)


def test_an_array_of_another_length_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="margin"):
        replace(data(), margin=np.zeros(3))
    with pytest.raises(DataError, match="before-verdict@2"):
        replace(data(), activations={PLACE: np.zeros((3, 2), dtype=np.float32)})


def test_who_led_follows_the_rows_and_must_be_of_all() -> None:
    led = replace(data(), led=np.array([True, False, False, True]))
    assert led.rows([3, 1]).led.tolist() == [True, False]
    assert data().rows([3, 1]).led is None
    with pytest.raises(DataError, match="led"):
        replace(data(), led=np.array([True]))


def test_a_pair_may_occur_once() -> None:
    with pytest.raises(DataError, match="twice"):
        replace(data(2), pair_ids=("p0", "p0"))


def test_retention_is_of_the_planned_pairs() -> None:
    assert data().retention.rate == 4 / 5
    assert Retention(planned=0, usable=0).rate == 0


def test_retention_says_when_few_can_be_used_and_why_the_most_were_lost() -> None:
    kept = Retention(planned=1000, usable=199, lost=(("a", 300), ("b", 501)))
    assert kept.few
    assert kept.why() == "b (501 of 1,000 pairs)"
    assert not Retention(planned=1000, usable=200, lost=(("a", 800),)).few
    assert Retention(planned=3, usable=3).why() is None
