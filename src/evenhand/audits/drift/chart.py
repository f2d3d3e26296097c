"""A control chart of one figure over many runs, which tells whether a judge left the range in which it used to vary.

The usual chart of a share (p-chart) takes the binomial spread for the spread between runs. Here that is wrong in both
directions: pairs of one question go together, which makes it wider, and every run asks the *same* pairs, whose own
difficulty doesn't vary, which makes it narrower. So the spread is measured, as in Laney's p'-chart: each run's
distance from the centre, in units of its own standard error, over the baseline runs. The limits are prediction limits
of Student's t, for a centre and a spread that are known from few runs only: the chance of a false alarm is what it
says with 6 runs as well as with 60.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from evenhand.errors import StatisticsError
from evenhand.stats import Refusal
from evenhand.stats.arrays import FloatArray, as_numbers, check_same_length

__all__ = ["FALSE_ALARM", "MIN_BASELINE", "SAFE_BASELINE", "SMOOTHING", "ChartPoint", "ControlChart", "control_chart"]

FALSE_ALARM: Final = 0.0027
"""Chance that a point of a judge in control lies beyond its limits: that of Shewhart's three standard deviations
(Shewhart 1931, Economic Control of Quality of Manufactured Product)."""

MIN_BASELINE: Final = 6
"""Fewer baseline runs are refused. A convention: with 5 degrees of freedom the limits are 5.5 standard deviations out,
with 4 already 6.6, where hardly any drift is seen."""

SAFE_BASELINE: Final = 20
"""Fewer are flagged: the usual advice is 20 to 25 (Montgomery, Introduction to Statistical Quality Control)."""

_FEWEST_EVENTS: Final = 5.0
"""Expected events of a run below which a chart is flagged: the normal approximation's usual bound (Cochran 1954,
doi:10.2307/3001666). At a rate of .005 of 150 pairs .0073 of the points of a judge in control are beyond limits of
.0027."""

SMOOTHING: Final = 0.2
"""Weight of the newest run in the moving average; .05 to .25 is usual (Lucas & Saccucci 1990,
doi:10.1080/00401706.1990.10484583)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPoint:
    """One run on the chart.

    Attributes
    ----------
    value, low, high
        The figure and its limits.
    beyond
        Whether it lies beyond them; never for a baseline run.
    average, average_low, average_high, drifting
        The same of the exponentially weighted moving average since the baseline; None for a baseline run.
    """

    value: float
    low: float
    high: float
    baseline: bool
    beyond: bool
    average: float | None = None
    average_low: float | None = None
    average_high: float | None = None
    drifting: bool = False

    @property
    def signal(self) -> bool:
        """Whether the point or the average is beyond its limits."""
        return self.beyond or self.drifting


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlChart:
    """A chart.

    Attributes
    ----------
    centre
        Mean of the baseline runs, each weighted by its size.
    dispersion
        How much the baseline runs vary, in units of their own standard errors: 1 is what clustered sampling of new
        pairs would give, less is usual where the pairs are the same.
    baseline
        Runs that made centre and dispersion.
    false_alarm
        Of one point, for a judge in control.
    flags
        Short warnings.
    """

    points: tuple[ChartPoint, ...]
    centre: float
    dispersion: float
    baseline: int
    false_alarm: float
    flags: tuple[str, ...] = ()

    @property
    def expected_false_alarms(self) -> float:
        """How many of the judged points and averages of a judge in control are beyond their limits, on average."""
        return 2 * self.false_alarm * sum(not point.baseline for point in self.points)


def control_chart(
    values: ArrayLike,
    standard_errors: ArrayLike,
    sizes: ArrayLike,
    *,
    baseline: ArrayLike,
    same_pairs: bool,
    lowest: float = 0.0,
    highest: float = 1.0,
    false_alarm: float = FALSE_ALARM,
    smoothing: float = SMOOTHING,
) -> ControlChart | Refusal:
    """Judge every run after the baseline against it.

    Parameters
    ----------
    values, standard_errors, sizes
        One a run, in order: the figure, its cluster-robust standard error, and how many observations it has.
    baseline
        Booleans: the runs taken to be in control.
    same_pairs
        Whether all runs asked the same pairs. If not, the dispersion is taken to be at least 1, since another sample
        of pairs varies at least as much as its standard error says.
    lowest, highest
        Of what the figure can be; limits are cut there.
    false_alarm
        Chance for one point of a judge in control to be beyond its limits.
    smoothing
        Of the moving average.

    Returns
    -------
    ControlChart or Refusal
        Refused below :data:`MIN_BASELINE` baseline runs.

    Raises
    ------
    StatisticsError
        Arrays of different lengths, no sizes above 0, or a chance outside of 0 to 1.

    Notes
    -----
    In control means: the runs are independent, with one mean and one dispersion. A point is compared with the centre
    ``m`` by ``t = (x - m) / (s * sqrt(v/n + v/N))``, where v/n is the squared standard error of a run of its size, N
    the size of all baseline runs together and s the dispersion: Student's t with k - 1 degrees of freedom. Where no
    baseline run differs from another, s is taken as if one observation had changed in one of them. Where a run is
    expected to have fewer than 5 events (of what is rarer) the limits are too narrow, and the chart is flagged.

    References
    ----------
    Laney (2002), Improved control charts for attributes, Quality Engineering 14, 531-537. Hillier (1969), X-bar- and
    R-chart control limits based on a small number of subgroups, Journal of Quality Technology 1, 17-26. Roberts (1959),
    Control chart tests based on geometric moving averages, doi:10.1080/00401706.1959.10489860.

    Examples
    --------
    >>> values = [0.10, 0.12, 0.09, 0.11, 0.10, 0.12, 0.11, 0.30]
    >>> chart = control_chart(values, [0.02] * 8, [200] * 8, baseline=[True] * 6 + [False] * 2, same_pairs=True)
    >>> [point.beyond for point in chart.points[6:]]
    [False, True]
    """
    x, errors, n = (
        as_numbers("values", values),
        as_numbers("standard_errors", standard_errors),
        as_numbers("sizes", sizes),
    )
    own = np.asarray(baseline, dtype=bool)
    check_same_length(values=x, standard_errors=errors, sizes=n, baseline=own)
    if (n <= 0).any() or (errors < 0).any():
        raise StatisticsError("every run of a control chart needs a size above 0 and a standard error of 0 or more")
    if not (0 < false_alarm < 1 and 0 < smoothing <= 1):
        raise StatisticsError(f"false alarm {false_alarm} and smoothing {smoothing}: expected numbers between 0 and 1")
    count = int(own.sum())
    if count < MIN_BASELINE:
        return Refusal(reason=f"needs at least {MIN_BASELINE} baseline runs with this figure, has {count}", n=len(x))
    base = _baseline(x[own], errors[own], n[own], same_pairs=same_pairs, limits=(lowest, highest))
    quantile = _quantile(false_alarm, count - 1)
    spread = base.dispersion * np.sqrt(base.variance / n + base.variance / base.size)
    low, high = base.centre - quantile * spread, base.centre + quantile * spread
    averages = _averages(x[~own], n[~own], base, quantile=quantile, smoothing=smoothing)
    points = [
        ChartPoint(
            value=float(x[i]),
            low=max(lowest, float(low[i])),
            high=min(highest, float(high[i])),
            baseline=bool(own[i]),
            beyond=bool(not own[i] and not low[i] <= x[i] <= high[i]),
        )
        for i in range(len(x))
    ]
    later = iter(averages)
    points = [point if point.baseline else next(later).onto(point, lowest, highest) for point in points]
    return ControlChart(
        points=tuple(points),
        centre=base.centre,
        dispersion=base.dispersion,
        baseline=count,
        false_alarm=false_alarm,
        flags=base.flags + ((f"fewer than {SAFE_BASELINE} baseline runs ({count})",) if count < SAFE_BASELINE else ()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Baseline:
    """Centre, squared standard error of one observation, dispersion, and size of all baseline runs together."""

    centre: float
    variance: float
    dispersion: float
    size: float
    flags: tuple[str, ...]


def _baseline(
    x: FloatArray, errors: FloatArray, n: FloatArray, *, same_pairs: bool, limits: tuple[float, float]
) -> _Baseline:
    size, count = float(n.sum()), len(x)
    centre = float(x @ n) / size
    variance = float(np.mean(errors**2 * n))
    if variance <= 0.0:
        # No run saw any variation: half an observation of the other kind, so that limits can't close.
        variance = (size + 0.5) * 0.5 / (size + 1) ** 2
    z = (x - centre) / np.sqrt(variance / n)
    dispersion = math.sqrt(float(z @ z) / (count - 1))
    typical = size / count
    least = (1 / typical) / math.sqrt(variance / typical) / math.sqrt(count)
    flags: tuple[str, ...] = ()
    if dispersion < least:
        dispersion, flags = least, ("no baseline run differs from another by an observation",)
    if not same_pairs:
        dispersion, flags = max(1.0, dispersion), (*flags, "not all runs asked the same pairs")
    # What a run has of the rarer kind; of a directed share, whose centre may be 0, what varies at all.
    events = typical * min(variance, centre - limits[0], limits[1] - centre)
    if events < _FEWEST_EVENTS:
        flags += (f"rare: about {events:.1f} events a run, false alarms are more frequent than stated",)
    return _Baseline(centre=centre, variance=variance, dispersion=dispersion, size=size, flags=flags)


def _quantile(false_alarm: float, df: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 1 - false_alarm / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Average:
    value: float
    low: float
    high: float

    def onto(self, point: ChartPoint, lowest: float, highest: float) -> ChartPoint:
        """The point with its average."""
        return replace(
            point,
            average=self.value,
            average_low=max(lowest, self.low),
            average_high=min(highest, self.high),
            drifting=not self.low <= self.value <= self.high,
        )


def _averages(x: FloatArray, n: FloatArray, base: _Baseline, *, quantile: float, smoothing: float) -> list[_Average]:
    """The moving average in standard units, with the variance that it has so far, centre's error included."""
    made: list[_Average] = []
    average = own = shared = 0.0
    for value, size in zip(x, n, strict=True):
        unit = base.dispersion * math.sqrt(base.variance / size)
        average = (1 - smoothing) * average + smoothing * (value - base.centre) / unit
        own = (1 - smoothing) ** 2 * own + smoothing**2
        shared = (1 - smoothing) * shared + smoothing * math.sqrt(size / base.size)
        half = quantile * math.sqrt(own + shared**2)
        made.append(
            _Average(value=base.centre + average * unit, low=base.centre - half * unit, high=base.centre + half * unit)
        )
    return made
