import numpy as np
import pytest

from audits.tables import many, verdicts
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import widen
from evenhand.audits.drift.agreement import Agreement, ChangedVerdict, ChangeKind, agreement, changed_verdicts
from evenhand.records import Order, Readout, Verdict, verdict_table
from evenhand.stats import Estimate, Refusal


def both(
    old: dict[str, str], new: dict[str, str], more: list[Verdict] | None = None
) -> tuple[Agreement, tuple[ChangedVerdict, ...]]:
    rows = [*verdicts(old, condition="old"), *verdicts(new, condition="new"), *(more or [])]
    wide = widen(verdict_table(rows))
    first, second = wide.find("old", Readout.GENERATED), wide.find("new", Readout.GENERATED)
    assert first is not None
    assert second is not None
    pairs, i, j = np.intersect1d(first.pairs, second.pairs, assume_unique=True, return_indices=True)
    sampler = Sampler(clusters=wide.facts.group, seed=0, resamples=100, level=0.95)
    ids = [str(wide.facts.ids[int(k)]) for k in pairs]
    return agreement(first, second, i, j, pairs=pairs, sampler=sampler), changed_verdicts(first, second, i, j, ids=ids)


def value(estimate: Estimate | Refusal) -> float:
    assert isinstance(estimate, Estimate), estimate
    return estimate.value


def test_every_kind_of_change_the_gravest_first() -> None:
    old = {"a": "FF", "b": "UF", "c": "FU", "d": "TF", "e": "UX", "f": "FS"}
    new = {"a": "FF", "b": "FF", "c": "UU", "d": "SF", "e": "XR", "f": "SS"}
    _, changed = both(old, new)
    assert [(each.pair_id, each.order, each.kind) for each in changed] == [
        ("f", Order.AB, ChangeKind.TURNED),
        ("c", Order.AB, ChangeKind.LOST),
        ("b", Order.AB, ChangeKind.GAINED),
        ("d", Order.AB, ChangeKind.TIE),
    ]
    assert (changed[0].old, changed[0].new) == ("first", "second")


def test_agreement_counts_verdicts_and_turned_counts_decided_ones() -> None:
    old = many(FS=6, TT=2, UU=1)
    new = {**old, "FS0": "SS", "TT0": "FT", "UU0": "FF"}
    told, _ = both(old, new)
    assert isinstance(told.agreement, Estimate)
    assert (told.agreement.count, told.agreement.n) == (14, 16)
    assert isinstance(told.turned, Estimate)
    assert (told.turned.count, told.turned.n) == (1, 12)
    assert isinstance(told.turned_beyond_repeat, Refusal)
    assert "noise was not measured" in told.turned_beyond_repeat.reason


def test_turned_beyond_repeat_is_over_the_repeated_pairs() -> None:
    old = many(FS=8, SF=4)
    new = {**old, **{f"FS{i}": "SS" for i in range(4)}}
    asked_again = {"FS0": "S.", "FS5": "F.", "FS6": "F.", "FS7": "F.", "SF0": "S."}
    again = verdicts(asked_again, condition="old", repeat=1)
    told, _ = both(old, new, again)
    assert value(told.repeat_old) == pytest.approx(1 / 5)
    assert isinstance(told.repeat_new, Refusal)
    # Of the five repeated pairs one turned between the runs, and one within a run.
    assert value(told.turned_beyond_repeat) == 0.0
