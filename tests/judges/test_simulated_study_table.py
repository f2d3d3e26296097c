"""Tables, conditions and pairs of a simulated bias audit are those of a real one."""

import math

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.judges.simulated_biases import BiasStrengths
from evenhand.judges.simulated_study import StudyParameters
from evenhand.judges.simulated_study_table import CONTROL, copied_rows, simulate_study
from evenhand.judges.simulated_study_truth import study_truth
from evenhand.records import Change, Order, Preference, verdict_table

USER_A = (Change(factor="endorsement", level="user", target=Preference.A),)
BOTH = (*USER_A, Change(factor="padding", level="redundant", target=Preference.B))


def made(**settings):
    n_pairs = settings.pop("n_pairs", 60)
    p = settings.pop("p", StudyParameters(own_share=0.5, biases=BiasStrengths(family="me")))
    return simulate_study(p, n_pairs=n_pairs, rng=np.random.default_rng(1), **settings)


def test_conditions_and_rows_are_as_the_contract_has_them():
    study = made(changes=[USER_A, BOTH], repeats=7)
    assert [c.id for c in study.conditions] == [
        CONTROL,
        f"{CONTROL}; endorsement=user:A",
        f"{CONTROL}; endorsement=user:A + padding=redundant:B",
    ]
    assert [c.control for c in study.conditions] == [None, CONTROL, CONTROL]
    assert study.conditions[2].changes == BOTH
    assert study.table.schema == verdict_table([]).schema
    assert study.table.height == 3 * 2 * 60 + 7
    repeated = study.table.filter(study.table["repeat"] == 1)
    assert set(repeated["condition"]) == {CONTROL}
    assert set(repeated["order"]) == {"AB"}


def test_pairs_have_the_drawn_lengths_authors_and_gold():
    study = made()
    for i, pair in enumerate(study.pairs):
        ratio = math.log(len(pair.response_a.split()) / len(pair.response_b.split()))
        assert ratio == pytest.approx(study.world.log_length[i], abs=0.06)
        assert (pair.gold is Preference.A) == (study.world.quality[i] > 0)
        own = (pair.author_a == "me-1") - (pair.author_b == "me-1")
        assert own == study.world.own[i]
    ids = [pair.id for pair in study.pairs]
    assert ids == study.table["pair_id"].unique().sort().to_list()


def test_one_order_alone_is_a_log_of_single_comparisons():
    assert set(made(orders=[Order.AB]).table["order"]) == {"AB"}


def test_ties_and_refusals_come_as_often_as_set():
    table = made(p=StudyParameters(tie=0.2, refusal=0.1), n_pairs=4000).table
    shares = {o: (table["outcome"] == o).mean() for o in ("tie", "refused")}
    assert shares["tie"] == pytest.approx(0.2, abs=0.02)
    assert shares["refused"] == pytest.approx(0.1, abs=0.02)


def test_copies_make_every_outcome_correlate_by_the_icc_and_change_no_rate():
    p = StudyParameters(position=0.5)
    study = made(p=p, n_pairs=20_000, n_groups=10_000, icc=0.4)
    table = study.table
    first = {o: table.filter(table["order"] == o).sort("pair_id")["preference"].to_list() for o in ("AB", "BA")}
    flips = np.array([a != b for a, b in zip(first["AB"], first["BA"], strict=True)], dtype=float).reshape(-1, 2)
    assert flips.mean() == pytest.approx(study_truth(p).flip_rate, abs=0.015)
    assert np.corrcoef(flips[:, 0], flips[:, 1])[0, 1] == pytest.approx(0.4, abs=0.04)


def test_clusters_are_made_in_one_way():
    with pytest.raises(ConfigError, match="give one or the other"):
        made(p=StudyParameters(group_sd=1.0), icc=0.5, n_groups=30)


def test_no_copies_without_a_correlation():
    group = np.array([0, 0, 1])
    assert copied_rows(group, icc=0.0, rng=np.random.default_rng(0)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(("settings", "message"), [({"repeats": 61}, "repeats=61"), ({"icc": 1.5}, "icc=1.5")])
def test_bad_sizes_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        made(**settings)
