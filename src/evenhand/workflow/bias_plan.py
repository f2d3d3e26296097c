"""The changed conditions of a live run: which there are, and how each pair is shown under them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from evenhand.audits.bias.audit import plan_changes
from evenhand.audits.bias.base import Changes
from evenhand.perturbations.base import NotApplicable, Place
from evenhand.records import Condition, Order, Pair

if TYPE_CHECKING:
    from evenhand.perturbations.variants import Variants

__all__ = [
    "LeftOut",
    "PairChanger",
    "ShownPair",
    "changed_condition",
    "changed_conditions",
]

LeftOut = Mapping[str, tuple[tuple[str, int], ...]]
"""Per changed condition's id: (reason, pairs) that the change could not be made to; none where there are none."""

UNASKED = "not asked under this change when the run was made"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPair:
    """A pair as a changed condition shows it in each order."""

    ab: Pair
    ba: Pair

    def in_order(self, order: Order) -> Pair:
        """As it is shown in one of them."""
        return self.ab if order is Order.AB else self.ba


def changed_conditions(
    controls: Iterable[Condition], biases: Sequence[str], *, supplied: frozenset[tuple[str, str]] = frozenset()
) -> tuple[Condition, ...]:
    """Every control under every set of changes that the audits ask for, all of one control together.

    Parameters
    ----------
    supplied
        (factor, level) of which the user brought rewrites.
    """
    planned = plan_changes(biases, supplied)
    return tuple(changed_condition(control, changes) for control in controls for changes in planned)


def changed_condition(control: Condition, changes: Changes) -> Condition:
    """The condition that shows every pair changed, and asks as the control does.

    Examples
    --------
    >>> from evenhand.records import Change, LabelSet, Preference
    >>> control = Condition(id="short, A/B", prompt="short", prompt_hash="0", labels=LabelSet.parse("A/B"))
    >>> changed_condition(control, (Change(factor="tone", level="hedged", target=Preference.A),)).id
    'short, A/B; tone=hedged:A'
    """
    named = " + ".join(change.name for change in changes)
    return replace(control, id=f"{control.id}; {named}", changes=changes, control=control.id)


class PairChanger:
    """Shows pairs as changed conditions do; the same pairs and rewrites give the same texts.

    Parameters
    ----------
    pairs
        All of the run, in its order.
    variants
        The user's rewrites; None where there are none.
    """

    def __init__(self, pairs: Sequence[Pair], variants: Variants | None = None) -> None:
        self._pairs = {pair.id: pair for pair in pairs}
        self._all = tuple(pairs)
        self._variants = variants

    @cached_property
    def _partners(self) -> Mapping[str, Pair]:
        """Of every pair that has one; not worked out for a run without changes."""
        from evenhand.perturbations.recency import partner_of

        return partner_of(self._all)

    def shown(self, pair_id: str, condition: Condition) -> ShownPair | NotApplicable:
        """The pair in both orders, or why the change can't be made to it; a change in one order alone is none."""
        from evenhand.perturbations.apply import apply_changes  # with all perturbations, which a plain audit hasn't

        pair = self._pairs[pair_id]
        made = []
        for order in (Order.AB, Order.BA):
            place = Place(order=order, labels=condition.labels, partner=self._partners.get(pair_id))
            changed = apply_changes(pair, condition.changes, place, variants=self._variants)
            if isinstance(changed, NotApplicable):
                return changed
            made.append(changed)
        return ShownPair(ab=made[0], ba=made[1])

    def left_out(self, conditions: Iterable[Condition], asked: Mapping[str, frozenset[str]]) -> LeftOut:
        """Why pairs of a run were not asked under its changed conditions, counted.

        Parameters
        ----------
        conditions
            Of the run; those without changes are passed over.
        asked
            Per condition's id: the pairs that are planned under it.
        """
        counted = {}
        for condition in conditions:
            missing = [pair_id for pair_id in self._pairs if pair_id not in asked.get(condition.id, frozenset())]
            if condition.changes and missing:
                counted[condition.id] = _counted(self.shown(pair_id, condition) for pair_id in missing)
        return counted


def _counted(shown: Iterable[ShownPair | NotApplicable]) -> tuple[tuple[str, int], ...]:
    """Reasons with their counts, most frequent first."""
    reasons = Counter(each.reason if isinstance(each, NotApplicable) else UNASKED for each in shown)
    return tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
