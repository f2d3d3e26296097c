"""Which of the recorded labels count: of each annotator and pair the latest, on the texts as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from evenhand.datasets.labels import Label
from evenhand.store.label_store_records import Choice, LabelEvent

__all__ = ["LabelState", "StatedLabel", "counted", "state_labels"]


class LabelState(StrEnum):
    """What a recorded label is worth. Only ``label`` is one that counts."""

    LABEL = "label"
    SKIPPED = "skipped"
    """The annotator could not tell: no preference, and no tie."""
    SUPERSEDED = "superseded"
    """The annotator changed it later."""
    REPEAT = "repeat"
    """Of a pair that came a second time: it tells of the annotator, the first label of the pair."""
    CHANGED = "changed"
    """The pair has had other texts since: the label is of what was shown, not of what is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedLabel:
    """A recorded label and what it is worth."""

    event: LabelEvent
    state: LabelState


def state_labels(
    events: Iterable[LabelEvent], *, text_sha256: Callable[[str], str | None] | None = None
) -> tuple[StatedLabel, ...]:
    """Say of each event what it is worth, in the order of recording.

    Parameters
    ----------
    text_sha256
        Hash of a pair's texts as they are now; it gives None for a pair that isn't there, whose labels are taken as
        they are. Without it nobody knows the pairs: of one annotator's labels on two versions of a pair, those on the
        version labelled last count.
    """
    given = tuple(events)
    last = {event.showing.id: event.id for event in given}
    newest = {(event.annotator, event.showing.pair_id): event.showing.text_sha256 for event in given}

    def state(event: LabelEvent) -> LabelState:
        showing = event.showing
        now = None if text_sha256 is None else text_sha256(showing.pair_id)
        if showing.text_sha256 != (now or newest[event.annotator, showing.pair_id]):
            return LabelState.CHANGED
        if last[showing.id] != event.id:
            return LabelState.SUPERSEDED
        if showing.repeat:
            return LabelState.REPEAT
        return LabelState.SKIPPED if event.choice is Choice.SKIP else LabelState.LABEL

    return tuple(StatedLabel(event=event, state=state(event)) for event in given)


def counted(stated: Iterable[StatedLabel]) -> tuple[Label, ...]:
    """The labels that count, as label files hold them."""
    return tuple(
        Label(
            pair_id=each.event.showing.pair_id,
            preference=each.event.preference,
            annotator=each.event.annotator,
            date=each.event.recorded_at,
            row=row,
        )
        for row, each in enumerate(stated, start=1)
        if each.state is LabelState.LABEL and each.event.preference is not None
    )
