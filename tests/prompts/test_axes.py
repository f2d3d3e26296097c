"""Axes and how they are named on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.errors import ConfigError
from evenhand.prompts.axes import AXES, parse_axes
from evenhand.records import LabelSet


def levels(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(axis.name, axis.names) for axis in parse_axes(text)]


@pytest.mark.parametrize("name", AXES)
def test_every_axis_has_a_source_a_baseline_and_something_to_compare_with_it(name: str) -> None:
    axis = AXES[name]
    assert axis.name == name
    assert len(axis.source) > 20
    assert len(axis.levels) >= 2
    assert len(set(axis.names)) == len(axis.names)
    assert axis.baseline == axis.names[0]
    assert all(level.meaning for level in axis.levels)


def test_the_labels_offered_are_label_sets() -> None:
    assert [LabelSet.parse(name).name for name in AXES["labels"].names] == list(AXES["labels"].names)


def test_levels_may_be_chosen_and_the_axis_own_baseline_comes_first() -> None:
    assert levels("labels, criteria") == [("labels", AXES["labels"].names), ("criteria", ("before", "after", "none"))]
    assert levels("labels = 1/2 | A/B") == [("labels", ("A/B", "1/2"))]
    assert levels("criteria=none|after") == [("criteria", ("none", "after"))]
    assert levels("labels=P/Q|I/II,system") == [("labels", ("P/Q", "I/II")), ("system", ("none", "role"))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label", r"unknown axis 'label'; did you mean 'labels'\? \(known: labels, framing"),
        ("", "unknown axis ''"),
        ("labels,", "unknown axis ''"),
        ("labels,system,labels", "axis 'labels' is named twice"),
        ("criteria=before|before", "axis 'criteria': level 'before' is named twice"),
        ("criteria=before", "at least two levels are needed to compare, got 'before' alone"),
        ("criteria=before|last", r"axis 'criteria': unknown level 'last' \(known: before, after, none\)"),
        ("labels=A/B|C", "labels 'C': expected FIRST/SECOND"),
        ("labels=A/B|X/Y/Z", "'X/Y/Z' has a label for a tie"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_axes(text)


def test_the_reference_names_every_axis_and_level() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "prompts.md"
    code = page.read_text(encoding="utf-8").split("`")[1::2]
    assert {name for axis in AXES.values() for name in (axis.name, *axis.names)} <= set(code)
