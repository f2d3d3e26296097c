"""Options that several commands share, and their completion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "BriefOption",
    "ClusterOption",
    "FiguresOption",
    "JsonOption",
    "LevelOption",
    "OutOption",
    "QuietOption",
    "ResamplesOption",
    "SeedOption",
    "complete_bias",
    "complete_judge",
    "complete_kind",
    "complete_log_format",
    "complete_pairs",
    "complete_prompt",
    "complete_readout",
]

OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="The run's directory; used again, it goes on where it stopped.", show_default="runs/…"
    ),
]
BriefOption = Annotated[bool, typer.Option("--brief", help="Print only the verdict and the main figures.")]


def _formats(text: str) -> str:
    """Refuse a format that there isn't before any work is done."""
    if text != "svg":  # the default costs no import
        from evenhand.report.figure_files import formats_of

        formats_of(text)
    return text


FiguresOption = Annotated[
    str,
    typer.Option(
        "--figures",
        help="Formats of the figures' files, with commas: svg, pdf, png.",
        metavar="FORMATS",
        callback=_formats,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the findings as JSON on stdout.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]
SeedOption = Annotated[int, typer.Option(help="Of the resampling and of the choice of repeated pairs.", min=0)]
ResamplesOption = Annotated[int, typer.Option(help="Bootstrap resamples of each interval.", min=100)]
LevelOption = Annotated[float, typer.Option(help="Confidence level of every interval.", min=0.5, max=0.9999)]
ClusterOption = Annotated[
    str,
    typer.Option(
        help="What is resampled: group (question), source, or auto: source from 30 sources on, else group.",
        autocompletion=lambda: ["auto", "group", "source"],
    ),
]


def complete_bias(incomplete: str) -> list[str]:
    """Names of bias audits, after those that stand before the last comma."""
    from evenhand.audits.bias.registry import ALL, BIAS_AUDITS

    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",") if comma else []
    names = [name for name in (*BIAS_AUDITS, *(() if comma else (ALL,))) if name not in taken]
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


def complete_judge(incomplete: str) -> list[str]:
    """Judge kinds and the embedded model; after ``simulated:``, its parameters that are not set yet."""
    from evenhand.registry import available

    kind, colon, rest = incomplete.partition(":")
    if colon and kind == "simulated":
        return [f"{kind}:{choice}" for choice in _simulated(rest)]
    choices = ["llamacpp:smollm2-135m", *(f"{kind}:" for kind in available("judges"))]
    return [choice for choice in choices if choice.startswith(incomplete)]


def complete_kind(incomplete: str) -> list[str]:
    """Kinds of judges."""
    from evenhand.registry import available

    return [kind for kind in available("judges") if kind.startswith(incomplete)]


def _simulated(rest: str) -> list[str]:
    from evenhand.judges.simulated_spec import PARAMETERS

    before, comma, last = rest.rpartition(",")
    taken = {part.partition("=")[0].strip() for part in before.split(",")}
    names = [f"{before}{comma}{name}=" for name in PARAMETERS if name.startswith(last) and name not in taken]
    return [*(["fair"] if not comma and "fair".startswith(rest) else []), *names]


def complete_pairs(incomplete: str) -> list[str]:
    """Data sets that need a path end in a colon; three can be read from the hub too."""
    from evenhand.registry import available

    named = [name for name in available("datasets") if name not in ("starter", "adversarial", "table")]
    online = [f"{name}:hub" for name in named if name in ("judgebench", "llmbar", "mt_bench")]
    choices = ["starter", "adversarial", *(f"{name}:" for name in named), *online]
    return [choice for choice in choices if choice.startswith(incomplete)]


def complete_log_format(incomplete: str) -> list[str]:
    """Names of log formats."""
    from evenhand.registry import available

    return [name for name in available("logs") if name.startswith(incomplete)]


def complete_prompt(incomplete: str) -> list[str]:
    """Names of the shipped prompt templates."""
    from evenhand.prompts import available_prompts

    return [name for name in available_prompts() if name.startswith(incomplete)]


def complete_readout(incomplete: str) -> list[str]:
    """Names of readouts that a finished run may have."""
    from evenhand.records import Readout

    return [readout.value for readout in Readout if readout.value.startswith(incomplete)]
