"""The choices of a fit are checked before anything is read."""

from __future__ import annotations

import pytest

from evenhand.errors import ConfigError
from evenhand.probes.predictors import SHUFFLED, TREES
from evenhand.workflow.probe_settings import FitSettings


def test_the_papers_choices_are_the_default() -> None:
    settings = FitSettings()
    assert (settings.outer_folds, settings.inner_folds, settings.resamples, settings.level) == (5, 3, 2000, 0.95)
    assert settings.penalties == (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    assert settings.without == ()


def test_the_shuffled_control_can_be_left_out() -> None:
    assert FitSettings().shuffled
    assert not FitSettings(without=(SHUFFLED, TREES)).shuffled


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outer_folds": 1}, "outer_folds is 1: expected at least 2"),
        ({"inner_folds": 1}, "inner_folds is 1: expected at least 2"),
        ({"shuffles": 0}, "shuffles is 0: expected at least 1"),
        ({"resamples": 99}, "resamples is 99: expected at least 100"),
        ({"seed": -1}, "seed is -1: expected at least 0"),
        ({"seed": 1.5}, "seed is 1.5: expected a whole number"),
        ({"outer_folds": True}, "outer_folds is True: expected a whole number"),
        ({"level": 1.0}, "level is 1.0: expected from .5"),
        ({"penalties": ()}, "penalties are ()"),
        ({"penalties": (0.1, 0.0)}, "expected at least one, each above 0"),
        ({"penalties": (float("nan"),)}, "expected at least one, each above 0"),
        ({"without": ("trees",)}, "without 'trees': no such predictor"),
        ({"without": ("probe",)}, "without probe: it is what the others are compared with"),
        ({"without": ("no-signal",)}, "without no-signal: it is what all must beat"),
    ],
)
def test_what_can_not_be_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        FitSettings(**options)
    assert message in str(error.value)
