from datetime import date

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from evenhand.audits.humans.table import UNDATED, label_table
from evenhand.datasets.labels import Label, last_labels
from evenhand.records import Preference

_LABEL = st.tuples(
    st.sampled_from(Preference),
    st.sampled_from(["ann", "bob", "cy", None]),
    st.sampled_from([None, "2026-11-30", "2026-12-01T23:59:00", "2026-12-02T01:00:00+02:00"]),
)


@given(st.lists(st.lists(_LABEL, max_size=6), min_size=1, max_size=6))
def test_the_counts_are_of_each_annotators_last_label(
    given: list[list[tuple[Preference, str | None, str | None]]],
) -> None:
    labels = [
        [Label(pair_id=str(i), preference=p, annotator=who, date=day, row=k) for k, (p, who, day) in enumerate(own)]
        for i, own in enumerate(given)
    ]
    table = label_table(labels)
    expected = [[sum(each.preference is p for each in last_labels(own)) for p in Preference] for own in labels]
    assert table.counts.tolist() == expected
    assert table.pair.size == sum(map(len, labels))
    assert len(table.annotators) == len({each.annotator for own in labels for each in own})


def test_annotators_with_most_labels_come_first_and_days_are_dates() -> None:
    said = [("zoe", "2026-11-30T23:00:00+05:00"), ("ann", None), ("zoe", None)]
    labels = [
        [Label(pair_id=f"p{i}", preference=Preference.B, annotator=who, date=day, row=i)]
        for i, (who, day) in enumerate(said)
    ]
    table = label_table(labels)
    assert table.annotators == ("zoe", "ann")
    assert table.annotator.tolist() == [0, 1, 0]
    assert table.day.tolist() == [date(2026, 11, 30).toordinal(), UNDATED, UNDATED]
    assert np.all(table.last)
    assert np.all(table.preference == 1)
