"""Changes applied to a pair: by their rules, or by what the user supplied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.errors import ConfigError
from evenhand.perturbations.base import NotApplicable, Perturbation, Place
from evenhand.perturbations.endorsement import endorse
from evenhand.perturbations.registry import perturbations
from evenhand.perturbations.sides import check_change, response_of, with_response
from evenhand.records import Change, Pair

if TYPE_CHECKING:
    from evenhand.perturbations.variants import Variants

__all__ = ["apply_changes"]


def apply_changes(
    pair: Pair, changes: Sequence[Change], place: Place, *, variants: Variants | None = None
) -> Pair | NotApplicable:
    r"""The pair as it is shown under a condition with these changes.

    Supplied rewrites come first, for they stand in the place of a response; rules then change what is there, in the
    order given. A factor and level of which anything was supplied is never made by rule, so that one condition doesn't
    mix two ways of changing.

    Parameters
    ----------
    pair
        As it is without changes.
    changes
        What to change, together; none gives the pair back.
    place
        Where it will be shown.
    variants
        The user's rewrites.

    Returns
    -------
    Pair or NotApplicable
        With the same id, group, source, gold and authors; or why one of the changes can't be made to it.

    Raises
    ------
    ConfigError
        An unknown factor or level, a tie as target, a change given twice, or two supplied rewrites of one response.

    Examples
    --------
    >>> from evenhand.records import LabelSet, Order, Preference
    >>> pair = Pair(id="p", instruction="Name a prime.", response_a="7", response_b="9")
    >>> place = Place(order=Order.AB, labels=LabelSet.parse("A/B"))
    >>> both = [Change(factor="endorsement", level=who, target=Preference.A) for who in ("user", "expert")]
    >>> apply_changes(pair, both[:1], place).instruction
    'Name a prime.\n\nI think response A is the better one.'
    >>> apply_changes(pair, [Change(factor="padding", level="supplied", target=Preference.A)], place).reason
    'no rule makes this change, and no rewrite was supplied'
    """
    rules = {change: _rule_of(change) for change in changes}
    if len(rules) != len(changes):
        raise ConfigError(f"changes {' + '.join(change.name for change in changes)}: one of them is there twice")
    supplied = [change for change in changes if variants is not None and _key(change) in variants.supplied]
    rewritten = [change.target for change in supplied if change.factor != "endorsement"]
    if len(set(rewritten)) != len(rewritten):
        names = " + ".join(change.name for change in supplied)
        raise ConfigError(f"changes {names}: two supplied rewrites can't both take the place of one response")
    for change in [*supplied, *(change for change in changes if change not in supplied)]:
        if variants is not None and change in supplied:
            changed = _supplied(pair, change, place, variants)
        else:
            changed = rules[change].apply(pair, change, place)
        if isinstance(changed, NotApplicable):
            return changed
        pair = changed
    return pair


def _key(change: Change) -> tuple[str, str]:
    return change.factor, change.level


def _rule_of(change: Change) -> Perturbation:
    rule = perturbations().get(change.factor)
    if rule is None:
        raise ConfigError(f"unknown factor {change.factor[:80]!r} (known: {', '.join(sorted(perturbations()))})")
    check_change(change, factor=rule.factor, levels=rule.levels)
    return rule


def _supplied(pair: Pair, change: Change, place: Place, variants: Variants) -> Pair | NotApplicable:
    text = variants.text(pair.id, change)
    if text is None:
        return NotApplicable(reason="no rewrite was supplied for this pair and response")
    if change.factor == "endorsement":
        return endorse(pair, text, change, place)
    before = response_of(pair, change.target)
    if not before.strip():
        return NotApplicable(reason="the response is empty")
    if text == before:
        return NotApplicable(reason="the supplied rewrite is the response itself")
    return with_response(pair, change.target, text)
