"""The counts behind a comparison: every measure is a sum over cells, added up within the pair."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.analysis.finding import Measure
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.contrast_measures import (
    Counts,
    any_target,
    by_gold,
    by_slot,
    log_odds,
    moves,
    noise,
    turned,
    turned_test,
    verdicts,
)
from evenhand.audits.bias.control import Cells
from evenhand.audits.bias.noise import Repeats
from evenhand.stats import Estimate, Refusal

PAIRS = 40


def counts(rng: np.random.Generator) -> Counts:
    """Any verdicts, some missing."""
    shape = (PAIRS, 2, 2)
    asked = rng.random(shape) < 0.95
    again = rng.integers(0, 3, (PAIRS, 2))
    share = rng.random((PAIRS, 2))
    toward_a = rng.binomial(again, share / 2)
    toward_b = rng.binomial(again - toward_a, share / 2)
    odds = np.where(rng.random(shape) < 0.9, rng.normal(size=shape), np.nan)
    return Counts(
        cells=Cells(
            pairs=np.arange(PAIRS),
            asked=asked,
            verdict_before=asked & (rng.random(shape) < 0.9),
            verdict_after=asked & (rng.random(shape) < 0.9),
            before=rng.integers(-1, 2, shape).astype(np.int8),
            after=rng.integers(-1, 2, shape).astype(np.int8),
            log_odds=odds,
        ),
        repeats=Repeats(compared=again, toward=np.stack([toward_a, toward_b], axis=1)),
        gold=rng.integers(-1, 3, PAIRS).astype(np.int8),
        sampler=Sampler(clusters=np.arange(PAIRS) // 2, seed=1, resamples=200, level=0.95),
    )


def by_hand(made: Counts) -> dict[str, float]:
    """The same figures in loops."""
    cells = made.cells
    seen: dict[str, list[float]] = {}
    per_pair_odds: list[float] = []

    def add(name: str, figure: float) -> None:
        seen.setdefault(name, []).append(figure)

    for i in range(PAIRS):
        odds = []
        for t in (0, 1):
            for o in (0, 1):
                if not np.isnan(cells.log_odds[i, :, o]).any():
                    odds.append(float(cells.log_odds[i, t, o]))
                if cells.asked[i, t, o]:
                    gained = int(cells.verdict_after[i, t, o]) - int(cells.verdict_before[i, t, o])
                    add("verdict_rate_shift", gained)
                if not (cells.verdict_before[i, t, o] and cells.verdict_after[i, t, o]):
                    continue
                step = int(np.sign(int(cells.after[i, t, o]) - int(cells.before[i, t, o])))
                add("net_shift_any_target", step)
                if not (cells.verdict_before[i, 1 - t, o] and cells.verdict_after[i, 1 - t, o]):
                    continue
                toward, away = step > 0, step < 0
                add("net_shift", step)
                add("toward_rate", toward)
                add("away_rate", away)
                if cells.before[i, t, o] < 1:
                    add("toward_of_turnable", toward)
                add("net_shift_first_slot" if t == o else "net_shift_second_slot", step)
                if made.gold[i] in (0, 1):
                    side = "right" if made.gold[i] == t else "wrong"
                    add(f"net_shift_{side}", step)
                    add("net_shift_gold", step)
                    add(f"toward_{side}_rate", toward)
                n = int(made.repeats.compared[i, o])
                if n:
                    by_chance = int(made.repeats.toward[i, t, o]) / n
                    add("repeat_toward_rate", by_chance)
                    add("toward_beyond_noise", toward - by_chance)
        if odds:
            per_pair_odds.append(float(np.mean(odds)))
    return {name: float(np.mean(figures)) for name, figures in seen.items()} | {
        "log_odds_shift": float(np.mean(per_pair_odds))
    }


def every(made: Counts) -> list[Measure]:
    directed = [*turned(made), any_target(made), *by_slot(made), *by_gold(made)]
    return [*directed, *noise(made), verdicts(made), log_odds(made)]


@pytest.mark.parametrize("seed", range(5))
def test_every_measure_against_a_count_by_hand(seed: int) -> None:
    made = counts(np.random.default_rng(seed))
    measures = every(made)
    found = {m.name: m.estimate.value for m in measures if isinstance(m.estimate, Estimate)}
    assert found == pytest.approx(by_hand(made))
    assert len(found) == 16
    assert found["net_shift_gold"] == pytest.approx((found["net_shift_wrong"] + found["net_shift_right"]) / 2)
    enters = made.cells.for_both
    total = int(made.cells.toward[enters].sum()) - int(made.cells.away[enters].sum())
    assert turned_test(made)[0].statistic == total
    assert sum(count for _, count in moves(made)) == int(enters.sum()) < int(made.cells.compared.sum())


def test_each_other_s_counterparts_need_none_for_the_other_target() -> None:
    """Recency: one target, whose baseline is the change for the other."""
    made = counts(np.random.default_rng(0))
    alone = replace(made, both_targets=False)
    assert (alone.entering == made.cells.compared).all()
    assert not alone.one_target.any()
    found = {m.name: m.estimate.value for m in [*turned(alone), any_target(alone)]}
    assert found["net_shift"] == found["net_shift_any_target"]
    assert turned_test(alone)[0].statistic == int(made.cells.toward.sum()) - int(made.cells.away.sum())


def test_without_cells_everything_is_refused() -> None:
    shape = (0, 2, 2)
    nothing, level = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.int8)
    empty = Counts(
        cells=Cells(
            pairs=np.empty(0, dtype=np.int64),
            asked=nothing,
            verdict_before=nothing,
            verdict_after=nothing,
            before=level,
            after=level,
            log_odds=np.empty(shape),
        ),
        repeats=Repeats(compared=np.zeros((0, 2), dtype=np.int64), toward=np.zeros(shape, dtype=np.int64)),
        gold=np.empty(0, dtype=np.int8),
        sampler=Sampler(clusters=np.arange(3), seed=1, resamples=200, level=0.95),
    )
    measures = every(empty)
    assert all(isinstance(m.estimate, Refusal) for m in measures)
    assert turned_test(empty) == ()
