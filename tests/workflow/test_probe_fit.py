"""The whole of ``probe fit`` on planted data."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evenhand.errors import ConfigError, StatisticsError
from evenhand.probes import Metric, Retention
from evenhand.probes.features import Feature
from evenhand.probes.folds import grouped_folds
from evenhand.probes.predictors import (
    BEFORE_GENERATION,
    COMBINED,
    NO_SIGNAL,
    PREDICTORS,
    PROBE,
    SHUFFLED,
    TREES,
    WITH_FEATURES,
    probability_column,
)
from evenhand.records import Readout
from evenhand.stats import Estimate, Refusal, auroc, brier
from evenhand.workflow.probe_fit import ProbeFit, fit_probes
from evenhand.workflow.probe_settings import FitSettings
from probes.planted import Plant, planted

DATA = planted(Plant(n=160, groups=130, delta=2.0))
QUICK = FitSettings(penalties=(1e-2, 1.0), resamples=100, shuffles=2, without=(TREES,))


@pytest.fixture(scope="module")
def fit() -> ProbeFit:
    return fit_probes(DATA, settings=replace(QUICK, without=()))


def test_every_predictor_is_reported_in_order(fit: ProbeFit) -> None:
    assert tuple(each.name for each in fit.report.predictors) == PREDICTORS
    for each in fit.report.predictors:
        assert tuple(metric for metric, _ in each.metrics) == tuple(Metric)
        assert isinstance(each.metric(Metric.BRIER), Estimate)
        if each.name not in (NO_SIGNAL, SHUFFLED):
            assert [selection.fold for selection in each.selections] == [0, 1, 2, 3, 4]


def test_the_planted_layer_is_found_and_nothing_where_nothing_is(fit: ProbeFit) -> None:
    probe = fit.report.predictor(PROBE)
    assert {selection.candidate for selection in probe.selections} == {"before-verdict@4"}
    # Phi(2 / sqrt 2) = .921 is the best there is; 160 pairs give a standard error of .02.
    assert probe.metric(Metric.AUROC).value > 0.85
    assert fit.report.predictor(BEFORE_GENERATION).metric(Metric.AUROC).value < 0.65
    assert fit.report.predictor(SHUFFLED).metric(Metric.AUROC).value < 0.65
    gap = next(
        d for d in fit.report.differences if (d.predictor, d.reference, d.metric) == (PROBE, COMBINED, Metric.AUROC)
    )
    assert gap.estimate.interval.low > 0


def test_predictions_are_those_that_were_judged(fit: ProbeFit) -> None:
    table = fit.predictions
    assert table["pair_id"].to_list() == list(DATA.pair_ids)
    assert table["fold"].to_list() == grouped_folds(DATA.groups, folds=5, seed=0).tolist()
    flips = table["flip"].to_numpy()
    assert (flips == DATA.flips).all()
    assert (table["margin"].to_numpy() == DATA.margin).all()
    for name in PREDICTORS:
        column = probability_column(name)
        if name == SHUFFLED:
            assert column not in table.columns
            continue
        assert fit.report.predictor(name).metric(Metric.BRIER).value == pytest.approx(
            brier(table[column].to_numpy(), flips).value
        )
    probe = table[probability_column(PROBE)].to_numpy()
    assert fit.report.predictor(PROBE).metric(Metric.AUROC).value == pytest.approx(auroc(probe, flips).value)


def test_the_report_says_what_it_is_of(fit: ProbeFit) -> None:
    report = fit.report
    assert (report.task, report.data, report.sha256) == ("fit", "planted", "0" * 64)
    assert (report.pairs, report.groups, report.resamples) == (160, 130, 100)
    assert report.flip_rate.value == pytest.approx(DATA.flips.mean())
    assert report.subject == DATA.subject
    assert report.retention == DATA.retention
    assert any("Parker" in note for note in report.notes)
    steps = [name for name, _ in report.seconds]
    assert steps[: len(PREDICTORS) - 1] == [name for name in PREDICTORS if name != SHUFFLED]
    assert all(seconds >= 0 for _, seconds in report.seconds)


def test_the_learning_curve_ends_at_the_predictor_itself(fit: ProbeFit) -> None:
    for name in (PROBE, COMBINED):
        points = [point for point in fit.report.learning_curve if point.predictor == name]
        assert len(points) == 4
        assert [point.pairs for point in points] == sorted(point.pairs for point in points)
        assert points[-1].pairs == pytest.approx(128)
        assert points[-1].metrics == fit.report.predictor(name).metrics
        assert all(isinstance(figure, Estimate) for _, figure in points[1].metrics)


def test_same_seed_same_report() -> None:
    one, other = (fit_probes(DATA, settings=QUICK) for _ in range(2))
    assert replace(one.report, seconds=()) == replace(other.report, seconds=())
    assert one.predictions.equals(other.predictions)
    third = fit_probes(DATA, settings=replace(QUICK, seed=1, learning_curve=False))
    assert third.predictions["fold"].to_list() != one.predictions["fold"].to_list()
    assert third.report.learning_curve == ()


def test_pairs_shared_by_judges_have_shared_folds() -> None:
    other = planted(Plant(n=160, groups=130, seed=5))
    settings = replace(QUICK, learning_curve=False, without=(TREES, SHUFFLED, WITH_FEATURES))
    shared = np.arange(20, 160)
    one, two = (fit_probes(each.rows(shared), settings=settings).predictions for each in (DATA, other))
    assert one.select("pair_id", "fold").equals(two.select("pair_id", "fold"))


def test_progress_tells_every_step() -> None:
    told: list[tuple[str, int, int]] = []
    report = fit_probes(DATA, settings=QUICK, progress=lambda *step: told.append(step)).report
    assert [name for name, _, _ in told] == [name for name, _ in report.seconds]
    assert [done for _, done, _ in told] == list(range(len(told)))
    assert {total for _, _, total in told} == {len(told)}


def test_no_confidence_is_null_and_said() -> None:
    silent = planted(Plant(n=80, groups=80, confidence=False))
    settings = replace(QUICK, learning_curve=False, without=(TREES, SHUFFLED, WITH_FEATURES))
    fit = fit_probes(silent, settings=settings)
    assert fit.predictions["confidence"].null_count() == 80
    assert fit.predictions["confidence"].dtype == pl.Float64
    assert probability_column(Feature.CONFIDENCE) not in fit.predictions.columns
    assert isinstance(fit.report.predictor("confidence").metric(Metric.BRIER), Refusal)
    assert fit.report.notes[0] == f"left out, as asked: {TREES}, {SHUFFLED}, {WITH_FEATURES}"


def test_ids_that_no_table_can_hold_are_escaped_in_it() -> None:
    data = planted(Plant(n=80, groups=80))
    odd = replace(data, pair_ids=("\ud800", *data.pair_ids[1:]), groups=("\udfff", *data.groups[1:]))
    settings = replace(QUICK, learning_curve=False, without=(TREES, SHUFFLED, WITH_FEATURES))
    assert fit_probes(odd, settings=settings).predictions.row(0)[:2] == ("\\ud800", "\\udfff")


def test_too_few_groups_are_an_error() -> None:
    with pytest.raises(
        StatisticsError,
        match=r"30 usable pairs in 9 question groups, and cross-validation needs at least 10: collect more pairs$",
    ):
        fit_probes(planted(Plant(n=30, groups=9)))


@pytest.mark.parametrize(
    ("lost", "readout", "said"),
    [
        (
            (("format: no verdict line", 90), ("verdict: tie", 4)),
            Readout.GENERATED,
            r"6 of 100 pairs can be used, most are lost: format: no verdict line \(90 of 100 pairs\); collect with "
            r"another readout \(--readout first-token, with a prompt that asks for one character\), or with another "
            "prompt or judge",
        ),
        ((("verdict: unparsed", 94),), Readout.FIRST_TOKEN, "collect with another prompt, label set or judge"),
        ((("not asked yet", 94),), Readout.GENERATED, "finish the collection first"),
    ],
)
def test_pairs_that_were_lost_are_said_with_what_would_help(
    lost: tuple[tuple[str, int], ...], readout: Readout, said: str
) -> None:
    few = planted(Plant(n=6, groups=3))
    few = replace(
        few,
        subject=replace(few.subject, readout=readout),
        retention=Retention(planned=100, usable=6, lost=lost),
    )
    with pytest.raises(StatisticsError, match=f"6 usable pairs in 3 question groups.*{said}"):
        fit_probes(few)


@pytest.mark.parametrize("flip", [True, False])
def test_too_few_of_a_label_refuse_what_would_learn_from_them(flip: bool) -> None:
    flips = np.full(160, not flip)
    flips[:4] = flip
    fit = fit_probes(replace(DATA, flips=flips), settings=QUICK)
    what = "a flip" if flip else "a pair that doesn't flip"
    reason = f"too little to learn from: needs at least 5 question groups with {what}, has 4"
    for each in fit.report.predictors:
        figure = each.metric(Metric.BRIER)
        assert isinstance(figure, Estimate) if each.name == NO_SIGNAL else figure == Refusal(reason=reason, n=160)
    assert isinstance(fit.report.flip_rate, Estimate)
    assert fit.report.learning_curve == ()
    assert fit.report.differences == ()


def test_trees_are_never_left_out_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ConfigError, match="--without boosted-trees"):
        fit_probes(DATA)
    settings = replace(QUICK, learning_curve=False)
    assert fit_probes(DATA, settings=settings).report.notes[0] == f"left out, as asked: {TREES}"


def test_a_note_points_to_the_shuffles_p_only_where_there_is_one(fit: ProbeFit) -> None:
    said = "better asked of the shuffled labels' p"
    tested = fit.report.predictor(SHUFFLED).permutation_p is not None
    assert tested
    assert any(said in note for note in fit.report.notes)
    led = np.arange(len(DATA)) % 4 == 0
    first = replace(DATA, subject=replace(DATA.subject, readout=Readout.FIRST_TOKEN), led=led)
    quick = FitSettings(without=(*PREDICTORS[1:-2], SHUFFLED), learning_curve=False, resamples=100)
    report = fit_probes(first, settings=quick).report
    assert not any(said in note for note in report.notes)
    assert report.compliance.value == pytest.approx(led.mean())
    assert fit.report.compliance is None, "what was written has a format"
