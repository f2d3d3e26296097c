"""Texts that a pattern matches, one for each of its alternatives: made from the pattern, so that none is forgotten."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from re import _constants as ops  # what a pattern is parsed into; Hypothesis's own ``from_regex`` reads the same
from re import _parser as parser
from typing import Any

TRIES = 200
"""Ways to fill in the rest of a text around an alternative before it counts as one that never matches."""

CATEGORIES = {ops.CATEGORY_DIGIT: "7", ops.CATEGORY_WORD: "w", ops.CATEGORY_SPACE: " "}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """A text for each alternative, and the alternatives that no text was found for."""

    texts: tuple[str, ...]
    unmatched: tuple[str, ...]


def wordings_of(pattern: re.Pattern[str], *, rng: random.Random) -> Wordings:
    """Take every alternative of a pattern in turn, and make a text that matches with it."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    texts: dict[str, None] = {}
    unmatched = []
    for taken in _alternatives(tree):
        for attempt in range(TRIES):
            maker = _Maker(taken=taken, rng=rng, bold=attempt / TRIES)
            consumed = maker.make(tree)
            text = consumed + maker.ahead
            match = pattern.match(text)
            if match is not None and match.end() == len(consumed):
                texts[text] = None
                break
        else:
            unmatched.append(" ".join(_Maker(taken={}, rng=rng, bold=0).make(part) for part in taken.values() if part))
    return Wordings(texts=tuple(texts), unmatched=tuple(unmatched))


Taken = Mapping[int, Any]
"""By the identity of a choice in the tree: the alternative that is taken there, None for a repetition that happens."""


def _alternatives(tree: Any, above: Taken | None = None) -> Iterator[Taken]:
    """Every alternative, with the choices above it that lead to it."""
    above = {} if above is None else above
    for item in tree:
        op, value = item
        match op:
            case ops.BRANCH:
                for each in value[1]:
                    here = {**above, id(item): each}
                    yield here
                    yield from _alternatives(each, here)
            case ops.IN if _is_choice(value):
                for each in value:
                    yield {**above, id(item): [each]}
            case ops.MAX_REPEAT | ops.MIN_REPEAT | ops.POSSESSIVE_REPEAT:
                here = {**above, id(item): None}
                yield here
                yield from _alternatives(value[2], here)
            case ops.SUBPATTERN:
                yield from _alternatives(value[3], above)
            case ops.ATOMIC_GROUP:
                yield from _alternatives(value, above)
            case ops.ASSERT if value[0] > 0:
                yield from _alternatives(value[1], above)


def _is_choice(items: Sequence[Any]) -> bool:
    """Whether a set of characters is alternatives that differ in a letter, as ``tie|tin`` is parsed."""
    return all(op is ops.LITERAL and chr(value).isalpha() for op, value in items)


class _Maker:
    """Makes one text; ``ahead`` is what a look ahead asked for at its end."""

    def __init__(self, *, taken: Taken, rng: random.Random, bold: float) -> None:
        self.taken = taken
        self.rng = rng
        self.bold = bold
        self.ahead = ""
        self.groups: dict[int, str] = {}

    def make(self, tree: Any) -> str:
        return "".join(self._item(item) for item in tree)

    def _item(self, item: Any) -> str:
        op, value = item
        match op:
            case ops.LITERAL:
                return chr(value)
            case ops.NOT_LITERAL | ops.ANY:
                return "w"
            case ops.IN:
                return self._character(self.taken.get(id(item)) or [self.rng.choice(value)], value)
            case ops.CATEGORY:
                return CATEGORIES[value]
            case ops.BRANCH:
                return self.make(self.taken.get(id(item)) or self.rng.choice(value[1]))
            case ops.MAX_REPEAT | ops.MIN_REPEAT | ops.POSSESSIVE_REPEAT:
                return self._repeated(item)
            case ops.SUBPATTERN:
                made = self.make(value[3])
                if value[0] is not None:
                    self.groups[value[0]] = made
                return made
            case ops.ATOMIC_GROUP:
                return self.make(value)
            case ops.GROUPREF:
                return self.groups.get(value, "")
            case ops.ASSERT if value[0] > 0:
                self.ahead = self.make(value[1])
                return ""
            case ops.ASSERT | ops.ASSERT_NOT | ops.AT:
                return ""
            case _:
                raise NotImplementedError(f"{op} in a pattern: say here how a text is made for it")

    def _repeated(self, item: Any) -> str:
        low, high, inner = item[1]
        more = id(item) in self.taken or self.rng.random() < self.bold
        return "".join(self.make(inner) for _ in range(max(low, 1) if more and int(high) else low))

    def _character(self, chosen: Sequence[Any], every: Sequence[Any]) -> str:
        if every[0][0] is ops.NEGATE:
            return "w"
        ((op, value),) = chosen
        match op:
            case ops.LITERAL:
                return chr(value)
            case ops.RANGE:
                return chr(value[0])
            case _:
                return CATEGORIES[value]
