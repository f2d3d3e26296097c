"""The four figures as a study: every point is in its table and its figure."""

import pytest

from evenhand.analysis.study import HeatMap, LineChart
from evenhand.judges.simulated_figures import FigureSettings
from evenhand.judges.simulated_study import StudyParameters
from evenhand.report.studies.simulation import simulation_study
from evenhand.report.study.json_report import study_json, validate_study_json
from evenhand.workflow.simulate_figures import simulate_figures
from report.studies.tied import anchors_of


@pytest.fixture(scope="module")
def figures():
    return simulate_figures(FigureSettings(pairs=60, runs=8, seed=1))


@pytest.fixture(scope="module")
def study(figures):
    return simulation_study(figures)


def test_it_is_a_valid_study(study):
    validate_study_json(study_json(study))
    assert study.kind == "simulation"
    assert [table.id for table in study.tables] == ["mitigation", "accuracy", "consistency", "length"]


def test_every_point_is_in_a_table_and_a_figure(study, figures):
    rows = {table.id: len(table.rows) for table in study.tables}
    assert rows == {
        "mitigation": len(figures.mitigation),
        "accuracy": len(figures.accuracy),
        "consistency": len(figures.consistency),
        "length": len(figures.length),
    }
    by_id = {figure.id: figure for figure in study.figures}
    heat = by_id["consistency"]
    assert isinstance(heat, HeatMap)
    for p in figures.consistency:
        assert heat.z[heat.y.index(p.position)][heat.x.index(p.verbosity)] == p.simulated.value
    for name, points, attribute in (
        ("accuracy", figures.accuracy, "simulated"),
        ("length", figures.length, "simulated"),
        ("mitigation-accuracy", figures.mitigation, "accuracy"),
    ):
        chart = by_id[name]
        assert isinstance(chart, LineChart)
        drawn = sorted(y for series in chart.series for y in series.y)
        assert drawn == sorted(getattr(p, attribute).value for p in points)
        for series in chart.series:
            assert all(low <= y <= high for low, y, high in zip(series.low, series.y, series.high, strict=True))


def test_the_headline_says_what_this_world_shows():
    """Without differences in length verbosity bias has nothing to act on; both sentences spoke of it all the same."""
    alike = FigureSettings(pairs=60, runs=8, seed=1, world=StudyParameters(length_sd=0.0))
    head = simulation_study(simulate_figures(alike)).headline
    assert head.verdict == "Swapping takes position bias out of the decided pairs"
    assert head.meaning[0].startswith("Swap consistency doesn't move with verbosity bias here: ")


def test_the_headline_carries_the_numbers_of_the_points(study, figures):
    at = {(p.method, p.strength): p for p in figures.mitigation}
    single, swap = at["single order", 1.0], at["swap and tie", 1.0]
    for value in (single.accuracy.value, swap.accuracy.value, swap.decided.value, swap.by_lot.value):
        assert f"{value * 100:.1f} %" in study.headline.lead


def test_what_decides_all_pairs_says_so_without_an_interval(study):
    decided = {row[0]: row[3] for row in study.table("mitigation").rows}
    assert decided["single order"] == 1.0
    assert decided["swap and tie"].interval is not None


def test_every_sentence_rests_on_the_table_that_has_its_figures(study):
    found = anchors_of(study)
    assert [found[text] for text in study.headline.meaning] == [
        "table-consistency",
        "table-consistency",
        "table-mitigation",
        "table-mitigation",
    ]
    assert found[study.headline.lead] == "table-mitigation"
