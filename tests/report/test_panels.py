"""What the figures beside rates draw: gathered from an audit, cleaned, and no more than fits."""

from dataclasses import replace

from evenhand.analysis import FindingKind
from evenhand.report.panels import MOST_BIASES, bias_points, build_panels
from evenhand.report.scope import scopes_of
from evenhand.stats import Estimate
from report.panel_examples import curve, flow, reliability, table


def test_a_flow_stands_with_its_divergence(remedied):
    made = build_panels(remedied.audit)
    (panel,) = made.flows
    assert isinstance(panel.divergence, Estimate)
    assert (panel.divergence.count, panel.divergence.n) == (panel.flow.diverged, panel.flow.led)


def test_savings_stand_with_the_hybrid_readout_s_point(remedied):
    (panel,) = build_panels(remedied.audit).savings
    (finding,) = remedied.audit.select(FindingKind.HYBRID)
    assert panel.hybrid.generated == finding.measure("share_generated")
    assert panel.hybrid.fidelity == finding.measure("hybrid_fidelity")
    assert {each.readout.value for each in panel.swaps} == {"first-token", "generated"}


def test_no_more_than_fits_and_hybrid_goes_first(audit):
    many = [table(f"c{i}", readout) for i in range(3) for readout in ("first-token", "hybrid", "generated")]
    from evenhand.records import Readout

    many = [replace(each, readout=Readout(each.readout)) for each in many]
    displays = (*many, *(flow(f"c{i}") for i in range(5)), *(reliability(f"c{i}") for i in range(9)))
    made = build_panels(replace(audit, displays=displays))
    assert (len(made.tables), len(made.flows), len(made.reliabilities)) == (6, 3, 4)
    assert "hybrid" not in {each.readout.value for each in made.tables}


def test_names_are_clean_and_refused_curves_are_not_drawn(audit):
    refused = replace(curve(condition="x\u202ey"), points=(), refusal=Estimate)
    displays = (table("x\u202ey"), curve(condition="x\u202ey"), refused)
    made = build_panels(replace(audit, displays=displays))
    assert made.tables[0].condition == "x[U+202E]y"
    assert [len(panel.swaps) for panel in made.savings] == [1]
    empty = replace(table("c"), both_a=0, both_b=0, first_twice=0, second_twice=0)
    assert build_panels(replace(audit, displays=(empty, refused))).savings == ()
    assert build_panels(replace(audit, displays=(empty,))).tables == ()


def test_biases_stand_below_position_and_are_marked_after_holm(biased):
    rows = bias_points(scopes_of(biased.audit), biased.biases)
    groups = list(dict.fromkeys(row.group for row in rows))
    assert groups[0] == "position"
    assert "sycophancy" in groups
    strong = [row for row in rows if row.label == "endorsement=user"]
    assert [row.series for row in strong] == ["shown"]
    assert strong[0].text.endswith(" *")
    assert all(row.text.endswith(" *") == (row.series == "shown") for row in rows)


def test_the_weakest_rows_go_and_are_counted(biased):
    found = biased.biases.findings
    many = replace(biased.biases, findings=found * (1 + 2 * MOST_BIASES // len(found)))
    rows = bias_points(scopes_of(biased.audit), many)
    assert len(rows) <= MOST_BIASES + 1
    assert rows[-1].text.endswith("weaker rows are in the tables")
    assert sum(row.series == "shown" for row in rows) > 0


def test_without_a_bias_there_is_no_plot(biased):
    assert bias_points(scopes_of(biased.audit), replace(biased.biases, findings=())) == ()
