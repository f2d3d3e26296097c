import pytest

from evenhand.audits.drift.bounds import Limits
from evenhand.audits.drift.requirements import SHORTHANDS, Requirement, gate_measure, parse_requirement
from evenhand.errors import ConfigError
from evenhand.records import Readout


@pytest.mark.parametrize(
    ("text", "limits", "back"),
    [
        ("flip_rate<=.15", Limits(high=0.15), "flip_rate<=0.15"),
        (" compliance >= 0.95 ", Limits(low=0.95), "compliance_pairs>=0.95"),
        ("|position_bias|<=.1", Limits(low=-0.1, high=0.1), "|position_bias_strength|<=0.1"),
        ("net_shift>=-.2", Limits(low=-0.2), "net_shift>=-0.2"),
        ("sycophancy:net_shift<=5e-2", Limits(high=0.05), "sycophancy:net_shift<=0.05"),
    ],
)
def test_a_requirement_is_read_and_written_again(text: str, limits: Limits, back: str) -> None:
    made = parse_requirement(text)
    assert made.limits == limits
    assert made.text == back
    assert parse_requirement(made.text) == made


def test_a_readout_in_the_text_goes_before_the_one_given() -> None:
    assert parse_requirement("flip_rate@generated<=.1", readout=Readout.HYBRID).readout is Readout.GENERATED
    assert parse_requirement("flip_rate<=.1", readout=Readout.HYBRID).readout is Readout.HYBRID


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flip_rate<.15", "expected MEASURE<=VALUE"),
        ("flip_rate=.15", "expected MEASURE<=VALUE"),
        ("|flip_rate<=.15", "expected MEASURE<=VALUE"),
        ("flip_rate<=lots", "'lots' is no number"),
        ("flip_rate<=15", "15, expected a number between 0 and 1"),
        ("flip_rate<=nan", "'nan' is no number"),
        ("flip_rat<=.1", "did you mean flip_rate"),
        ("zzz<=.1", "docs/reference/gates.md lists them"),
        ("flip_rate@vibes<=.1", "readout 'vibes': expected one of"),
        ("vibes:flip_rate<=.1", "no bias audit 'vibes'"),
        ("|position_bias|>=.1", "one largest distance from 0"),
        ("<=" * 5000, "expected MEASURE<=VALUE"),
    ],
)
def test_what_can_not_be_read_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_requirement(text)
    assert said in str(error.value)


def test_limits_must_be_there_and_fit() -> None:
    with pytest.raises(ConfigError, match="expected a largest or a smallest value"):
        Requirement(measure="flip_rate")
    with pytest.raises(ConfigError, match=r"nothing is at least 0\.2 and at most 0\.1"):
        Requirement(measure="flip_rate", least=0.2, most=0.1)
    assert Requirement(measure="flip_rate", least=0.1, most=0.2).limits == Limits(low=0.1, high=0.2)


def test_every_shorthand_is_of_a_known_measure() -> None:
    for name, short in SHORTHANDS.items():
        assert gate_measure(short.measure).name == short.measure
        assert name.startswith("max_" if short.most else "min_")


def test_shorthands_make_their_requirement() -> None:
    assert SHORTHANDS["max_position_bias"].requirement(0.1).text == "|position_bias_strength|<=0.1"
    assert SHORTHANDS["min_compliance"].requirement(0.9, readout=Readout.GENERATED).text == (
        "compliance_pairs@generated>=0.9"
    )


def test_what_changes_that_favour_nobody_move_can_t_be_required() -> None:
    with pytest.raises(ConfigError, match="require net_shift"):
        parse_requirement("register:net-shift-any-target>=-.05")
