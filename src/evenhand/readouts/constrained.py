"""The constrained readout: what the judge wrote where the decoder let it write nothing but a label."""

from __future__ import annotations

from typing import assert_never

from evenhand.records import Completion, FinishReason, LabelSet, Outcome, Reading

__all__ = ["read_constrained"]

_EXCERPT = 120  # Reading.excerpt's own limit


def read_constrained(completion: Completion, labels: LabelSet) -> Reading | None:
    """Take the text as the label that it is; a text that is none shows that the constraint was not kept.

    Nothing is parsed: white space around the text goes, and what is left must be a label, letter for letter.

    Parameters
    ----------
    completion
        What the judge returned when it was asked under the constraint.
    labels
        The labels that it could write.

    Returns
    -------
    Reading or None
        None where no text was asked for. Rules: ``constrained`` (a verdict); unparsed, ``constraint-not-kept``;
        truncated, ``constraint-cut`` (the text ended within a label, or may have); ``judge-error`` and ``filtered`` as
        elsewhere.

    Examples
    --------
    >>> kept = Completion(text=" B", finish_reason=FinishReason.STOP)
    >>> read_constrained(kept, LabelSet.parse("A/B")).outcome
    <Outcome.SECOND: 'second'>
    >>> ignored = Completion(text="B is better", finish_reason=FinishReason.STOP)
    >>> read_constrained(ignored, LabelSet.parse("A/B")).rule
    'constraint-not-kept'
    """
    reason = completion.finish_reason
    match reason:
        case FinishReason.ERROR:
            return Reading(outcome=Outcome.ERROR, rule="judge-error", excerpt=_short(completion.error))
        case FinishReason.FILTERED:
            return Reading(outcome=Outcome.REFUSED, rule="filtered", excerpt=_short(completion.text))
        case FinishReason.NOT_GENERATED:
            return None
        case FinishReason.STOP | FinishReason.LENGTH | FinishReason.SETTLED | FinishReason.UNKNOWN:
            return _read(completion, labels, cut=reason is FinishReason.LENGTH)
        case _:
            assert_never(reason)


def _read(completion: Completion, labels: LabelSet, *, cut: bool) -> Reading:
    text = (completion.text or "").strip()
    excerpt = _short(text) or _short(completion.note)
    # Cut off, the text of one label may be the beginning of a longer one.
    longer = [label for label in labels.by_outcome.values() if label != text and label.startswith(text)]
    if cut and longer:
        return Reading(outcome=Outcome.TRUNCATED, rule="constraint-cut", excerpt=excerpt)
    for outcome, label in labels.by_outcome.items():
        if text == label:
            return Reading(outcome=outcome, rule="constrained", excerpt=_short(text))
    # Not kept outranks cut: a text that is no label's beginning would not have become one.
    return Reading(outcome=Outcome.UNPARSED, rule="constraint-not-kept", excerpt=excerpt)


def _short(text: str | None) -> str | None:
    if not text or len(text) <= _EXCERPT:
        return text or None
    return text[: _EXCERPT - 1] + "…"
