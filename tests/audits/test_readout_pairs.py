"""First-token minus generated, on the same pairs."""

from dataclasses import replace

import pytest

from audits.tables import many, only, reason, value, verdicts
from evenhand.analysis import AuditResult, FindingKind
from evenhand.audits import audit_position
from evenhand.records import Readout, Verdict, verdict_table

KIND = FindingKind.FORCED_MINUS_GENERATED


def both_readouts(cells: dict[tuple[str, str, str], int]) -> list[Verdict]:
    """Pairs by (first-token outcomes, generated outcomes, compliance)."""
    keys = [(key, f"{'/'.join(key)} {i}") for key, count in cells.items() for i in range(count)]
    compliant = {pair: key[2] for key, pair in keys}
    return [
        *verdicts({p: k[0] for k, p in keys}, readout=Readout.FIRST_TOKEN, compliant=compliant),
        *verdicts({p: k[1] for k, p in keys}, readout=Readout.GENERATED, compliant=compliant),
    ]


@pytest.fixture(scope="module")
def worked() -> AuditResult:
    """Compliant: 10 neither, 2 both. Non-compliant: 6 first-token only, 1 generated only, 3 both; 4 excluded."""
    return audit_position(
        verdict_table(
            both_readouts(
                {
                    ("FS", "FS", "++"): 10,
                    ("FF", "FF", "++"): 2,
                    ("FF", "FS", "+-"): 6,
                    ("SF", "SS", "--"): 1,
                    ("FF", "SS", "--"): 3,
                    ("FF", "FU", "--"): 3,
                    ("FS", "TX", "++"): 1,
                }
            )
        )
    )


def test_all_pairs(worked: AuditResult) -> None:
    found = only(worked, KIND, subset="all")
    assert dict(found.table) == {
        "both flip": 5,
        "only first-token flips": 6,
        "only generated flips": 1,
        "neither flips": 10,
    }
    # 22 pairs decided by both: 11 flips against 6.
    assert (found.pairs, found.presentations) == (22, 44)
    assert value(found, "flip_difference") == pytest.approx((11 - 6) / 22)
    assert "bootstrap" in found.measure("flip_difference").interval.method
    # Exact McNemar of 6 and 1: 2 * (1 + 7) / 2**7. Each pair is a question of its own, so that both tests agree.
    signs, published = found.tests
    assert signs.p_value == published.p_value == pytest.approx(2 * 8 / 128)
    assert signs.name.startswith("sign-flip test over clusters, exact, flips by first-token only")
    assert published.name.startswith("exact McNemar, pairs as independent, flips by first-token only")
    assert "independent" in published.caveat


def test_flips_of_one_question_are_tested_together() -> None:
    # 12 pairs of 3 questions flip by the first token alone, 8 of 8 others by neither.
    rows = both_readouts({("FF", "FS", "++"): 12, ("FS", "FS", "++"): 8})
    changed = sorted({row.pair_id for row in rows if row.pair_id.startswith("FF")})
    groups = {pair: f"g{i // 4}" for i, pair in enumerate(changed)}
    grouped = [replace(row, group=groups.get(row.pair_id, row.pair_id)) for row in rows]
    signs, published = only(audit_position(verdict_table(grouped)), KIND, subset="compliant").tests
    assert (signs.p_value, signs.n) == (0.25, 3)
    assert (published.p_value, published.n) == (pytest.approx(2 / 2**12), 12)


def test_subsets_split_by_pair_compliance(worked: AuditResult) -> None:
    compliant = only(worked, KIND, subset="compliant")
    assert value(compliant, "flip_difference") == 0
    assert compliant.pairs == 12
    assert compliant.tests == ()
    apart = only(worked, KIND, subset="non-compliant")
    # 10 decided non-compliant pairs: 9 flips against 4.
    assert apart.pairs == 10
    assert value(apart, "flip_difference") == pytest.approx((9 - 4) / 10)


def test_notes_give_both_rates_and_the_exclusions(worked: AuditResult) -> None:
    rates, excluded = only(worked, KIND, subset="all").notes
    assert "first-token flips 11 of 22 pairs (50.0 %)" in rates
    assert "generated 6 of 22 pairs (27.3 %)" in rates
    assert "4 of 26 pairs" in excluded
    assert "generated: tie 1, unparsed 3, truncated 1" in excluded
    assert "3 of them are non-compliant" in excluded


def test_unknown_compliance_refuses_the_subsets_only() -> None:
    result = audit_position(verdict_table(both_readouts({("FF", "FS", "??"): 8, ("FS", "FS", "?+"): 4})))
    assert value(only(result, KIND, subset="all"), "flip_difference") == pytest.approx(8 / 12)
    for subset in ("compliant", "non-compliant"):
        assert "whole vocabulary" in reason(only(result, KIND, subset=subset), "flip_difference")


def test_partly_unknown_compliance_is_counted() -> None:
    result = audit_position(verdict_table(both_readouts({("FF", "FS", "+?"): 3, ("FS", "FS", "++"): 8})))
    found = only(result, KIND, subset="non-compliant")
    assert "needs a pair (non-compliant)" in reason(found, "flip_difference")
    assert any("3 of 11 pairs" in note and "unknown compliance" in note for note in found.notes)


def test_compliance_known_by_one_readout_serves_both() -> None:
    pairs = many(FF=6)
    rows = [
        *verdicts(pairs, readout=Readout.FIRST_TOKEN),
        *verdicts(pairs, readout=Readout.GENERATED, compliant=dict.fromkeys(pairs, "++")),
    ]
    assert only(audit_position(verdict_table(rows)), KIND, subset="compliant").pairs == 6


def test_one_readout_alone_makes_no_difference() -> None:
    assert audit_position(verdict_table(verdicts(many(FF=9)))).select(KIND) == ()
