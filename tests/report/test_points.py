from dataclasses import replace

from evenhand.analysis import FindingKind
from evenhand.records import Readout
from evenhand.report.points import build_differences, build_locks, build_outcomes, build_rates, point
from evenhand.report.scope import scopes_of
from evenhand.stats import Estimate, Refusal


def test_rates_hold_compliance_flips_by_readout_and_repeats(audit):
    points = build_rates(scopes_of(audit), single_order=False)
    assert [p.series for p in points] == [
        "compliance", "first-token", "generated", "hybrid", "repeat",
        "compliance", "first-token", "generated", "hybrid",
    ]  # fmt: skip
    assert (points[0].value, points[0].low, points[0].high) == (25 / 60, 0.292, 0.549)


def test_single_order_draws_slot_rates_and_no_flips(audit):
    points = build_rates(scopes_of(audit), single_order=True)
    assert {p.label.split(",")[0] for p in points} == {"compliance", "first-slot rate"}


def test_a_refusal_has_no_dot(audit):
    refused = [p for p in build_differences(audit) if p.value is None]
    assert len(refused) == 1
    assert refused[0].low is None
    assert refused[0].text.startswith("refused: ")


def test_a_refusal_names_its_own_reason_or_where_it_stands():
    short, long = Refusal(reason="needs at least 5 clusters, has 3"), Refusal(reason="because " * 9)
    assert point("g", "s", "l", short).text == "refused: needs at least 5 clusters, has 3"
    assert point("g", "s", "l", long).text == "refused: see notes"
    assert point("g", "s", "l", Estimate(value=float("nan"), interval=None, n=1)).text == "refused: not a finite number"


def test_locks_and_outcomes_add_up(audit):
    scopes = scopes_of(audit)
    assert all(bar.first + bar.second <= bar.decided for bar in build_locks(scopes))
    for bar in build_outcomes(scopes):
        assert len(bar.counts) == 7
        assert sum(count for _, count in bar.counts) == 120


def test_a_prefill_s_compliance_is_a_point_of_its_own(audit):
    first = audit.select(FindingKind.READOUT, readout=Readout.FIRST_TOKEN)[0]
    after = replace(audit, findings=(first, replace(first, readout=Readout.PREFILLED)))
    points = build_rates(scopes_of(after), single_order=False)
    assert [p.label for p in points if p.series == "compliance"] == ["compliance", "compliance, prefilled"]
    assert {"first-token", "prefilled"} <= {p.series for p in points}
