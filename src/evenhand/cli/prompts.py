"""``evenhand prompts``: the shipped templates, with their sources; or one of them whole."""

from __future__ import annotations

from typing import Annotated

import typer

from evenhand.cli.options import complete_prompt

__all__ = ["prompts_command"]


def prompts_command(
    name: Annotated[
        str | None,
        typer.Argument(help="Print this one whole; FILE.toml is checked.", autocompletion=complete_prompt),
    ] = None,
) -> None:
    """List the shipped prompt templates, print one whole (a start for your own TOML file), or check such a file."""
    from evenhand.prompts import available_prompts, load_prompt, prompt_file

    if name is not None and name.endswith(".toml"):
        template = load_prompt(name)
        typer.echo(f"{template.name}: valid, labels {template.labels.name}, hash {template.hash}")
        return
    if name is not None:
        typer.echo(prompt_file(name), nl=False)
        return
    for each in available_prompts():
        template = load_prompt(each)
        typer.echo(f"{template.name}\n    {template.description}\n    source: {template.source}")
