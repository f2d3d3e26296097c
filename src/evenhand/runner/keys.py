"""The key of a presentation: equal exactly where asking again could only give the same answer."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.records import JudgeIdentity, LabelSet, LabelTokens, Message, Order, Outcome, Sampling, content_hash

__all__ = ["KEY_VERSION", "presentation_key"]

KEY_VERSION = "presentation-key-1"
"""Changes when the recipe below does, so that old answers are never taken for new questions."""


def presentation_key(
    *,
    pair_id: str,
    order: Order,
    judge: JudgeIdentity,
    messages: Sequence[Message],
    labels: LabelSet,
    label_tokens: Sequence[LabelTokens],
    sampling: Sampling,
    first_token: bool,
    generate: str,
    repeat: int,
    prompt_hash: str,
    prefill: str | None = None,
    constrained: bool = False,
    changes: Sequence[str] = (),
) -> str:
    """Content hash of everything that can change a presentation's answer, and of which presentation it is.

    Parameters
    ----------
    pair_id, order
        Which presentation: two pairs with the same texts are still asked separately.
    judge
        Model, revision, engine and settings count (settings in any order). The spec doesn't: it is only an alias.
    messages
        Roles and texts.
    labels, label_tokens
        The labels, their declared variants and the tokens these are to the judge.
    sampling
        Temperature and budgets.
    first_token, generate
        What is asked for: the first-token distribution, and when to write on (a ``Generate`` value).
    repeat
        0, or which repetition of the control this is.
    prompt_hash
        The prompt's own hash. It must cover what the messages don't show but a watcher goes by, such as the grammar in
        which the decision is asked for: that says when generation stops.
    changes
        Names of what was changed of the pair. Two changes may make the same text of it; they are asked separately all
        the same, so that each comparison has answers of its own.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> question = dict(
    ...     pair_id="p1", order=Order.AB, judge=JudgeIdentity(spec="simulated:fair", model="fair"),
    ...     messages=[Message(role="user", content="Which is better?")], labels=LabelSet.parse("A/B"),
    ...     label_tokens=(), sampling=Sampling(), first_token=True, generate="always", prompt_hash="0")
    >>> presentation_key(**question, repeat=0) == presentation_key(**question, repeat=1)
    False
    """
    outcomes = sorted(labels.by_outcome)
    beginning = {} if prefill is None else {"prefill": prefill}
    constraint = {"constrained": True} if constrained else {}
    changed = {"changes": list(changes)} if changes else {}
    return content_hash(
        {
            **beginning,
            **constraint,
            **changed,
            "version": KEY_VERSION,
            "pair": pair_id,
            "order": order.value,
            "judge": {
                "model": judge.model,
                "revision": judge.revision,
                "engine": judge.engine,
                "settings": sorted([name, value] for name, value in judge.settings),
            },
            "messages": [[message.role, message.content] for message in messages],
            "labels": [[outcome.value, list(labels.variants(Outcome(outcome)))] for outcome in outcomes],
            "case_sensitive": labels.case_sensitive,
            "label_tokens": [[token.label, token.variant, token.token_id] for token in label_tokens],
            "temperature": float(sampling.temperature),
            "budgets": list(sampling.budgets),
            "first_token": first_token,
            "generate": str(generate),
            "repeat": repeat,
            "prompt": prompt_hash,
        }
    )
