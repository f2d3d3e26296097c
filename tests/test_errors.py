from pathlib import Path

import pytest

from evenhand.errors import ConfigError, DataError, EvenhandError, JudgeError, StatisticsError, StoreError, install_hint


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), 2),
        (DataError("x"), 2),
        (StatisticsError("x"), 2),
        (JudgeError("x"), 3),
        (StoreError("x"), 3),
    ],
)
def test_exit_codes_tell_bad_input_from_work_that_could_not_be_finished(error: EvenhandError, code: int) -> None:
    assert isinstance(error, EvenhandError)
    assert error.exit_code == code


def test_a_data_error_names_file_row_field_and_remedy() -> None:
    error = DataError("is empty", path=Path("p.csv"), row=7, field="instruction", remedy="fill it in")
    assert str(error) == "p.csv, row 7, field 'instruction': is empty (fill it in)"
    assert (error.row, error.field, error.remedy) == (7, "instruction", "fill it in")


def test_a_data_error_without_a_place_is_its_problem() -> None:
    assert str(DataError("no pairs")) == "no pairs"


def test_a_judge_error_says_whether_to_ask_again() -> None:
    assert JudgeError("busy", retryable=True).retryable
    assert not JudgeError("gone").retryable


def test_what_to_install_is_said_for_an_index_and_for_a_checkout() -> None:
    assert install_hint("ray") == 'pip install "evenhand[ray]", or from a checkout pip install ".[ray]"'
