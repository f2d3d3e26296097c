"""Which of the tokens that a judge wrote is its verdict: the one just before which probes look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from evenhand.errors import ConfigError
from evenhand.readouts.three_lines import FormatFault, read_three_lines
from evenhand.records import Completion, FinishReason, LabelSet, LabelTokens, Outcome, Readout

if TYPE_CHECKING:
    from evenhand.judges.hf.capture import Captured

__all__ = ["Locate", "label_ids", "verdict_locator"]

Locate: TypeAlias = "Callable[[Captured, Completion], int | None]"
"""Which written token is the verdict: its index, or None where there is no such token."""


def label_ids(labels: LabelSet, tokens: Sequence[LabelTokens]) -> Mapping[Outcome, frozenset[int]]:
    """The tokens of each label's variants.

    Examples
    --------
    >>> tokens = [LabelTokens(label="A", variant="A", token_id=5), LabelTokens(label="A", variant=" A", token_id=9)]
    >>> sorted(label_ids(LabelSet.parse("A/B"), tokens)[Outcome.FIRST])
    [5, 9]
    """
    return {
        outcome: frozenset(each.token_id for each in tokens if each.label == label and each.token_id is not None)
        for outcome, label in labels.by_outcome.items()
    }


def verdict_locator(readout: Readout, labels: LabelSet, tokens: Sequence[LabelTokens]) -> Locate:
    """How to find the verdict token under a readout.

    Under ``generated`` it is the label on the last of three lines, and must be one of the label's declared tokens:
    where the label is part of a longer token, there is no position just before it. Under ``first-token`` and
    ``prefilled`` it is the first token, whatever the judge would have written there.

    Parameters
    ----------
    tokens
        Of the judge: :meth:`evenhand.judges.Judge.label_tokens`.

    Raises
    ------
    ConfigError
        Another readout.
    """
    match readout:
        case Readout.GENERATED:
            return _Written(labels, label_ids(labels, tokens))
        case Readout.FIRST_TOKEN | Readout.PREFILLED:
            return _first
        case _:
            raise ConfigError(f"readout {readout}: its verdict is no single token that the judge wrote")


def _first(captured: Captured, completion: Completion) -> int | None:  # noqa: ARG001 - the form is given
    return 0


class _Written:
    """Finds the label on the last of three lines."""

    def __init__(self, labels: LabelSet, ids: Mapping[Outcome, frozenset[int]]) -> None:
        self._labels = labels
        self._ids = ids

    def __call__(self, captured: Captured, completion: Completion) -> int | None:
        if completion.text is None or completion.finish_reason is FinishReason.LENGTH:
            return None  # cut off: more could have followed the label
        found = read_three_lines(completion.text, self._labels)
        if isinstance(found, FormatFault):
            return None
        index = captured.token_at(found.verdict_at)
        return index if captured.token_ids[index] in self._ids[found.outcome] else None
