"""The front function: everything once, with its progress, and the same again with the same seed."""

from evenhand.judges.simulated_figures import FigureSettings
from evenhand.workflow.simulate_figures import simulate_figures

SETTINGS = FigureSettings(pairs=40, runs=6, seed=2)


def test_all_points_are_made_and_told_of():
    told = []
    made = simulate_figures(SETTINGS, progress=lambda what, done, total: told.append((what, done, total)))
    assert [done for _, done, _ in told] == list(range(1, len(told) + 1))
    assert {total for _, _, total in told} == {len(told)}
    points = (made.consistency, made.accuracy, made.length, made.mitigation)
    assert sum(map(len, points)) == len(told)
    assert list(dict.fromkeys(what for what, _, _ in told)) == ["swap consistency", "accuracy", "length", "mitigation"]
    assert simulate_figures(SETTINGS) == made
