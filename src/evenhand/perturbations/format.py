"""Format: the same words in the same order, in another dress.

``bullets``, ``markdown`` and ``code`` dress a response that is plain; ``plain`` takes the dress off one that isn't. So
every contrast with the control is between one text with markup and the same text without, and each response takes part
in one of the two directions. A response with a code block or a table takes part in none: there the form is content;
nor is one dressed that has formulas set apart. Within formulas nothing is changed.

That no word was changed is checked for every response, and one of which it doesn't hold is left out. The preference
for rich looks is the beauty bias of [1]_.

References
----------
.. [1] Chen et al. (2024). Humans or LLMs as the judge? A study on judgement bias. doi:10.18653/v1/2024.emnlp-main.474.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from evenhand.perturbations.base import Level, NotApplicable
from evenhand.perturbations.formulas import MARKS, mask
from evenhand.perturbations.markup import as_bullets, as_code_block, as_headed, dress_of, words_of
from evenhand.perturbations.sides import ResponseRule

__all__ = ["FORMAT", "LONGEST", "dress"]

LONGEST: Final = 200_000
"""Characters of the longest response that is parsed: some 50,000 tokens, more than a judge's context of two."""
_ROUNDS: Final = 4
"""Taking the dress off may lay bare another, as under ``> # a``; so often it is tried."""

_ON: Final[Mapping[str, Callable[[str], str]]] = MappingProxyType(
    {"bullets": as_bullets, "markdown": as_headed, "code": as_code_block}
)


def dress(response: str, level: str) -> str | NotApplicable:
    r"""The response in the dress of a level.

    Examples
    --------
    >>> dress("Stir. Rest.", "bullets")
    '- Stir.\n- Rest.'
    >>> dress("- Stir.\n- **Rest.**", "plain")
    'Stir.\nRest.'
    >>> dress("- Stir.", "bullets").reason
    'the response is not plain to begin with'
    """
    if len(response) > LONGEST or any(mark in response for mark in ("\x00", *MARKS)):
        return NotApplicable(reason=f"the response has a control character or more than {LONGEST:,} characters")
    masked = mask(response)
    found = dress_of(masked.text)
    if found.solid:
        return NotApplicable(reason="the response holds a code block or a table")
    if level == "plain":
        if not found.marks:
            return NotApplicable(reason="the response is already plain")
        bare = _undressed(found.bare)
    elif found.marks:
        return NotApplicable(reason="the response is not plain to begin with")
    elif masked.has_display:
        return NotApplicable(reason="the response holds a formula that is set apart")
    else:
        bare = _ON[level](masked.text.strip("\n"))
    if bare is None:
        return NotApplicable(reason="its markup can't all be taken off")
    changed = masked.unmask(bare)
    if words_of(changed) != words_of(response):
        return NotApplicable(reason="the rule would change a word of the response")
    return changed


FORMAT: Final = ResponseRule(
    factor="format",
    levels=(
        Level(name="plain", description="Headings, bullets, quotation marks, rules, bold and emphasis are taken off."),
        Level(name="bullets", description="Every sentence of a plain response becomes an item of a bulleted list."),
        Level(
            name="markdown",
            description="The first sentence of a plain response becomes a heading, the first of each further "
            "paragraph stands in bold.",
        ),
        Level(name="code", description="A plain response stands within a code fence."),
    ),
    rewrite=dress,
)


def _undressed(text: str) -> str | None:
    """The text when no dress is left to take off; None where there always is."""
    for _ in range(_ROUNDS):
        found = dress_of(text)
        if found.solid:
            return None
        if not found.marks:
            return text
        text = found.bare
    return None
