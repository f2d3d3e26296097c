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


def test_turned_beyond_repeat_is_over_the_pairs_that_both_runs_repeated() -> None:
    old = many(FS=8, SF=4)
    new = {**old, **{f"FS{i}": "SS" for i in range(4)}}
    # Asked of the old run once again and twice again, of the new one once: each pair weighs the same all the same.
    again = [
        *verdicts({"FS0": "S.", "FS5": "F.", "FS6": "F.", "FS7": "F.", "SF0": "S."}, condition="old", repeat=1),
        *verdicts({"FS5": "S.", "FS6": "F."}, condition="old", repeat=2),
        *verdicts({"FS0": "S.", "FS5": "F.", "FS6": "S.", "FS7": "F.", "SF0": "S."}, condition="new", repeat=1),
    ]
    told, _ = both(old, new, again)
    assert value(told.repeat_old) == pytest.approx(2 / 7)
    assert value(told.repeat_new) == pytest.approx(1 / 5)
    # FS0 turned between the runs. Within the old one: FS0 wholly, FS5 half the time; within the new one FS6.
    # (FS0 is S in the new run, and S again.)
    assert value(told.turned_beyond_repeat) == pytest.approx(1 / 5 - (1.5 / 5 + 1 / 5) / 2)


@pytest.mark.parametrize("which", ["old", "new"])
def test_noise_of_one_run_alone_is_not_enough(which: str) -> None:
    old = many(FS=8, SF=4)
    told, _ = both(old, old, verdicts({"FS0": "S.", "SF0": "S."}, condition=which, repeat=1))
    assert isinstance(told.turned_beyond_repeat, Refusal)
    assert told.turned_beyond_repeat.reason.startswith(f"only the {which} run repeated presentations")


def test_pairs_repeated_in_one_run_each_share_nothing() -> None:
    old = many(FS=8, SF=4)
    again = [
        *verdicts({"FS0": "S."}, condition="old", repeat=1),
        *verdicts({"FS1": "S."}, condition="new", repeat=1),
    ]
    told, _ = both(old, old, again)
    assert isinstance(told.turned_beyond_repeat, Refusal)
    assert "both runs repeated" in told.turned_beyond_repeat.reason


@pytest.mark.parametrize(("p", "q"), [(0.8, 0.95), (0.8, 0.8), (0.95, 0.5)])
def test_beyond_repeat_is_the_squared_difference_of_the_chances(p: float, q: float) -> None:
    n, rng = 4000, np.random.default_rng(3)

    def asked(chance: float) -> dict[str, str]:
        return {f"p{i}": ("F" if first else "S") + "S" for i, first in enumerate(rng.random(n) < chance)}

    old, new = asked(p), asked(q)
    again = [
        *verdicts({k: v[0] + "." for k, v in asked(p).items()}, condition="old", repeat=1),
        *verdicts({k: v[0] + "." for k, v in asked(q).items()}, condition="new", repeat=1),
    ]
    told, _ = both(old, new, again)
    # Four standard errors of a mean of values between -1 and 1 whose variance is at most .5.
    assert value(told.turned_beyond_repeat) == pytest.approx((p - q) ** 2, abs=4 * (0.5 / n) ** 0.5)
