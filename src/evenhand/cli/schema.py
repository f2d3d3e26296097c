"""``evenhand schema``: the disclosure card's published JSON schema, and checking a card against it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["schema_command"]


def schema_command(
    check: Annotated[Path | None, typer.Option(help="Validate this card.json; exit 2 where it is not valid.")] = None,
) -> None:
    """Print the JSON schema of the disclosure card, or validate a card against it."""
    from evenhand.cli.output import print_json
    from evenhand.errors import DataError
    from evenhand.report.card import card_schema, validate_card
    from evenhand.report.text import visible

    if check is None:
        print_json(card_schema())
        return
    try:
        card = json.loads(check.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"not a card ({error})", path=check) from error
    validate_card(card)
    typer.echo(f"{visible(str(check), limit=None)}: valid")
