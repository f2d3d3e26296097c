"""From pairs and settings to presentations with their keys, and to the requests that a judge gets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, assert_never

from evenhand.audits.plan import PlannedPresentation, plan_position
from evenhand.judges import Generate, Judge, JudgeRequest
from evenhand.perturbations.base import NotApplicable
from evenhand.prompts import PromptTemplate
from evenhand.readouts import DecisionGrammar, DecisionWatcher
from evenhand.records import Ask, Condition, JudgeIdentity, LabelTokens, Order, Pair, Presentation
from evenhand.runner.keys import presentation_key
from evenhand.workflow.bias_plan import LeftOut, PairChanger, ShownPair, changed_conditions
from evenhand.workflow.conditions import Asked, asked_conditions
from evenhand.workflow.settings import NOISE_PAIRS, AuditSettings

if TYPE_CHECKING:
    from evenhand.perturbations.variants import Variants

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What will be asked.

    Attributes
    ----------
    settings
        With labels and budgets filled in from the prompt, and how many pairs are repeated.
    asked
        Per condition id: the condition, its template and its label tokens.
    presentations
        All that can be planned before anything was answered: a budget's sample comes later (:meth:`written`).
    left_out
        Per changed condition's id: (reason, pairs) that it can't be asked of.
    variants
        The user's rewrites of responses; None where there are none.
    """

    settings: AuditSettings
    judge: JudgeIdentity
    asked: Mapping[str, Asked]
    pairs: Mapping[str, Pair]
    presentations: tuple[Presentation, ...] = ()
    left_out: LeftOut = field(default_factory=dict)
    variants: Variants | None = None

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions in the order they are asked."""
        return tuple(asked.condition for asked in self.asked.values())

    @property
    def changed_conditions(self) -> tuple[Condition, ...]:
        """Those that change the pairs."""
        return tuple(condition for condition in self.conditions if condition.changes)

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

    @property
    def changed(self) -> tuple[Presentation, ...]:
        """The presentations of conditions that change the pairs."""
        return tuple(p for p in self.presentations if self.asked[p.condition].condition.changes)

    def presentation(self, planned: PlannedPresentation, *, shown: Pair | None = None) -> Presentation:
        """A planned presentation with its messages and its key; ``shown``: the pair where the condition changes it."""
        asked = self.asked[planned.condition]
        condition = asked.condition
        messages = asked.template.render(shown or self.pairs[planned.pair_id], planned.order, condition.labels)
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
            changes=tuple(change.name for change in condition.changes),
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
            repeat=presentation.repeat,
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


def make_plan(
    judge: Judge, pairs: Sequence[Pair], settings: AuditSettings, *, variants: Variants | None = None
) -> Plan:
    """Plan the audits: every pair in both orders under every condition, and the repeated control.

    Parameters
    ----------
    variants
        The user's rewrites of responses, for bias audits.

    Raises
    ------
    ConfigError
        A prompt can't be used with a label set, or a label is no single token of the judge's vocabulary.
    """
    settings, asked = asked_conditions(judge, settings)
    asked = {**asked, **_changed(asked, settings, variants)}
    if settings.repeat is None:
        changes = any(each.condition.changes for each in asked.values())
        settings = replace(settings, repeat=min(NOISE_PAIRS, len(pairs)) if changes else 0)
    plan = Plan(
        settings=settings,
        judge=judge.identity,
        asked=asked,
        pairs={pair.id: pair for pair in pairs},
        variants=variants,
    )
    changer = PairChanger(pairs, variants)
    planned = plan_position(pairs, plan.conditions, repeat=settings.repeat or 0, seed=settings.seed, asks=settings.asks)
    presentations = tuple(_presentations(plan, planned, changer))
    of = _pairs_by_condition(presentations)
    return replace(plan, presentations=presentations, left_out=changer.left_out(plan.conditions, of))


def _changed(asked: Mapping[str, Asked], settings: AuditSettings, variants: Variants | None) -> Mapping[str, Asked]:
    """The conditions that change the pairs, each with the template and the label tokens of its control."""
    controls = tuple(each.condition for each in asked.values())
    supplied = frozenset() if variants is None else variants.supplied
    changed = changed_conditions(controls, settings.biases, supplied=supplied)
    return {each.id: replace(asked[each.control or ""], condition=each) for each in changed}


def _presentations(plan: Plan, planned: Iterable[PlannedPresentation], changer: PairChanger) -> Iterator[Presentation]:
    """What can be asked; only controls are repeated: an effect is compared with their noise."""
    last: tuple[str, str] | None = None
    shown: ShownPair | NotApplicable = NotApplicable(reason="")
    for each in planned:
        condition = plan.asked[each.condition].condition
        if not condition.changes:
            yield plan.presentation(each)
        elif not each.repeat:
            # The orders and ways of asking of a pair follow each other, so each change is made once.
            if last != (each.pair_id, each.condition):
                last, shown = (each.pair_id, each.condition), changer.shown(each.pair_id, condition)
            if not isinstance(shown, NotApplicable):
                yield plan.presentation(each, shown=shown.in_order(each.order))


def _pairs_by_condition(presentations: Iterable[Presentation]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for presentation in presentations:
        found.setdefault(presentation.condition, set()).add(presentation.pair_id)
    return {condition: frozenset(pair_ids) for condition, pair_ids in found.items()}
