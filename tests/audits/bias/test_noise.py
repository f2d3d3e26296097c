"""Repeats of the control, in each of the two directions."""

import numpy as np

from audits.bias.changed import bias_data
from evenhand.audits.bias.noise import repeats_of
from evenhand.records import Readout

CHANGED = {"tone=hedged:A": {"p": "FS"}}


def test_repeats_are_compared_in_their_own_order_and_split_by_direction() -> None:
    data = bias_data(
        {"p": "FS", "q": "ST", "r": "FU", "s": "FS"},
        CHANGED,
        repeats=[{"p": "SS", "q": "F.", "r": "RF"}, {"p": "TF", "q": "SF"}],
    )
    found = repeats_of(data, "c", Readout.GENERATED, np.arange(4))
    # p in AB: F, then S and T, both toward B. p in BA: S (A), then S (A) and F (B).
    # q in AB: S, then F (toward A) and S; in BA: a tie, then F (toward B). r: no verdict both times.
    assert found.compared.tolist() == [[2, 2], [2, 1], [0, 0], [0, 0]]
    assert found.toward[:, 0].tolist() == [[0, 0], [1, 0], [0, 0], [0, 0]]
    assert found.toward[:, 1].tolist() == [[2, 1], [0, 1], [0, 0], [0, 0]]
    assert found.any


def test_only_the_pairs_asked_about() -> None:
    data = bias_data({"p": "FS", "q": "FS", "r": "FS"}, CHANGED, repeats=[{"p": "S.", "q": "S.", "r": "F."}])
    found = repeats_of(data, "c", Readout.GENERATED, np.array([0, 2]))
    assert found.compared.tolist() == [[1, 0], [1, 0]]
    assert found.toward[:, 1].tolist() == [[1, 0], [0, 0]]


def test_repeats_of_another_condition_or_readout_are_no_noise_of_this_one() -> None:
    data = bias_data({"p": "FS"}, CHANGED, repeats=[{"p": "S."}])
    assert not repeats_of(data, "c; tone=hedged:A", Readout.GENERATED, np.arange(1)).any
    assert not repeats_of(data, "c", Readout.FIRST_TOKEN, np.arange(1)).any
