"""A judged run whose pairs people labelled on the page of ``evenhand serve``, each right as often as is asked."""

import random
import secrets
from pathlib import Path

from evenhand.records import Order, Pair, Preference
from evenhand.store.label_store_records import Choice
from evenhand.workflow.labelling import Labelling, open_labelling
from evenhand.workflow.labelling_settings import LabelSettings
from workflow.ranked_runs import authored_pairs, ranked_run

NAMES = ("Ann", "bob <b>|x</b>", "c=1+1")


def people_run(directory: Path, *, position: float = 1.5, right: float = 0.85, names: tuple[str, ...] = NAMES) -> Path:
    """Judged and labelled; the store is ``labels.sqlite`` in the run's folder."""
    ranked_run(directory, position=position)
    label_run(directory, right=right, names=names)
    return directory


def label_run(
    directory: Path,
    *,
    right: float = 0.85,
    names: tuple[str, ...] = NAMES,
    overlap: float = 0.7,
    order: str = "random",
    most: int = 10_000,
    seen: bool = False,
) -> Labelling:
    """Everybody labels until nothing is left, or ``most`` pairs; one in twenty can't be told."""
    settings = LabelSettings(overlap=overlap, order=order, seed=3)
    labelling = open_labelling([directory], settings=settings)
    pairs = {pair.id: pair for pair in authored_pairs()}
    draw = random.Random(5)  # noqa: S311 - no secret
    for name in names:
        session = labelling.store.enter(secrets.token_hex(8), name)
        if seen:
            labelling.store.look_at_results(session)
        assert session.annotator is not None
        for _ in range(most):
            showing = labelling.next(session.annotator)
            if showing is None:
                break
            choice = _choice(pairs[showing.pair_id], showing.shown_order, draw, right=right)
            labelling.store.label(session, showing, choice, form=secrets.token_hex(8), seconds=3.0)
    return labelling


def _choice(pair: Pair, order: Order, draw: random.Random, *, right: float) -> Choice:
    chance = draw.random()
    if chance < 0.05:
        return Choice.SKIP
    gold = pair.gold if draw.random() < right else (Preference.B if pair.gold is Preference.A else Preference.A)
    return Choice.FIRST if (gold is Preference.A) == (order is Order.AB) else Choice.SECOND
