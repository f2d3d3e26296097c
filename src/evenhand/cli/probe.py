"""``evenhand probe``: predicting from one order whether a verdict would flip in the other."""

from __future__ import annotations

import typer

from evenhand.cli.probe_collect import collect_command
from evenhand.cli.probe_fit import fit_command
from evenhand.cli.probe_shared import shared_command
from evenhand.cli.probe_show import show_command
from evenhand.cli.probe_transfer import transfer_command

__all__ = ["probe_app"]

probe_app = typer.Typer(
    help="Will the verdict flip? Collect a judge's activations, fit probes on them, and take them to other data.",
    no_args_is_help=True,
)
probe_app.command("collect")(collect_command)
probe_app.command("shared")(shared_command)
probe_app.command("fit")(fit_command)
probe_app.command("transfer")(transfer_command)
probe_app.command("show")(show_command)
