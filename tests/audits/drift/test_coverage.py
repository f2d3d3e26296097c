import numpy as np

from evenhand.analysis.wide import widen
from evenhand.audits.drift.coverage import Coverage, coverage_of, coverage_of_counts, verdicts_of
from evenhand.audits.drift.measures import DRIFT_MEASURES
from evenhand.records import Order, Outcome, Preference, Readout, Verdict, verdict_table


def verdict(pair: int, order: Order, outcome: Outcome) -> Verdict:
    return Verdict(
        pair_id=f"p{pair}",
        group=f"g{pair}",
        source="s",
        gold=Preference.A if pair < 4 else None,
        condition="c",
        readout=Readout.GENERATED,
        repeat=0,
        order=order,
        outcome=outcome,
    )


def test_what_enters_is_counted_of_what_was_asked_and_might() -> None:
    # Pairs 0 and 1 decided in both orders, 2 a tie in BA, the rest refused in both; 0 to 3 have a gold preference.
    ba = {0: Outcome.FIRST, 1: Outcome.SECOND, 2: Outcome.TIE}
    rows = [verdict(i, Order.AB, Outcome.FIRST if i < 3 else Outcome.REFUSED) for i in range(10)]
    rows += [verdict(i, Order.BA, ba.get(i, Outcome.REFUSED)) for i in range(10)]
    wide = widen(verdict_table(rows))
    (scope,) = wide.scopes

    def of(name: str) -> Coverage:
        measure = DRIFT_MEASURES[name]
        return coverage_of(measure, scope, wide.facts, measure.observe(scope, wide.facts).known)

    assert of("flip_rate") == Coverage(entered=2, asked=10, of="pairs")
    assert of("first_slot_rate") == Coverage(entered=5, asked=20, of="presentations")
    assert of("tie_rate") == Coverage(entered=6, asked=20, of="presentations")
    # Six of the eight presentations with a gold preference have a verdict: no thin figure, though most were refused.
    assert of("accuracy") == Coverage(entered=6, asked=8, of="presentations")
    assert of("verdict_rate").share == 1.0
    assert verdicts_of(scope) == Coverage(entered=6, asked=20, of="presentations")
    assert np.isclose(of("flip_rate").share, 0.2)


def test_half_is_not_thin_and_nothing_asked_is_no_share() -> None:
    assert Coverage(entered=29, asked=60, of="pairs").thin
    assert not Coverage(entered=30, asked=60, of="pairs").thin
    assert Coverage(entered=0, asked=0, of="pairs").share == 1.0


def test_counts_of_a_finding_tell_where_it_has_both() -> None:
    table = [("asked", 40), ("compared", 10), ("other", 3)]
    found = coverage_of_counts(table, asked="asked", entered="compared")
    assert found == Coverage(entered=10, asked=40, of="presentations")
    assert coverage_of_counts(table, asked="asked", entered="absent") is None
