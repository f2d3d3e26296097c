import numpy as np
import pytest

from audits.tables import many, verdicts
from evenhand.analysis.wide import widen
from evenhand.audits.drift.measures import DRIFT_MEASURES, Observed
from evenhand.audits.judges.measures import FLIPS, JUDGE_MEASURES
from evenhand.records import verdict_table


def observed(name: str, pairs: dict[str, str], **facts: object) -> Observed:
    wide = widen(verdict_table(verdicts(pairs, **facts)))  # type: ignore[arg-type]
    return JUDGE_MEASURES[name].observe(wide.scopes[0], wide.facts)


def test_flips_come_first_and_every_measure_is_known_by_its_own_name() -> None:
    assert next(iter(JUDGE_MEASURES)) == FLIPS
    assert all(measure.name == name for name, measure in JUDGE_MEASURES.items())
    assert JUDGE_MEASURES["verdict_rate"] is DRIFT_MEASURES["verdict_rate"]


def test_a_tie_in_one_order_is_an_inconsistency_and_no_flip() -> None:
    pairs = {"a": "TF", "b": "TT", "c": "FF", "d": "FS", "e": "TR"}
    ties, flips = observed("inconsistency_rate", pairs), observed("flip_rate", pairs)
    assert ties.values[:4, 0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert ties.known[:, 0].tolist() == [True, True, True, True, False]
    assert flips.known[:, 0].tolist() == [False, False, True, True, False]


@pytest.mark.parametrize(
    ("name", "values", "known"),
    [
        ("accuracy_ab", [1, 0], [True, True]),
        ("accuracy_ba", [0, 0], [True, False]),
        ("accuracy_consistent", [0, 0], [False, False]),
    ],
)
def test_accuracy_is_of_verdicts_on_pairs_with_gold(name: str, values: list[int], known: list[bool]) -> None:
    # a is right in AB and wrong in BA; b is wrong in AB and refused in BA; c has no gold.
    seen = observed(name, {"a": "FF", "b": "SR", "c": "FS"}, gold={"a": "A", "b": "A"})
    assert seen.known[:, 0].tolist() == [*known, False]
    assert [int(v) for v, k in zip(seen.values[:2, 0], known, strict=True) if k] == [
        v for v, k in zip(values, known, strict=True) if k
    ]


def test_flips_beyond_repeats_lie_between_minus_one_and_one() -> None:
    first = verdicts({"a": "FF", "b": "FS", "c": "FF", "d": "FF"})
    again = verdicts({"a": "F.", "b": "S.", "c": "S."}, repeat=1)
    wide = widen(verdict_table([*first, *again]))
    measure = JUDGE_MEASURES["swap_minus_repeat"]
    seen = measure.observe(wide.scopes[0], wide.facts)
    assert seen.known[:, 0].tolist() == [True, True, True, False]
    # Kept at half scale from 0 to 1: flipped and steady, kept and changed, flipped and changed.
    assert seen.values[:3, 0].tolist() == [1.0, 0.0, 0.5]
    assert measure.scale == 2.0


def test_no_measure_knows_a_pair_that_was_refused_throughout() -> None:
    for name in JUDGE_MEASURES:
        seen = observed(name, many(RR=3))
        if name == "verdict_rate":
            assert not seen.values.any()
        else:
            assert not seen.known.any(), name
        assert np.isfinite(seen.values).all()
