"""One scope's verdicts beside labels: what is resampled, and whose labels stand beside which pair."""

from pathlib import Path

import numpy as np

from audits.tables import verdicts
from evenhand.analysis.wide import widen
from evenhand.datasets.labels import Label, Labels
from evenhand.records import Preference, verdict_table
from evenhand.workflow.human_scopes import labelled_scope

SHOWN = {"p1": "FF", "p2": "FS", "p3": "SF"}
GROUPS = {"p1": "g", "p2": "g", "p3": "h"}


def labels(**said: Preference) -> Labels:
    own = tuple(Label(pair_id=pair, preference=said[pair], annotator="ann", row=1) for pair in said)
    return Labels(path=Path("l.csv"), sha256="", labels=own)


def test_labels_stand_beside_their_own_pairs() -> None:
    wide = widen(verdict_table(verdicts(SHOWN, group=GROUPS)))
    made = labelled_scope(
        wide, wide.scopes[0], labels(p3=Preference.B, p1=Preference.A), judge="j", asked="both", level=0.9, seed=4
    )
    assert (made.condition, made.readout, made.unit) == ("c", wide.scopes[0].readout, "question group")
    assert made.pairs.ids == ("p1", "p2", "p3")
    assert [[label.preference for label in own] for own in made.pairs.labels] == [[Preference.A], [], [Preference.B]]
    # A pair flips here where it does for the audit.
    assert np.array_equal(made.pairs.ab != made.pairs.ba, wide.scopes[0].flips)
    assert (made.sampler.seed, made.sampler.level, made.pairs.authors[0]) == (4, 0.9, (None, None))


def test_what_is_resampled_is_what_the_audit_resamples() -> None:
    wide = widen(verdict_table(verdicts(SHOWN, group=GROUPS, source={"p1": "s", "p2": "t", "p3": "s"})))
    first, second = (
        labelled_scope(wide, wide.scopes[0], labels(p1=Preference.A), judge="j", asked="both", cluster=cluster)
        for cluster in ("group", "source")
    )
    assert first.pairs.clusters[0] == first.pairs.clusters[1] != first.pairs.clusters[2]
    assert second.pairs.clusters[0] == second.pairs.clusters[2] != second.pairs.clusters[1]
    assert second.unit == "source"
