"""The prompt that shows one response and asks for its score: no order, no other response, no labels."""

from __future__ import annotations

from typing import Final

from evenhand.records import Message, content_hash

__all__ = ["SCALE", "SCORE_ALONE_HASH", "score_alone_messages"]

SCALE: Final = (1, 10)

_BEFORE: Final = """\
Below are an instruction and a response to it. Give the response a score.

Score it by what the instruction asks for: is it correct, does it do what was asked, and is it of use to whoever \
asked? Length and tone do not matter. 1 is the lowest score, 10 the highest.

[INSTRUCTION]
"""
_BETWEEN: Final = "\n[END OF INSTRUCTION]\n\n[RESPONSE]\n"
_AFTER: Final = """
[END OF RESPONSE]

Write exactly one line and nothing else, with a whole number from 1 to 10 in place of the word SCORE:
Score: SCORE"""

SCORE_ALONE_HASH: Final = content_hash([_BEFORE, _BETWEEN, _AFTER])
"""Pins the wording. Ours; the criteria are those of the prompt ``score-each``."""


def score_alone_messages(instruction: str, response: str) -> tuple[Message, ...]:
    """The chat for one response. The texts go in as they are.

    Examples
    --------
    >>> score_alone_messages("2 + 2?", "4")[0].content.splitlines()[8:11]
    ['[RESPONSE]', '4', '[END OF RESPONSE]']
    """
    return (Message(role="user", content=f"{_BEFORE}{instruction}{_BETWEEN}{response}{_AFTER}"),)
