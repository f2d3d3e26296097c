from pathlib import Path

import pytest

from evenhand.cli.audit_options import (
    judge_setup,
    readout_choices,
    selective_settings,
    spend_limit,
    token_budgets,
)
from evenhand.errors import ConfigError
from evenhand.workflow import ReadoutChoice

NOTHING = {
    "base_url": None,
    "concurrency": None,
    "options": (),
    "executor": "local",
    "workers": None,
    "gpus_per_worker": 0.0,
    "ray_address": None,
}


def test_options_of_a_judge_are_gathered() -> None:
    given = {"base_url": "http://127.0.0.1:1/v1", "concurrency": 3, "options": ["timeout=5", 'extra_body={"a"=1}']}
    setup = judge_setup("openai:m", **NOTHING | given)
    assert setup.options == {
        "base_url": "http://127.0.0.1:1/v1",
        "concurrency": 3,
        "timeout": "5",
        "extra_body": '{"a"=1}',
    }


@pytest.mark.parametrize(
    ("judge", "given", "message"),
    [
        ("openai:m", {"options": ["timeout"]}, "expected NAME=VALUE"),
        ("openai:m", {"options": ["=5"]}, "expected NAME=VALUE"),
        ("openai:m", {"options": ["a=1", "a=2"]}, "given twice"),
        ("openai:m", {"options": ["base_url=x"], "base_url": "y"}, "the same option"),
        ("llamacpp:m.gguf", {"base_url": "y"}, "--base-url is for openai: judges"),
        ("llamacpp:m.gguf", {"concurrency": 2}, "--concurrency is for openai: judges"),
        ("openai:m", {"executor": "dask"}, "local or ray"),
    ],
)
def test_options_that_cannot_be(judge: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        judge_setup(judge, **NOTHING | given)


def test_readouts_come_one_by_one_or_with_commas() -> None:
    assert readout_choices(()) == (ReadoutChoice.BOTH,)
    assert readout_choices(("both,prefilled", "constrained")) == (
        ReadoutChoice.BOTH,
        ReadoutChoice.PREFILLED,
        ReadoutChoice.CONSTRAINED,
    )
    with pytest.raises(ConfigError, match="readout 'logits': expected both"):
        readout_choices(("logits",))


def test_limits() -> None:
    limit = spend_limit(price="1,2", max_cost=3.0, max_total_tokens=4)
    assert (limit.max_cost, limit.max_tokens) == (3.0, 4)
    assert limit.prices is not None
    with pytest.raises(ConfigError, match="--price"):
        spend_limit(price=None, max_cost=3.0, max_total_tokens=None)


@pytest.mark.parametrize(
    ("first", "second", "budgets"),
    [(None, None, ()), (10, None, (10, 30)), (None, 900, (500, 900)), (10, 0, (10,)), (None, 0, (500,))],
)
def test_token_budgets(first: int | None, second: int | None, budgets: tuple[int, ...]) -> None:
    assert token_budgets(first, second) == budgets


def test_token_budgets_that_do_not_ascend() -> None:
    with pytest.raises(ConfigError, match="--retry-tokens is 5"):
        token_budgets(10, 5)


SWAP = {"probe": Path("p.json"), "policy": None, "budget": 0.3, "floor": None}


def test_a_selective_swap_has_a_probe_and_a_rule() -> None:
    assert selective_settings("both", probe=None, policy=None, budget=None, floor=None) is None
    made = selective_settings("selective", **SWAP | {"floor": 0.2})
    assert made is not None
    assert (made.probe, made.budget, made.floor) == (Path("p.json"), 0.3, 0.2)
    assert made.floor_pairs == 20
    fewer = selective_settings("selective", **SWAP, floor_pairs=5)
    assert fewer is not None
    assert fewer.floor_pairs == 5


@pytest.mark.parametrize(
    ("swap", "given", "message"),
    [
        ("both", {}, "--probe, --swap-budget: only with --swap selective"),
        ("both", {"floor_pairs": 5}, "--probe, --swap-budget, --floor-pairs: only with --swap selective"),
        ("some", {}, "expected both or selective"),
        ("selective", {"probe": None}, "needs --probe FILE"),
        ("selective", {"budget": None}, "needs --policy FILE .* or --swap-budget FRACTION$"),
        ("selective", {"policy": Path("x")}, "not both"),
        ("selective", {"floor": 2.0}, "floor is 2.0"),
    ],
)
def test_options_of_a_swap_that_do_not_fit(swap: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        selective_settings(swap, **SWAP | given)  # type: ignore[arg-type]
