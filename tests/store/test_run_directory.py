from dataclasses import replace

import pytest

from evenhand.errors import StoreError
from evenhand.records import Change, Preference
from evenhand.store import Journal, PlanCounts
from evenhand.store.run_directory import describe
from store.examples import ANSWER, manifest, pairs, presentations


def test_a_run_is_described_while_it_is_written_and_after(tmp_path):
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        journal.set_plan(presentations(1))
        journal.record(presentations(1)[0].key, ANSWER)
        during = describe(tmp_path)
    after = describe(tmp_path)
    assert during.being_written
    assert not after.being_written
    assert (during.kind, during.judge, during.data) == ("live", "scripted:x", "made up")
    assert during.conditions == ("single-character, A/B",)
    assert during.counts == after.counts == PlanCounts(planned=2, finished=1, errors=0, pending=1)


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(StoreError, match="not a run directory"):
        describe(tmp_path)


def test_conditions_that_change_pairs_are_told_by_their_audits(tmp_path):
    control = manifest().conditions[0]
    change = Change(factor="tone", level="hedged", target=Preference.A)
    changed = replace(control, id=f"{control.id}; {change.name}", changes=(change,), control=control.id)
    with Journal.create(tmp_path, replace(manifest(), conditions=(control, changed), biases=("tone",)), pairs(1)):
        pass
    found = describe(tmp_path)
    assert found.conditions == (control.id,)
    assert found.biases == ("tone",)
