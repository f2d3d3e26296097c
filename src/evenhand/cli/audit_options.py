"""The options of ``evenhand audit`` that only it has: the judge's, the cost's and the readouts'."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evenhand.runner import SpendLimit
    from evenhand.workflow import JudgeSetup, ReadoutChoice
    from evenhand.workflow.selective_settings import SelectiveSettings

__all__ = [
    "BaseUrlOption",
    "BudgetOption",
    "ConcurrencyOption",
    "ExecutorOption",
    "FloorOption",
    "FloorPairsOption",
    "GpusPerWorkerOption",
    "JudgeOptionOption",
    "MaxCostOption",
    "MaxTotalTokensOption",
    "PolicyOption",
    "PrefillOption",
    "PriceOption",
    "ProbeOption",
    "RayAddressOption",
    "ReadoutOption",
    "StarOption",
    "SwapBudgetOption",
    "SwapOption",
    "VaryOption",
    "WorkersOption",
    "judge_setup",
    "readout_choices",
    "selective_settings",
    "spend_limit",
    "token_budgets",
]

_JUDGE = "The judge"
_COST = "Cost"
_SWAP = "Selective swap"
_PROMPT = "Prompt and readouts"

BaseUrlOption = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        help="Of the endpoint, for openai: judges.",
        show_default="$OPENAI_BASE_URL, else OpenAI's",
        rich_help_panel=_JUDGE,
    ),
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(help="Requests at a time, for openai: judges.", min=1, show_default="8", rich_help_panel=_JUDGE),
]
JudgeOptionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--judge-option",
        "-J",
        metavar="NAME=VALUE",
        help="Any option of the judge, such as n_ctx=4096 (evenhand judges lists them); more than once.",
        rich_help_panel=_JUDGE,
    ),
]
ExecutorOption = Annotated[
    str,
    typer.Option(
        help="local, or ray: one judge in each of --workers Ray actors.",
        autocompletion=lambda: ["local", "ray"],
        rich_help_panel=_JUDGE,
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(help="How many Ray actors.", min=1, show_default=False, rich_help_panel=_JUDGE),
]
GpusPerWorkerOption = Annotated[
    float, typer.Option(help="GPUs that Ray reserves for each worker.", min=0, rich_help_panel=_JUDGE)
]
RayAddressOption = Annotated[
    str | None,
    typer.Option(
        "--ray-address", help="Of a running Ray cluster.", show_default="one on this machine", rich_help_panel=_JUDGE
    ),
]
PriceOption = Annotated[
    str | None,
    typer.Option(
        metavar="PROMPT,COMPLETION", help="US dollars per million tokens, such as 2.50,10.", rich_help_panel=_COST
    ),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        help="Send nothing more once the run has cost so many US dollars (exit 3; a higher limit goes on).",
        rich_help_panel=_COST,
    ),
]
MaxTotalTokensOption = Annotated[
    int | None,
    typer.Option(
        "--max-total-tokens",
        help="Send nothing more once the run has used so many tokens, prompt and completion.",
        min=1,
        rich_help_panel=_COST,
    ),
]
ReadoutOption = Annotated[
    list[str] | None,
    typer.Option(
        help="both, first-token, generated or hybrid (with both, hybrid is derived at no further call); beside it, or "
        "alone, prefilled and constrained, which are asked apart. More than once, or with commas.",
        autocompletion=lambda: ["both", "first-token", "generated", "hybrid", "prefilled", "constrained"],
        show_default="both",
        rich_help_panel=_PROMPT,
    ),
]
PrefillOption = Annotated[
    str | None,
    typer.Option(
        help="What the judge's turn begins with in the prefilled readout.",
        show_default="the prompt's own, else The better response is",
        rich_help_panel=_PROMPT,
    ),
]
VaryOption = Annotated[
    str | None,
    typer.Option(
        metavar="AXES",
        help="Ask under every combination of prompt designs: labels, framing, criteria, separators, distance, system, "
        "with commas; labels=A/B|1/2 picks levels.",
        rich_help_panel=_PROMPT,
    ),
]
StarOption = Annotated[
    bool,
    typer.Option("--star", help="With --vary: the baseline and each single change of it.", rich_help_panel=_PROMPT),
]
BudgetOption = Annotated[
    float | None,
    typer.Option(
        "--budget",
        metavar="FRACTION",
        help="Read the first token of every pair and generate for this share of them, drawn at random; figures of the "
        "generated readout are then prediction-powered estimates.",
        rich_help_panel=_COST,
    ),
]
SwapOption = Annotated[
    str,
    typer.Option(
        "--swap",
        metavar="both|selective",
        help="both: every pair in both orders. selective: order AB of every pair, order BA where --probe sees the risk "
        "of a flip, and of a random floor, from which figures for all pairs are estimated.",
        autocompletion=lambda: ["both", "selective"],
        rich_help_panel=_SWAP,
    ),
]
ProbeOption = Annotated[
    Path | None,
    typer.Option(
        "--probe",
        help="With --swap selective: a saved probe (evenhand probe fit); prompt, labels and readout are its own where "
        "none is named (a prompt that isn't shipped must be named with --prompt).",
        show_default=False,
        rich_help_panel=_SWAP,
    ),
]
PolicyOption = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        help="A policy of evenhand triage for the probe: which risks are high, and what that guarantees.",
        show_default=False,
        rich_help_panel=_SWAP,
    ),
]
SwapBudgetOption = Annotated[
    float | None,
    typer.Option(
        "--swap-budget",
        metavar="FRACTION",
        help="In place of a policy: swap this share of the pairs, the highest risks first.",
        show_default=False,
        rich_help_panel=_SWAP,
    ),
]
FloorOption = Annotated[
    float | None,
    typer.Option(
        "--floor",
        metavar="FRACTION",
        help="Share of the other pairs that is swapped all the same, drawn at random (--floor-pairs at least).",
        show_default="the policy's, else 0.1",
        rich_help_panel=_SWAP,
    ),
]
FloorPairsOption = Annotated[
    int | None,
    typer.Option(
        "--floor-pairs",
        metavar="N",
        help="Pairs that --floor draws at least, where there are as many: fewer save more on few pairs, and leave more "
        "open of the rest.",
        min=1,
        show_default="20",
        rich_help_panel=_SWAP,
    ),
]


def judge_setup(
    judge: str,
    *,
    base_url: str | None,
    concurrency: int | None,
    options: Sequence[str],
    executor: str,
    workers: int | None,
    gpus_per_worker: float,
    ray_address: str | None,
) -> JudgeSetup:
    """The judge's options and where it runs, from the command line."""
    from evenhand.errors import ConfigError
    from evenhand.workflow import JudgeSetup

    given: dict[str, object] = {}
    for option in options:
        name, equals, text = option.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"--judge-option {option!r}: expected NAME=VALUE, such as n_ctx=4096")
        if name.strip() in given:
            raise ConfigError(f"--judge-option {name.strip()!r} is given twice")
        given[name.strip()] = text
    named: dict[str, object] = {"base_url": base_url, "concurrency": concurrency}
    for name, value in named.items():
        if value is None:
            continue
        if not judge.startswith("openai:"):
            raise ConfigError(f"--{name.replace('_', '-')} is for openai: judges, the judge is {judge!r}")
        if name in given:
            raise ConfigError(f"--{name.replace('_', '-')} and --judge-option {name} are the same option: give one")
        given[name] = value
    return JudgeSetup(
        options=given, executor=executor, workers=workers, gpus_per_worker=gpus_per_worker, address=ray_address
    )


def spend_limit(*, price: str | None, max_cost: float | None, max_total_tokens: int | None) -> SpendLimit:
    """What the run may cost."""
    from evenhand.runner import Prices, SpendLimit

    prices = None if price is None else Prices.parse(price)
    return SpendLimit(max_cost=max_cost, max_tokens=max_total_tokens, prices=prices)


def readout_choices(names: Sequence[str]) -> tuple[ReadoutChoice, ...]:
    """The readouts asked for."""
    from evenhand.errors import ConfigError
    from evenhand.workflow import ReadoutChoice

    asked = [part.strip() for name in names for part in name.split(",")] or [ReadoutChoice.BOTH.value]
    for name in asked:
        if name not in list(ReadoutChoice):
            expected = ", ".join(choice.value for choice in ReadoutChoice)
            raise ConfigError(f"readout {name!r}: expected {expected}")
    return tuple(ReadoutChoice(name) for name in asked)


def selective_settings(
    swap: str,
    *,
    probe: Path | None,
    policy: Path | None,
    budget: float | None,
    floor: float | None,
    floor_pairs: int | None = None,
) -> SelectiveSettings | None:
    """What ``--swap`` and the options beside it say; None where every pair is asked in both orders."""
    from evenhand.errors import ConfigError
    from evenhand.workflow.selective_settings import SelectiveSettings

    named = {
        "--probe": probe,
        "--policy": policy,
        "--swap-budget": budget,
        "--floor": floor,
        "--floor-pairs": floor_pairs,
    }
    if swap == "both":
        given = [name for name, value in named.items() if value is not None]
        if given:
            raise ConfigError(f"{', '.join(given)}: only with --swap selective")
        return None
    if swap != "selective":
        raise ConfigError(f"--swap {swap!r}: expected both or selective")
    if probe is None:
        raise ConfigError(
            "--swap selective needs --probe FILE, a saved probe (evenhand probe fit --save FILE makes one)"
        )
    if (policy is None) == (budget is None):
        raise ConfigError(
            "--swap selective needs --policy FILE (evenhand triage makes one) or --swap-budget FRACTION"
            f"{'' if policy is None else ', not both'}"
        )
    more = {} if floor_pairs is None else {"floor_pairs": floor_pairs}
    return SelectiveSettings(probe=probe, policy=policy, budget=budget, floor=floor, **more)


def token_budgets(max_tokens: int | None, retry_tokens: int | None) -> tuple[int, ...]:
    """Ascending budgets; empty leaves them to the prompt. The second is three times the first, as 1,500 is of 500."""
    from evenhand.errors import ConfigError

    if max_tokens is None and retry_tokens is None:
        return ()
    first = 500 if max_tokens is None else max_tokens
    second = 3 * first if retry_tokens is None else retry_tokens
    if second == 0:
        return (first,)
    if second <= first:
        raise ConfigError(
            f"--retry-tokens is {second}: expected more than --max-tokens ({first}), or 0 for no second try"
        )
    return (first, second)
