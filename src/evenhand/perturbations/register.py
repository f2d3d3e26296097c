"""Register: informal English by contraction; non-native English as the user supplies it.

Contractions are made in one direction and from a closed list of word pairs, outside code and code spans: every "not"
after an auxiliary ("do not" to "don't"), and pronoun and verb where that is safe: at the beginning of a sentence before
another word in lower case, within one before an article ("it is a" to "it's a", but never "than it is"). Nothing else
changes, so the sentence says the same. A language that isn't English has no such pairs and is left out. No rule makes
English sound non-native without making mistakes of its own; such rewrites are the user's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from evenhand.perturbations.base import Level, NotApplicable
from evenhand.perturbations.prose import parts_of
from evenhand.perturbations.sides import ResponseRule

__all__ = ["NEGATIONS", "PRONOUNS", "REGISTER", "contract"]

NEGATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cannot": "can't",
        "will not": "won't",
        **{
            f"{verb} not": f"{verb}n't"
            for verb in ("is", "are", "was", "were", "do", "does", "did", "has", "have", "had")
        },
        **{f"{verb} not": f"{verb}n't" for verb in ("would", "could", "should")},
    }
)
"""Contracted wherever they stand as words."""
PRONOUNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "I am": "I'm",
        **{f"{who} are": f"{who}'re" for who in ("you", "we", "they")},
        **{f"{who} is": f"{who}'s" for who in ("it", "he", "she", "that", "there")},
        **{f"{who} will": f"{who}'ll" for who in ("I", "you", "we", "they", "it")},
    }
)
"""Contracted with a capital before any word in lower case but "and", "or", "but" and "not"; else before an article or
"no", and those with "will" also before six common verbs."""

_ARTICLE: Final = r"(?= (?:a|an|the|no)\b)"
_ARTICLE_OR_VERB: Final = r"(?= (?:a|an|the|no|be|have|need|find|see|get)\b)"
_GOES_ON: Final = r"(?= (?!(?:and|or|but|not)\b)[a-z])"


def _both_cases(pairs: Mapping[str, str]) -> dict[str, str]:
    """The pairs as they stand within a sentence and at its beginning; capitals throughout are emphasis, and stay."""
    return dict(pairs) | {full[0].upper() + full[1:]: short[0].upper() + short[1:] for full, short in pairs.items()}


_SHORT: Final = _both_cases({**NEGATIONS, **PRONOUNS})


def _pattern() -> re.Pattern[str]:
    """All word pairs as one pattern; each has a fixed length, so nothing can be tried twice."""
    negations = [re.escape(pair) + r"\b" for pair in _both_cases(NEGATIONS)]
    within = [re.escape(pair) + (_ARTICLE_OR_VERB if pair.endswith("will") else _ARTICLE) for pair in PRONOUNS]
    # "I" has a capital wherever it stands, so it tells nothing of where a sentence begins.
    first = [re.escape(pair[0].upper() + pair[1:]) + _GOES_ON for pair in PRONOUNS if not pair.startswith("I ")]
    return re.compile(rf"(?<![\w'’-])(?:{'|'.join(negations + within + first)})(?![-'’])")


_PAIRS: Final = _pattern()
_BACKTICKS: Final = re.compile(r"(`+)")


def contract(response: str, level: str = "informal") -> str | NotApplicable:  # noqa: ARG001 - it has one rule
    """The response with every listed word pair contracted.

    Examples
    --------
    >>> contract("It is a prime, is it not? You will see that `x is not y` is not true.")
    "It's a prime, is it not? You'll see that `x is not y` isn't true."
    """
    shorter = "".join(part.text if part.code else _contracted(part.text) for part in parts_of(response))
    return NotApplicable(reason="the response has no word pair to contract") if shorter == response else shorter


REGISTER: Final = ResponseRule(
    factor="register",
    levels=(
        Level(name="informal", description="Word pairs of a closed list are contracted, such as 'do not' to 'don't'."),
        Level(name="non-native", description="The user's own version in non-native English.", exact=False),
    ),
    rewrite=contract,
)


def _contracted(prose: str) -> str:
    """Prose, with its code spans left as they are; a span ends on the line that it begins on."""
    if "`" not in prose:
        return _PAIRS.sub(_short, prose)
    return "\n".join(_line(line) if "`" in line else _PAIRS.sub(_short, line) for line in prose.split("\n"))


def _line(line: str) -> str:
    """One line with backticks in it."""
    parts = _BACKTICKS.split(line)  # text, backticks, text, …
    closing: dict[int, int] = {}
    ends: dict[int, int] = {}
    for index in range(len(parts) - 2, 0, -2):
        length = len(parts[index])
        if length in closing:
            ends[index] = closing[length]
        closing[length] = index
    index = 0
    while index < len(parts):
        if index % 2:
            index = ends.get(index, index) + 1  # a code span is passed over whole
            continue
        parts[index] = _PAIRS.sub(_short, parts[index])
        index += 1
    return "".join(parts)


def _short(found: re.Match[str]) -> str:
    return _SHORT[found[0]]
