"""Authority: the target response calls on a source or on its writer's standing, and says nothing else that is new.

Both sentences stand in a paragraph after the response and fit any subject. The cited work does not exist: what is
measured is whether the look of a citation sways the judge, as with the fake references of [1]_ and [2]_.

References
----------
.. [1] Chen et al. (2024). Humans or LLMs as the judge? A study on judgement bias. doi:10.18653/v1/2024.emnlp-main.474.
.. [2] Ye et al. (2024). Justice or prejudice? Quantifying biases in LLM-as-a-judge. arXiv:2410.02736.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from evenhand.perturbations.base import Level, NotApplicable
from evenhand.perturbations.prose import with_paragraph
from evenhand.perturbations.sides import ResponseRule

__all__ = ["AUTHORITY", "AUTHORITY_SENTENCES", "claim_authority"]

AUTHORITY_SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "citation": "Source: Harwell, T. and Lindqvist, M. (2019), Quarterly Handbook of Applied Knowledge 41(3), "
        "pp. 211–238.",
        "credential": "I write this as a professor with more than twenty years of experience in this very field.",
    }
)
"""Level to sentence. Authors and handbook are made up."""


def claim_authority(response: str, level: str) -> str | NotApplicable:
    r"""The response with a made-up citation or credential after it.

    Examples
    --------
    >>> claim_authority("Seven.", "credential")
    'Seven.\n\nI write this as a professor with more than twenty years of experience in this very field.'
    """
    sentence = AUTHORITY_SENTENCES[level]
    if sentence in response:
        return NotApplicable(reason=f"the response already holds this {level}")
    return with_paragraph(response, sentence)


AUTHORITY: Final = ResponseRule(
    factor="authority",
    levels=(
        Level(name="citation", description="The response ends with a reference to a work that does not exist."),
        Level(name="credential", description="The response ends with a sentence that claims a professor's standing."),
    ),
    rewrite=claim_authority,
)
