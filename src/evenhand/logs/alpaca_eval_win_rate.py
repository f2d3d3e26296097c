"""AlpacaEval's win rate: as the leaderboard has it, and from the raw log probabilities by our reading."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.errors import DataError
from evenhand.logs.base import LogEntry, VerdictLog
from evenhand.records.completion import TokenLogProb
from evenhand.records.outcome import Order, Outcome
from evenhand.stats.results import Estimate, Interval

__all__ = ["PREFERENCE", "PublishedWinRate", "leaderboard_win_rate", "published_win_rate", "recomputed_win_rate"]

PREFERENCE = "alpaca_eval.preference"
"""Name in ``Pair.metadata`` under which the reader keeps the stored preference, digits intact."""

_Z_95 = 1.959963984540054
"""97.5 % quantile of the standard normal distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedWinRate:
    """The leaderboard's two numbers, in percent.

    Attributes
    ----------
    win_rate
        Mean of preference − 1: how far output_2 is preferred, a tie (stored as 0) counted as half.
    standard_error
        Standard deviation (n − 1) over the square root of n.
    n
        Rows with a preference.
    missing
        Rows without one, left out.
    """

    win_rate: float
    standard_error: float
    n: int
    missing: int


def published_win_rate(log: VerdictLog) -> PublishedWinRate:
    """Compute the leaderboard's raw (not length-controlled) win rate of ``output_2`` from the stored preferences.

    Every row counts, those whose order is unknown too.

    Raises
    ------
    DataError
        The log is no AlpacaEval log, has fewer than two preferences, or is of several models.

    References
    ----------
    Dubois, Galambosi, Liang and Hashimoto, "Length-Controlled AlpacaEval", 2024, arXiv:2404.04475.
    """
    _require(log)
    stored = [dict(pair.metadata).get(PREFERENCE) for pair in log.pairs]
    wins = [0.5 if float(text) == 0 else float(text) - 1 for text in stored if text is not None]
    mean, error = _mean_and_error(wins)
    return PublishedWinRate(
        win_rate=100 * mean, standard_error=100 * error, n=len(wins), missing=len(stored) - len(wins)
    )


def leaderboard_win_rate(log: VerdictLog) -> Estimate:
    """Give :func:`published_win_rate` as an estimate in percent with a normal 95 % interval."""
    rate = published_win_rate(log)
    flags = (f"{rate.missing} rows without a preference are left out",) if rate.missing else ()
    return _estimate(rate.win_rate, rate.standard_error, rate.n, flags)


def recomputed_win_rate(log: VerdictLog) -> Estimate:
    """Compute the win rate from the raw log probabilities by our reading, in percent.

    It differs from the leaderboard's in two ways. Ours sums the returned ones of each label's declared variants
    (``M``, and ``M`` with a space before it), where AlpacaEval takes the exact token only. And a row with a label
    outside the returned tokens is censored: left out, with its bounds stated, where AlpacaEval takes the absent
    label's probability as 0.
    """
    _require(log)
    wins: list[float] = []
    lows: list[float] = []
    highs: list[float] = []
    for entry in log.entries:
        if entry.completion.first_token is None:
            continue
        low, high, censored = _share_of_b(entry)
        lows.append(low)
        highs.append(high)
        if not censored:
            wins.append(low)
    mean, error = _mean_and_error(wins)
    left_out = len(lows) - len(wins)
    flags = []
    if left_out:
        low, high = (100 * math.fsum(side) / len(side) for side in (lows, highs))
        flags.append(
            f"{left_out} censored rows are left out; with them the win rate is within {low:.8f} and {high:.8f}"
        )
    if log.excluded:
        flags.append(f"{len(log.excluded)} rows of unknown order are left out")
    return _estimate(100 * mean, 100 * error, len(wins), tuple(flags))


def _share_of_b(entry: LogEntry) -> tuple[float, float, bool]:
    """Give bounds of p(B) / (p(A) + p(B)), and whether a label has no returned variant at all.

    Where some variant of each label was returned, the share is that of the returned ones and both bounds are it.
    """
    first = entry.completion.first_token
    assert first is not None  # noqa: S101 - the caller checked
    labels = dict(first.labels)
    b_label = Outcome.SECOND if entry.presentation.order is Order.AB else Outcome.FIRST
    a_label = Outcome.FIRST if entry.presentation.order is Order.AB else Outcome.SECOND
    a, b = _returned(labels[a_label]), _returned(labels[b_label])
    if a and b:
        return b / (a + b), b / (a + b), False
    a_most, b_most = a or _bound(labels[a_label]), b or _bound(labels[b_label])
    return b / (a_most + b) if b else 0.0, b_most / (a + b_most) if a or b_most else 1.0, True


def _returned(tokens: tuple[TokenLogProb, ...]) -> float:
    return math.fsum(math.exp(token.logprob) for token in tokens if token.logprob is not None)


def _bound(tokens: tuple[TokenLogProb, ...]) -> float:
    return math.fsum(math.exp(token.below) for token in tokens if token.below is not None)


def _mean_and_error(values: list[float]) -> tuple[float, float]:
    n = len(values)
    if n < 2:
        raise DataError(f"a win rate needs at least 2 rows with a preference, the log has {n}")
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    return mean, math.sqrt(variance / n)


def _estimate(value: float, error: float, n: int, flags: tuple[str, ...]) -> Estimate:
    interval = Interval(
        low=value - _Z_95 * error,
        high=value + _Z_95 * error,
        method=f"normal approximation, standard error {error:.6f}, rows taken as independent",
    )
    return Estimate(value=value, interval=interval, n=n, flags=flags)


def _require(log: VerdictLog) -> None:
    if log.format != "alpaca_eval":
        raise DataError(f"expected an alpaca_eval log, got {log.format}")
    models = {pair.author_b for pair in log.pairs}
    if len(models) > 1:
        named = ", ".join(sorted(str(model) for model in models)[:3])
        raise DataError(f"a win rate is of one model, the log has {len(models)} ({named})")
