"""Options that the commands of ``evenhand probe`` share, and their completion."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evenhand.probes import ProbeData

__all__ = [
    "LayersOption",
    "PredictorOption",
    "WithoutOption",
    "complete_predictor",
    "left_out",
    "parse_layers",
    "with_layers",
]


def complete_predictor(incomplete: str) -> list[str]:
    """Names of predictors."""
    from evenhand.probes.predictors import PREDICTORS

    return [name for name in PREDICTORS if name.startswith(incomplete)]


LayersOption = Annotated[
    str | None,
    typer.Option("--layers", help="Only these of the collected layers, such as 14,21.", show_default="all collected"),
]
PredictorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--predictor",
        help="Only this one beside the probe and the controls; may be given again.",
        show_default="all",
        autocompletion=complete_predictor,
    ),
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        help="Leave this predictor out, such as boosted-trees; may be given again.",
        show_default="none",
        autocompletion=complete_predictor,
    ),
]


def left_out(only: Sequence[str], without: Sequence[str]) -> tuple[str, ...]:
    """The predictors that two opposite options leave out.

    Raises
    ------
    ConfigError
        Both were given, other than to leave out the shuffled-label control, or a name is unknown.

    Examples
    --------
    >>> left_out((), ("boosted-trees",))
    ('boosted-trees',)
    >>> "combined" in left_out(("confidence",), ()), "shuffled-labels" in left_out(("confidence",), ())
    (True, False)
    """
    from evenhand.errors import ConfigError
    from evenhand.probes.predictors import NO_SIGNAL, PREDICTORS, PROBE, SHUFFLED, check_predictors

    if only and set(without) - {SHUFFLED}:
        raise ConfigError(f"--predictor and --without: give one of them (beside --without {SHUFFLED})")
    check_predictors(only, option="--predictor")
    check_predictors(without, option="--without")
    if not only:
        return tuple(dict.fromkeys(without))
    kept = {PROBE, NO_SIGNAL, SHUFFLED, *only} - set(without)
    return tuple(name for name in PREDICTORS if name not in kept)


def parse_layers(text: str | None) -> frozenset[int] | None:
    """The layers of ``14,21``; None where none were named.

    Raises
    ------
    ConfigError
        Something else stands there.
    """
    from evenhand.errors import ConfigError

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 6 for part in parts):
        raise ConfigError(f"--layers {text!r}: expected numbers of layers, such as 14,21")
    return frozenset(map(int, parts))


def with_layers(data: ProbeData, layers: Collection[int] | None) -> ProbeData:
    """The same pairs with the activations of these layers alone, at every position.

    Raises
    ------
    ConfigError
        A layer that was not collected.
    """
    from dataclasses import replace

    from evenhand.errors import ConfigError

    if layers is None:
        return data
    have = sorted({place.layer for place in data.activations})
    for layer in sorted(layers):
        if layer not in have:
            known = ", ".join(map(str, have)) or "none"
            raise ConfigError(f"--layers {layer}: not among those collected for {data.subject.model} ({known})")
    kept = {place: values for place, values in data.activations.items() if place.layer in layers}
    return replace(data, activations=kept)
