"""The cells of the factorial design."""

import numpy as np
import pytest

from audits.bias.changed import bias_data
from evenhand.audits.bias.factorial import changes_of, design, factorial_of
from evenhand.records import Readout

NAMES = [" + ".join(change.name for change in changes) for changes in design()]
PAIRS = {f"p{i}": "FS" for i in range(6)}


def test_eight_changed_conditions_single_changes_first() -> None:
    assert len(set(NAMES)) == 8
    assert set(NAMES[:4]) == {
        f"{change}:{target}" for change in ("padding=redundant", "endorsement=user") for target in "AB"
    }
    assert all(name.startswith("padding=redundant:") and " + endorsement=user:" in name for name in NAMES[4:])
    assert changes_of(0, 0) == ()


def test_every_cell_is_where_its_changes_say() -> None:
    """A pair of its own tells each condition: it alone is not A, the first in AB, there."""
    changed = {
        name: {p: "SS" if p == f"p{i}" else "FS" for p in (f"p{j}" for j in range(8))} for i, name in enumerate(NAMES)
    }
    made = factorial_of(bias_data({f"p{i}": "FS" for i in range(8)}, changed), "c", Readout.GENERATED)
    assert made is not None
    assert made.missing == ()
    assert made.verdict.all()
    favours = {"A": 2, "": 1, "B": 0}
    for i, name in enumerate(NAMES):
        at = {"padding": "", "endorsement": ""}
        for part in name.split(" + "):
            at[part.partition("=")[0]] = part[-1]
        cell = made.stood[i, favours[at["padding"]], favours[at["endorsement"]]]
        assert cell.tolist() == [-1, 1]
    assert (made.stood == -1).sum() == 8


def test_missing_presentations_and_conditions_are_no_verdicts() -> None:
    changed = {name: PAIRS for name in NAMES if name != "endorsement=user:B"}
    changed["padding=redundant:A"] = {"p1": "UT", "p9": "FS"}
    made = factorial_of(bias_data(PAIRS, changed), "c", Readout.GENERATED)
    assert made is not None
    assert made.missing == ("endorsement=user:B",)
    assert not made.verdict[:, 1, 0].any()
    assert made.verdict[:, 2, 1].tolist() == [[False, i == 1] for i in range(6)]
    assert made.stood[1, 2, 1, 1] == 0


@pytest.mark.parametrize(
    "changed", [{"padding=redundant:A": PAIRS, "endorsement=user:B": PAIRS}, {"tone=hedged:A": PAIRS}]
)
def test_without_combined_changes_there_is_no_design(changed: dict[str, dict[str, str]]) -> None:
    assert factorial_of(bias_data(PAIRS, changed), "c", Readout.GENERATED) is None


def test_another_readout_has_no_design_of_its_own() -> None:
    assert factorial_of(bias_data(PAIRS, dict.fromkeys(NAMES, PAIRS)), "c", Readout.HYBRID) is None
    made = factorial_of(bias_data(PAIRS, dict.fromkeys(NAMES, PAIRS)), "c", Readout.GENERATED)
    assert made is not None
    assert np.isnan(made.log_odds).all()
