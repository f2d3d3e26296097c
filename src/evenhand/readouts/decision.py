"""The decision in a judge's text: candidates weighed by tier, position and mark.

The rules, in order:

1. Thinking is not read (``<think>…</think>``; unclosed, all that follows it).
2. Decisions of the highest tier present count; lower tiers are ignored (all of them where the grammar says
   ``declared``).
3. Within that tier a decision marked as final ("final", "in conclusion"; for sentences also "overall", "therefore", …)
   drops the ones before it.
4. What is left must agree: one outcome is the decision, two are a contradiction.
5. A tie where none was offered is no verdict.
6. Without any decision, an explicit refusal is a refusal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from evenhand.readouts.candidates import Candidate, Tier, candidates_by_tier, marked_candidates
from evenhand.readouts.context import surroundings
from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.normalise import WINDOW, NormalText, normalise
from evenhand.readouts.search import Anywhere, Searchable
from evenhand.records import Outcome

__all__ = ["Decision", "DecisionStatus", "is_absorbing", "parse_decision", "refusal"]

_EXCERPT: Final = 120
_SHORT: Final = 64
"""Characters of an answer whose decision is kept for the next one like it."""


class DecisionStatus(StrEnum):
    """What the parser found."""

    FOUND = "found"
    NONE = "none"
    CONTRADICTORY = "contradictory"
    NOT_OFFERED = "not-offered"
    """An explicit tie where the prompt offered none."""
    OUT_OF_RANGE = "out-of-range"
    """A score that the prompt's scale doesn't have."""
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A parsed decision.

    Attributes
    ----------
    outcome
        Set exactly when ``status`` is FOUND: first, second or tie.
    rule
        The pattern's name; else why there is no decision.
    excerpt
        The matched raw text, at most 120 characters.
    span
        Its (start, end) in the text that was parsed.
    strong
        Whether a comparison said "much better" (``[[A>>B]]``); None for other patterns.
    """

    status: DecisionStatus
    rule: str
    outcome: Outcome | None = None
    excerpt: str | None = None
    span: tuple[int, int] | None = None
    strong: bool | None = None


_NO_DECISION = Decision(status=DecisionStatus.NONE, rule="no-decision")

_REFUSAL: Final = re.compile(
    r"(?:^|\n|(?<=[.!?] ))(?:[\"']|I'?m |I am |Unfortunately,? |Sorry,? |As an? (?:AI|artificial)[^.\n]{0,60}, |"
    r"(?:My )?apologi(?:es|[sz]e),? |very |so |afraid |but |sorry,? |that ){0,6}"
    r"(?:I(?: just| really| simply)? (?:can ?not|can't|won't|will not|am (?:unable|not able|not willing) to|"
    r"'?m (?:unable|not able) to|"
    r"must decline to|do not feel able to|refuse to|decline to)|I'm (?:unable|not able) to|(?:un|not )able to)"
    r" (?:\w{1,12} )?(?:judge|evaluate|compare|choose|pick|assist|help|provide|determine|decide|make|answer|fulfil+|"
    r"comply|continue|rate|"
    r"rank|express|give|offer|select|engage|participate|say|do|complete|process|form)\b",
    re.IGNORECASE,
)
_NO_OPINION: Final = re.compile(
    r"(?:^|\n|(?<=[.!?] ))(?:As an? (?:AI|artificial)[^.\n]{0,60}, )?I (?:do not|don't) have (?:any )?(?:personal )?"
    r"(?:preferences?|opinions?)\b",
    re.IGNORECASE,
)

_REFUSALS: Final = Anywhere(
    pattern=_REFUSAL,
    ways=((("can't", "cannot", "can not", "won't", "will not", "able to", "willing to", "decline to", "refuse to"),),),
)
_NO_OPINIONS: Final = Anywhere(pattern=_NO_OPINION, ways=((("not have", "n't have"), ("preference", "opinion")),))


def parse_decision(text: str, grammar: DecisionGrammar, *, complete: bool = True) -> Decision:
    """Find the decision in a judge's text.

    Parameters
    ----------
    text
        Any text at all: this function never raises, and takes time linear in the text's length.
    grammar
        Labels and how they may be written.
    complete
        False where the text was cut: then a match that runs into the cut is not read, since what was cut off may have
        changed it ("The answer is A" + "/B"). A text that is a label and nothing else is read all the same.

    Examples
    --------
    >>> from evenhand.records import LabelSet
    >>> grammar = DecisionGrammar.of(LabelSet.parse("A/B"))
    >>> parse_decision("A seems good, but overall Response B is better.", grammar).outcome
    <Outcome.SECOND: 'second'>
    >>> parse_decision("A seems good.", grammar).status
    <DecisionStatus.NONE: 'none'>
    """
    if len(text) <= _SHORT:
        return _parse_again(text, grammar, complete)
    return _parse(text, grammar, complete)


def _parse(text: str, grammar: DecisionGrammar, complete: bool) -> Decision:
    normal = normalise(text)
    for of_tier in candidates_by_tier(normal, grammar):
        present = of_tier.found
        if not complete:
            present = [item for item in present if not _cut_off(item, normal)]
        if present:
            return _weigh(present, normal, grammar)
        if grammar.declared:
            break
    return refusal(normal, grammar) or _NO_DECISION


_parse_again = lru_cache(maxsize=4096)(_parse)
"""Of a run's short answers most are the same few: "A", "[[B]]", "Verdict: A"."""


def is_absorbing(text: str, grammar: DecisionGrammar) -> bool:
    """Whether no continuation of a text can change what :func:`parse_decision` says of it.

    True only for a contradiction among declared decisions of complete lines, at or after the first one marked as final,
    in a text whose thinking is closed, that fits the window and in which no JSON object may still be open.
    """
    if "{" in text or len(text) > WINDOW:
        return False
    normal = normalise(text[: text.rfind("\n") + 1])
    if not normal.thinking_closed or not normalise(text).thinking_closed:
        return False
    marked = sorted(marked_candidates(normal.text, grammar), key=lambda item: (item.start, item.end))
    return any(item.final for item in marked) and len({item.outcome for item in _since_final(marked)}) > 1


def _cut_off(item: Candidate, normal: NormalText) -> bool:
    if item.rule == "marker":
        return True  # the prompt's own marker: had the text gone on, it would head a copied response
    if item.tier is Tier.LEAD and item.start == 0 and item.end == len(normal.text):
        return False
    last = normal.raw[-1:]
    after = normal.raw[_span(item, normal)[1] :]
    if "\n" in after or "\r" in after:
        return False  # its line is whole; what follows, such as thinking that was cut, is another
    if item.rule == "last-line":
        return True
    return item.end >= len(normal.text) and (last.isalnum() or last in "'\"-/")


def _since_final(items: list[Candidate]) -> list[Candidate]:
    """Drop the decisions before the first that is marked as final."""
    first = next((item.start for item in items if item.final), 0)
    return [item for item in items if item.start >= first]


def _weigh(items: list[Candidate], normal: NormalText, grammar: DecisionGrammar) -> Decision:
    kept = _since_final(items)
    outcomes = {item.outcome for item in kept}
    first = kept[0]
    if len(outcomes) > 1:
        second = next(item for item in kept if item.outcome is not first.outcome)
        half = _EXCERPT // 2 - 2
        excerpt = f"{_raw(first, normal)[:half]} … {_raw(second, normal)[:half]}"
        return Decision(status=DecisionStatus.CONTRADICTORY, rule="contradictory", excerpt=excerpt)
    excerpt = _raw(first, normal)[:_EXCERPT]
    span = _span(first, normal)
    if first.outcome is Outcome.TIE and not grammar.offers_tie:
        return Decision(status=DecisionStatus.NOT_OFFERED, rule="tie-not-offered", excerpt=excerpt, span=span)
    return Decision(
        status=DecisionStatus.FOUND,
        rule=first.rule,
        outcome=first.outcome,
        excerpt=excerpt,
        span=span,
        strong=first.strong,
    )


def _span(item: Candidate, normal: NormalText) -> tuple[int, int]:
    end = max(item.start + 1, item.end)
    return normal.to_raw(item.start), normal.to_raw(end - 1) + 1


def _raw(item: Candidate, normal: NormalText) -> str:
    start, end = _span(item, normal)
    return normal.raw[start:end]


def refusal(normal: NormalText, grammar: DecisionGrammar) -> Decision | None:
    """An explicit refusal; that the text decides nothing is for the caller to see."""
    where = Searchable(normal.text)
    for search in (_REFUSALS, _NO_OPINIONS):
        for match in search.matches(where):
            start = match.start() + (match[0].startswith("\n"))
            quoted = surroundings(normal.text, start, match.end()).quoted
            if not quoted and not _copied(normal.text, start, grammar):
                span = normal.to_raw(start), normal.to_raw(match.end() - 1) + 1
                excerpt = normal.raw[span[0] : span[1]][:_EXCERPT]
                return Decision(status=DecisionStatus.REFUSAL, rule="explicit-refusal", excerpt=excerpt, span=span)
    return None


def _copied(text: str, position: int, grammar: DecisionGrammar) -> bool:
    """Whether a line stands right below a prompt's marker: then it is copied from a response that may itself refuse."""
    line = text.rfind("\n", 0, position)
    return line >= 0 and grammar.patterns.marker.fullmatch(text, text.rfind("\n", 0, line) + 1, line) is not None
