"""The brief-reasoning format: a reason, a confidence and a label on three lines, read strictly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from evenhand.readouts.grammar import NOUNS
from evenhand.readouts.normalise import NormalText, normalise
from evenhand.records import LabelSet, Outcome

__all__ = ["FaultReason", "FormatFault", "ThreeLines", "read_three_lines"]


class FaultReason(StrEnum):
    """Why a text is not in the format: the first reason found, from top to bottom."""

    EMPTY = "empty"
    """Nothing but white space, markdown signs and thinking (also one that was never closed)."""
    TOO_LONG = "too-long"
    """More text than is read at all: see :data:`evenhand.readouts.normalise.WINDOW`."""
    FEWER_LINES = "fewer-than-three-lines"
    MORE_LINES = "more-than-three-lines"
    ECHO = "prompt-echoed"
    """A line repeats what the prompt asks for in it, or stands for it ("<reason>")."""
    NO_REASON = "no-reason"
    """The first line has no word."""
    NO_CONFIDENCE = "no-confidence"
    """The second line is not one whole number."""
    OUT_OF_RANGE = "confidence-out-of-range"
    """The second line is a whole number beyond 0 to 100."""
    NO_LABEL = "no-label"
    """The third line is not a label alone."""
    TWO_LABELS = "two-labels"
    """The third line holds more than one of the labels, or can be read as either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeLines:
    """An answer in the format.

    Attributes
    ----------
    reason
        The first line as written, without its name and without white space and markdown signs at its ends.
    confidence
        0 to 100.
    outcome
        ``first``, ``second`` or, where the labels have one, ``tie``.
    verdict_at
        Index in the original text of the label's first character:
        :meth:`evenhand.judges.hf.capture.Captured.token_at` of it is the verdict token.
    """

    reason: str
    confidence: int
    outcome: Outcome
    verdict_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatFault:
    """A text that is not in the format. ``reason`` is one of :class:`FaultReason`: it can be counted."""

    reason: FaultReason


_LEAD: Final = r"(?:[-•] )?(?:line ?{number} ?(?:: ?|[.)–—-] )|{number}(?:: ?|[.)] )|\({number}\) )?"
"""A bullet, and the line's own number: "2. ", "Line 2: ". Not "2 - 5", which could be a range."""
_NAMES: Final = {
    1: r"(?:my |the )?(?:brief |short )?(?:reason|reasoning|rationale|explanation|justification|analysis)",
    2: r"(?:my |the )?(?:confidence|certainty)(?: level| score| rating)?(?: \(0 ?(?:-|–|to) ?100\))?",
    3: (
        r"(?:my |the )?(?:final )?(?:verdict|label|answer|choice|decision|judge?ment|winner|preference)|"
        r"(?:my |the )?(?:better|best|preferred|winning) (?:response|answer|label)"
    ),
}
_SEPARATOR: Final = r"(?: ?[:=] ?| [–—-] | is:? | )"
_OPEN: Final = r"(?P<open>[\[(<\"']{0,2}) ?"
_CLOSE: Final = r"\.? ?(?P<close>[\])>\"']{0,2})\.?"
_MIRROR: Final = str.maketrans("[(<", "])>")

_REASON_LEAD: Final = re.compile(rf"{_LEAD.format(number=1)}(?:(?:{_NAMES[1]}) ?: ?)?", re.IGNORECASE)
_NUMBER: Final = re.compile(
    rf"{_LEAD.format(number=2)}(?:(?:{_NAMES[2]}){_SEPARATOR})?"
    rf"{_OPEN}(?P<number>-?(?:0|[1-9][0-9]{{0,8}}))(?: ?%| ?/ ?100| out of 100)?{_CLOSE}",
    re.IGNORECASE,
)
_ECHOES: Final = (
    re.compile(
        r"[\[(<{\"']*(?:(?:the|your|a|an|brief|short) ){0,3}(?:reason|reasoning|rationale|explanation)"
        r"(?: for (?:your|the) (?:judge?ment|choice|verdict|decision))?(?:,? in one or two(?: short)? sentences)?"
        r"[\])>}\"'.;:]*",
        re.IGNORECASE,
    ),
    re.compile(r"\bhow sure you are\b|\bwhole number\b|\binteger\b|[<\[{]confidence[>\]}]", re.IGNORECASE),
    re.compile(r"\bthe label of the better\b|[<\[{](?:the )?(?:label|verdict)[>\]}]", re.IGNORECASE),
)


def read_three_lines(text: str, labels: LabelSet) -> ThreeLines | FormatFault:
    r"""Read an answer to the prompt ``brief-reasoning``.

    Exactly three lines that are not blank: a reason, a whole number from 0 to 100, and a label. Thinking in
    ``<think>`` tags, markdown signs (``*``, `````, ``#``, ``~``), end-of-turn signs and blank lines don't count.

    What may stand beside the number and the label, since it leaves no other reading: a bullet; the line's own number
    ("2. 80", "Line 2: 80"); its plain name ("Confidence: 80", "Verdict: A"); brackets or quotation marks that
    close again ("[[A]]"); a full stop. A number may be a percentage or one of 100 ("80%", "80/100", "80 out of 100");
    it is whole (80.5 is none, nor is 007). A label is compared exactly, case included, and may follow the word that
    prompts name a response with ("Response A"). Anything else on these lines is a fault, and so is anything
    after the label's line.

    Parameters
    ----------
    text
        What the judge wrote. Any text is read or refused; nothing is raised. Whether it was cut short by its budget is
        for the caller to say: then a fault means "truncated".
    labels
        The labels that its prompt asked for.

    Examples
    --------
    >>> labels = LabelSet.parse("A/B")
    >>> got = read_three_lines("B names the wrong river.\nConfidence: 85\n**A**\n", labels)
    >>> got.confidence, got.outcome, got.verdict_at
    (85, <Outcome.FIRST: 'first'>, 42)
    >>> read_three_lines("Both are fine.\n50\nA or B", labels)
    FormatFault(reason=<FaultReason.TWO_LABELS: 'two-labels'>)
    """
    normal = normalise(text)
    lines = normal.text.split("\n") if normal.text else []
    fault = _fault_of_shape(normal, lines)
    if fault is not None:
        return FormatFault(reason=fault)
    start = _reason_start(lines[0])
    if isinstance(start, FaultReason):
        return FormatFault(reason=start)
    confidence = _confidence(lines[1])
    if isinstance(confidence, FaultReason):
        return FormatFault(reason=confidence)
    verdict = _verdict(lines[2], labels)
    if isinstance(verdict, FaultReason):
        return FormatFault(reason=verdict)
    at = normal.to_raw(len(lines[0]) + len(lines[1]) + 2 + verdict.start)
    if not text.startswith(labels.by_outcome[verdict.outcome], at):
        # A label with signs that normalising turns into others.
        return FormatFault(reason=FaultReason.NO_LABEL)
    reason = text[normal.to_raw(start) : normal.to_raw(len(lines[0]) - 1) + 1]
    return ThreeLines(reason=reason, confidence=confidence, outcome=verdict.outcome, verdict_at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """A label, and where it begins in its line."""

    outcome: Outcome
    start: int


def _fault_of_shape(normal: NormalText, lines: list[str]) -> FaultReason | None:
    if normal.windowed:
        return FaultReason.TOO_LONG
    if not lines:
        return FaultReason.EMPTY
    if len(lines) != 3:
        return FaultReason.FEWER_LINES if len(lines) < 3 else FaultReason.MORE_LINES
    return None


def _reason_start(line: str) -> int | FaultReason:
    """Where the reason begins after its name."""
    lead = _REASON_LEAD.match(line)
    start = lead.end() if lead else 0
    if _ECHOES[0].fullmatch(line, start):
        return FaultReason.ECHO
    return start if re.search(r"\w", line[start:]) else FaultReason.NO_REASON


def _confidence(line: str) -> int | FaultReason:
    found = _NUMBER.fullmatch(line)
    if found is None or not _closes(found):
        return FaultReason.ECHO if _ECHOES[1].search(line) else FaultReason.NO_CONFIDENCE
    number = int(found["number"])
    return number if 0 <= number <= 100 and found["number"] != "-0" else FaultReason.OUT_OF_RANGE


def _verdict(line: str, labels: LabelSet) -> _Verdict | FaultReason:
    patterns = _patterns(labels)
    found = [
        _Verdict(outcome=outcome, start=match.start("label"))
        for outcome, pattern in patterns.verdicts
        if (match := pattern.fullmatch(line)) and _closes(match)
    ]
    if len(found) > 1 or len(set(patterns.mention.findall(line))) > 1:
        return FaultReason.TWO_LABELS
    if found:
        return found[0]
    return FaultReason.ECHO if _ECHOES[2].search(line) else FaultReason.NO_LABEL


def _closes(found: re.Match[str]) -> bool:
    """Whether the brackets before are those after, turned round."""
    return found["open"][::-1].translate(_MIRROR) == found["close"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patterns:
    """How the labels look on the third line: each alone, and any of them anywhere."""

    verdicts: tuple[tuple[Outcome, re.Pattern[str]], ...]
    mention: re.Pattern[str]


@lru_cache(maxsize=32)
def _patterns(labels: LabelSet) -> _Patterns:
    known = {outcome: normalise(label).text for outcome, label in labels.by_outcome.items()}
    nouns = "|".join(map(re.escape, NOUNS))
    before = rf"(?i:{_LEAD.format(number=3)}(?:(?:{_NAMES[3]}){_SEPARATOR})?(?:(?:{nouns}) )?)"
    longest_first = sorted((label for label in known.values() if label), key=len, reverse=True)
    anywhere = "|".join(map(re.escape, longest_first)) or r"(?!)"
    return _Patterns(
        verdicts=tuple(
            (outcome, re.compile(rf"{before}{_OPEN}(?P<label>{re.escape(label)}){_CLOSE}"))
            for outcome, label in known.items()
            if label
        ),
        mention=re.compile(rf"(?<!\w)(?:{anywhere})(?!\w)"),
    )
