"""Lists of changes: what is planned, and what is looked at."""

from audits.bias.changed import bias_data, sampler
from audits.tables import reason
from evenhand.audits.bias.levels import level_findings, plan_levels

PAIRS = {f"p{i}": "FS" for i in range(6)}
RULES = (("tone", "assertive"), ("tone", "hedged"))


def names(planned: tuple) -> list[str]:
    return [" + ".join(change.name for change in changes) for changes in planned]


def test_rules_come_first_then_the_users_own_of_the_same_factors() -> None:
    supplied = frozenset({("tone", "zany"), ("tone", "blunt"), ("tone", "hedged"), ("format", "table")})
    assert names(plan_levels(RULES, supplied)) == [
        f"tone={level}:{target}" for level in ("assertive", "hedged", "blunt", "zany") for target in "AB"
    ]


def test_every_level_that_was_asked_is_looked_at_and_no_other_factor() -> None:
    data = bias_data(PAIRS, {"tone=zany:A": PAIRS, "format=code:B": PAIRS, "tone=hedged:B": PAIRS})
    found = level_findings(data, sampler(data), audit="tone", factors=("tone",), expected=RULES, notes={"tone": ("n",)})
    assert [f.subset for f in found] == ["tone=zany", "tone=hedged"]
    assert all(f.audit == "tone" and f.notes[0] == "n" for f in found)


def test_without_any_it_says_what_is_needed() -> None:
    data = bias_data(PAIRS, {"format=code:B": PAIRS})
    [found] = level_findings(data, sampler(data), audit="tone", factors=("tone",), expected=RULES)
    assert reason(found, "net_shift").startswith("needs verdicts under tone=assertive or tone=hedged")
    assert found.tests == ()


def test_another_level_is_the_baseline_only_where_it_was_asked() -> None:
    data = bias_data(PAIRS, {"tone=hedged:A": PAIRS})
    against = {("tone", "hedged"): ("tone", "assertive")}
    [found] = level_findings(data, sampler(data), audit="t", factors=("tone",), expected=RULES, against=against)
    assert found.subset == "tone=hedged"
    both = bias_data(PAIRS, {"tone=hedged:A": PAIRS, "tone=assertive:A": PAIRS})
    found = level_findings(both, sampler(both), audit="t", factors=("tone",), expected=RULES, against=against)
    assert [f.subset for f in found] == ["tone=hedged against tone=assertive", "tone=assertive"]
