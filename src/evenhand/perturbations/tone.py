"""Tone: how sure the target response is of itself, with its content untouched.

One closing sentence, of the same length for both levels, says that the response is certain or that it is not. So the
assertive and the hedged form of a response differ in nothing else, not even in length, and the response begins as it
did. It is a mild change: a response that is assertive throughout needs a rewrite, which the user can supply.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from evenhand.perturbations.base import Level, NotApplicable
from evenhand.perturbations.prose import is_code_only, with_paragraph
from evenhand.perturbations.sides import ResponseRule

__all__ = ["FRAMES", "TONE", "set_tone"]

FRAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "assertive": "I am quite certain of this answer, and it is correct in every part.",
        "hedged": "I am rather uncertain of this answer, and it may be faulty in part.",
    }
)
"""Level to sentence."""


def set_tone(response: str, level: str) -> str | NotApplicable:
    r"""The response with the sentence of a tone after it.

    Examples
    --------
    >>> set_tone("Seven.", "hedged")
    'Seven.\n\nI am rather uncertain of this answer, and it may be faulty in part.'
    """
    if FRAMES[level] in response:
        return NotApplicable(reason=f"the response already has this {level} frame")
    if is_code_only(response):
        return NotApplicable(reason="the response is code only")
    return with_paragraph(response, FRAMES[level])


TONE: Final = ResponseRule(
    factor="tone",
    levels=(
        Level(name="assertive", description="The response ends with a sentence that says it is certainly correct."),
        Level(name="hedged", description="The response ends with a sentence, as long, that says it may be wrong."),
    ),
    rewrite=set_tone,
)
