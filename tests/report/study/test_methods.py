from dataclasses import replace

from evenhand.report.study.methods import clusters_of, intervals_line, study_methods
from evenhand.stats import Estimate, Interval
from report.study.examples import EFFECTS, TOO_FEW, figure, make_empty, make_study


def test_every_method_is_said_once_with_its_clusters():
    methods = study_methods(make_study())
    assert methods[0] == (
        "Intervals: 95 %; percentile cluster bootstrap, 2,000 resamples; clusters are question groups (48)."
    )
    assert methods[-2:] == ("Tests: sign-flip test.", "sign-flip test: Groups are treated as exchangeable.")


def test_a_study_without_figures_has_no_methods():
    assert study_methods(make_empty()) == ()


def test_what_a_forest_alone_shows_counts_too():
    wilson = Interval(low=0.1, high=0.2, level=0.9, method="Wilson score at 12.1 effective observations")
    drawn = replace(EFFECTS.rows[0], estimate=Estimate(value=0.15, interval=wilson, n=9, clusters=12))
    study = replace(make_study(), tables=(), figures=(replace(EFFECTS, rows=(EFFECTS.rows[2], drawn)),))
    assert study_methods(study) == (
        "Intervals: 95 % and 90 %; Wilson score at the effective number of observations; percentile cluster bootstrap, "
        "2,000 resamples; clusters are question groups (12 to 48).",
    )


def test_an_estimate_without_an_interval_is_admitted():
    bare = replace(EFFECTS.rows[0], estimate=Estimate(value=0.15, interval=None, n=9))
    study = replace(make_study(), tables=(), figures=(replace(EFFECTS, rows=(bare,)),))
    assert study_methods(study) == ("Some estimates have no interval.",)


def test_clusters_without_a_name_are_counted_and_nothing_is_said_of_no_interval():
    study = replace(make_study(), facts=())
    assert clusters_of(study) == ""
    assert intervals_line([figure(0.1, 0.0, 0.2)]).endswith("; 48 clusters.")
    assert intervals_line([Estimate(value=0.1, interval=None, n=3)]) == ""
    assert TOO_FEW.reason not in " ".join(study_methods(study))
