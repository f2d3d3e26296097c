"""When a judge counts as position-biased."""

import pytest

from audits.tables import many, verdicts
from evenhand.analysis import FindingKind
from evenhand.audits import audit_position, flagged, is_flagged
from evenhand.records import Readout, verdict_table


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (6, 0, True),  # p = 2/64 = .031
        (0, 6, True),
        (5, 0, False),  # p = 2/32 = .0625
        (20, 20, False),  # flips alone are no bias
    ],
)
def test_direction_decides_not_flips(first: int, second: int, expected: bool) -> None:
    result = audit_position(verdict_table(verdicts(many(FF=first, SS=second, FS=10))))
    assert bool(flagged(result)) is expected


def test_the_family_is_all_conditions_and_readouts() -> None:
    # 6 of 6 locks give p = .031 each; twice over, Holm doubles it past .05.
    pairs = many(FF=6, FS=10)
    rows = [*verdicts(pairs), *verdicts(pairs, readout=Readout.FIRST_TOKEN)]
    assert flagged(audit_position(verdict_table(rows))) == ()
    assert len(flagged(audit_position(verdict_table(verdicts(pairs))))) == 1


def test_groups_that_lean_together_are_no_evidence_by_pairs() -> None:
    # 40 locks of 40 pairs, 30 first: p = .002 by pairs, but they are four groups of ten, three against one.
    pairs = many(FF=30, SS=10)
    group = {p: f"g{i // 10}" for i, p in enumerate(pairs)}
    more = many(FS=60)
    rows = verdicts({**pairs, **more}, group={**group, **dict.fromkeys(more, "rest")})
    (found,) = audit_position(verdict_table(rows)).select(FindingKind.READOUT)
    assert found.tests[1].p_value < 0.05
    assert not is_flagged(found)


def test_too_few_clusters_decide_nothing() -> None:
    pairs = many(FF=40)
    rows = verdicts(pairs, group=dict.fromkeys(pairs, "g"))
    assert flagged(audit_position(verdict_table(rows))) == ()


def test_only_readout_findings_are_ever_flagged() -> None:
    pairs = many(FF=40)
    rows = [*verdicts(pairs), *verdicts(dict.fromkeys(pairs, "FS"), readout=Readout.FIRST_TOKEN)]
    result = audit_position(verdict_table(rows))
    assert {f.kind for f in result.findings if is_flagged(f)} == {FindingKind.READOUT}
    assert {f.kind for f in result.findings} > {FindingKind.READOUT}
