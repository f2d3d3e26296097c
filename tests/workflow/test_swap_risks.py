from dataclasses import replace

import numpy as np
import pytest

from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.saved import load_probe
from evenhand.records import Completion, FinishReason, Readout
from evenhand.store import Journal
from evenhand.workflow.collect import collect
from evenhand.workflow.judged import ProbedCondition
from evenhand.workflow.probe_data import load_probe_data
from evenhand.workflow.swap_risks import pair_risks
from workflow.capturing_judge import CapturingDouble, pairs
from workflow.selective_examples import make_probe, telling, unsure

FEATURES = ("confidence", "margin", "absolute-length-difference", "ab-choice", "before-verdict@2", "prompt-end@3")


def risks_of(directory, probe):
    with Journal.open(directory, read_only=True) as journal:
        return pair_risks(
            CapturingDouble(telling),
            probe,
            journal,
            ActivationStore(directory),
            manifest=journal.manifest,
            asked=ProbedCondition.of(journal.manifest, Readout.GENERATED),
            subject=probe.card.subject,
        )


def test_they_are_the_probes_on_the_same_pairs_with_both_orders_known(tmp_path):
    """What the run knows after order AB is what a collected run knows of AB: the two must agree to the last bit."""
    probe = load_probe(make_probe(tmp_path / "made.json", features=FEATURES))
    collect(CapturingDouble(telling), pairs(30), out=tmp_path / "run")
    data = load_probe_data(tmp_path / "run")
    found = risks_of(tmp_path / "run", probe)
    assert [r.pair_id for r in found.risks] == list(data.pair_ids)
    assert np.array_equal([r.risk for r in found.risks], probe.probabilities(data))
    assert all(r.decided for r in found.risks)
    # Trained on the first 20 of these 30, in groups of two.
    assert (found.overlap.pairs, found.overlap.groups) == (20, 10)


def test_what_cannot_be_predicted_is_none_with_what_is_known_of_it(tmp_path):
    probe = load_probe(make_probe(tmp_path / "made.json"))
    answers = {
        1: Completion(text=None, finish_reason=FinishReason.ERROR, error="out of memory"),
        2: "I can't say.",
        3: "It is better.\n80\nA and more",
    }

    def write(number, ab):
        return answers.get(number, telling(number, ab)) if ab else telling(number, ab)

    collect(CapturingDouble(write), pairs(8), out=tmp_path / "run")
    found = {r.pair_id: (r.risk, r.decided) for r in risks_of(tmp_path / "run", probe).risks}
    assert found["p1"] == (None, None)
    assert found["p2"] == (None, False)
    assert found["p3"][0] is None
    assert found["p0"][0] == pytest.approx(1 / (1 + np.exp((30 - 60) / 15)))
    assert {name for name, (risk, _) in found.items() if risk is not None and risk > 0.5} == {
        f"p{n}" for n in range(8) if unsure(n) and n not in answers
    }


def test_nothing_answered_is_nothing_known(tmp_path):
    probe = load_probe(make_probe(tmp_path / "made.json"))
    collect(CapturingDouble(telling), pairs(4), out=tmp_path / "run", stop=lambda: True)
    found = risks_of(tmp_path / "run", replace(probe))
    assert [(r.risk, r.decided) for r in found.risks] == [(None, None)] * 4
