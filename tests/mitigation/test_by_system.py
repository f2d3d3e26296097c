"""Length control for every two systems: orientation, orders and what is left out."""

import numpy as np
import pytest

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.by_system import length_control_by_systems, preference_for_a
from evenhand.mitigation.examples import judged
from evenhand.mitigation.length_control import LengthControlled
from evenhand.stats import Refusal


def systems(pairs):
    return length_control_by_systems(pairs, sampler=Sampler(clusters=pairs.clusters, seed=0, resamples=100, level=0.95))


def data(n=60):
    rng = np.random.default_rng(0)
    orders = [("AA", "AB", "BB")[i] for i in rng.integers(0, 3, n)]
    length_a, length_b = rng.integers(50, 900, n), rng.integers(50, 900, n)
    return orders, length_a, length_b


def test_who_is_called_a_changes_nothing():
    orders, length_a, length_b = data()
    plain = judged(orders, gold="A" * 30 + "B" * 30, length_a=length_a, length_b=length_b, authors=[("x", "y")] * 60)
    other = {"A": "B", "B": "A"}
    turned = judged(
        ["".join(other[c] for c in each) if i % 2 else each for i, each in enumerate(orders)],
        gold="".join(other[g] if i % 2 else g for i, g in enumerate("A" * 30 + "B" * 30)),
        length_a=np.where(np.arange(60) % 2, length_b, length_a),
        length_b=np.where(np.arange(60) % 2, length_a, length_b),
        authors=[("y", "x") if i % 2 else ("x", "y") for i in range(60)],
    )
    [one], [two] = systems(plain), systems(turned)
    assert (one.system, one.other) == ("x", "y")
    assert isinstance(one.found, LengthControlled)
    for name in ("raw", "controlled", "length", "label", "controlled_error"):
        assert getattr(one.found, name).value == pytest.approx(getattr(two.found, name).value, abs=1e-9), name


def test_probabilities_count_where_the_readout_has_them():
    pairs = judged(["AA", "AB"], gold="..", log_odds=[[np.log(3), np.log(3)], [np.nan, np.nan]])
    assert preference_for_a(pairs).tolist() == pytest.approx([0.75, 0.5])


def test_every_two_systems_and_what_is_left_out():
    orders, length_a, length_b = data()
    orders[0], orders[1] = "A-", ".."
    authors = [("x", "y"), ("x", "y"), ("z", "z"), (None, "y"), ("z", "y")] + [("x", "y")] * 55
    found = systems(judged(orders, gold="." * 60, length_a=length_a, length_b=length_b, authors=authors))
    assert [(each.system, each.other, each.left_out) for each in found] == [("x", "y", 1), ("y", "z", 0)]
    assert isinstance(found[1].found, Refusal)


def test_without_authors_or_texts_it_is_refused():
    orders, length_a, length_b = data()
    assert "author_a" in systems(judged(orders, gold="." * 60, length_a=length_a, length_b=length_b)).reason
    assert "texts" in systems(judged(orders, gold="." * 60, authors=[("x", "y")] * 60)).reason
