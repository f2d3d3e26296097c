"""The options of ``evenhand audit`` that ask for bias audits, and how names of audits are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import complete_bias

__all__ = ["BiasOption", "VariantsOption", "bias_names_of", "bias_parts"]

_BIAS = "Bias audits"

BiasOption = Annotated[
    list[str] | None,
    typer.Option(
        "--bias",
        metavar="NAMES",
        help="Ask every pair also with one thing changed: verbosity, sycophancy, tone, … or all, with commas or more "
        "than once (evenhand biases --list has them all, and what each needs).",
        autocompletion=complete_bias,
        show_default="none",
        rich_help_panel=_BIAS,
    ),
]
VariantsOption = Annotated[
    Path | None,
    typer.Option(
        "--variants",
        help="With --bias: a file of your own rewrites of responses (JSON Lines, CSV or Parquet), for changes that no "
        "rule makes, or in a rule's place.",
        show_default=False,
        rich_help_panel=_BIAS,
    ),
]


def bias_names_of(names: Sequence[str] | None) -> tuple[str, ...]:
    """The audits named, with commas or one by one.

    Raises
    ------
    ConfigError
        A name is unknown.
    """
    from evenhand.audits.bias.registry import bias_names

    return bias_names(bias_parts(names))


def bias_parts(names: Sequence[str] | None) -> tuple[str, ...]:
    """What stands between the commas of all that was given; an empty part is an error of whoever looks it up."""
    return tuple(part.strip() for name in names or () for part in name.split(","))
