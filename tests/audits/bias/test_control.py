"""Which conditions belong together, and where the target stood before and after."""

import numpy as np
import pytest

from audits.bias.changed import bias_data, changes
from evenhand.audits.bias.control import Cells, Comparison, asked_levels, cells_of, changed_id, comparisons, controls
from evenhand.records import Preference, Readout

USER_A, USER_B = "endorsement=user:A", "endorsement=user:B"


def cells(data: object, factor: str, level: str, **options: object) -> Cells:
    [comparison] = comparisons(data, factor, level, **options)
    return cells_of(data, comparison, Readout.GENERATED)


def test_conditions_are_found_by_what_they_change_in_any_order() -> None:
    both = "padding=redundant:A + endorsement=user:B"
    data = bias_data({"p": "FS"}, {USER_A: {"p": "FS"}, both: {"p": "FS"}})
    assert [c.id for c in controls(data)] == ["c"]
    assert changed_id(data, "c", changes(both)[::-1]) == f"c; {both}"
    assert changed_id(data, "c", changes("padding=redundant:A")) is None
    assert changed_id(data, "c", ()) is None
    assert asked_levels(data) == (("endorsement", "user"),)


def test_only_targets_that_were_asked_are_sides() -> None:
    data = bias_data({"p": "FS"}, {USER_B: {"p": "FS"}, "tone=hedged:A": {"p": "FS"}})
    [comparison] = comparisons(data, "endorsement", "user")
    assert [(side.target, side.changed, side.baseline) for side in comparison.sides] == [
        (Preference.B, f"c; {USER_B}", "c")
    ]
    assert list(comparisons(data, "padding", "redundant")) == []
    assert list(comparisons(data, "tone", "assertive", against=("tone", "hedged"))) == []


def test_against_another_change_of_the_same_response() -> None:
    data = bias_data(
        {"p": "FS"},
        {f"tone={tone}:{target}": {"p": "FS"} for tone in ("assertive", "hedged") for target in "AB"},
    )
    [comparison] = comparisons(data, "tone", "assertive", against=("tone", "hedged"))
    assert comparison.subset == "tone=assertive against tone=hedged"
    assert [(s.changed, s.baseline) for s in comparison.sides] == [
        ("c; tone=assertive:A", "c; tone=hedged:A"),
        ("c; tone=assertive:B", "c; tone=hedged:B"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "toward", "away"),
    [
        ("F", "F", 0, 0),
        ("S", "F", 1, 0),
        ("S", "T", 1, 0),
        ("T", "F", 1, 0),
        ("F", "T", 0, 1),
        ("F", "S", 0, 1),
        ("T", "S", 0, 1),
        ("T", "T", 0, 0),
    ],
)
def test_turns_in_order_ab(before: str, after: str, toward: int, away: int) -> None:
    """Toward A in order AB is toward the first slot."""
    made = cells(bias_data({"p": f"{before}."}, {USER_A: {"p": f"{after}."}}), "endorsement", "user")
    assert (int(made.toward.sum()), int(made.away.sum())) == (toward, away)
    assert made.compared[0].tolist() == [[True, False], [False, False]]


def test_the_target_moves_with_its_slot() -> None:
    # The first slot is chosen in both orders without the change, the second in both with it.
    data = bias_data({"p": "FF"}, {USER_A: {"p": "SS"}, USER_B: {"p": "SS"}})
    made = cells(data, "endorsement", "user")
    # A: away in AB, toward in BA; B: the other way round.
    assert made.toward[0].tolist() == [[False, True], [True, False]]
    assert made.away[0].tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("missing", "RUXE")
def test_missing_states_are_compared_with_nothing(missing: str) -> None:
    data = bias_data({"p": f"F{missing}", "q": "FS"}, {USER_B: {"p": "SS", "q": f"{missing}F"}})
    made = cells(data, "endorsement", "user")
    assert made.asked.sum() == 4
    assert made.compared[:, 1].tolist() == [[True, False], [False, True]]
    assert made.toward.sum() == 2


def test_pairs_are_matched_by_id_and_absent_ones_aren_t_asked() -> None:
    control = {f"p{i}": "FS" for i in range(6)}
    data = bias_data(control, {USER_A: {"p4": "SS", "p1": "FF"}, USER_B: {"p1": "SF", "p9": "SF"}})
    made = cells(data, "endorsement", "user")
    assert [data.wide.facts.ids[int(i)] for i in made.pairs] == ["p1", "p4", "p9"]
    assert made.asked[:, 0, 0].tolist() == [True, True, False]
    assert made.asked[:, 1, 0].tolist() == [True, False, False]
    assert made.toward.sum(axis=(1, 2)).tolist() == [2, 0, 0]
    assert made.away.sum(axis=(1, 2)).tolist() == [1, 1, 0]


def test_log_odds_are_signed_for_the_target() -> None:
    from evenhand.analysis.wide import widen
    from evenhand.audits.bias.base import BiasData
    from evenhand.records import Order, Outcome, Verdict, verdict_table

    base = bias_data({"p": "FF"}, {USER_A: {"p": "FF"}, USER_B: {"p": "FF"}})
    odds = {"c": (1.0, 1.0), f"c; {USER_A}": (3.0, 0.5), f"c; {USER_B}": (-1.0, None)}
    rows = [
        Verdict(
            pair_id="p",
            group="p",
            source="s",
            gold=None,
            condition=name,
            readout=Readout.FIRST_TOKEN,
            order=order,
            repeat=0,
            outcome=Outcome.FIRST,
            log_odds=value,
        )
        for name, values in odds.items()
        for order, value in zip(Order, values, strict=True)
    ]
    table = verdict_table(rows)
    data = BiasData(table=table, wide=widen(table), conditions=base.conditions, pairs={})
    [comparison] = comparisons(data, "endorsement", "user")
    made = cells_of(data, comparison, Readout.FIRST_TOKEN)
    # A: +2 in AB, where it is first; +.5 in BA, where it is second. B: +2 in AB; unknown in BA.
    np.testing.assert_allclose(made.log_odds[0], [[2.0, 0.5], [2.0, np.nan]])


def test_a_readout_without_rows_has_no_cells() -> None:
    data = bias_data({"p": "FS"}, {USER_A: {"p": "FS"}})
    [comparison] = comparisons(data, "endorsement", "user")
    assert isinstance(comparison, Comparison)
    assert cells_of(data, comparison, Readout.HYBRID).compared.shape == (0, 2, 2)
