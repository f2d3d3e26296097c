"""What ``--dry-run`` prints: presentations, tokens, time and cost, before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from evenhand.judges import CostEstimate
    from evenhand.runner import Prices
    from evenhand.workflow import DryRun

__all__ = ["dry_run_json", "print_dry_run"]


def print_dry_run(dry: DryRun, *, prices: Prices | None, as_json: bool) -> None:
    """Print the plan's size and cost; with prices in dollars too, with a budget beside what it saves."""
    if as_json:
        from evenhand.cli.output import print_json

        print_json(dry_run_json(dry, prices))
        return
    from evenhand.report.text import visible

    cost = dry.cost
    pairs = "1 pair" if dry.pairs == 1 else f"{dry.pairs:,} pairs"
    conditions = "1 condition" if dry.conditions == 1 else f"{dry.conditions} conditions"
    typer.echo(f"{pairs}, {conditions}: {dry.presentations:,} presentations, {dry.answered:,} answered before")
    typer.echo(f"prompt tokens      {cost.prompt_tokens:>12,}")
    typer.echo(f"completion tokens  {_range(f'{cost.completion_tokens_low:,}', f'{cost.completion_tokens_high:,}')}")
    if prices is not None:
        low, high = _dollars(cost, prices)
        typer.echo(f"cost               {_range(_money(low), _money(high))}")
    if cost.seconds_low is not None and cost.seconds_high is not None:
        typer.echo(f"estimated time     {_range(_duration(cost.seconds_low), _duration(cost.seconds_high))}")
    typer.echo(f"basis: {cost.basis}")
    for sentence in cost.presumed:
        typer.echo(f"presumed: {visible(sentence, limit=None)}")
    if dry.changed_cost is not None:
        typer.echo(_changes(dry, dry.changed_cost))
    if dry.swaps is not None:
        typer.echo(_swaps(dry, *dry.swaps))
    elif dry.unsampled_cost is not None:
        typer.echo(_saving(dry, dry.unsampled_cost, prices))
    for note in dry.notes:
        typer.echo(f"note: {visible(note, limit=None)}")
    typer.echo(f"run directory: {visible(str(dry.directory), limit=None)}")


def _money(dollars: float) -> str:
    """In cents; below a dollar in hundredths of a cent, so that a small run doesn't seem to cost nothing."""
    return f"${dollars:.4f}" if 0 < dollars < 1 else f"${dollars:,.2f}"


def _range(low: str, high: str) -> str:
    """Both ends, or one figure where they read alike."""
    return f"{low:>12}" if low == high else f"{low:>12} to {high}"


def _changes(dry: DryRun, changed: CostEstimate) -> str:
    """What of it bias audits take, and what the control takes without them."""
    control = dry.presentations - dry.changed

    def tokens(prompt: int, low: int, high: int) -> str:
        written = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        return f"{prompt:,} prompt and {written} completion tokens"

    cost = dry.cost
    of_control = tokens(
        cost.prompt_tokens - changed.prompt_tokens,
        cost.completion_tokens_low - changed.completion_tokens_low,
        cost.completion_tokens_high - changed.completion_tokens_high,
    )
    of_changes = tokens(changed.prompt_tokens, changed.completion_tokens_low, changed.completion_tokens_high)
    return (
        f"control: {control:,} presentations, {of_control}\n"
        f"changes: {dry.changed:,} presentations under {dry.changed_conditions:,} conditions, {of_changes}"
    )


def _swaps(dry: DryRun, fewest: int, most: int) -> str:
    """How many pairs a selective swap asks in order BA, and what asking all of them would take."""
    pairs = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,} (how many risks are high isn't known before)"
    whole = dry.unsampled_cost
    tokens = (
        ""
        if whole is None
        else f", {whole.prompt_tokens:,} prompt tokens and up to {whole.completion_tokens_high:,} completion tokens"
    )
    return (
        f"selective swap: order AB of {dry.pairs:,} pairs, order BA of {pairs}; both orders of all pairs would be "
        f"{dry.unsampled:,} presentations{tokens}"
    )


def _saving(dry: DryRun, whole: CostEstimate, prices: Prices | None) -> str:
    """What the budget saves against generating for every pair, at the same assumptions."""
    cost = dry.cost
    saved = whole.completion_tokens_high - cost.completion_tokens_high
    share = saved / whole.completion_tokens_high if whole.completion_tokens_high else 0.0
    parts = [f"completion tokens up to {whole.completion_tokens_high:,} ({share:.0%} saved)"]
    more = cost.prompt_tokens - whole.prompt_tokens
    if more > 0:
        parts.append(f"{more:,} fewer prompt tokens (the sample's prompts are read twice)")
    if prices is not None:
        parts.append(f"up to {_money(_dollars(whole, prices)[1])}")
    if whole.seconds_high is not None:
        parts.append(f"up to {_duration(whole.seconds_high)}")
    return (
        f"budget: text is generated for {dry.sampled:,} presentations; "
        f"for all {dry.unsampled:,} it would be {', '.join(parts)}"
    )


def dry_run_json(dry: DryRun, prices: Prices | None) -> dict[str, Any]:
    """The same as plain JSON values."""

    def cost(estimate: CostEstimate) -> dict[str, Any]:
        low, high = (None, None) if prices is None else _dollars(estimate, prices)
        return {
            "prompt_tokens": estimate.prompt_tokens,
            "completion_tokens_low": estimate.completion_tokens_low,
            "completion_tokens_high": estimate.completion_tokens_high,
            "dollars_low": low,
            "dollars_high": high,
            "seconds_low": estimate.seconds_low,
            "seconds_high": estimate.seconds_high,
            "basis": estimate.basis,
            "presumed": list(estimate.presumed),
        }

    return {
        "directory": str(dry.directory),
        "pairs": dry.pairs,
        "conditions": dry.conditions,
        "presentations": dry.presentations,
        "answered_before": dry.answered,
        **cost(dry.cost),
        "notes": list(dry.notes),
        "changed": None
        if dry.changed_cost is None
        else {
            "presentations": dry.changed,
            "conditions": dry.changed_conditions,
            **cost(dry.changed_cost),
        },
        "sampled": dry.sampled,
        "swaps": None if dry.swaps is None else {"fewest": dry.swaps[0], "most": dry.swaps[1]},
        "both_orders": None
        if dry.swaps is None or dry.unsampled_cost is None
        else {"presentations": dry.unsampled, **cost(dry.unsampled_cost)},
        "without_budget": None
        if dry.unsampled_cost is None or dry.swaps is not None
        else {"presentations": dry.unsampled, **cost(dry.unsampled_cost)},
    }


def _dollars(cost: CostEstimate, prices: Prices) -> tuple[float, float]:
    low, high = (
        prices.cost(prompt_tokens=cost.prompt_tokens, completion_tokens=tokens)
        for tokens in (cost.completion_tokens_low, cost.completion_tokens_high)
    )
    return low, high


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:,.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:,.0f} min"
    return f"{seconds / 3600:,.1f} h"
