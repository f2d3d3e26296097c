"""From pairs and settings to presentations with their keys, and to the requests that a judge gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import assert_never

from evenhand.audits.plan import PlannedPresentation, plan_position
from evenhand.judges import Generate, Judge, JudgeRequest
from evenhand.prompts import PromptTemplate
from evenhand.readouts import DecisionGrammar, DecisionWatcher
from evenhand.records import Ask, Condition, JudgeIdentity, LabelTokens, Order, Pair, Presentation
from evenhand.runner.keys import presentation_key
from evenhand.workflow.conditions import Asked, asked_conditions
from evenhand.workflow.settings import AuditSettings

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will be asked.

    Attributes
    ----------
    settings
        With labels and budgets filled in from the prompt.
    asked
        Per condition id: the condition, its template and its label tokens.
    presentations
        All that can be planned before anything was answered: a budget's sample comes later (:meth:`written`).
    """

    settings: AuditSettings
    judge: JudgeIdentity
    asked: Mapping[str, Asked]
    pairs: Mapping[str, Pair]
    presentations: tuple[Presentation, ...] = ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions in the order they are asked."""
        return tuple(asked.condition for asked in self.asked.values())

    @property
    def templates(self) -> tuple[PromptTemplate, ...]:
        """The templates in the order of the conditions, each once."""
        return tuple({asked.template.name: asked.template for asked in self.asked.values()}.values())

    @property
    def label_tokens(self) -> Mapping[str, tuple[LabelTokens, ...]]:
        """Per condition id."""
        return {name: asked.label_tokens for name, asked in self.asked.items()}

    def written(self, sample: Mapping[str, Sequence[str]]) -> tuple[Presentation, ...]:
        """The presentations whose text is asked for, of the pairs that were drawn under each condition.

        They come in the order of the draw, whatever the condition: where they are also answered in it, a run that is
        stopped has still got a random sample.
        """
        by_turn = zip_longest(*([(name, pair_id) for pair_id in drawn] for name, drawn in sample.items()))
        return tuple(
            self.presentation(PlannedPresentation(pair_id=drawn[1], condition=drawn[0], order=order, ask=Ask.WRITTEN))
            for turn in by_turn
            for drawn in turn
            if drawn is not None
            for order in (Order.AB, Order.BA)
        )

    def presentation(self, planned: PlannedPresentation) -> Presentation:
        """A planned presentation with its messages and its key."""
        asked = self.asked[planned.condition]
        condition = asked.condition
        messages = asked.template.render(self.pairs[planned.pair_id], planned.order, condition.labels)
        key = presentation_key(
            pair_id=planned.pair_id,
            order=planned.order,
            judge=self.judge,
            messages=messages,
            labels=condition.labels,
            label_tokens=asked.label_tokens,
            sampling=self.settings.sampling,
            first_token=True,
            generate=self._generate(planned.ask),
            repeat=planned.repeat,
            prompt_hash=condition.prompt_hash,
            prefill=condition.prefill if planned.ask is Ask.PREFILLED else None,
            constrained=planned.ask is Ask.CONSTRAINED,
        )
        return Presentation(
            key=key,
            pair_id=planned.pair_id,
            condition=planned.condition,
            order=planned.order,
            repeat=planned.repeat,
            messages=messages,
            ask=planned.ask,
        )

    def request_for(self, presentation: Presentation) -> JudgeRequest:
        """What the judge is asked for a presentation of this plan."""
        condition = self.asked[presentation.condition].condition
        ask = presentation.ask
        return JudgeRequest(
            messages=presentation.messages,
            labels=condition.labels,
            first_token=True,
            generate=self._generate(ask),
            budgets=self.settings.budgets,
            watcher=DecisionWatcher(grammar=DecisionGrammar.from_hint(condition.labels, condition.grammar)),
            temperature=self.settings.sampling.temperature,
            prefill=condition.prefill if ask is Ask.PREFILLED else None,
            constrained=ask is Ask.CONSTRAINED,
        )

    def _generate(self, ask: Ask) -> Generate:
        match ask:
            case Ask.OPEN:
                return self.settings.generate
            case Ask.FIRST | Ask.PREFILLED:
                return Generate.NEVER
            case Ask.WRITTEN | Ask.CONSTRAINED:
                return Generate.ALWAYS
            case _:
                assert_never(ask)


def make_plan(judge: Judge, pairs: Sequence[Pair], settings: AuditSettings) -> Plan:
    """Plan the position and readout audit: every pair in both orders under every condition, and the control.

    Raises
    ------
    ConfigError
        A prompt can't be used with a label set, or a label is no single token of the judge's vocabulary.
    """
    settings, asked = asked_conditions(judge, settings)
    plan = Plan(settings=settings, judge=judge.identity, asked=asked, pairs={pair.id: pair for pair in pairs})
    planned = plan_position(pairs, plan.conditions, repeat=settings.repeat, seed=settings.seed, asks=settings.asks)
    return Plan(
        settings=settings,
        judge=plan.judge,
        asked=asked,
        pairs=plan.pairs,
        presentations=tuple(plan.presentation(each) for each in planned),
    )
