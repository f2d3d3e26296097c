import numpy as np

from audits.tables import many, verdicts
from evenhand.analysis.wide import widen
from evenhand.audits.drift.by_source import MOST_SOURCES, SourceAccuracy, accuracy_by_source
from evenhand.audits.drift.comparison import ConditionPair, compare_tables
from evenhand.records import Readout, verdict_table


def counted(old: dict[str, str], new: dict[str, str], source: dict[str, str]) -> tuple[SourceAccuracy, ...]:
    gold = dict.fromkeys([*old, *new], "A")
    made = compare_tables(
        verdict_table(verdicts(old, gold=gold, source=source)),
        verdict_table(verdicts(new, gold=gold, source=source)),
        pairs=list(old),
        conditions=[ConditionPair(old="c", new="c")],
    )
    return made.scopes[0].by_source


def test_right_verdicts_are_counted_where_both_runs_have_one() -> None:
    # F in AB and S in BA prefer A, which is right.
    old = {"a": "FS", "b": "FF", "c": "FS", "d": "FS"}
    new = {"a": "SF", "b": "FS", "c": "FU", "d": "FS"}
    source = {"a": "tone", "b": "tone", "c": "Zürich", "d": "="}
    assert counted(old, new, source) == (
        SourceAccuracy(source="=", presentations=2, old=2, new=2),
        SourceAccuracy(source="Zürich", presentations=1, old=1, new=1),
        SourceAccuracy(source="tone", presentations=4, old=3, new=2),
    )


def test_they_add_up_to_the_accuracy_of_all() -> None:
    old, new = many(FS=7, FF=5, SF=2, TF=1), many(FS=7, FF=5, SF=2, TF=1)
    new = {**new, "FS0": "FF", "SF0": "UF"}
    source = {name: f"s{i % 4}" for i, name in enumerate(old)}
    wide = widen(verdict_table(verdicts(old, gold=dict.fromkeys(old, "A"), source=source)))
    right = int((wide.scopes[0].preference == 0).sum())
    assert sum(each.old for each in counted(old, old, source)) == right
    assert sum(each.presentations for each in counted(old, new, source)) == 2 * len(old) - 1


def test_one_source_or_very_many_are_no_kinds_of_pairs() -> None:
    pairs = many(FS=MOST_SOURCES + 1)
    assert counted(pairs, pairs, dict.fromkeys(pairs, "s")) == ()
    assert counted(pairs, pairs, {name: name for name in pairs}) == ()
    none = widen(verdict_table(verdicts(pairs)))
    scope = none.find("c", Readout.GENERATED)
    assert scope is not None
    rows = np.arange(scope.pairs.size)
    # Without a gold preference nothing is right or wrong.
    assert accuracy_by_source(scope, scope, rows, rows, pairs=scope.pairs, facts=none.facts, sources=("s", "t")) == ()
