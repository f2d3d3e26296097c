"""Designed prompts: one judgment asked for in many ways, for the audit of what in a prompt's design matters.

A prompt is put together from parts: a task, the criteria, the instruction, the two responses and the question. The
baseline on every axis is the shipped prompt ``single-character``, letter for letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from evenhand.errors import ConfigError
from evenhand.prompts.axes import AXES, Axis
from evenhand.prompts.template import PromptTemplate
from evenhand.records import LabelSet

__all__ = ["BASE", "Base", "Design", "design_grid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The wording that every design shares, and the labels where they aren't varied.

    Attributes
    ----------
    task
        What is to be done, before all else.
    criteria
        What counts; it is moved, or left out.
    question
        What is asked at the end; the form of the answer follows it.
    role
        The system message where there is one.
    filler
        What stands between responses that are far apart.
    """

    labels: LabelSet
    task: str
    criteria: str
    question: str
    role: str
    filler: str


BASE: Final = Base(
    labels=LabelSet.parse("A/B"),
    task=("Below are an instruction and two responses to it. Judge which response carries out the instruction better."),
    criteria=(
        "Look at what the instruction asks for: is the response correct, does it do what was asked, and is it of use "
        "to whoever asked? Length, tone and the order in which the responses are shown do not matter."
    ),
    question="Which response is better?",
    role=(
        "You are an impartial judge. You are shown an instruction and two responses to it, and you say which of the "
        "two is better."
    ),
    filler=(
        "This passage only sets the two responses apart. It says nothing about the instruction or about either of the "
        "responses, and nothing in it is to be judged. Paper is made from fibres that are pressed together and dried. "
        "Most of the fibres come from wood, some from cotton or from paper that was used before. The sheets are cut to "
        "size, counted and packed. Here the passage ends, and what follows it is to be read like what stands before it."
    ),
)
"""Our wording; that of the shipped prompt ``single-character``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One prompt of the grid.

    Attributes
    ----------
    settings
        Ordered (axis, level) of the axes that are varied.
    template, labels
        The prompt, and the labels that it is to be asked with.
    """

    settings: tuple[tuple[str, str], ...]
    template: PromptTemplate
    labels: LabelSet

    @property
    def id(self) -> str:
        """What reports call it: ``designed: labels=1/2, criteria=after``; a condition's id."""
        return self.template.name


def design_grid(axes: Sequence[Axis], *, base: Base = BASE, full: bool = True) -> tuple[Design, ...]:
    """The designs that vary some axes; all the others stay at their baseline.

    Parameters
    ----------
    axes
        From :func:`evenhand.prompts.axes.parse_axes`.
    full
        Every combination of levels; else the star: the baseline, and each other level alone.

    Returns
    -------
    tuple of Design
        The baseline of all axes comes first.

    Raises
    ------
    ConfigError
        No axis, or an axis twice.

    Examples
    --------
    >>> from evenhand.prompts.axes import parse_axes
    >>> axes = parse_axes("labels=A/B|1/2,criteria")
    >>> len(design_grid(axes)), [design.id for design in design_grid(axes, full=False)][2]
    (6, 'designed: labels=A/B, criteria=after')
    """
    if not axes:
        raise ConfigError(f"no axis to vary (known: {', '.join(AXES)})")
    names = [axis.name for axis in axes]
    if len(set(names)) != len(names):
        raise ConfigError(f"axes {', '.join(names)}: each can be varied once")
    chosen = product(*(axis.names for axis in axes)) if full else _star(axes)
    return tuple(_design(dict(zip(names, levels, strict=True)), base) for levels in chosen)


def _star(axes: Sequence[Axis]) -> Iterator[tuple[str, ...]]:
    center = tuple(axis.baseline for axis in axes)
    yield center
    for place, axis in enumerate(axes):
        for level in axis.names[1:]:
            yield (*center[:place], level, *center[place + 1 :])


def _design(settings: Mapping[str, str], base: Base) -> Design:
    labels = LabelSet.parse(settings["labels"]) if "labels" in settings else base.labels
    levels = {name: axis.baseline for name, axis in AXES.items()} | dict(settings)
    longest = max(len(labels.first), len(labels.second))
    name = "designed: " + ", ".join(f"{axis}={level}" for axis, level in settings.items())
    template = PromptTemplate(
        name=name,
        description="One design of a grid: " + ", ".join(_meaning(*setting) for setting in settings.items()) + ".",
        source="Our wording, put together by evenhand.prompts.design.",
        user=_user(levels, labels, base),
        system=None if levels["system"] == "none" else _literal(base.role),
        labels=labels,
        budgets=(500, 1500),
        max_label_length=1 if longest == 1 else None,
        origin=name,
    )
    return Design(settings=tuple(settings.items()), template=template, labels=labels)


def _meaning(axis: str, name: str) -> str:
    return next((f"{axis}: {level.meaning}" for level in AXES[axis].levels if level.name == name), f"{axis}: {name}")


def _user(levels: Mapping[str, str], labels: LabelSet, base: Base) -> str:
    ordinal = levels["framing"] == "ordinal"
    marks = _MARKS[levels["separators"]]
    first, second = marks.response("first", ordinal=ordinal), marks.response("second", ordinal=ordinal)
    criteria = _literal(base.criteria)
    between = [_literal(base.filler)] if levels["distance"] == "far" else []
    parts = [
        _literal(base.task),
        *([criteria] if levels["criteria"] == "before" else []),
        marks.instruction,
        first,
        *between,
        second,
        *([criteria] if levels["criteria"] == "after" else []),
        f"{_literal(base.question)} {_answer_form(labels, ordinal=ordinal)}",
    ]
    return "\n\n".join(parts)


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _answer_form(labels: LabelSet, *, ordinal: bool) -> str:
    """What is asked for must be true of the labels: a colour is no character."""
    both = labels.first, labels.second
    if all(len(label) == 1 for label in both):
        unit = "character"
    elif all(label.isalpha() for label in both):
        unit = "word"
    else:
        unit = "label"
    if ordinal:
        choice = "{label_first} for the first response or {label_second} for the second response"
    else:
        choice = "{label_first} or {label_second}"
    return f"Reply with exactly one {unit}, {choice}, and nothing else."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marks:
    """How a part is set off: ``{name}`` is the response's name, ``{slot}`` first or second."""

    instruction: str
    neutral: str
    ordinal: str

    def response(self, slot: str, *, ordinal: bool) -> str:
        text = self.ordinal if ordinal else self.neutral
        named = text.replace("SLOT", slot.upper()).replace("Slot", slot.capitalize()).replace("slot", slot)
        return named.replace("{label}", f"{{label_{slot}}}").replace("{text}", f"{{{slot}}}")


_MARKS: Final[Mapping[str, _Marks]] = {
    "brackets": _Marks(
        instruction="[INSTRUCTION]\n{instruction}\n[END OF INSTRUCTION]",
        neutral="[RESPONSE {label}]\n{text}\n[END OF RESPONSE {label}]",
        ordinal="[SLOT RESPONSE ({label})]\n{text}\n[END OF SLOT RESPONSE]",
    ),
    "tags": _Marks(
        instruction="<instruction>\n{instruction}\n</instruction>",
        neutral='<response label="{label}">\n{text}\n</response>',
        ordinal='<slot_response label="{label}">\n{text}\n</slot_response>',
    ),
    "headings": _Marks(
        instruction="## Instruction:\n\n{instruction}\n\n---",
        neutral="## Response {label}:\n\n{text}\n\n---",
        ordinal="## Slot response ({label}):\n\n{text}\n\n---",
    ),
}
