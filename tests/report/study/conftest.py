"""Studies as fixtures; what they are made of is in examples.py."""

from __future__ import annotations

import pytest

from evenhand.analysis.study import Study
from evenhand.report.study.model import StudyView
from evenhand.report.study.view import build_study_view
from report.study.examples import COMMAND, CREATED, make_hostile, make_study


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture(scope="session")
def study_view() -> StudyView:
    return build_study_view(make_study(), command=COMMAND, created=CREATED)


@pytest.fixture(scope="session")
def hostile_study(hostile: str) -> Study:
    return make_hostile(hostile)


@pytest.fixture(scope="session")
def hostile_study_view(hostile: str, hostile_study: Study) -> StudyView:
    return build_study_view(hostile_study, command=hostile, created=hostile)
