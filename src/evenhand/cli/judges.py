"""``evenhand judges``: the kinds of judges and the options of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.options import JsonOption, complete_judge

if TYPE_CHECKING:
    from evenhand.judges.options import Option

__all__ = ["judges_command"]


def judges_command(
    kind: Annotated[
        str | None, typer.Argument(help="Only this kind, such as openai.", autocompletion=complete_judge)
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the kinds of judges (KIND:MODEL) and the options that --judge-option takes for each. Loads no model."""
    from evenhand.cli.output import print_json
    from evenhand.judges.load import EXAMPLES
    from evenhand.registry import available, resolve

    names = available("judges") if kind is None else (kind.partition(":")[0],)
    known = {name: resolve("judges", name) for name in names}
    if as_json:
        print_json({name: {"about": _about(judge), "options": _plain(judge)} for name, judge in known.items()})
        return
    for name, judge in known.items():
        typer.echo(f"{name}:\n    {_about(judge)}")
        if name in EXAMPLES:
            typer.echo(f"    --judge {EXAMPLES[name]}")
        for option, spec in _options(judge).items():
            values = ", ".join(spec.choices) or spec.kind.__name__
            typer.echo(f"    {option} ({values}): {spec.help}")


def _about(judge: Any) -> str:  # noqa: ANN401 - whatever a package registered
    return (judge.__doc__ or "").strip().partition("\n")[0]


def _options(judge: Any) -> dict[str, Option]:  # noqa: ANN401 - as above
    return dict(getattr(judge, "OPTIONS", {}))


def _plain(judge: Any) -> dict[str, dict[str, object]]:  # noqa: ANN401 - as above
    return {
        name: {"kind": option.kind.__name__, "choices": list(option.choices), "help": option.help}
        for name, option in _options(judge).items()
    }
