"""Write docs/reference/cli.md from the commands themselves, or check that it is what they say.

``python tools/cli_reference.py`` writes the page; ``--check`` exits 1 where the page on disk says something else, and
names the first line that differs. ``tests/docs/test_cli_reference.py`` runs the check.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from evenhand.cli.main import app

__all__ = ["PAGE", "first_difference", "reference"]

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"

_HEAD = """# The command `evenhand`

<!-- Written by tools/cli_reference.py from the commands themselves; a test fails where the two differ. -->

Exit codes are the same everywhere: 0 fine, 1 a gate failed, 2 bad usage or input, 3 could not finish (the same command
goes on). Every error is one line on stderr; a wrong option or argument is told there in a box, below the usage.
`--json` prints one document on stdout and nothing else there.

Completion for your shell: `evenhand --install-completion`; `evenhand --show-completion` prints it.
"""


def reference() -> str:
    """The whole page."""
    commands = list(_commands(app, ("evenhand",)))
    listed = [
        f"| [`{' '.join(command.path)}`](#{'-'.join(command.path)}) | {_cell(_paragraphs(command.help)[0])} |"
        for command in commands
    ]
    parts = [_HEAD, "\n".join(["| command | what it does |", "|---|---|", *listed])]
    parts += ["\n".join(_section(command)) for command in commands]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def first_difference(page: str, wanted: str) -> str:
    r"""Where a page departs from what it should say: its first line that differs; empty where none does.

    Examples
    --------
    >>> first_difference("a\nb\n", "a\nc\n")
    "line 2: has 'b', should be 'c'"
    """
    have, want = page.splitlines(), wanted.splitlines()
    for number, (mine, theirs) in enumerate(zip(have, want, strict=False), start=1):
        if mine != theirs:
            return f"line {number}: has {mine!r}, should be {theirs!r}"
    return "" if len(have) == len(want) else f"has {len(have)} lines, should have {len(want)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parameter:
    """One argument or option, as its annotation declares it."""

    name: str
    info: Any
    type: Any
    default: object

    @property
    def option(self) -> bool:
        return not isinstance(self.info, ArgumentInfo)

    @property
    def needed(self) -> bool:
        return self.default is inspect.Parameter.empty


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    path: tuple[str, ...]
    help: str
    parameters: tuple[_Parameter, ...]


def _commands(group: typer.Typer, path: tuple[str, ...]) -> Iterator[_Command]:
    """Every command that does something, in the order of registration; groups after single commands."""
    for info in group.registered_commands:
        if info.hidden or info.callback is None:
            continue
        name = info.name or info.callback.__name__.replace("_", "-")
        text = inspect.cleandoc(info.help or info.callback.__doc__ or "")
        yield _Command(path=(*path, name), help=text, parameters=tuple(_parameters(info.callback)))
    for inner in group.registered_groups:
        if inner.typer_instance is not None and isinstance(inner.name, str):
            yield from _commands(inner.typer_instance, (*path, inner.name))


def _parameters(callback: Callable[..., object]) -> Iterator[_Parameter]:
    hints = get_type_hints(callback, include_extras=True)
    for name, parameter in inspect.signature(callback).parameters.items():
        hint = hints[name]
        if get_origin(hint) is not Annotated:
            continue  # Typer's own context
        declared, *extras = get_args(hint)
        info = next(one for one in extras if isinstance(one, ArgumentInfo | OptionInfo))
        if not info.hidden:
            yield _Parameter(name=name, info=info, type=declared, default=parameter.default)


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.strip().split("\n\n")] or [""]


def _section(command: _Command) -> Iterator[str]:
    yield f"## {' '.join(command.path)}"
    yield ""
    arguments = [one for one in command.parameters if not one.option]
    options = [one for one in command.parameters if one.option]
    usage = " ".join([*command.path, *(["[OPTIONS]"] if options else []), *(_place(one) for one in arguments)])
    yield f"```\n{usage}\n```"
    for paragraph in _paragraphs(command.help):
        yield ""
        yield _prose(paragraph)
    if arguments or options:
        yield ""
        yield "| option | meaning | default |"
        yield "|---|---|---|"
        for one in (*arguments, *options):
            yield f"| {_names(one)} | {_cell(_meaning(one))} | {_default(one)} |"


def _place(argument: _Parameter) -> str:
    name = _metavar(argument)
    name = f"{name}..." if _inner(argument.type) is not argument.type and _many(argument) else name
    return name if argument.needed else f"[{name}]"


def _metavar(parameter: _Parameter) -> str:
    if parameter.info.metavar:
        return str(parameter.info.metavar)
    if not parameter.option:
        return parameter.name.upper()
    kind = _inner(parameter.type)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(member.value) for member in kind)
    return {int: "INTEGER", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")


def _inner(kind: Any) -> Any:  # noqa: ANN401 - a type, whatever it is
    """The type of one value: without None and without the list around it."""
    given = [one for one in get_args(kind) if one is not type(None)]
    return _inner(given[0]) if given else kind


def _many(parameter: _Parameter) -> bool:
    return get_origin(parameter.type) is list or any(get_origin(one) is list for one in get_args(parameter.type))


def _names(parameter: _Parameter) -> str:
    if not parameter.option:
        return f"`{_metavar(parameter)}`"
    # In an annotation Typer keeps the first declaration where the default stood before there were annotations.
    declared = [one for one in (parameter.info.default, *(parameter.info.param_decls or ())) if isinstance(one, str)]
    shown = declared or [f"--{parameter.name.replace('_', '-')}"]
    names = ", ".join(f"`{name}`" for text in shown for name in text.split("/"))
    value = _metavar(parameter).replace("|", "\\|")
    return names if _inner(parameter.type) is bool else f"{names} `{value}`"


def _meaning(parameter: _Parameter) -> str:
    text = parameter.info.help or ""
    unsaid = parameter.option and _many(parameter) and "more than once" not in text.lower()
    return f"{text} (more than once)" if unsaid else text


def _default(parameter: _Parameter) -> str:
    if parameter.needed:
        return "needed"
    if isinstance(parameter.info.show_default, str):
        return _cell(parameter.info.show_default)
    value = parameter.default
    if value is None or value is False or value in ((), []):
        return ""
    if isinstance(value, list | tuple):
        value = ", ".join(str(one) for one in value)
    return f"`{getattr(value, 'value', value)}`"


def _cell(text: str) -> str:
    return _prose(" ".join(text.split())).replace("|", "\\|")


def _prose(text: str) -> str:
    """Help text as Markdown: what Rich's markup would swallow or Markdown would read as HTML is spelled out."""
    return text.replace("\\[", "[").replace("<", "&lt;").replace("*", "\\*")


def main(arguments: list[str]) -> int:
    """Write the page, or with ``--check`` compare it."""
    wanted = reference()
    if arguments == ["--check"]:
        difference = first_difference(PAGE.read_text(encoding="utf-8"), wanted)
        if difference:
            print(f"{PAGE}: {difference} (run tools/cli_reference.py)", file=sys.stderr)
        return 1 if difference else 0
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
