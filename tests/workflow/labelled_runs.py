"""Runs whose pairs people label, and annotators whose ways are known."""

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

from evenhand.records import DataIdentity, JudgeIdentity, Order, Pair, RunManifest
from evenhand.store import Journal
from evenhand.store.label_store_records import Annotator, Choice, Showing
from evenhand.workflow.labelling import Labelling

Way = Callable[[Showing], Choice]


def plain_pairs(count: int, *, group: int = 2) -> list[Pair]:
    """``group`` pairs a question; the source is in no text that is shown."""
    return [
        Pair(
            id=f"id-of-{number}",
            instruction=f"Question {number // group}",
            response_a=f"Text alpha {number}",
            response_b=f"Text beta {number}",
            source="secret-source",
            author_a="secret-author-a",
            author_b="secret-author-b",
        )
        for number in range(count)
    ]


def unjudged_run(directory: Path, pairs: Sequence[Pair]) -> Path:
    """A run with its pairs and no plan."""
    manifest = RunManifest(
        kind="live",
        judge=JudgeIdentity(spec="secret:judge", model="secret-judge"),
        conditions=(),
        readouts=("generated",),
        data=DataIdentity(spec="x", pairs=len(pairs), sha256="…"),
    )
    with Journal.create(directory, manifest, pairs) as journal:
        journal.set_plan([])
    return directory


def label_all(labelling: Labelling, name: str, way: Way, *, most: int = 10_000) -> Annotator:
    """Somebody labels until nothing is left, or ``most`` pairs."""
    session = labelling.store.enter(secrets.token_hex(8), name)
    assert session.annotator is not None
    for _ in range(most):
        showing = labelling.next(session.annotator)
        if showing is None:
            break
        assert labelling.store.label(session, showing, way(showing), form=secrets.token_hex(8), seconds=2.0)
    return session.annotator


def prefers_a(showing: Showing) -> Choice:
    """Somebody whom the order doesn't sway."""
    return Choice.FIRST if showing.shown_order is Order.AB else Choice.SECOND
