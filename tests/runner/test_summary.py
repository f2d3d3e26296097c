import pytest

from evenhand.errors import JudgeError
from evenhand.runner.summary import ExecutionError, ExecutionSummary


def summary(**changes):
    values = {
        "planned": 1200,
        "reused": 1000,
        "asked": 60,
        "finished": 50,
        "errors": 10,
        "attempts": 70,
        "prompt_tokens": None,
        "completion_tokens": None,
        "seconds": 1.5,
        "interrupted": False,
    }
    return ExecutionSummary(**{**values, **changes})


def test_the_error_says_what_is_kept_and_how_to_go_on():
    error = ExecutionError(JudgeError("the engine is gone"), summary())
    assert str(error).startswith("the engine is gone (1,050 of 1,200 presentations are answered")
    assert "run the same command again" in str(error)
    assert error.summary == summary()
    assert isinstance(error, JudgeError)


@pytest.mark.parametrize("retryable", [True, False])
def test_whether_asking_again_may_help_is_the_causes_to_say(retryable):
    assert ExecutionError(JudgeError("gone", retryable=retryable), summary()).retryable is retryable
