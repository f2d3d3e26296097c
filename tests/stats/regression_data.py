"""Clustered data of known shape for the tests of the regressions."""

import numpy as np

SIZES = {
    "balanced": [5] * 40,
    "unbalanced": [1] * 30 + [10, 20, 50],
    "few": [3, 1, 2, 7, 2, 2, 5, 1, 4],
    "alone": [1] * 60,
}
NAMES = ["quality", "length", "slot"]


def clustered(sizes, seed=0):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    rng.shuffle(clusters)
    x = rng.normal(size=(len(clusters), 3)) + rng.normal(size=(len(sizes), 1))[clusters]
    x[:, 1] = 40 * x[:, 1] + 300
    y = x @ [1, 0.02, 0] + rng.normal(size=len(sizes))[clusters] + rng.normal(size=len(clusters))
    return y, x, clusters


def binary(sizes, seed=0):
    y, x, clusters = clustered(sizes, seed)
    noise = np.random.default_rng(seed + 100).normal(size=len(y))
    return (y - np.median(y) + 3 * noise > 0).astype(float), x, clusters
