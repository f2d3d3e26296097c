"""Questions about size are checked before anything is calculated."""

import pytest

from evenhand.errors import ConfigError
from evenhand.workflow.simulate_settings import PowerSettings


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"question": "flips"}, "question 'flips': expected one of flip-rate"),
        ({"effect": 0.0}, "effect is 0"),
        ({"power": 1.0}, "power is 1"),
        ({"flip_rate": 1.2}, "flip_rate is 1.2"),
        ({"repeat_rate": 0.0}, "repeat_rate is 0"),
        ({"bias": "colour"}, "bias 'colour'"),
        ({"pairs": 0}, "pairs is 0"),
        ({"pairs_per_question": 0.5}, "pairs_per_question is 0.5"),
        ({"icc": 1.5}, "icc is 1.5"),
        ({"tests": 0}, "tests is 0"),
        ({"simulate": 5}, "simulate is 5"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        PowerSettings(**{"question": "shift", "effect": 0.05, **settings})
