"""A judge whose confidence tells of its flips, and the probe that has found that out."""

from dataclasses import replace

import numpy as np

from evenhand.probes.saved import save_probe
from evenhand.workflow.collect import collect
from evenhand.workflow.collect_settings import CollectSettings
from evenhand.workflow.probe_data import load_probe_data
from evenhand.workflow.selective_settings import SelectiveSettings
from evenhand.workflow.settings import AuditSettings
from probes.saved_examples import saved_probe
from workflow.capturing_judge import CapturingDouble, pairs, three_lines

__all__ = ["flips", "make_probe", "settings", "telling", "unsure"]


def unsure(number):
    """Pairs that the judge is unsure of: two in five."""
    return number % 5 in (0, 3)


def flips(number):
    """Of the pairs that the judge is unsure of three in four flip, of the others one in twenty."""
    return number % 4 != 0 if unsure(number) else number % 20 == 1


def telling(number, ab):
    """Prefers A, but the first slot in pairs that flip."""
    first = ab or flips(number)
    return three_lines("A" if first else "B", confidence=30 if unsure(number) else 90)


def make_probe(path, *, features=("confidence",), collect_settings=None, judge=None):
    """A saved probe of the double's: riskier the less confident the judge is."""
    judge = judge or CapturingDouble(telling)
    collect(judge, pairs(20), out=path.with_name("collected"), settings=collect_settings or CollectSettings())
    data = load_probe_data(path.with_name("collected"))
    made = saved_probe(features, data=data, name="made")
    weights = np.zeros_like(made.weights)
    if features[0] == "confidence":
        weights[0] = -1.0
    else:
        weights = made.weights / np.sqrt(len(weights))
    numbers = {"mean": np.zeros_like(made.mean), "scale": np.ones_like(made.scale), "weights": weights}
    if features[0] == "confidence":
        numbers["mean"][0], numbers["scale"][0] = 60.0, 15.0
    return save_probe(path, replace(made, **numbers, intercept=0.0))


def settings(probe, *, budget=0.4, policy=None, floor=0.1, floor_pairs=8, **more):
    """Of an audit that swaps selectively."""
    selective = SelectiveSettings(
        probe=probe, budget=None if policy else budget, policy=policy, floor=floor, floor_pairs=floor_pairs
    )
    return AuditSettings(selective=selective, **more)
