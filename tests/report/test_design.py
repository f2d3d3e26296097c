from dataclasses import replace

import pytest

from evenhand.analysis import AuditResult, Finding, FindingKind, Measure
from evenhand.records import Readout
from evenhand.report.design import best_design_step, design_points, design_sentences, design_table
from evenhand.report.grid import Grid, grid_of
from evenhand.report.scope import Scope
from evenhand.stats import Estimate, Interval, Refusal, TestResult

GRID = Grid(designs=4, baseline=(("labels", "A/B"), ("criteria", "before")))


def change(value, low, high):
    return Estimate(value=value, interval=Interval(low=low, high=high), n=60, clusters=60)


def level(condition, readout, *, compliance=None, flips=None, p=1.0):
    _, _, name = condition.partition("=")
    both = (("design_compliance", "compliant", compliance), ("design_flips", "flips", flips))
    tests = []
    for _, what, estimate in both:
        if estimate is not None:
            raw = TestResult(name=f"sign flips, {what} at {name} against base", p_value=p / 8, log10_p=-1.0, n=60)
            tests += [raw, replace(raw, name=f"{raw.name}, Holm-adjusted over 8 levels", p_value=p)]
    measures = tuple(Measure(name=m, estimate=e) for m, _, e in both if e is not None)
    return Finding(
        kind=FindingKind.DESIGN, condition=condition, readout=readout, pairs=60, measures=measures, tests=tuple(tests)
    )


def result(*findings):
    return AuditResult(
        audit="position", findings=findings, resamples=9, level=0.95, seed=0, resampled_by="question group"
    )


SMALL = change(0.01, -0.1, 0.12)


def test_levels_stand_under_their_axis_with_the_adjusted_p():
    audit = result(
        Finding(kind=FindingKind.DESIGN),
        level("labels=1/2", Readout.FIRST_TOKEN, compliance=change(-0.3, -0.4, -0.2), flips=SMALL, p=0.004),
        level("criteria=none", Readout.FIRST_TOKEN, compliance=SMALL, flips=SMALL),
        level("labels=1/2", Readout.GENERATED, flips=Refusal(reason="needs a pair, has none"), p=0.5),
        level("labels=1/2", Readout.HYBRID, flips=SMALL),
    )
    table = design_table(audit, GRID)
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["labels, against A/B", "1/2", "first-token", "60", "−30.0 pp", "0.004", "+1.0 pp", "0.004"],
        ["labels, against A/B", "1/2", "generated", "60", "—", "—", "—", "0.5"],
        ["criteria, against before", "none", "first-token", "60", "+1.0 pp", "1", "+1.0 pp", "1"],
    ]
    assert "Holm-adjusted over 8 levels" in table.caption
    assert [text for _, text in table.notes] == ["needs a pair, has none"]


def test_the_hybrid_readout_stands_where_it_is_alone():
    table = design_table(result(level("labels=1/2", Readout.HYBRID, flips=SMALL)), GRID)
    assert [row[2].text for row in table.rows] == ["hybrid"]
    assert design_table(result(), GRID) is None


def test_what_moves_is_told_with_its_figures_and_the_rest_counted():
    movers = [level(f"labels={i}", Readout.GENERATED, flips=change(0.1 + i / 100, 0.05, 0.3), p=0.01) for i in range(5)]
    compliance, flips = design_sentences(result(*movers, level("criteria=none", Readout.GENERATED, flips=SMALL)), GRID)
    assert compliance.startswith("No level's difference in compliance can be given")
    assert flips.startswith(
        "Shown to move flips, in 5 of 6 tests: labels=4 against A/B (generated): +14.0 pp [+5.0, +30.0], adjusted "
        "p = 0.01; labels=3"
    )
    assert flips.endswith("; and 2 more.")


def test_nothing_shown_to_move_is_told_with_the_largest_difference():
    audit = result(level("criteria=none", Readout.GENERATED, compliance=change(-0.08, -0.2, 0.04), flips=SMALL, p=0.2))
    compliance, flips = design_sentences(audit, GRID)
    assert "no evidence that none does" in compliance
    assert "criteria=none against before (generated): −8.0 pp [−20.0, +4.0]" in compliance
    assert "is shown to move flips (1 test, Holm-adjusted" in flips
    assert design_sentences(audit, None) == design_sentences(result(), GRID) == []


def scope(condition, value, low, high):
    estimate = Estimate(value=value, interval=Interval(low=low, high=high), n=60, count=value * 60)
    return Scope(
        condition=condition,
        readout=Readout.GENERATED,
        finding=Finding(kind=FindingKind.READOUT, condition=condition, readout=Readout.GENERATED),
        compliance=estimate,
        repeat=None,
    )


def test_the_best_design_is_named_with_its_interval_and_its_luck():
    scopes = [scope("baseline", 0.5, 0.4, 0.6), scope("labels=1/2", 0.7, 0.58, 0.8), scope("labels=X/Y", 0.2, 0.1, 0.3)]
    (step,) = best_design_step(scopes)
    assert "labels=1/2, 70.0 % [58.0, 80.0] of pairs" in step
    assert "overlaps those of 1 of the 2 others" in step
    assert "measure it again on other pairs" in step
    (clear,) = best_design_step(scopes[1:])
    assert clear.endswith("The next is labels=X/Y, 20.0 % [10.0, 30.0].")
    assert best_design_step(scopes[:1]) == []
    assert best_design_step([scope("baseline", 0.0, 0.0, 0.1), scope("labels=1/2", 0.0, 0.0, 0.1)]) == []


def test_a_real_grid_has_every_level_in_table_and_figure(designed):
    grid = grid_of(designed.manifest)
    table = design_table(designed.audit, grid)
    assert {(row[0].text, row[1].text) for row in table.rows} == {
        ("criteria, against before", "after"),
        ("criteria, against before", "none"),
        ("labels, against A/B", "1/2"),
    }
    assert all(row[7].text != "—" for row in table.rows), "every level's flips are tested"
    points = design_points(designed.audit, grid)
    assert {p.group for p in points} == {
        "criteria=after, against before", "criteria=none, against before", "labels=1/2, against A/B",
    }  # fmt: skip
    assert [p.series for p in points[:3]] == ["compliance", "first-token", "generated"]
    assert len(design_sentences(designed.audit, grid)) == 2


@pytest.mark.parametrize("text", ["=<b>|$x$\x1b]0;\ud800\u202e", "n" * 5_000])
def test_hostile_levels_stay_text(text):
    audit = result(level(f"labels={text}", Readout.GENERATED, compliance=SMALL, flips=SMALL, p=0.01))
    grid = Grid(designs=2, baseline=(("labels", text[::-1]),))
    table = design_table(audit, grid)
    said = [*design_sentences(audit, grid), *(cell.text for row in table.rows for cell in row)]
    said += [point.group for point in design_points(audit, grid)]
    for part in said:
        assert "\x1b" not in part
        assert "\u202e" not in part
        part.encode("utf-8")
        assert len(part) < 1_000
