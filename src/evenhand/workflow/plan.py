"""From pairs and settings to presentations with their keys, and to the requests that a judge gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evenhand.audits.plan import plan_position
from evenhand.judges import Judge, JudgeRequest
from evenhand.prompts import PromptTemplate, load_prompt
from evenhand.readouts import DecisionGrammar, DecisionWatcher
from evenhand.records import Condition, LabelTokens, Pair, Presentation
from evenhand.runner.keys import presentation_key
from evenhand.workflow.settings import AuditSettings

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will be asked.

    Attributes
    ----------
    settings
        With labels and budgets filled in from the prompt.
    label_tokens
        Per condition id.
    request_for
        The request of a presentation of this plan.
    """

    template: PromptTemplate
    settings: AuditSettings
    conditions: tuple[Condition, ...]
    label_tokens: Mapping[str, tuple[LabelTokens, ...]]
    presentations: tuple[Presentation, ...]
    request_for: Callable[[Presentation], JudgeRequest]


def make_plan(judge: Judge, pairs: Sequence[Pair], settings: AuditSettings) -> Plan:
    """Plan the position and readout audit: every pair in both orders under every label set, and the control.

    Raises
    ------
    ConfigError
        A prompt can't be used with a label set, or a label is no single token of the judge's vocabulary.
    """
    template = load_prompt(settings.prompt)
    settings = settings.resolved(template)
    conditions = tuple(
        Condition(id=f"{template.name}, {labels.name}", prompt=template.name, prompt_hash=template.hash, labels=labels)
        for labels in settings.labels
    )
    tokens = {condition.id: judge.label_tokens(condition.labels) for condition in conditions}
    by_id = {pair.id: pair for pair in pairs}
    by_condition = {condition.id: condition for condition in conditions}
    presentations = []
    for planned in plan_position(pairs, conditions, repeat=settings.repeat, seed=settings.seed):
        condition = by_condition[planned.condition]
        messages = template.render(by_id[planned.pair_id], planned.order, condition.labels)
        key = presentation_key(
            pair_id=planned.pair_id,
            order=planned.order,
            judge=judge.identity,
            messages=messages,
            labels=condition.labels,
            label_tokens=tokens[condition.id],
            sampling=settings.sampling,
            first_token=True,
            generate=settings.readout.generate,
            repeat=planned.repeat,
            prompt_hash=condition.prompt_hash,
        )
        presentations.append(
            Presentation(
                key=key,
                pair_id=planned.pair_id,
                condition=planned.condition,
                order=planned.order,
                repeat=planned.repeat,
                messages=messages,
            )
        )
    return Plan(
        template=template,
        settings=settings,
        conditions=conditions,
        label_tokens=tokens,
        presentations=tuple(presentations),
        request_for=_request_maker(by_condition, settings),
    )


def _request_maker(
    conditions: Mapping[str, Condition], settings: AuditSettings
) -> Callable[[Presentation], JudgeRequest]:
    watchers = {
        name: DecisionWatcher(grammar=DecisionGrammar(labels=condition.labels))
        for name, condition in conditions.items()
    }

    def request_for(presentation: Presentation) -> JudgeRequest:
        return JudgeRequest(
            messages=presentation.messages,
            labels=conditions[presentation.condition].labels,
            first_token=True,
            generate=settings.readout.generate,
            budgets=settings.budgets,
            watcher=watchers[presentation.condition],
            temperature=settings.sampling.temperature,
        )

    return request_for
