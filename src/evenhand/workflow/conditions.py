"""Under which conditions a judge is asked: one prompt with several label sets, or a grid of prompt designs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evenhand.errors import ConfigError
from evenhand.judges import Judge
from evenhand.prompts import PromptTemplate, load_prompt
from evenhand.prompts.axes import parse_axes
from evenhand.prompts.design import design_grid
from evenhand.records import Ask, Condition, LabelSet, LabelTokens
from evenhand.workflow.readout_choice import ReadoutChoice
from evenhand.workflow.settings import PREFILL, AuditSettings

__all__ = ["Asked", "asked_conditions", "condition_names"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A condition with the template that makes its messages, and its labels as the judge's tokens."""

    condition: Condition
    template: PromptTemplate
    label_tokens: tuple[LabelTokens, ...]


def asked_conditions(judge: Judge, settings: AuditSettings) -> tuple[AuditSettings, Mapping[str, Asked]]:
    """The settings with what was left to the prompt filled in, and the conditions in the order they are asked.

    Raises
    ------
    ConfigError
        A prompt or axis is unknown or can't be used with a label set, or a label is no single token of the judge's.
    """
    settings, conditions = _conditions(settings)
    asked = {
        condition.id: Asked(condition=condition, template=template, label_tokens=judge.label_tokens(condition.labels))
        for condition, template in conditions
    }
    return settings, asked


def condition_names(settings: AuditSettings) -> tuple[str, ...]:
    """The ids of the conditions, before there is a judge."""
    return tuple(condition.id for condition, _ in _conditions(settings)[1])


def _conditions(settings: AuditSettings) -> tuple[AuditSettings, Iterator[tuple[Condition, PromptTemplate]]]:
    return _designed(settings) if settings.vary else _one_prompt(settings)


def _one_prompt(settings: AuditSettings) -> tuple[AuditSettings, Iterator[tuple[Condition, PromptTemplate]]]:
    template = load_prompt(settings.prompt)
    settings = settings.resolved(template)
    _check_scores(template, settings)
    return settings, (
        (_condition(f"{template.name}, {labels.name}", template, labels, settings), template)
        for labels in settings.labels
    )


def _designed(settings: AuditSettings) -> tuple[AuditSettings, Iterator[tuple[Condition, PromptTemplate]]]:
    designs = design_grid(parse_axes(",".join(settings.vary)), full=not settings.star)
    settings = settings.resolved(designs[0].template)
    return settings, (
        (
            _condition(design.id, design.template, design.labels, settings, design=design.settings),
            design.template,
        )
        for design in designs
    )


def _condition(
    name: str,
    template: PromptTemplate,
    labels: LabelSet,
    settings: AuditSettings,
    *,
    design: tuple[tuple[str, str], ...] = (),
) -> Condition:
    return Condition(
        id=name,
        prompt=template.name,
        prompt_hash=template.hash,
        labels=labels,
        grammar=template.grammar(labels),
        prefill=_prefill(template, settings) if Ask.PREFILLED in settings.asks else None,
        design=design,
    )


def _prefill(template: PromptTemplate, settings: AuditSettings) -> str:
    """What the user asked for, else what the template suggests, else the usual beginning."""
    return settings.prefill or template.prefill or PREFILL


def _check_scores(template: PromptTemplate, settings: AuditSettings) -> None:
    """Where scores decide, a label at the first position decides nothing."""
    asked = [
        choice.value for choice in settings.choices if choice in (ReadoutChoice.PREFILLED, ReadoutChoice.CONSTRAINED)
    ]
    if template.decision == "scores" and asked:
        raise ConfigError(
            f"prompt {template.name!r} asks for a score of each response, which the readouts {', '.join(asked)} can't "
            "read: they look for a label"
        )
