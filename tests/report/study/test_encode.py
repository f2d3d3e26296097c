import math

import numpy as np
import pytest

from evenhand.analysis.study import StudyColumn, StudyTable
from evenhand.report.study.encode import encode_figure, encode_table, encode_value
from report.study.examples import CONTROL, EFFECTS, LEADERBOARD, NAN, SWAPS, TOO_FEW, figure, p_of


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (None, None),
        ("a", "a"),
        (True, True),
        (3, 3),
        (0.5, 0.5),
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (NAN, {"refused": "not a finite number", "n": 0}),
        (np.float64("inf"), {"refused": "not a finite number", "n": 0}),
        (TOO_FEW, {"refused": "needs at least 5 clusters, has 3", "n": 9}),
    ],
)
def test_values(value, encoded):
    found = encode_value(value)
    assert found == encoded
    assert type(found) in (type(None), str, bool, int, float, dict)


def test_figures_and_tests_keep_everything():
    assert encode_value(figure(0.5, 0.4, 0.6, n=60, count=30, flags=("few",))) == {
        "value": 0.5,
        "interval": {
            "low": 0.4,
            "high": 0.6,
            "level": 0.95,
            "method": "percentile cluster bootstrap, 48 clusters, 2,000 resamples",
        },
        "n": 60,
        "count": 30,
        "clusters": 48,
        "flags": ["few"],
    }
    assert encode_value(p_of(0.0))["log10_p"] == -412.5


def test_rows_are_keyed_by_the_columns_names():
    table = encode_table(LEADERBOARD)
    assert table["rows"][0]["author"] == "gpt-4o-mini"
    assert [column["name"] for column in table["columns"]] == ["group", "author", "rank", "share"]


def test_two_columns_of_one_name_are_a_mistake_not_a_loss():
    columns = (StudyColumn(name="a", label="A"), StudyColumn(name="a", label="B"))
    table = StudyTable(id="t", title="", caption="", columns=columns, rows=(("x", "y"),))
    with pytest.raises(ValueError, match="two columns share a name among 'a', 'a'"):
        encode_table(table)


def test_a_gap_is_null_and_each_figure_says_what_it_is():
    assert encode_figure(CONTROL)["series"][0]["y"] == [0.12, 0.14, None, 0.11, 0.31]
    assert encode_figure(SWAPS)["z"][1][1] is None
    assert [encode_figure(f)["figure"] for f in (EFFECTS, CONTROL, SWAPS)] == ["forest", "lines", "heat map"]
    assert math.isclose(encode_figure(EFFECTS)["rows"][0]["estimate"]["value"], 0.12)
