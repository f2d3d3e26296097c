from evenhand.report.points import build_differences, build_locks, build_outcomes, build_rates
from evenhand.report.scope import scopes_of


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
    assert refused[0].text.startswith("refused")


def test_locks_and_outcomes_add_up(audit):
    scopes = scopes_of(audit)
    assert all(bar.first + bar.second <= bar.decided for bar in build_locks(scopes))
    for bar in build_outcomes(scopes):
        assert len(bar.counts) == 7
        assert sum(count for _, count in bar.counts) == 120
