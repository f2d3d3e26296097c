"""``evenhand judges``: the kinds of judges, what a spec of each may say, and its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.options import JsonOption, complete_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenhand.judges.options import Option
    from evenhand.judges.parameters import Parameter

__all__ = ["judges_command"]


def judges_command(
    kind: Annotated[
        str | None, typer.Argument(help="Only this kind, such as openai.", autocompletion=complete_kind)
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the kinds of judges (KIND:MODEL), what may stand behind the colon, and what --judge-option takes for each.

    Each parameter and option with its default. Loads no model.
    """
    from evenhand.cli.output import print_json
    from evenhand.judges.load import EXAMPLES
    from evenhand.registry import available, resolve

    names = available("judges") if kind is None else (kind.partition(":")[0],)
    known = {name: resolve("judges", name) for name in names}
    if as_json:
        print_json({name: _plain(judge, example=EXAMPLES.get(name)) for name, judge in known.items()})
        return
    for name, judge in known.items():
        for line in _lines(name, judge, example=EXAMPLES.get(name)):
            typer.echo(line)


def _lines(name: str, judge: Any, *, example: str | None) -> Iterator[str]:  # noqa: ANN401 - whatever was registered
    yield f"{name}:\n    {_about(judge)}"
    if example is not None:
        yield f"    --judge {example}"
    spec, parameters, options = _spec(judge), _parameters(judge), _options(judge)
    if spec:
        yield f"    {name}:… takes {spec}"
    for parameter, told in parameters.items():
        yield f"        {parameter} ({told.kind.__name__}, default {told.default_text}): {told.help}"
    if options:
        yield "    --judge-option takes"
    for option, one in options.items():
        values = ", ".join(one.choices) or one.kind.__name__
        yield f"        {option} ({values}; default {one.default}): {one.help}"


def _about(judge: Any) -> str:  # noqa: ANN401 - whatever a package registered
    return (judge.__doc__ or "").strip().partition("\n")[0]


def _spec(judge: Any) -> str:  # noqa: ANN401 - as above
    return str(getattr(judge, "SPEC", ""))


def _parameters(judge: Any) -> dict[str, Parameter]:  # noqa: ANN401 - as above
    return dict(getattr(judge, "PARAMETERS", {}))


def _options(judge: Any) -> dict[str, Option]:  # noqa: ANN401 - as above
    return dict(getattr(judge, "OPTIONS", {}))


def _plain(judge: Any, *, example: str | None) -> dict[str, object]:  # noqa: ANN401 - as above
    """A parameter's default is a value, or null where ``unset`` says what holds; an option's is a text."""
    return {
        "about": _about(judge),
        "example": example,
        "spec": _spec(judge),
        "parameters": {
            name: {"kind": told.kind.__name__, "default": told.default, "unset": told.unset, "help": told.help}
            for name, told in _parameters(judge).items()
        },
        "options": {
            name: {
                "kind": option.kind.__name__,
                "choices": list(option.choices),
                "default": option.default,
                "help": option.help,
            }
            for name, option in _options(judge).items()
        },
    }
