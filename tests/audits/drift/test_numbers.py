import hypothesis.strategies as st
import pytest
from hypothesis import given

from evenhand.audits.drift.numbers import plain_number
from evenhand.audits.drift.requirements import parse_requirement
from evenhand.audits.drift.tolerance import parse_tolerance
from evenhand.errors import ConfigError

NO_NUMBERS = [".0_5", "1_0", "٠.٠٥", "０.５", "nan", "inf", "Infinity", "0x1", "", ".", "1e", "--1", "5 %", "0,05"]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_is_read(value: float) -> None:
    assert plain_number(repr(value)) == value
    assert plain_number(f"{value:g}") == float(f"{value:g}")


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_slips_are_no_numbers_in_any_option(text: str) -> None:
    assert plain_number(text) is None
    with pytest.raises(ConfigError):
        parse_requirement(f"flip_rate<={text}")
    with pytest.raises(ConfigError):
        parse_tolerance(f"flip_rate={text}")
