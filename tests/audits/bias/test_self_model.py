import numpy as np
import pytest
from statsmodels.discrete.conditional_models import ConditionalLogit
from statsmodels.regression.linear_model import OLS

from audits.bias.observed import Truth, authored_run, draw_authored, judge_authored
from evenhand.audits.bias.judges_compared import compare_judges, judge_verdicts
from evenhand.audits.bias.self_model import fit_self, own_term
from evenhand.stats import Refusal

FAMILIES = {f"family{j}-{kind}": f"F{j}" for j in range(4) for kind in ("judge", "writer")}


def fitted(judges, *, families=2, count=120, seed=0):
    """Judges by the number of their family; pairs are by families 0 and 1 unless there are more."""
    rng = np.random.default_rng(seed)
    pairs = draw_authored(rng, count, families, better=(0.5,))
    chose = [judge_authored(rng, pairs, Truth(own=0.8 * (j == 0), slot=0.3 * j), j) for j in judges]
    data = [authored_run(pairs, c, model=f"family{j}-judge") for j, c in zip(judges, chose, strict=True)]
    compared = compare_judges([judge_verdicts(each) for each in data], families=FAMILIES)
    return compared, chose, fit_self(compared, compared.facts.group, level=0.95)


def effects(compared, chose, columns):
    """The long table of choices with the terms by name; a fixed effect for each presentation."""
    y, x, item = [], [], []
    for j, each in enumerate(chose):
        for p in range(each.shape[0]):
            for order in range(2):
                row = dict.fromkeys(columns, 0.0)
                name = compared.judges[j].name
                row[own_term(name)] = float(compared.own[j][p])
                if j > 0:
                    row[f"slot, {name}"] = (0.5, -0.5)[order]
                    row[f"length, {name}"] = compared.length[p]
                    row[f"gold, {name}"] = compared.gold[p]
                y.append(float(each[p, order]))
                x.append([row[column] for column in columns])
                item.append(2 * p + order)
    return np.array(y), np.array(x), np.array(item)


def test_linear_fit_is_the_one_with_presentation_dummies():
    compared, chose, fit = fitted((0, 2, 3))
    columns = [term.name for term in fit.linear.terms]
    y, x, item = effects(compared, chose, columns)
    dummies = (item[:, None] == np.unique(item)).astype(float)
    theirs = OLS(y, np.column_stack([x, dummies])).fit().params[: len(columns)]
    assert fit.linear.coefficients == pytest.approx(theirs, abs=1e-8)
    assert fit.adjusted == ("length", "gold")


def test_of_two_judges_the_odds_are_the_conditional_logit():
    compared, chose, fit = fitted((0, 2))
    columns = [term.name for term in fit.odds.terms]
    y, x, item = effects(compared, chose, columns)
    varied = np.bincount(item, weights=y)[item] == 1  # the others say nothing, and statsmodels warns of them
    y, x, item = y[varied], x[varied], item[varied]
    theirs = ConditionalLogit(y, x, groups=item).fit(disp=0).params
    assert fit.odds.coefficients == pytest.approx(theirs, abs=2e-4)  # as near as its optimiser comes


def test_two_families_that_judge_each_other_alone_are_refused():
    _, _, fit = fitted((0, 1))
    assert isinstance(fit.linear, Refusal)
    assert fit.linear.reason == "no presentation was decided by two judges, one of neither family"


def test_one_judge_has_nothing_to_be_compared_with():
    _, _, fit = fitted((0,))
    assert fit.linear.reason == "no presentation was decided by two judges, one of neither family"
    assert fit.rows == 0


def test_judges_of_both_families_are_not_compared_on_their_pairs():
    compared, _, fit = fitted((0, 1, 2), families=3)
    both = [(compared.own[j] != 0) & (compared.own[k] != 0) for j, k in ((0, 1), (0, 2), (1, 2))]
    assert fit.rows == 2 * sum(np.count_nonzero(~each) for each in both)
    assert [term.name for term in fit.linear.terms][:3] == [own_term(judge.name) for judge in compared.judges]
