from dataclasses import dataclass, field

import pytest

from evenhand.judges.parameters import Parameter, parameter, parameters_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    lean: float = parameter(0.5, "toward the first")
    later: float | None = parameter(None, "toward the last", unset="as lean")
    seed: int = parameter(40_000, "of chance")
    family: str = parameter("", "whose")


def test_fields_tell_kind_default_and_what_they_are_about():
    assert Known() == Known(lean=0.5, later=None, seed=40_000, family="")
    found = parameters_of(Known)
    assert list(found) == ["lean", "later", "seed", "family"]
    assert found["later"] == Parameter(kind=float, default=None, help="toward the last", unset="as lean")
    assert [each.kind for each in found.values()] == [float, float, int, str]
    assert [each.default_text for each in found.values()] == ["0.5", "as lean", "40000", "none"]


def test_a_field_that_says_nothing_is_a_mistake():
    @dataclass(frozen=True)
    class Silent:
        lean: float = field(default=0.0)

    with pytest.raises(KeyError):
        parameters_of(Silent)
