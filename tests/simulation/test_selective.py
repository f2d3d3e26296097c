"""Is the full flip rate unbiased, and covered at 93 to 97 %, where order BA was asked of likely flips and a floor?

Pairs come in question groups of one to three that flip together; the predictor may be perfect, good, useless, constant
or misleading. docs/methods/selective.md has a larger table, made by ``benchmarks/selective.py``.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.simulation

RUNS = 400
"""A coverage of .95 then has a standard error of .011."""


@pytest.fixture(scope="module")
def benchmark():
    path = Path(__file__).parents[2] / "benchmarks" / "selective.py"
    spec = importlib.util.spec_from_file_location("benchmark_selective", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


# Where hardly any pair of the floor flips, 20 to 70 of them can't tell "none" from "few": the pseudo-pairs decide for
# the latter, and the interval covers more often than 97 %.
@pytest.mark.parametrize(
    ("judge", "predictor", "pairs", "most"),
    [
        ("flips often", "perfect", 300, 1.0),
        ("flips often", "good", 300, 0.975),
        ("flips often", "misleading", 300, 0.98),
        ("flips often", "perfect", 1000, 0.99),
        ("flips often", "good", 1000, 0.97),
        ("flips often", "useless", 1000, 0.97),
        ("flips often", "misleading", 1000, 0.97),
        ("flips seldom", "perfect", 1000, 1.0),
        ("flips seldom", "good", 1000, 0.98),
        ("flips seldom", "useless", 1000, 0.97),
        ("flips seldom", "misleading", 1000, 0.97),
    ],
)
def test_the_flip_rate_is_unbiased_and_covered_whatever_the_predictor_is_worth(
    benchmark, judge, predictor, pairs, most
):
    row = benchmark.measure_cell(judge, predictor, pairs, runs=RUNS)
    for figure in (row.selective, row.weighted):
        assert abs(figure.bias) < 4 * figure.deviation / RUNS**0.5
    assert 0.925 <= row.selective.coverage <= most
    # What is exact over the draw is never below its level, but for chance.
    assert row.missed.coverage >= 0.93
    if predictor in ("perfect", "good", "misleading"):
        # What the swapped pairs alone would say: far beyond what chance leaves.
        assert abs(row.naive_bias) > 0.05
        assert row.naive_bias > 0 if predictor != "misleading" else row.naive_bias < 0


@pytest.mark.parametrize("predictor", ["good", "misleading"])
def test_the_other_figures_are_covered_too(benchmark, predictor):
    row = benchmark.measure_cell("flips often", predictor, 600, runs=RUNS)
    for figure in (row.strength, row.first_share, row.accuracy):
        assert 0.92 <= figure.coverage <= 0.985
        assert abs(figure.bias) < 4 * figure.deviation / RUNS**0.5 + 0.004


def test_a_good_predictor_finds_most_flips_at_a_fraction_of_the_judgments(benchmark):
    row = benchmark.measure_cell("flips often", "good", 1000, runs=50)
    assert row.asked < 0.72  # of both orders of all pairs
    assert row.found > 1.6 * row.found_at_random
    assert np.isfinite(row.missed.bias)
