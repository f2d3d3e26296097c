"""What to ask: pairs and conditions in, planned presentations out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evenhand.errors import ConfigError
from evenhand.records import Ask, Condition, Order, Pair, content_hash

__all__ = ["PlannedPresentation", "plan_position", "repeated_pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPresentation:
    """One question to ask: a pair in one order under one condition.

    Attributes
    ----------
    condition
        The condition's id.
    repeat
        0 for the audit itself, 1 for the repeated-AB control.
    ask
        How it is put to the judge.
    """

    pair_id: str
    condition: str
    order: Order
    repeat: int = 0
    ask: Ask = Ask.OPEN


def repeated_pairs(pair_ids: Iterable[str], *, count: int, seed: int) -> tuple[str, ...]:
    """The pairs of the repeated-AB control: those whose seeded hash of the id is smallest.

    The choice depends on nothing but the seed and the ids, so every condition, judge and rerun repeats the same
    pairs, and adding pairs to the data replaces few of them.

    Parameters
    ----------
    count
        How many; all of them where there are fewer.

    References
    ----------
    The control follows "Will the Judge Flip?" (2026), which repeats 100 pairs chosen by a seeded hash of the id.

    Examples
    --------
    >>> chosen = repeated_pairs([f"p{i}" for i in range(50)], count=3, seed=0)
    >>> len(chosen), chosen == repeated_pairs([f"p{i}" for i in reversed(range(50))], count=3, seed=0)
    (3, True)
    """
    if count < 0:
        raise ConfigError(f"repeat is {count}: expected 0 (no control) or how many pairs to ask again")
    return tuple(sorted(pair_ids, key=lambda pair_id: (content_hash([seed, pair_id]), pair_id))[:count])


def plan_position(
    pairs: Sequence[Pair],
    conditions: Sequence[Condition],
    *,
    repeat: int,
    seed: int,
    asks: Sequence[Ask] = (Ask.OPEN,),
) -> tuple[PlannedPresentation, ...]:
    """Plan the position audit: every pair in both orders under every condition.

    A pair's two orders stand side by side (they share most of their prompt), its ways of being asked even closer (they
    share all of it), and all conditions of a pair come before the next pair, so that an interrupted run still compares
    conditions on the same pairs. The control comes last, where no judge's cache can have kept the answer of the
    presentation before.

    Parameters
    ----------
    repeat
        How many pairs the repeated-AB control asks once more in order AB, under every condition.
    seed
        Of the choice of repeated pairs.
    asks
        The ways in which each of them is put to the judge.

    Raises
    ------
    ConfigError
        Where a pair's or a condition's id occurs twice, or ``repeat`` is negative.

    Examples
    --------
    >>> from evenhand.records import LabelSet
    >>> pair = Pair(id="p", instruction="2 + 2?", response_a="4", response_b="5")
    >>> condition = Condition(id="A/B", prompt="short", prompt_hash="0", labels=LabelSet.parse("A/B"))
    >>> [(str(p.order), p.repeat) for p in plan_position([pair], [condition], repeat=1, seed=0)]
    [('AB', 0), ('BA', 0), ('AB', 1)]
    """
    _refuse_duplicates("pair", [pair.id for pair in pairs])
    _refuse_duplicates("condition", [condition.id for condition in conditions])
    audit = [
        PlannedPresentation(pair_id=pair.id, condition=condition.id, order=order, ask=ask)
        for pair in pairs
        for condition in conditions
        for order in (Order.AB, Order.BA)
        for ask in asks
    ]
    control = [
        PlannedPresentation(pair_id=pair_id, condition=condition.id, order=Order.AB, repeat=1, ask=ask)
        for pair_id in repeated_pairs([pair.id for pair in pairs], count=repeat, seed=seed)
        for condition in conditions
        for ask in asks
    ]
    return (*audit, *control)


def _refuse_duplicates(what: str, ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise ConfigError(f"{what} id {each!r} occurs twice: ids must be unique within a run")
        seen.add(each)
