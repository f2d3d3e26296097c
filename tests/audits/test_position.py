"""The whole audit: invariants that hold for any table, and the published counts."""

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audits.tables import OUTCOMES, many, only, rate, value, verdicts
from evenhand.analysis import MEASURES, AuditResult, FindingKind
from evenhand.audits import audit_position
from evenhand.errors import ConfigError, DataError
from evenhand.records import Readout, verdict_table
from evenhand.stats import Estimate

CODES = "".join(OUTCOMES)
SWAPPED = {"A": "B", "B": "A", "tie": "tie", "AB": "BA", "BA": "AB", "first": "second", "second": "first"}
FAST = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Two readouts of up to two conditions, with gold, groups, compliance, leads, repeats and a hybrid."""
    n = draw(st.integers(5, 18))
    ids = [f"p{i}" for i in range(n)]

    def texts(alphabet: str, size: int = 2) -> dict[str, str]:
        one = st.text(alphabet, min_size=size, max_size=size)
        return dict(zip(ids, draw(st.lists(one, min_size=n, max_size=n)), strict=True))

    shared = {"gold": texts("ABt ", 1), "group": texts("abcdefgh", 1)}
    rows = []
    for condition in draw(st.sampled_from([("x",), ("x", "y")])):
        known = {"condition": condition, "compliant": texts("+-?"), "lead": texts("FS "), **shared}
        rows += verdicts(texts("FFFSSSTRUXE."), readout=Readout.GENERATED, log=texts("FS "), **known)
        rows += verdicts(texts("FS"), readout=Readout.FIRST_TOKEN, **known)
        rows += verdicts(texts("FST"), readout=Readout.HYBRID, generated=texts("+-"), **known)
        rows += verdicts(texts("FFSU."), readout=Readout.FIRST_TOKEN, repeat=1, **known)
    return verdict_table(rows)


def figures(result: AuditResult) -> dict[tuple[object, ...], object]:
    """Every figure of an audit under its scope and name: (value, n), or None where refused."""
    return {
        (f.kind, f.condition, f.readout, f.subset, m.name): (
            (pytest.approx(m.estimate.value), m.estimate.n) if isinstance(m.estimate, Estimate) else None
        )
        for f in result.findings
        for m in f.measures
    }


def rename(key: tuple[object, ...], names: dict[str, str]) -> tuple[object, ...]:
    return (*key[:-1], names.get(key[-1], key[-1]))


@FAST
@given(tables())
def test_swapping_identities_and_orders_changes_nothing(table: pl.DataFrame) -> None:
    # The responses exchange their names: what was order AB is now BA, gold A is B, and slots stay what they are.
    renamed = table.with_columns(pl.col("order", "gold", "preference").replace(SWAPPED))
    orders = {"accuracy_ab": "accuracy_ba", "accuracy_ba": "accuracy_ab"}
    before, after = audit_position(table), audit_position(renamed)
    assert {rename(k, orders): v for k, v in figures(before).items()} == figures(after)
    assert [t.p_value for f in before.findings for t in f.tests] == [t.p_value for f in after.findings for t in f.tests]


@FAST
@given(tables())
def test_swapping_slots_mirrors_the_slot_figures_and_no_other(table: pl.DataFrame) -> None:
    # Every judge now prefers the other slot; the preferences turn round with it, and so must gold.
    mirrored = table.with_columns(pl.col("outcome", "lead", "log_outcome", "gold", "preference").replace(SWAPPED))
    mirror = {"first_slot_rate": 1.0, "first_position_bias_rate": 1.0, "position_bias_strength": 0.0}
    before, after = audit_position(table), audit_position(mirrored)
    for f, g in zip(before.findings, after.findings, strict=True):
        for m, w in zip(f.measures, g.measures, strict=True):
            if isinstance(m.estimate, Estimate):
                expected = mirror[m.name] - m.estimate.value if m.name in mirror else m.estimate.value
                assert w.estimate.value == pytest.approx(expected)
                assert w.estimate.n == m.estimate.n
            else:
                assert w == m
        assert [t.p_value for t in f.tests] == pytest.approx([t.p_value for t in g.tests])


@FAST
@given(tables(), st.integers(0, 2**31))
def test_the_order_of_rows_changes_nothing_not_even_an_interval(table: pl.DataFrame, seed: int) -> None:
    shuffled = table.sample(fraction=1, shuffle=True, seed=seed)
    assert audit_position(shuffled, resamples=100) == audit_position(table, resamples=100)


@FAST
@given(tables(), st.sampled_from("RUXE"), st.sampled_from([Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID]))
def test_a_failed_presentation_changes_counts_and_the_verdict_rate_only(
    table: pl.DataFrame, state: str, readout: Readout
) -> None:
    more = pl.concat([table, verdict_table(verdicts({"new": f"{state}{state}"}, condition="x", readout=readout))])
    before, after = audit_position(table), audit_position(more)
    untouched = {k: v for k, v in figures(before).items() if k[-1] != "verdict_rate"}
    assert {k: v for k, v in figures(after).items() if k[-1] != "verdict_rate"} == untouched
    counts = [sum(c.count for f in r.findings for c in f.outcomes) for r in (before, after)]
    assert counts[1] == counts[0] + 2


@FAST
@given(tables())
def test_figures_are_in_range_and_add_up(table: pl.DataFrame) -> None:
    for f in audit_position(table).findings:
        for m in f.measures:
            assert m.name in {info.name for info in MEASURES}
            if not isinstance(m.estimate, Estimate):
                continue
            low, high = m.estimate.interval.low, m.estimate.interval.high
            assert -1 <= low <= m.estimate.value <= high <= 1
            assert low < high
        if f.kind is FindingKind.READOUT:
            cells = dict(f.table)
            assert sum(cells.values()) == f.pairs
            if isinstance(f.measure("flip_rate"), Estimate):
                flips = cells["first slot twice"] + cells["second slot twice"]
                assert rate(f, "flip_rate") == (flips, flips + cells["same preference, decided"])
                consistent = cells["same preference, decided"] + cells["tie twice"]
                assert rate(f, "swap_consistency")[0] == consistent
                # Flip, inconsistency and consistency share out the pairs with two verdicts.
                assert consistent + flips + cells["tie in one order"] == rate(f, "swap_consistency")[1]


@FAST
@given(st.lists(st.sampled_from(["TF", "TS", "FT", "ST", "TT"]), min_size=5, max_size=12))
def test_a_tie_is_never_a_flip(codes: list[str]) -> None:
    found = only(
        audit_position(verdict_table(verdicts({f"p{i}": code for i, code in enumerate(codes)}))), FindingKind.READOUT
    )
    assert found.measure("flip_rate").reason == "needs a pair decided in both orders, has none"
    assert rate(found, "inconsistency_rate")[0] == sum(code != "TT" for code in codes)


def test_another_condition_changes_no_other_interval() -> None:
    x = verdicts(many(FF=9, FS=9, SS=2), condition="x")
    y = verdicts(many(FF=2, FS=9, SS=9), condition="y")
    alone = audit_position(verdict_table(x), method="percentile").findings[0]
    beside = only(audit_position(verdict_table([*y, *x]), method="percentile"), FindingKind.READOUT, condition="x")
    assert beside.measures == alone.measures


def test_the_seed_and_the_level_are_used() -> None:
    table = verdict_table(verdicts(many(FF=9, FS=9, SS=2)))

    def interval(**options: object) -> object:
        return audit_position(table, method="percentile", **options).findings[0].measure("flip_rate").interval

    assert interval(seed=1) == interval(seed=1)
    assert interval(seed=1, resamples=301) != interval(seed=2, resamples=301)
    assert interval(level=0.5).high < interval(level=0.99).high


@pytest.mark.parametrize(
    ("sources", "cluster", "unit"),
    [
        (29, "auto", "question group"),
        (30, "auto", "source"),
        (30, "group", "question group"),
        (2, "source", "source"),
    ],
)
def test_the_resampling_unit_is_said(sources: int, cluster: str, unit: str) -> None:
    pairs = many(FF=60)
    rows = verdicts(pairs, source={p: f"s{i % sources}" for i, p in enumerate(pairs)})
    result = audit_position(verdict_table(rows), cluster=cluster)
    assert result.resampled_by == unit
    assert f"come from {sources} sources" in result.notes[0]
    flips = result.findings[0].measure("flip_rate")
    if sources == 2:
        assert flips.reason == "needs at least 5 clusters, has 2"
    else:
        assert flips.clusters == (sources if unit == "source" else 60)


def test_wrong_options_and_tables_are_named() -> None:
    table = verdict_table(verdicts(many(FF=5)))
    with pytest.raises(ConfigError, match="cluster is 'pair'"):
        audit_position(table, cluster="pair")
    with pytest.raises(ConfigError, match="orders is 'AB'"):
        audit_position(table, orders="AB")
    with pytest.raises(ConfigError, match="seed is -1"):
        audit_position(table, seed=-1)
    with pytest.raises(DataError, match="share their key"):
        audit_position(pl.concat([table, table]))


def test_an_empty_table_has_no_findings() -> None:
    result = audit_position(verdict_table([]))
    assert result.findings == ()
    assert result.resampled_by == "question group"


def test_published_counts_of_non_compliant_pairs() -> None:
    """924 pairs: forced flips 829 (827 on the first slot), generated 439; 405 flip only forced, 15 only generated.

    From "The First Token Is Not the Verdict" (2026).
    """
    # Both flip: 829 - 405 = 424 (= 439 - 15). Neither: 924 - 424 - 405 - 15 = 80.
    forced = many(FF=827, SS=2, FS=95)
    pairs = list(forced)
    generated = dict.fromkeys(pairs[:424], "FF") | dict.fromkeys(pairs[424:829], "FS")
    generated |= dict.fromkeys(pairs[829:844], "FF") | dict.fromkeys(pairs[844:], "SF")
    compliant = dict.fromkeys(pairs, "-+")
    result = audit_position(
        verdict_table(
            [
                *verdicts(forced, readout=Readout.FIRST_TOKEN, compliant=compliant),
                *verdicts(generated, readout=Readout.GENERATED, compliant=compliant),
            ]
        ),
        resamples=400,
    )
    first = only(result, FindingKind.READOUT, readout=Readout.FIRST_TOKEN)
    assert rate(first, "flip_rate") == (829, 924)
    assert round(value(first, "flip_rate"), 3) == 0.897
    assert rate(first, "first_position_bias_rate") == (827, 829)
    assert f"{first.tests[0].p_value:.1e}" == "1.9e-244"
    assert round(value(only(result, FindingKind.READOUT, readout=Readout.GENERATED), "flip_rate"), 3) == 0.475
    apart = only(result, FindingKind.FORCED_MINUS_GENERATED, subset="non-compliant")
    assert dict(apart.table) == {
        "both flip": 424,
        "only first-token flips": 405,
        "only generated flips": 15,
        "neither flips": 80,
    }
    assert round(value(apart, "flip_difference"), 3) == 0.422
    assert f"{apart.tests[0].p_value:.1e}" == "1.0e-99"


def test_published_saving_of_the_hybrid_readout() -> None:
    """1,678 of 11,596 presentations generated: 85.5 % saved."""
    pairs = {f"p{i}": "FS" for i in range(5798)}
    generated = {p: "++" if i < 839 else "--" for i, p in enumerate(pairs)}
    found = only(
        audit_position(verdict_table(verdicts(pairs, readout=Readout.HYBRID, generated=generated))),
        FindingKind.HYBRID,
    )
    assert rate(found, "share_generated") == (1678, 11596)
    assert round(value(found, "generation_saved"), 3) == 0.855


def holm_tests(result: AuditResult) -> list[str]:
    return [
        test.name
        for finding in result.select(FindingKind.READOUT)
        for test in finding.tests
        if "Holm-adjusted" in test.name
    ]


def test_tests_that_could_not_reject_and_derived_readouts_stay_out_of_the_family() -> None:
    locks = {f"p{i}": "FF" for i in range(8)}
    few = {f"p{i}": "FF" if i < 5 else "FS" for i in range(8)}  # five flips: p = .0625 at the least
    rows = verdicts(locks, readout=Readout.FIRST_TOKEN) + verdicts(few, readout=Readout.GENERATED)
    [name] = holm_tests(audit_position(verdict_table(rows)))
    assert "over 1 test of conditions and readouts" in name
    both = verdicts(locks, readout=Readout.FIRST_TOKEN) + verdicts(locks, readout=Readout.GENERATED)
    hybrid = verdicts(locks, readout=Readout.HYBRID)
    names = holm_tests(audit_position(verdict_table(both + hybrid)))
    assert len(names) == 2
    assert all("over 2 conditions and readouts" in name for name in names)
    assert len(holm_tests(audit_position(verdict_table(hybrid)))) == 1
