"""Padding: the same response, longer, with nothing new in it.

Sentences of the response are said again after it, each behind a fixed lead-in ("To restate: …"), until it is at least
one and a half times as long. No sentence is taken that would make it more than twice as long, but for the first: a
response of one sentence comes out a little longer than that. The response itself stays as it is, code blocks included,
and what follows holds no word that isn't in it or in a lead-in. It may break a rule that the instruction sets (such as
"answer in three words"), which speaks against the padded response and never for it. The repetitive-list attack is the
model [1]_.

References
----------
.. [1] Zheng et al. (2023). Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, section 3.3. arXiv:2306.05685.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from evenhand.perturbations.base import Level, NotApplicable
from evenhand.perturbations.formulas import mask
from evenhand.perturbations.prose import parts_of, sentences_of, with_paragraph, without_marker
from evenhand.perturbations.sides import ResponseRule

__all__ = ["LEAD_INS", "LONGEST_FACTOR", "PADDING", "SHORTEST_FACTOR", "pad"]

LEAD_INS: Final = ("To restate:", "In other words:", "To put it once more:", "To say this again:", "As said above:")
"""In turn, before each repeated sentence; the first begins the padding."""
SHORTEST_FACTOR: Final = 1.5
"""A padded response has at least so many times the characters of the response, where it has that many to repeat."""
LONGEST_FACTOR: Final = 2.0
"""And at most so many, unless one sentence alone goes beyond."""


def pad(response: str, level: str = "redundant") -> str | NotApplicable:  # noqa: ARG001 - it has one level
    r"""The response with some of its own sentences said again after it.

    Examples
    --------
    >>> pad("Glass is solid. Old panes were made by hand.")
    'Glass is solid. Old panes were made by hand.\n\nTo restate: Glass is solid.'
    """
    if f"\n\n{LEAD_INS[0]} " in response:
        return NotApplicable(reason="the response is already padded")
    body = response.rstrip()
    said = _again(_sentences(body), length=len(body))
    if not said:
        return NotApplicable(reason="the response has no sentence outside code and tables")
    return with_paragraph(body, " ".join(said))


PADDING: Final = ResponseRule(
    factor="padding",
    levels=(
        Level(
            name="redundant",
            description="Sentences of the response are repeated after it behind fixed lead-ins, until it has 1.5 to 2 "
            "times its characters; nothing new is said.",
        ),
        Level(name="supplied", description="The user's own longer version of the response.", exact=False),
    ),
    rewrite=pad,
)


def _sentences(text: str) -> Iterator[str]:
    """Sentences of the prose, in order, without list marks and with formulas whole; tables are passed over."""
    masked = mask(text)
    for part in parts_of(masked.text):
        for line in () if part.code else part.text.split("\n"):
            bare = line.strip()
            if bare.startswith("|"):
                continue
            for sentence in sentences_of(without_marker(bare)):
                if any(map(str.isalnum, sentence)):
                    yield masked.unmask(sentence)


def _again(sentences: Iterable[str], *, length: int) -> list[str]:
    """Which sentences are said again, each behind its lead-in, going round them until the response is long enough."""
    said: list[str] = []
    total = length
    round_again: list[str] = []
    # Few sentences can be too long for the room that is left, which is half the response: a round adds all the others.
    while total < SHORTEST_FACTOR * length:
        before = len(said)
        first_round = not round_again
        for sentence in sentences if first_round else round_again:
            if first_round:
                round_again.append(sentence)
            part = f"{LEAD_INS[len(said) % len(LEAD_INS)]} {sentence}"
            if said and total + 1 + len(part) > LONGEST_FACTOR * length:
                continue
            said.append(part)
            total += 1 + len(part)
            if total >= SHORTEST_FACTOR * length:
                break
        if len(said) == before:
            break
    return said
