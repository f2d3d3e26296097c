"""Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: its worked examples A, B and C."""

import numpy as np
import pytest

from evenhand.stats.alpha import krippendorff_alpha

MISSING = {".": None}


def read(*rows):
    return [[MISSING.get(label, label) for label in row.split()] for row in rows]


BINARY = read("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
NOMINAL = read("a a b b d c c c e d d a", "b a b b b c c c e d d d")
FOUR_OBSERVERS = read(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


@pytest.mark.parametrize(
    ("ratings", "measurement", "printed", "items"),
    [
        (BINARY, "nominal", "0.095", 10),
        (NOMINAL, "nominal", "0.692", 12),
        (FOUR_OBSERVERS, "nominal", "0.743", 11),
        (FOUR_OBSERVERS, "ordinal", "0.815", 11),
    ],
)
def test_published_examples(ratings, measurement, printed, items):
    values = ["1", "2", "3", "4", "5"] if measurement == "ordinal" else None
    rng = np.random.default_rng(0)
    estimate = krippendorff_alpha(ratings, measurement=measurement, values=values, rng=rng, resamples=100)
    assert f"{estimate.value:.3f}" == printed
    assert estimate.n == items
