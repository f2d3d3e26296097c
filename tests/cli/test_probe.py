from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]
COMMANDS = ("collect", "shared", "fit", "transfer", "show")


def test_the_probe_s_commands_are_listed_and_each_has_help(evenhand: Run) -> None:
    listed = evenhand("probe", "--help")
    assert listed.code == 0
    for command in COMMANDS:
        assert command in listed.out
        assert "Exit codes" in evenhand("probe", command, "--help").out


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_without_its_arguments_is_bad_usage(evenhand: Run, command: str) -> None:
    assert evenhand("probe", command).code == 2
