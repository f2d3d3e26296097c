"""Tables of agreement as a page prints them."""

import numpy as np

from evenhand.web.labelling.tables import agreement_tables, judge_tables
from evenhand.workflow.labelling_agreement import measure_agreement
from evenhand.workflow.labelling_study import labelling_study
from workflow.label_events import KnownPairs, labels_of, says_a, stated


def test_a_figure_stands_with_its_interval_and_a_refusal_with_its_reason() -> None:
    rng = np.random.default_rng(0)
    own = stated(labels_of("Ann", range(40), lambda row, order: says_a(order), rng))
    made = measure_agreement(own, KnownPairs(40))  # type: ignore[arg-type]
    among, each = agreement_tables(made)
    assert among.rows[0][1].text == "—"
    assert among.rows[0][1].marks
    assert "needs at least 10 pairs with labels of two annotators, has 0" in dict(among.notes).values()
    labels = [column.label for column in each.columns]
    first = each.rows[0][labels.index("chose the one shown first")]
    assert first.text.endswith("%")
    assert first.interval.startswith("[")
    assert "question groups (40)" in each.intervals
    assert [table.id for table in judge_tables(labelling_study(made))] == ["among", "annotators"]
