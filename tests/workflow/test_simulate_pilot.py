"""A pilot run gives its rates and its clusters, and says what it can't give."""

import numpy as np
import pytest

import evenhand
from evenhand.errors import DataError
from evenhand.judges.simulated_study_table import copied_rows
from evenhand.records import Pair, Preference
from evenhand.workflow.simulate_pilot import intra_cluster_correlation, pilot_facts


def pairs(n, per_question):
    return [
        Pair(
            id=f"p{i:02}",
            instruction=f"Question {i // per_question}",
            response_a=f"<quality:{(i % 7) - 3}> a",
            response_b="<quality:0> b",
            gold=Preference.A,
        )
        for i in range(n)
    ]


def test_rates_and_clusters_of_a_run(tmp_path):
    run = evenhand.audit(
        "simulated:position=1,noise=0.5,repeat_noise=1",
        pairs(40, 2),
        settings=evenhand.AuditSettings(repeat=40),
        out=tmp_path / "run",
    )
    facts = pilot_facts(tmp_path / "run")
    assert (facts.pairs, facts.pairs_per_question, facts.readout) == (40, 2.0, "generated")
    table = run.to_polars()
    first = table.filter((table["repeat"] == 0) & (table["readout"] == "generated"))
    by_order = [first.filter(first["order"] == o).sort("pair_id")["preference"].to_list() for o in ("AB", "BA")]
    assert facts.flip_rate == np.mean([a != b for a, b in zip(*by_order, strict=True)])
    assert 0 < facts.repeat_rate < facts.flip_rate
    assert facts.notes == ()


def test_a_judge_that_never_flips_gives_its_upper_limit(tmp_path):
    evenhand.audit("simulated:noise=0", [p for p in pairs(40, 1) if ":0> a" not in p.response_a], out=tmp_path / "run")
    facts = pilot_facts(tmp_path / "run")
    assert 0 < facts.flip_rate < 0.2
    assert facts.repeat_rate is None
    assert any("other limit" in note for note in facts.notes)
    assert any("repeat rate is assumed" in note for note in facts.notes)


def test_a_run_without_a_decided_pair_is_no_pilot(tmp_path):
    evenhand.audit("simulated:refusal=1,compliance=0", pairs(10, 1), out=tmp_path / "run")
    with pytest.raises(DataError, match="no pair of this run was decided"):
        pilot_facts(tmp_path / "run")


def test_the_correlation_is_found_again():
    rng = np.random.default_rng(1)
    groups = np.arange(12_000) // 3
    values = (rng.random(16_000) < 0.3).astype(float)[copied_rows(groups, icc=0.3, rng=rng)]
    assert intra_cluster_correlation(values, groups) == pytest.approx(0.3, abs=0.03)
    free = (rng.random(12_000) < 0.3).astype(float)
    assert intra_cluster_correlation(free, groups) < 0.03


def test_no_correlation_can_be_told_without_two_of_a_kind():
    assert intra_cluster_correlation(np.array([0.0, 1.0]), np.array([0, 1])) == 0.0
    assert intra_cluster_correlation(np.ones(4), np.array([0, 0, 1, 1])) == 0.0
