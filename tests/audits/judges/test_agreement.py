import pytest

from audits.judges.judge_tables import judge
from audits.tables import many
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT
from evenhand.analysis.wide import widen
from evenhand.audits.judges.agreement import JudgesAgree, agreements_of, pair_verdicts
from evenhand.audits.judges.lined_up import JudgeTable, line_up
from evenhand.records import Preference
from evenhand.stats import Estimate, Refusal, cohen_kappa

A, B, TIE = (tuple(Preference).index(each) for each in (Preference.A, Preference.B, Preference.TIE))


def agree(one: JudgeTable, two: JudgeTable) -> JudgesAgree:
    lined = line_up([one, two])
    [made] = agreements_of(lined, Sampler(clusters=lined.facts.group, seed=0, resamples=200, level=0.95))
    return made


def test_a_pairs_verdict_is_what_both_orders_prefer() -> None:
    pairs = {"a": "FS", "b": "SF", "c": "FF", "d": "TT", "e": "FT", "f": "FR", "g": "RR"}
    [scope] = widen(judge("x", pairs).table).scopes
    assert pair_verdicts(scope, single=False).tolist() == [A, B, TIE, TIE, TIE, ABSENT, ABSENT]
    assert pair_verdicts(scope, single=True).tolist() == [A, B, A, TIE, A, A, ABSENT]


def test_judges_locked_to_a_slot_agree_in_each_order_and_not_beyond_chance() -> None:
    made = agree(judge("x", many(FF=30)), judge("y", many(FF=30)))
    assert isinstance(made.presentations, Estimate)
    assert made.presentations.value == 1.0
    assert isinstance(made.kappa, Refusal)
    assert "one label to all items" in made.kappa.reason


def test_kappa_is_cohens_of_the_pairs_verdicts() -> None:
    names = list(many(FS=40))
    one = {name: "FS" if i % 2 else "SF" for i, name in enumerate(names)}
    two = {name: "FS" if i % 2 or i < 8 else "SF" for i, name in enumerate(names)}
    made = agree(judge("x", one), judge("y", two))
    expected = cohen_kappa([one[name] for name in names], [two[name] for name in names])
    assert isinstance(made.kappa, Estimate)
    assert isinstance(expected, Estimate)
    assert made.kappa.value == pytest.approx(expected.value)
    assert isinstance(made.verdicts, Estimate)
    assert made.verdicts.value == 36 / 40
    assert made.kappa.interval is not None
    assert made.kappa.interval.low < made.kappa.value < made.kappa.interval.high


def test_a_missing_verdict_is_no_disagreement() -> None:
    names = list(many(FS=20))
    gaps = {name: "RS" if i < 6 else "FS" for i, name in enumerate(names)}
    made = agree(judge("x", dict.fromkeys(names, "FS")), judge("y", gaps))
    assert made.pairs == 14
    assert isinstance(made.verdicts, Estimate)
    assert (made.verdicts.value, made.verdicts.n) == (1.0, 14)


def test_few_shared_pairs_are_refused() -> None:
    made = agree(judge("x", many(FS=20)), judge("y", many(FS=4)))
    assert made.kappa == Refusal(reason="needs at least 10 pairs with a verdict of both, has 4", n=4)
