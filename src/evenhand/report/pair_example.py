"""A pair worth reading, as a report shows it: its texts cut to a length, its verdicts in both orders, and why."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.report.text import visible_lines

__all__ = ["Excerpt", "PairExample", "Passage", "ShownVerdict", "excerpt_of", "passage_of"]

PASSAGE_LIMIT = 2_000
"""Characters of an instruction or a response that a report shows."""
_LINES = 60  # lines of it
_BEFORE, _AFTER = 500, 200  # characters of an answer before its decision, and after it
_DECISION = 200  # characters of the decision itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """The beginning of a text, cleaned; ``cut`` characters of it are left out after it."""

    text: str
    cut: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """What a judge wrote around its decision, cleaned.

    Attributes
    ----------
    before, decisive, after
        Consecutive; ``decisive`` is empty where no decision was found.
    cut_before, cut_after
        Characters left out on either side.
    """

    before: str
    decisive: str = ""
    after: str = ""
    cut_before: int = 0
    cut_after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownVerdict:
    """What one readout read in both orders, in words: ``first (A)``; a dash where the order was not asked."""

    readout: str
    ab: str
    ba: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairExample:
    """One pair with its verdicts in both orders. Strings are clean but not escaped.

    Attributes
    ----------
    why
        The rule that chose it, in words, such as ``chose the first slot twice``.
    readout
        The readout that the rule looked at.
    instruction, response_a, response_b
        None where the run holds no texts.
    answer_ab, answer_ba
        What the judge wrote, or the token it led with; None where there is neither.
    """

    pair_id: str
    condition: str
    why: str
    readout: str
    verdicts: tuple[ShownVerdict, ...]
    gold: str | None = None
    instruction: Passage | None = None
    response_a: Passage | None = None
    response_b: Passage | None = None
    answer_ab: Excerpt | None = None
    answer_ba: Excerpt | None = None

    @property
    def verdict(self) -> ShownVerdict | None:
        """What the readout that the rule looked at read; None where it isn't there."""
        return next((verdict for verdict in self.verdicts if verdict.readout == self.readout), None)


def passage_of(text: str, *, limit: int = PASSAGE_LIMIT) -> Passage:
    r"""The beginning of a text with nothing hidden in it; line breaks stay.

    Examples
    --------
    >>> passage_of("one\ntwo\u202e three", limit=8)
    Passage(text='one\ntwo[U+202E]', cut=6)
    """
    kept = "\n".join(text[:limit].split("\n")[:_LINES])
    return Passage(text=visible_lines(kept), cut=len(text) - len(kept))


def excerpt_of(text: str, *, span: tuple[int, int] | None = None) -> Excerpt:
    """A window of an answer around its decision, or its end where no decision was found.

    Parameters
    ----------
    span
        Where in the text the decision stands; None where there is none.

    Examples
    --------
    >>> excerpt_of("I prefer A, on balance.", span=(9, 10))
    Excerpt(before='I prefer ', decisive='A', after=', on balance.', cut_before=0, cut_after=0)
    """
    start, end = (len(text), len(text)) if span is None else span
    end = min(end, start + _DECISION)
    low, high = max(start - _BEFORE, 0), min(end + _AFTER, len(text))
    return Excerpt(
        before=visible_lines(text[low:start]),
        decisive=visible_lines(text[start:end]),
        after=visible_lines(text[end:high]),
        cut_before=low,
        cut_after=len(text) - high,
    )
