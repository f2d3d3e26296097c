import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evenhand.cli.dry_run import print_dry_run
from evenhand.judges import CostEstimate
from evenhand.runner import Prices
from evenhand.workflow import DryRun


def estimate(prompt: int, high: int, seconds: float | None = None) -> CostEstimate:
    return CostEstimate(
        prompt_tokens=prompt,
        completion_tokens_low=10,
        completion_tokens_high=high,
        seconds_low=seconds,
        seconds_high=seconds,
        basis="counted",
    )


def plan(**changes: Any) -> DryRun:
    given = {"directory": Path("runs/x"), "pairs": 5, "conditions": 1, "presentations": 10, "answered": 0}
    return DryRun(**given | {"cost": estimate(1_000_000, 2_000_000, 7200)} | changes)


def test_tokens_dollars_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    print_dry_run(plan(), prices=Prices(prompt=2, completion=10), as_json=False)
    said = capsys.readouterr().out
    for part in ("5 pairs, 1 condition: 10 presentations", "1,000,000", "$2.00 to $22.00", "2.0 h", "counted"):
        assert part in said


def test_a_small_run_does_not_seem_to_cost_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    print_dry_run(plan(cost=estimate(500, 200_000)), prices=Prices(prompt=2, completion=10), as_json=False)
    assert "$0.0011 to $2.00" in capsys.readouterr().out
    print_dry_run(plan(), prices=Prices(prompt=0, completion=0), as_json=False)
    assert "$0.00\n" in capsys.readouterr().out


def test_what_reads_alike_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    print_dry_run(plan(cost=estimate(1_000, 10, 120.0), notes=("a\x1bnote",)), prices=None, as_json=False)
    said = capsys.readouterr().out.splitlines()
    assert "completion tokens            10" in said
    assert "estimated time            2 min" in said
    assert "note: a[U+001B]note" in said
    print_dry_run(plan(cost=estimate(1_000, 120)), prices=None, as_json=False)
    assert "completion tokens            10 to 120" in capsys.readouterr().out


def test_what_is_presumed_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    guessed = replace(estimate(1_000, 10), presumed=("it ans\x1bwers", "it counts"))
    print_dry_run(plan(cost=guessed), prices=None, as_json=False)
    assert "basis: counted\npresumed: it ans[U+001B]wers\npresumed: it counts\n" in capsys.readouterr().out
    print_dry_run(plan(cost=guessed), prices=None, as_json=True)
    assert json.loads(capsys.readouterr().out)["presumed"] == ["it ans\x1bwers", "it counts"]
    print_dry_run(plan(), prices=None, as_json=False)
    assert "presumed" not in capsys.readouterr().out


def test_without_prices_no_dollars(capsys: pytest.CaptureFixture[str]) -> None:
    print_dry_run(plan(), prices=None, as_json=False)
    assert "$" not in capsys.readouterr().out


def test_a_budget_says_what_it_saves(capsys: pytest.CaptureFixture[str]) -> None:
    dry = plan(
        cost=estimate(1_100_000, 200_000), sampled=1, unsampled=10, unsampled_cost=estimate(1_000_000, 2_000_000)
    )
    print_dry_run(dry, prices=None, as_json=False)
    said = capsys.readouterr().out
    assert "generated for 1 presentations; for all 10" in said
    assert "90% saved" in said
    assert "100,000 fewer prompt tokens" in said


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    dry = plan(sampled=1, unsampled=10, unsampled_cost=estimate(1_000_000, 2_000_000))
    print_dry_run(dry, prices=Prices(prompt=2, completion=10), as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert said["dollars_high"] == pytest.approx(22.0)
    assert said["without_budget"]["presentations"] == 10
    print_dry_run(plan(), prices=None, as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert said["dollars_high"] is None
    assert said["without_budget"] is None


def test_a_selective_swap_says_how_many_pairs_are_swapped(capsys: pytest.CaptureFixture[str]) -> None:
    given = {"presentations": 8, "swaps": (3, 3), "unsampled": 10, "unsampled_cost": estimate(1_250_000, 2_500_000)}
    print_dry_run(plan(**given), prices=None, as_json=False)
    said = capsys.readouterr().out
    assert "order AB of 5 pairs, order BA of 3; both orders of all pairs would be 10 presentations" in said
    assert "1,250,000 prompt tokens and up to 2,500,000 completion tokens" in said
    assert "budget" not in said
    print_dry_run(plan(**given | {"swaps": (1, 5)}), prices=None, as_json=False)
    assert "1 to 5 (how many risks are high isn't known before)" in capsys.readouterr().out
    print_dry_run(plan(**given), prices=None, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["swaps"] == {"fewest": 3, "most": 3}
    assert found["both_orders"]["presentations"] == 10
    assert found["without_budget"] is None


def test_control_and_changes_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    dry = plan(
        presentations=110, changed=100, changed_conditions=10, changed_cost=estimate(900_000, 1_500_000), notes=("so",)
    )
    print_dry_run(dry, prices=None, as_json=False)
    said = capsys.readouterr().out.splitlines()
    assert "control: 10 presentations, 100,000 prompt and 0 to 500,000 completion tokens" in said
    assert (
        "changes: 100 presentations under 10 conditions, 900,000 prompt and 10 to 1,500,000 completion tokens" in said
    )
    print_dry_run(dry, prices=Prices(prompt=2, completion=10), as_json=True)
    changed = json.loads(capsys.readouterr().out)["changed"]
    assert (changed["presentations"], changed["conditions"], changed["prompt_tokens"]) == (100, 10, 900_000)
    assert changed["dollars_high"] == pytest.approx(0.9 * 2 + 1.5 * 10)
    print_dry_run(plan(), prices=None, as_json=True)
    assert json.loads(capsys.readouterr().out)["changed"] is None
