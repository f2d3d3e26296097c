import dataclasses

import pytest

from evenhand.report.probes.model import Line


def test_tables_are_found_by_id(view):
    assert view.table("summary").id == "summary"
    assert view.table("nothing") is None


def test_views_and_lines_are_frozen(view):
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.title = "x"
    with pytest.raises(dataclasses.FrozenInstanceError):
        Line(series="a", label="b", x=(), y=()).label = "c"
