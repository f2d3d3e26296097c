"""``evenhand simulate``: what bias does to a judge whose biases are known, and how many pairs an audit needs."""

from __future__ import annotations

import typer

from evenhand.cli.simulate_figures import figures_command
from evenhand.cli.simulate_power import power_command

__all__ = ["simulate_app"]

simulate_app = typer.Typer(
    help="A judge made of a formula: how many pairs an audit needs, and what bias does to accuracy and consistency.",
    no_args_is_help=True,
)
simulate_app.command("power")(power_command)
simulate_app.command("figures")(figures_command)
