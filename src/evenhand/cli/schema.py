"""``evenhand schema``: the published JSON schemas, and checking a document against its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

if TYPE_CHECKING:
    from evenhand.report.encode import Json

__all__ = ["Document", "schema_command"]


class Document(StrEnum):
    """What has a published schema."""

    CARD = "card"
    """The disclosure card of an audit, ``card.json``."""
    PROBES = "probes"
    """The report of flip prediction, ``probes.json``."""
    TRIAGE = "triage"
    """What selective swapping would do, ``triage.json``."""
    STUDY = "study"
    """What any other analysis found, such as ``ranking.json`` or ``comparison.json``."""


_NAMES = {Document.CARD: "card", Document.PROBES: "probe report", Document.TRIAGE: "triage", Document.STUDY: "study"}


def schema_command(
    document: Annotated[
        Document,
        typer.Argument(
            help="card (card.json of an audit), probes (of a probe report), triage (triage.json) or study (the JSON of "
            "biases, mitigation, ranking, comparison, judges, gate, history, humans, judge-and-humans, labels, power "
            "or simulation)."
        ),
    ] = Document.CARD,
    check: Annotated[Path | None, typer.Option(help="Validate this file; exit 2 where it is not valid.")] = None,
) -> None:
    """Print the JSON schema of the card, a probe report, a triage or a study, or validate a file against it."""
    from evenhand.cli.output import print_json
    from evenhand.errors import DataError
    from evenhand.report.text import visible

    schema_of, validate = _of(document)
    if check is None:
        print_json(schema_of())
        return
    try:
        tree = json.loads(check.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"not a {_NAMES[document]} ({error})", path=check) from error
    other = _recognised(tree)
    if other is not None and other is not document:
        raise DataError(
            f"is a {_NAMES[other]}, not a {_NAMES[document]}",
            path=check,
            remedy=f"check it with: evenhand schema {other.value} --check FILE",
        )
    validate(tree)
    typer.echo(f"{visible(str(check), limit=None)}: valid")


def _recognised(tree: object) -> Document | None:
    """Which document one is by the keys that it alone has; None where that isn't plain."""
    keys = {
        Document.CARD: {"decoding", "presentations"},
        Document.PROBES: {"predictors", "learning_curve"},
        Document.TRIAGE: {"guarantees", "policy_swaps"},
        Document.STUDY: {"headline", "tables", "figures"},
    }
    found = [document for document, own in keys.items() if isinstance(tree, dict) and own <= tree.keys()]
    return found[0] if len(found) == 1 else None


def _of(document: Document) -> tuple[Callable[[], Json], Callable[[object], None]]:
    """What gives a document's schema, and what checks a document against it."""
    match document:
        case Document.CARD:
            from evenhand.report.card import card_schema, validate_card

            return card_schema, validate_card
        case Document.PROBES:
            from evenhand.report.probes.json_report import probe_schema, validate_probe_json

            return probe_schema, validate_probe_json
        case Document.TRIAGE:
            from evenhand.report.triage_json import triage_schema, validate_triage_json

            return triage_schema, validate_triage_json
        case Document.STUDY:
            from evenhand.report.study.json_report import study_schema, validate_study_json

            return study_schema, validate_study_json
        case _:
            assert_never(document)
