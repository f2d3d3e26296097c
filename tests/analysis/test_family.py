"""Holm's adjustment keeps the order, says the family, and survives underflow."""

import pytest

from evenhand.analysis.family import holm_adjusted
from evenhand.stats import binomial_test, mcnemar


def test_adjusted_values_stay_with_their_tests() -> None:
    tests = [binomial_test(5, 10), mcnemar(10, 0), mcnemar(0, 8)]
    adjusted = holm_adjusted(tests, family="contrasts")
    assert [t.p_value for t in adjusted] == pytest.approx([1.0, 6 / 1024, 4 / 256])
    assert adjusted[1].name == f"{tests[1].name}, Holm-adjusted over 3 contrasts"
    assert adjusted[1].n == 10


def test_underflow_keeps_a_logarithm() -> None:
    tiny = binomial_test(0, 5000)
    assert tiny.p_value == 0.0
    (adjusted, _) = holm_adjusted([tiny, binomial_test(5, 10)], family="contrasts")
    assert adjusted.p_value == 0.0
    assert tiny.log10_p < adjusted.log10_p < tiny.log10_p + 1


def test_a_family_of_one_is_called_so() -> None:
    (adjusted,) = holm_adjusted([mcnemar(10, 0)], family="contrasts")
    assert adjusted.name.endswith("Holm-adjusted over 1 test of contrasts")
    assert adjusted.p_value == mcnemar(10, 0).p_value


def test_no_tests_no_family() -> None:
    assert holm_adjusted([], family="contrasts") == ()
