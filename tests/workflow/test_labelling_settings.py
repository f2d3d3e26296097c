"""Settings that can't be are refused by name."""

from typing import Any

import pytest

from evenhand.errors import ConfigError
from evenhand.workflow.labelling_settings import LabelSettings


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"overlap": -0.1}, "overlap is -0.1"),
        ({"overlap": 1.1}, "overlap is 1.1"),
        ({"overlap": float("nan")}, "overlap is nan"),
        ({"repeats": 0.6}, "repeats is 0.6"),
        ({"order": "hard"}, "label order is 'hard': expected random or informative"),
        ({"seed": -1}, "label seed is -1"),
    ],
)
def test_what_cannot_be(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        LabelSettings(**wrong)
