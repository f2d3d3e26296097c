import json
from collections.abc import Callable
from typing import Any

import pytest

from evenhand.registry import available, resolve

Run = Callable[..., Any]


def test_every_kind_is_listed_with_a_line_about_it(evenhand: Run) -> None:
    done = evenhand("judges", "--json")
    assert done.code == 0
    listed = json.loads(done.out)
    assert tuple(listed) == available("judges")
    assert all(kind["about"] for kind in listed.values())


def test_options_are_listed_with_what_they_take(evenhand: Run) -> None:
    done = evenhand("judges", "llamacpp:")
    assert done.code == 0
    assert "n_ctx (int): context length in tokens" in done.out
    assert "simulated" not in done.out


@pytest.mark.parametrize("kind", available("judges"))
def test_options_are_told_where_a_judge_has_them(kind: str) -> None:
    for option in getattr(resolve("judges", kind), "OPTIONS", {}).values():
        assert option.help


def test_an_unknown_kind_is_an_error(evenhand: Run) -> None:
    done = evenhand("judges", "oracle")
    assert done.code == 2
    assert "oracle" in done.err
