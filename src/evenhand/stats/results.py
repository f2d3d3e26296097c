"""What a statistic returns: an estimate with its interval, a test, or a stated refusal. Never a bare number."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Estimate", "Interval", "Refusal", "TestResult"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A two-sided confidence interval; ``method`` says how it was made, in words fit for a caption."""

    low: float
    high: float
    level: float = 0.95
    method: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number from data.

    Attributes
    ----------
    value
        The point estimate.
    interval
        Its interval; None only where the method gives none (stated in ``flags``).
    n
        Observations that entered it (the denominator of a rate).
    count
        For a rate, the numerator; None else.
    clusters
        Resampling units; None where the method has none.
    flags
        Short warnings a reader must see, such as ``fewer than 30 clusters (12)``.
    """

    value: float
    interval: Interval | None
    n: int
    count: float | None = None
    clusters: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Too little data, said aloud: ``needs at least 5 clusters, has 3``. It has no number, on purpose."""

    reason: str
    n: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """A hypothesis test.

    Attributes
    ----------
    name
        Such as ``exact McNemar``.
    statistic
        The statistic or counts' summary; None where the test has none.
    p_value
        Two-sided unless ``name`` says else; may underflow to 0.0, then ``log10_p`` still tells.
    log10_p
        Base-10 logarithm of the p-value, exact to double precision even where ``p_value`` underflows.
    n
        Trials that entered it.
    caveat
        What a reader must know to not over-read it; None where nothing.
    """

    __test__ = False  # pytest: not a test class

    name: str
    p_value: float
    log10_p: float
    n: int
    statistic: float | None = None
    caveat: str | None = None
