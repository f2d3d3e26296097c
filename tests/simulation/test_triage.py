"""Are promises kept by probes that are fitted on the same run? Over many data sets, with the truth on new questions.

``PYTHONPATH=tests python tests/simulation/test_triage.py`` prints the table of docs/methods/triage.md.
"""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.probes import Place, ProbeData
from evenhand.probes.fitting import Folding, held_out
from evenhand.probes.folds import grouped_folds
from evenhand.probes.predictors import PROBE, predictors
from evenhand.probes.triage_guarantee import calibrate, largest_group, split_groups
from evenhand.probes.triage_scores import refitter
from probes.triage_examples import SUBJECT, triage_data

pytestmark = pytest.mark.simulation

SIZE, ALPHA = 40, 0.2
PLACE = Place.parse("before-verdict@1")


def planted(questions: int, seed: int) -> ProbeData:
    """Many columns beside the planted one, so that a fit has something to overfit."""
    data = triage_data(questions, seed=seed)
    rng = np.random.default_rng([seed, 1])
    noise = rng.normal(size=(len(data), SIZE)).astype(np.float32)
    noise[:, 0] = next(iter(data.activations.values()))[:, 0]
    return replace(data, activations={PLACE: noise}, subject=replace(SUBJECT, size=SIZE))


def stacked(data: ProbeData, new: ProbeData) -> ProbeData:
    """Both sets as one, the new questions under names of their own."""
    return replace(
        data,
        pair_ids=(*data.pair_ids, *(f"new-{p}" for p in new.pair_ids)),
        groups=(*data.groups, *(f"new-{g}" for g in new.groups)),
        flips=np.concatenate([data.flips, new.flips]),
        choice_ab=np.concatenate([data.choice_ab, new.choice_ab]),
        confidence=np.concatenate([data.confidence, new.confidence]),
        margin=np.concatenate([data.margin, new.margin]),
        length_difference=np.concatenate([data.length_difference, new.length_difference]),
        activations={PLACE: np.concatenate([data.activations[PLACE], new.activations[PLACE]])},
    )


def missed_on_new(how: str, seed: int, *, pairs: int) -> tuple[int, int]:
    """(missed flips, flips) of new questions, by a probe and a threshold that one data set gave.

    ``split``: fitted on half of the questions, calibrated on the rest. ``reused``: fitted on all and calibrated on the
    same pairs. ``held-out``: fitted on all, calibrated on cross-validated scores.
    """
    data, new = planted(pairs, seed), planted(300, seed + 100_000)
    both = stacked(data, new)
    probe = next(each for each in predictors(both) if each.name == PROBE)
    rows = np.arange(len(data))
    known = rows
    if how == "split":
        part = split_groups(data.groups, (0.5, 0.5), rng=np.random.default_rng(seed))
        rows, known = np.flatnonzero(part == 0), np.flatnonzero(part == 1)
    values = refitter(probe, both)(rows, 0)
    calibration = values[known]
    if how == "held-out":
        own = next(each for each in predictors(data) if each.name == PROBE)
        folding = Folding(groups=data.groups, outer=grouped_folds(data.groups, folds=5, seed=0))
        calibration = held_out(own, data.flips, folding).probabilities
    largest = max(largest_group(data.groups), largest_group(new.groups))
    found = calibrate(calibration, data.rows(known), alpha=ALPHA, delta=None, largest=largest)
    left = values[len(data) :] < found.threshold
    return int((left & new.flips).sum()), int(new.flips.sum())


def missed_share(how: str, *, sets: int, pairs: int = 200) -> tuple[float, float]:
    """The missed share over data sets, and its standard error."""
    counts = np.array([missed_on_new(how, seed, pairs=pairs) for seed in range(sets)], dtype=float)
    share = counts[:, 0].sum() / counts[:, 1].sum()
    spread = counts[:, 0] - share * counts[:, 1]
    return share, float(spread.std() / np.sqrt(sets) / counts[:, 1].mean())


def test_a_probe_fitted_on_half_keeps_its_promise_on_new_questions():
    share, error = missed_share("split", sets=120)
    assert share <= ALPHA + 4 * error
    # 35 calibration flips in questions of up to seven pairs allow two or three misses: careful, but not everything.
    assert share >= ALPHA / 4


def test_calibrating_on_the_pairs_that_were_fitted_breaks_it():
    share, error = missed_share("reused", sets=60)
    assert share > ALPHA + 4 * error, "else the split would prove nothing"


if __name__ == "__main__":
    print("| calibrated on | pairs | missed share of new flips | standard error |")
    print("|---|---:|---:|---:|")
    for count in (200, 500):
        for name in ("split", "held-out", "reused"):
            value, error = missed_share(name, sets=300, pairs=count)
            print(f"| {name} | {count} | {value:.3f} | {error:.3f} |")
