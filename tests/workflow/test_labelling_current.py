"""What each recorded label is worth."""

from dataclasses import replace

from evenhand.records import Order, Preference
from evenhand.store.label_store_records import Choice, Drawn, LabelEvent, Showing
from evenhand.workflow.labelling_current import LabelState, counted, state_labels

SHOWING = Showing(
    id=1,
    token="t",  # noqa: S106 - a name in an address
    annotator=1,
    pair_id="p",
    text_sha256="now",
    shown_order=Order.BA,
    repeat=False,
    drawn=Drawn.SHARED,
    created="",
)
EVENT = LabelEvent(
    id=1,
    showing=SHOWING,
    annotator="Ann",
    choice=Choice.FIRST,
    confidence=None,
    note="",
    seconds=None,
    recorded_at="2026-11-30T10:00:00+00:00",
    session=1,
    after_results=False,
)
REPEAT = replace(SHOWING, id=2, repeat=True, shown_order=Order.AB)
OLD = replace(SHOWING, id=3, text_sha256="old")
OTHER = replace(SHOWING, id=4, pair_id="q")


def states(*events: LabelEvent, texts: dict[str, str] | None = None) -> list[LabelState]:
    numbered = [replace(event, id=number) for number, event in enumerate(events, start=1)]
    return [each.state for each in state_labels(numbered, text_sha256=None if texts is None else texts.get)]


def test_the_latest_of_a_showing_counts_and_a_skip_takes_a_label_back() -> None:
    skip = replace(EVENT, choice=Choice.SKIP)
    assert states(EVENT, EVENT) == [LabelState.SUPERSEDED, LabelState.LABEL]
    assert states(EVENT, skip) == [LabelState.SUPERSEDED, LabelState.SKIPPED]


def test_a_repeat_never_takes_the_place_of_the_first() -> None:
    assert states(EVENT, replace(EVENT, showing=REPEAT)) == [LabelState.LABEL, LabelState.REPEAT]


def test_a_label_of_other_texts_does_not_count() -> None:
    old, other = replace(EVENT, showing=OLD), replace(EVENT, showing=OTHER)
    assert states(old, EVENT, other, texts={"p": "now"}) == [
        LabelState.CHANGED,
        LabelState.LABEL,
        LabelState.LABEL,  # of a pair that isn't there
    ]
    # Without the pairs, the version labelled last is taken to be the one that is there.
    assert states(old, EVENT) == [LabelState.CHANGED, LabelState.LABEL]
    assert states(EVENT, old) == [LabelState.CHANGED, LabelState.LABEL]
    assert states(old) == [LabelState.LABEL]


def test_labels_as_label_files_have_them() -> None:
    stated = state_labels([EVENT, replace(EVENT, id=2, showing=OTHER, choice=Choice.SKIP)])
    (label,) = counted(stated)
    assert (label.pair_id, label.preference, label.annotator, label.date) == (
        "p",
        Preference.B,
        "Ann",
        "2026-11-30T10:00:00+00:00",
    )
