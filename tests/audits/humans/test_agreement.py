"""Agreement with people, counted by hand, and against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from audits.humans.label_tables import labelled, sampler
from evenhand.analysis.scope import ABSENT
from evenhand.audits.humans.agreement import Agreement, human_agreement, judge_agreement
from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.stats import Estimate, Refusal


def value(found: Estimate | Refusal) -> float:
    assert isinstance(found, Estimate), found
    return found.value


def of(pairs: LabelledPairs, name: str) -> Agreement:
    return next(a for a in judge_agreement(pairs, sampler(pairs)).against_consensus if a.first == name)


ROWS = ["AA|A"] * 5 + ["AB|A"] * 3 + ["BB|B"] * 4 + ["tt|t"] * 2 + ["A-|A"] * 2 + ["BB|A"] * 2 + ["AA|-"] * 3


def test_agreement_is_counted_over_pairs_that_have_both() -> None:
    pairs = labelled(*ROWS)
    ab, ba, both = (of(pairs, name) for name in ("order AB", "order BA", "both orders"))
    # AB: 18 labelled pairs; wrong on the two BB|A. BA: 16 with a verdict; wrong on AB|A (3) and BB|A (2).
    assert (value(ab.rate), ab.pairs) == (pytest.approx(16 / 18), 18)
    assert (value(ba.rate), ba.pairs) == (pytest.approx(11 / 16), 16)
    # Both: a conflict is a tie, which is not what the label A says.
    assert (value(both.rate), both.pairs) == (pytest.approx(11 / 16), 16)
    assert value(both.decided) == pytest.approx(9 / 11)


def test_a_missing_verdict_is_counted_and_no_disagreement() -> None:
    found = judge_agreement(labelled(*ROWS), sampler(labelled(*ROWS)))
    assert (found.unlabelled, found.without_verdict) == (3, 2)


def test_kappa_is_scikit_learns() -> None:
    pairs = labelled(*ROWS)
    known = (pairs.verdict != ABSENT) & (pairs.consensus != ABSENT)
    expected = cohen_kappa_score(pairs.verdict[known], pairs.consensus[known])
    assert value(of(pairs, "both orders").kappa) == pytest.approx(expected)


def test_few_labels_are_refused() -> None:
    found = of(labelled(*(["AA|A"] * 9 + ["AA|-"] * 20)), "order AB")
    assert isinstance(found.rate, Refusal)
    assert found.rate.reason == "needs at least 10 pairs rated by both, has 9"


def test_people_are_compared_with_the_consensus_of_the_others() -> None:
    pairs = labelled(*["AA|AAA"] * 6, *["AA|AAB"] * 4)
    found = human_agreement(pairs, sampler(pairs), resamples=100)
    # AAB: for each A the others are a draw, which is no consensus; B sees A and A, and disagrees. AAA: all three agree.
    assert value(found.ceiling) == pytest.approx(18 / (18 + 4))
    assert found.annotators == 3
    assert [(a.first, a.second) for a in found.between] == [("h0", "h1"), ("h0", "h2"), ("h1", "h2")]


def test_one_annotator_has_no_ceiling() -> None:
    pairs = labelled(*["AA|A"] * 12)
    found = human_agreement(pairs, sampler(pairs))
    assert isinstance(found.ceiling, Refusal)
    assert isinstance(found.alpha, Refusal)
    assert "needs at least 2 annotators" in found.alpha.reason
    assert isinstance(judge_agreement(pairs, sampler(pairs)).gap, Refusal)


def test_the_gap_is_below_zero_where_the_judge_is_worse_than_a_person() -> None:
    pairs = labelled(*["AA|AA"] * 20, *["BB|AA"] * 10, *["AA|BB"] * 10)
    gap = judge_agreement(pairs, sampler(pairs)).gap
    assert isinstance(gap, Estimate)
    assert gap.value == pytest.approx(-0.5)
    assert gap.interval is not None
    assert gap.interval.high < 0


def test_exchanging_the_responses_changes_nothing() -> None:
    turned = str.maketrans("AB", "BA")
    own, other = labelled(*ROWS), labelled(*(row.translate(turned) for row in ROWS))
    for name in ("order AB", "both orders"):
        assert value(of(own, name).rate) == value(of(other, name).rate)
        assert value(of(own, name).kappa) == pytest.approx(value(of(other, name).kappa))
    assert np.array_equal(own.consensus == 0, other.consensus == 1)


def test_judge_and_person_are_compared_with_the_same_others() -> None:
    rows = [*["AA|AA"] * 12, *["AA|AB"] * 6, *["BB|AB"] * 2, *["AB|BB"] * 5]
    pairs = labelled(*rows)
    # Two persons a pair, each beside the other. Persons agree in 12 + 5 of 25 pairs. The judge: with both of AA (12
    # pairs), with one of two of AB whatever it says (8 pairs), and with neither where it contradicts itself (5).
    gap = value(judge_agreement(pairs, sampler(pairs)).gap)
    assert gap == pytest.approx((24 + 8) / 50 - 2 * (12 + 5) / 50)


def test_a_draw_of_the_others_is_no_tie_that_a_wavering_judge_could_match() -> None:
    pairs = labelled(*["AB|ABA"] * 15, *["AB|AAA"] * 5)
    gap = value(judge_agreement(pairs, sampler(pairs)).gap)
    # Cells: B beside A and A (15, no agreement), each A of AAA (15, agreement). The judge ties always: never.
    assert gap == pytest.approx(-15 / 30)


def test_few_decided_pairs_are_refused_where_many_are_rated() -> None:
    found = of(labelled(*["AA|A"] * 9, *["tt|t"] * 20), "both orders")
    assert isinstance(found.rate, Estimate)
    assert isinstance(found.decided, Refusal)
    assert found.decided.reason == "needs at least 10 pairs with a response chosen by both, has 9"


def test_a_log_of_one_order_is_compared_by_that_order() -> None:
    found = judge_agreement(single := labelled(*["A-|A"] * 8, *["-B|A"] * 4, asked="single"), sampler(single))
    shown = found.against_consensus[-1]
    assert (shown.first, value(shown.rate), shown.pairs) == ("the order shown", pytest.approx(8 / 12), 12)
    assert found.without_verdict == 0
    chosen = labelled(*["AB|A"] * 8, *["A-|A"] * 4, asked="AB")
    [only] = judge_agreement(chosen, sampler(chosen)).against_consensus
    assert (only.first, value(only.rate), only.pairs) == ("order AB", 1.0, 12)


def test_many_annotators_are_not_all_compared_one_by_one() -> None:
    # 15 annotators of 20 pairs each, of whom the last three skipped one: 12 are listed, alpha and ceiling are of all.
    said = ["A" * 15, "B" * 15] * 10
    pairs = labelled("AA|" + "A" * 12 + "---", *(f"{own[0] * 2}|{own}" for own in said[1:]))
    found = human_agreement(pairs, sampler(pairs), resamples=100)
    assert found.annotators == 15
    assert sorted(found.listed) == sorted(f"h{k}" for k in range(12))
    assert len(found.between) == 12 * 11 // 2
    assert value(found.ceiling) == 1.0
    assert isinstance(found.ceiling, Estimate)
    assert found.ceiling.n == 19 * 15 + 12
    judge = judge_agreement(pairs, sampler(pairs))
    assert [each.second for each in judge.against_annotators] == list(found.listed)
