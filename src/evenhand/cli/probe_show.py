"""``evenhand probe show``: the card of a saved probe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import JsonOption

if TYPE_CHECKING:
    from evenhand.probes.saved import SavedProbe
    from evenhand.probes.saved_card import CardFigure

__all__ = ["show_command"]


def show_command(
    file: Annotated[
        Path,
        typer.Argument(help="A saved probe: NAME.json, its .safetensors, or a folder with a probe.json."),
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Print what a saved probe reads, from which judge, what it was trained on and how good it was there.

    Both of its files are checked whole. Exit codes: 0 fine; 2 missing, damaged or of a newer format.
    """
    from evenhand.probes.saved import load_probe

    probe = load_probe(file)
    if as_json:
        from evenhand.cli.output import print_json
        from evenhand.report.probes.encode import encode_subject
        from evenhand.report.text import visible_tree
        from evenhand.store.codec import encode

        encoded = encode(probe.card)
        assert isinstance(encoded, dict)  # noqa: S101 - a record is one; tells the type checker
        card = {**encoded, "subject": encode_subject(probe.card.subject)}
        tree = visible_tree({"card": card, "columns": probe.card.columns, "intercept": probe.intercept})
        assert isinstance(tree, dict)  # noqa: S101 - a dict stays one; tells the type checker
        print_json(tree)
        return
    from evenhand.report.text import visible

    rows = _facts(probe)
    width = max(len(name) for name, _ in rows)
    for name, fact in rows:
        typer.echo(f"{name:{width}}  {visible(fact, limit=400)}")


def _facts(probe: SavedProbe) -> list[tuple[str, str]]:
    card = probe.card
    subject, trained, procedure = card.subject, card.trained_on, card.procedure
    retention = trained.retention
    revision = "" if subject.revision is None else f" at {subject.revision}"
    columns = "1 column" if card.columns == 1 else f"{card.columns:,} columns"
    rows = [
        ("probe", f"{card.name} ({card.kind})"),
        ("reads", f"{', '.join(card.features) or 'nothing'} ({columns})"),
        ("judge", f"{subject.model}{revision}, {subject.dtype}, {subject.blocks} blocks of width {subject.size}"),
        ("prompt", f"{subject.prompt} ({subject.prompt_hash}), labels {subject.labels}, {subject.readout} readout"),
        *(("setting", f"{name} = {value}") for name, value in subject.settings),
        ("trained on", f"{trained.spec or 'unnamed pairs'} (pairs sha256:{trained.sha256 or 'unknown'})"),
        ("pairs", f"{trained.pairs:,} in {trained.groups:,} groups; flip rate {trained.flip_rate:.1%}"),
        ("usable", f"{retention.usable:,} of {retention.planned:,} judged pairs"),
        *(("lost", f"{pairs:,}: {reason}") for reason, pairs in retention.lost),
        ("chosen", f"{card.candidate}, λ = {card.l2:g}, validation Brier {procedure.validation_brier:.4f}"),
        ("chosen by", f"{procedure.folds} grouped folds, seed {procedure.seed}"),
        *((figure.metric.value, _figure(figure)) for figure in card.figures),
        ("made", f"{card.created or 'unknown'} by evenhand {card.evenhand or 'unknown'}"),
    ]
    if not card.figures:
        rows.insert(-1, ("figures", "none: refitted without cross-validated figures"))
    return rows


def _figure(figure: CardFigure) -> str:
    if figure.value is None:
        return f"refused: {figure.refused or 'no reason given'}"
    if figure.low is None or figure.high is None or figure.level is None:
        return f"{figure.value:.3f} (no interval, n = {figure.n:,})"
    return (
        f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}] "
        f"({figure.level:.0%}, n = {figure.n:,}; nested cross-validation on the training set)"
        f"{_at_chance(figure, low=figure.low, high=figure.high)}"
    )


def _at_chance(figure: CardFigure, *, low: float, high: float) -> str:
    """Where an AUROC's interval doesn't lie above chance: that it holds chance, or lies below it."""
    from evenhand.probes import Metric

    if figure.metric not in (Metric.AUROC, Metric.CHOICE_MATCHED) or low > 0.5:
        return ""
    return ": below chance, 0.5" if high < 0.5 else ": does not rule out chance, 0.5"
