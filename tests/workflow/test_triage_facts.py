"""Authors, gold and seconds of a real run directory, in the order of the data; a plain run for what capture costs."""

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.records import Order
from evenhand.stats import Refusal
from evenhand.store import Journal
from evenhand.workflow.triage_facts import read_facts, writing_seconds
from workflow.triage_runs import AUTHORS, triage_data, triage_directory, triage_pairs


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return triage_directory(tmp_path_factory.mktemp("run"), count=60)


def test_facts_are_in_the_order_of_the_data(run):
    data = triage_data(run)
    facts = read_facts(run, data)
    pairs = {pair.id: pair for pair in triage_pairs(60)}
    assert facts.authors.names == AUTHORS
    assert [facts.authors.names[i] for i in facts.authors.a] == [pairs[p].author_a for p in data.pair_ids]
    assert facts.gold == tuple(pairs[p].gold for p in data.pair_ids)
    assert facts.seconds.ab.tolist() == [2.0] * len(data)
    # Two of 60 pairs broke the format; both orders of each were asked.
    assert facts.seconds.others == 2 * 2 * 2.0
    with Journal.open(run, read_only=True) as journal:
        of = {p.key: (p.pair_id, p.order) for p in journal.plan()}
    assert [of[key] for key in facts.keys_ab] == [(pair, Order.AB) for pair in data.pair_ids]


def test_writing_is_measured_and_scaled_to_all_pairs(run):
    keys = read_facts(run, triage_data(run)).keys_ab
    assert writing_seconds(run, keys) > 0
    assert writing_seconds(run, ()) == 0.0
    assert not list(run.glob("evenhand-triage-*"))


def test_a_judge_that_tells_no_seconds_is_a_refusal(tmp_path):
    folder = triage_directory(tmp_path, count=10, seconds=None)
    assert read_facts(folder, triage_data(folder)).seconds == Refusal(
        reason="the judge doesn't tell the seconds of its answers", n=0
    )


def test_a_plain_run_tells_what_full_swapping_costs(run, tmp_path):
    plain = triage_directory(tmp_path / "plain", count=60, seconds=1.5)
    seconds = read_facts(run, triage_data(run), plain=plain).seconds
    assert np.array_equal(seconds.plain_ab, np.full(58, 1.5))
    few = triage_directory(tmp_path / "few", count=30)
    with pytest.raises(ConfigError, match=r"tells no seconds of 58 of 116 presentations"):
        read_facts(run, triage_data(run), plain=few)
