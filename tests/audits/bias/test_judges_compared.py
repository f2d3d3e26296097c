from dataclasses import replace

import numpy as np
import pytest

from audits.bias.changed import bias_data
from audits.bias.observed import Truth, authored_run, draw_authored, judge_authored
from evenhand.audits.bias.judges_compared import compare_judges, judge_verdicts
from evenhand.errors import ConfigError, DataError
from evenhand.records import Pair, Readout

FAMILIES = {"family0-judge": "F0", "family1-judge": "F1", **{f"family{j}-writer": f"F{j}" for j in range(3)}}


def runs(count=30, judges=2):
    rng = np.random.default_rng(0)
    pairs = draw_authored(rng, count, 3)
    chose = [judge_authored(rng, pairs, Truth(), j) for j in range(judges)]
    return pairs, chose, [authored_run(pairs, c, model=f"family{j}-judge") for j, c in enumerate(chose)]


def test_choices_and_authors_are_lined_up():
    pairs, chose, data = runs()
    compared = compare_judges([judge_verdicts(each) for each in data], families=FAMILIES)
    assert compared.families == ("F0", "F1")
    for j in range(2):
        assert compared.chose[j].tolist() == np.where(chose[j], 1, -1).tolist()
        assert compared.own[j].tolist() == pairs.own(j).tolist()
        assert compared.neutral[j].tolist() == (pairs.own(j) == 0).tolist()
    assert compared.gold.tolist() == np.sign(pairs.quality).tolist()
    assert compared.length == pytest.approx(pairs.log_ratio, abs=0.02)
    assert compared.facts.n_groups == 15


def test_pairs_that_only_one_judge_saw_stay_with_zeros():
    _, chose, data = runs()
    short = dict(list(data[1].pairs.items())[:10])
    from evenhand.analysis.wide import widen

    table = data[1].table.filter(data[1].table["pair_id"].is_in(list(short)))
    second = replace(data[1], table=table, wide=widen(table), pairs=short)
    compared = compare_judges([judge_verdicts(data[0]), judge_verdicts(second)], families=FAMILIES)
    assert compared.chose.shape == (2, 30, 2)
    assert not compared.chose[1][10:].any()
    assert compared.chose[1][:10].tolist() == np.where(chose[1][:10], 1, -1).tolist()


def test_pairs_without_an_author_are_left_out_and_counted():
    _, _, data = runs()
    bare = {**data[0].pairs, "p00004": replace(data[0].pairs["p00004"], author_b=None)}
    compared = compare_judges([judge_verdicts(replace(each, pairs=bare)) for each in data], families=FAMILIES)
    assert compared.unknown == 1
    assert compared.chose.shape == (2, 29, 2)


def test_ties_and_missing_verdicts_are_no_choice():
    verdicts = {"p": "FS", "q": "TF", "r": "US", "s": "X."}
    pairs = {
        n: Pair(id=n, instruction="i", response_a="a", response_b="b", author_a="x", author_b="y") for n in verdicts
    }
    data = replace(bias_data(verdicts, {}), pairs=pairs, judge="j")
    assert compare_judges([judge_verdicts(data)]).chose[0].tolist() == [[1, 1], [0, -1], [0, 1], [0, 0]]


def test_what_does_not_fit_together_is_an_error():
    _, _, data = runs()
    first = judge_verdicts(data[0])
    with pytest.raises(ConfigError, match="names of their own"):
        compare_judges([first, first])
    with pytest.raises(ConfigError, match="there are none"):
        compare_judges([])
    other = {**data[1].pairs, "p00000": replace(data[1].pairs["p00000"], response_a="something else")}
    with pytest.raises(DataError, match="different responses by pair 'p00000'"):
        compare_judges([first, judge_verdicts(replace(data[1], pairs=other))])


def test_a_condition_or_readout_that_is_not_there_is_an_error():
    _, _, data = runs()
    with pytest.raises(ConfigError, match="no verdicts under condition 'x'"):
        judge_verdicts(data[0], condition="x")
    with pytest.raises(ConfigError, match="no verdicts"):
        judge_verdicts(data[0], readout=Readout.FIRST_TOKEN)
    two = replace(data[0], conditions=(data[0].conditions[0], replace(data[0].conditions[0], id="d")))
    with pytest.raises(ConfigError, match="conditions c, d: name the one"):
        judge_verdicts(two)
    assert judge_verdicts(two, condition="c").readout is Readout.GENERATED
