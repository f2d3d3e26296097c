"""How good a response is expected to be when only the better one is known: gold as the sign of a normal quality.

Gold holds quality fixed by its side alone. Where longer responses are better by more, length would stand for the rest.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["latent_quality"]

Floats = NDArray[np.float64]

_STEPS: Final = 50
_STEEPEST: Final = 8.0
"""Probit slope per standard deviation of length beyond which length settles gold: 1 in 10^15 at one of them."""


def latent_quality(length: Floats, gold: Floats) -> Floats:
    """Expected difference of quality of A and B, given the gold side and the log length ratio, one a pair.

    Parameters
    ----------
    length, gold
        Shape (n,); gold is +1, -1, or 0 for a tie, whose expected difference is 0.

    Returns
    -------
    array
        Shape (n,), in standard deviations of the difference of quality.

    Notes
    -----
    Let the difference of quality q and the length ratio z (over its root mean square) be normal with correlation ρ, and
    gold the sign g of q. Then ``P(g | z) = Φ(g b z)`` with ``b = ρ / √(1 - ρ²)``, a probit without intercept, which
    gives ρ; and ``E[q | g, z] = ρ z + √(1 - ρ²) g φ(g b z) / Φ(g b z)``. No intercept: A and B may be exchanged.

    References
    ----------
    Heckman (1979), doi:10.2307/1912352, for the ratio φ/Φ as the expectation of what a sign leaves open.

    Examples
    --------
    >>> latent_quality(np.array([0.0, 0.0, 1.0, -1.0]), np.array([1.0, -1.0, 1.0, 1.0])).round(2).tolist()
    [0.8, -0.8, 0.8, 0.8]
    """
    from scipy.special import log_ndtr

    scale = float(np.sqrt(np.mean(length**2))) if length.size else 0.0
    z = length / scale if scale > 0 else np.zeros(len(length))
    slope = 0.0

    def ratio(at: Floats) -> Floats:
        value: Floats = np.exp(-at * at / 2 - 0.5 * np.log(2 * np.pi) - log_ndtr(at))
        return value

    sided = gold != 0
    for _ in range(_STEPS):
        at = slope * (gold * z)[sided]
        mills = ratio(at)
        information = float(np.sum(z[sided] ** 2 * mills * (mills + at)))
        step = float(np.sum((gold * z)[sided] * mills)) / information if information > 0 else 0.0
        slope = min(max(slope + step, -_STEEPEST), _STEEPEST)
        if abs(step) < 1e-10:
            break
    rest = 1 / np.sqrt(1 + slope * slope)
    correlation = slope * rest
    expected: Floats = correlation * z + rest * gold * ratio(slope * gold * z)
    return np.where(sided, expected, 0.0)
