"""Simulated annotators through the whole design: intervals of place and consistency cover at their level."""

import numpy as np
import pytest

from evenhand.records import Order
from evenhand.stats import Estimate
from evenhand.store.label_store_records import Choice
from evenhand.workflow.labelling_agreement import LabelAgreement, measure_agreement
from workflow.label_events import KnownPairs, labels_of, says_a, says_b, stated

pytestmark = pytest.mark.simulation

RUNS = 100


def annotators(seed: int, *, sway: float) -> LabelAgreement:
    """Two people on 60 questions of 2 pairs; a question is easy or hard, and on hard ones the place sways them.

    A hard label takes the first place with ``sway``; an easy one is the truth's. So labels of one question go together.
    """
    rng = np.random.default_rng([11, seed])
    hard, truth = np.repeat(rng.random(60) < 0.5, 2), rng.random(120) < 0.5

    def answer(row: int, order: Order) -> Choice:
        if hard[row]:
            return Choice.FIRST if rng.random() < sway else Choice.SECOND
        return says_a(order) if truth[row] else says_b(order)

    people = [
        labels_of(name, [*range(120), *range(40)], answer, rng, first_id=1000 * place)
        for place, name in enumerate(["Ann", "Bob"])
    ]
    return measure_agreement(stated(*people), KnownPairs(120, group=2), resamples=200)  # type: ignore[arg-type]


def covered(found: object, truth: float) -> bool:
    assert isinstance(found, Estimate)
    assert found.interval is not None
    return found.interval.low <= truth <= found.interval.high


@pytest.mark.parametrize("sway", [0.5, 0.8])
def test_intervals_cover(sway: float) -> None:
    made = [annotators(seed, sway=sway) for seed in range(RUNS)]
    # Half of the labels are .5 by the coin, the others take the first place with `sway`. A hard pair's repeat, in the
    # other order, has the same preference where it takes the other place.
    first, consistency = 0.25 + sway / 2, 0.5 + 0.5 * 2 * sway * (1 - sway)
    # Of two people on a hard pair, whose orders are two coins: a half, whatever the sway.
    shares = {
        "first": np.mean([covered(each.everybody.first_chosen, first) for each in made]),
        "consistency": np.mean([covered(each.everybody.consistency, consistency) for each in made]),
        "raw": np.mean([covered(each.raw, 0.75) for each in made]),
    }
    # 95 % less three standard errors of 100 runs is 88.5 %.
    assert all(share >= 0.885 for share in shares.values()), shares
