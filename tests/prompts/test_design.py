"""Designed prompts: the grid, its baseline, and that each design changes what it says and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.errors import ConfigError
from evenhand.prompts import load_prompt
from evenhand.prompts.axes import AXES, parse_axes
from evenhand.prompts.design import BASE, Design, design_grid
from evenhand.readouts import DecisionGrammar, parse_decision
from evenhand.records import LabelSet, Order, Pair

ALL = tuple(AXES.values())
PAIR = Pair(id="1", instruction="Name a hue.", response_a="Crimson.", response_b="Teal {label_first}, a fine one.")
GRID = design_grid(ALL)


def the(settings: str) -> Design:
    """The one design of the star with these settings."""
    (axis, level) = settings.split("=")
    star = design_grid([AXES[axis]], full=False)
    return next(design for design in star if design.settings == ((axis, level),))


def text(design: Design, order: Order = Order.AB) -> str:
    return "\n".join(message.content for message in design.template.render(PAIR, order, design.labels))


def test_the_baseline_is_the_shipped_prompt_letter_for_letter() -> None:
    baseline = GRID[0]
    assert baseline.settings == tuple((axis.name, axis.baseline) for axis in ALL)
    shipped = load_prompt("single-character")
    assert baseline.template.user == shipped.user
    assert baseline.template.hash == shipped.hash
    assert (baseline.template.budgets, baseline.labels) == (shipped.budgets, shipped.labels)
    assert baseline.template.max_label_length == shipped.max_label_length


def test_the_grid_has_every_combination_once_and_the_star_one_change_at_a_time() -> None:
    axes = parse_axes("labels=A/B|1/2,criteria")
    assert [design.id for design in design_grid(axes)] == [
        f"designed: labels={labels}, criteria={criteria}"
        for labels in ("A/B", "1/2")
        for criteria in ("before", "after", "none")
    ]
    assert [dict(design.settings) for design in design_grid(axes, full=False)] == [
        {"labels": "A/B", "criteria": "before"},
        {"labels": "1/2", "criteria": "before"},
        {"labels": "A/B", "criteria": "after"},
        {"labels": "A/B", "criteria": "none"},
    ]


def test_every_design_is_a_prompt_of_its_own() -> None:
    assert len({design.id for design in GRID}) == len(GRID) == 5 * 2 * 3 * 3 * 2 * 2
    asked = {(design.template.hash, design.labels) for design in GRID}
    assert len(asked) == len(GRID)
    assert [design.id for design in design_grid(ALL)] == [design.id for design in GRID]


@pytest.mark.parametrize("order", list(Order))
def test_each_shows_the_three_texts_once_in_their_order_and_its_labels(order: Order) -> None:
    responses = (PAIR.response_a, PAIR.response_b) if order is Order.AB else (PAIR.response_b, PAIR.response_a)
    for design in GRID:
        shown = text(design, order)
        places = [shown.index(part) for part in (PAIR.instruction, *responses)]
        assert places == sorted(places), design.id
        assert [shown.count(part) for part in (PAIR.instruction, *responses)] == [1, 1, 1], design.id
        last = shown.splitlines()[-1]
        assert last.startswith("Which response is better? Reply with exactly one "), design.id
        assert design.labels.first in last, design.id
        assert design.labels.second in last, design.id


def test_a_judge_that_echoes_a_designed_prompt_gives_no_verdict() -> None:
    for design in GRID:
        assert parse_decision(text(design), DecisionGrammar.of(design.labels)).outcome is None, design.id


def test_criteria_stand_where_the_design_says() -> None:
    before, after, none = (text(the(f"criteria={level}")) for level in AXES["criteria"].names)
    assert before.index(BASE.criteria) < before.index("Crimson.")
    assert after.index(BASE.criteria) > after.index("Teal")
    assert BASE.criteria not in none


def test_ordinal_words_stand_only_in_ordinal_framing() -> None:
    for design in GRID:
        ordinal = dict(design.settings)["framing"] == "ordinal"
        assert ("first response" in text(design).casefold().replace("_", " ")) is ordinal, design.id


def test_distance_system_and_separators() -> None:
    far = text(the("distance=far"))
    assert far.index("Crimson.") < far.index(BASE.filler) < far.index("Teal")
    assert 70 <= len(BASE.filler.split()) <= 90
    messages = the("system=role").template.render(PAIR, Order.AB, BASE.labels)
    assert [(message.role, message.content == BASE.role) for message in messages] == [("system", True), ("user", False)]
    assert '<response label="A">\nCrimson.\n</response>' in text(the("separators=tags"))
    assert "## Response A:\n\nCrimson.\n\n---" in text(the("separators=headings"))


@pytest.mark.parametrize(
    ("labels", "form", "longest"),
    [
        ("1/2", "exactly one character, 1 or 2, and nothing else.", 1),
        ("Red/Blue", "exactly one word, Red or Blue, and nothing else.", None),
        ("R1/R2", "exactly one label, R1 or R2, and nothing else.", None),
    ],
)
def test_the_form_of_the_answer_is_true_of_the_labels(labels: str, form: str, longest: int | None) -> None:
    design = next(d for d in design_grid(parse_axes(f"labels=A/B|{labels}")) if d.labels.name == labels)
    assert text(design).endswith(form)
    assert design.template.max_label_length == longest


def test_another_base_and_labels_that_are_not_varied() -> None:
    base = replace(BASE, labels=LabelSet.parse("X/Y"), task="Task {in} braces.")
    (first, second) = design_grid([AXES["system"]], base=base)
    assert first.labels == second.labels == base.labels
    assert text(first).startswith("Task {in} braces.\n")
    assert text(first).endswith("exactly one character, X or Y, and nothing else.")


def test_nothing_to_vary_is_refused() -> None:
    with pytest.raises(ConfigError, match="no axis to vary"):
        design_grid([])
    with pytest.raises(ConfigError, match="each can be varied once"):
        design_grid([AXES["system"], AXES["system"]])
