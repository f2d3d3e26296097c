"""Top-k log probabilities as a first-token record: what was not returned is censored, never 0."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.records.completion import FirstToken, TokenLogProb
from evenhand.records.labels import LabelSet

__all__ = ["first_token_of"]


def first_token_of(top: Mapping[str, float], labels: LabelSet) -> FirstToken:
    """Make the record from the returned tokens.

    Parameters
    ----------
    top
        The returned tokens with their natural-log probabilities; at least one.
    labels
        The verdict labels; every declared variant is looked up.

    Returns
    -------
    FirstToken
        A variant that was not returned has ``logprob`` None and, as its bound, the smallest that was.

    Examples
    --------
    >>> first = first_token_of({"A": -0.1, "The": -2.5}, LabelSet.parse("A/B"))
    >>> first.argmax.text, [token.below for _, tokens in first.labels for token in tokens]
    ('A', [None, -2.5, -2.5, -2.5])
    """
    # Ties keep the order in which they were listed.
    entries = tuple(
        TokenLogProb(text=text, logprob=value) for text, value in sorted(top.items(), key=lambda item: -item[1])
    )
    bound = entries[-1].logprob

    def look_up(variant: str) -> TokenLogProb:
        value = top.get(variant)
        return TokenLogProb(text=variant, logprob=value, below=bound if value is None else None)

    return FirstToken(
        argmax=entries[0],
        labels=tuple(
            (outcome, tuple(look_up(variant) for variant in labels.variants(outcome))) for outcome in labels.by_outcome
        ),
        top=entries,
        whole_vocabulary=False,
    )
