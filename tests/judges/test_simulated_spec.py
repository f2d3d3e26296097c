import pytest

from evenhand.errors import ConfigError
from evenhand.judges.simulated import SimulatedJudge
from evenhand.judges.simulated_biases import BiasStrengths
from evenhand.judges.simulated_spec import PARAMETERS, read_simulated
from evenhand.judges.simulated_truth import AuditParameters


def read(rest):
    return read_simulated(rest, spec=f"simulated:{rest}")


def test_fair_has_every_default():
    found = read("fair")
    assert (found.parameters, found.biases) == (AuditParameters(), BiasStrengths())
    assert (found.seed, found.context) == (0, 32_768)


def test_each_parameter_goes_where_it_belongs():
    found = read("position=1, tone=.5,seed=3,family=gpt,self_preference=2,context=100")
    assert found.parameters == AuditParameters(position=1.0)
    assert found.biases == BiasStrengths(tone=0.5, family="gpt", self_preference=2.0)
    assert (found.seed, found.context) == (3, 100)


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_listed_parameter_can_be_set_and_has_one_line_about_it(name):
    told = PARAMETERS[name]
    value = {"family": "x", "self_preference": "0"}.get(name, "0.3" if told.kind is float else "7")
    SimulatedJudge.from_spec(f"{name}={value}", spec="s")
    assert told.help
    assert "\n" not in told.help
    assert "``" not in told.help
    assert told.default_text


def test_the_default_that_is_listed_is_the_one_that_holds():
    default = SimulatedJudge.from_spec("fair", spec="simulated:x").identity
    for name, told in PARAMETERS.items():
        if told.default not in (None, ""):
            assert SimulatedJudge.from_spec(f"{name}={told.default_text}", spec="simulated:x").identity == default, name


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("postion=1", "was 'position' meant\\? \\(evenhand judges simulated"),
        ("position", "'position' is not NAME=VALUE with one of authority, "),
        ("position=much", "position is 'much', expected a number"),
        ("seed=1.5", "seed is '1.5', expected a number"),
        ("noise=inf", "noise is 'inf', expected a finite number"),
        ("noise=-1", "a spread must not be negative"),
    ],
)
def test_what_can_not_be_read_is_named(rest, message):
    with pytest.raises(ConfigError, match=message):
        read(rest)
