"""The decision in a text that scores each response by itself: the higher score wins, equal scores are a tie.

The rules, in order:

1. Thinking is not read, nor a statement that is quoted, conditional, negated or reported.
2. A score counts where it is stated of a label at the beginning of a line or of a part of it: ``Response A: 7``,
   ``A - 7/10``, ``A gets 7 out of 10``; in a JSON object under the label; or where the whole answer is two numbers on
   two lines, which are taken in the order in which the responses were shown.
3. A label without any score is no decision; one with two different scores is a contradiction, since nothing says
   which was meant; a score off the prompt's scale, or out of another maximum, is out of range.
4. Without any score, an explicit refusal is a refusal. Words such as "A is better" decide nothing here: the prompt
   asked for scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Final

from evenhand.readouts.context import surroundings
from evenhand.readouts.decision import Decision, DecisionStatus, parse_decision, refusal
from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.json_fields import JsonObject, json_objects
from evenhand.readouts.normalise import NormalText, normalise
from evenhand.readouts.patterns import Parts
from evenhand.readouts.search import AtLabels, Searchable
from evenhand.records import Outcome

__all__ = ["SlotScores", "decide", "parse_scores", "stated_scores"]

_EXCERPT: Final = 120
_MAX_MATCHES: Final = 1_000

_NUMBER: Final = (
    r"(?P<sign>[-−+]?)(?P<value>\d{1,6}(?:\.\d{1,3})?)(?:(?: ?/ ?| out of )(?P<maximum>\d{1,6}(?:\.0)?))?"
    r"(?: (?:points?|pts))?"
)
_AFTER: Final = (
    r"(?= ?(?:$|\n|[;!)\]}\"'|]|[,.](?!\w)|/ ?\D|[–—-] ?[^\W\d]|- [^\d]|\(|"
    r"(?:because|since|as|due to|and|but|while|whereas)\b))"
)
"""Not followed by what makes it another number or a count of something: "7,5", "70%", "7-8", "7 or 8", "7 examples"."""
_SCORE: Final = r"(?:score|rating|grade|mark)s?"
_BEGIN: Final = (
    r"(?:^|(?<=\n)|(?<=[,;.|/:)] )|(?<=\band )|(?<=\bwhile )|(?<=\bwhereas ))"
    r"(?:[-•+>|] |\d{1,2}[.)] )?[\"'(\[{]{0,3}"
    rf"(?:(?:the |my |final |overall ){{0,3}}{_SCORE}(?: (?:of|for))? ?:? ?|"
    r"i (?:would |'d )?(?:give|rate|score|assign) )?"
)
_LONGEST_BEGIN: Final = len("10. '([" + "overall " * 3 + "ratings for : ")
_BETWEEN: Final = (
    r"[\"'”)\]}]{0,3}(?: ?\([^()\n]{0,60}\))?(?:'s)?"
    rf"(?: (?:final |overall )?{_SCORE})?[\"']?"
    r"(?: ?[:=|] ?| [-–—] | ?: ?\n| (?:is|gets|scores|receives|earns|deserves|a|an|would be|is rated|is scored) )"
    rf"(?:an? )?(?:{_SCORE} ?(?:of |: ?|is )?)?[\"'(\[]?"
)
_SECOND_ITEM: Final = re.compile(r"[ \n]2[.)] ")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Score:
    """One stated score; offsets are of the raw text."""

    slot: Outcome
    value: float
    on_scale: bool
    rule: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patterns:
    statement: AtLabels
    key: re.Pattern[str]


_ALONE: Final = re.compile(rf"{_NUMBER}[.,;]?")


def decide(text: str, grammar: DecisionGrammar, *, complete: bool = True) -> Decision:
    """The decision in a text, by the parser that its grammar asks for: of labels or of scores.

    Examples
    --------
    >>> from evenhand.records import LabelSet
    >>> grammar = DecisionGrammar(labels=LabelSet.parse("A/B"), scale=(1, 10))
    >>> decide("A: 7, B: 5", grammar).outcome, decide("B", DecisionGrammar.of(grammar.labels)).outcome
    (<Outcome.FIRST: 'first'>, <Outcome.SECOND: 'second'>)
    """
    if grammar.scale is None:
        return parse_decision(text, grammar, complete=complete)
    return parse_scores(text, grammar, complete=complete)


def parse_scores(text: str, grammar: DecisionGrammar, *, complete: bool = True) -> Decision:
    r"""Read the two scores in a judge's text.

    Parameters
    ----------
    text
        Any text at all: this function never raises, and takes time linear in the text's length.
    grammar
        With its labels and its ``scale``; without a scale any number counts.
    complete
        False where the text was cut: then a score on the unfinished last line is not read ("Response B: 1" + "0").

    Examples
    --------
    >>> from evenhand.records import LabelSet
    >>> grammar = DecisionGrammar(labels=LabelSet.parse("A/B"), scale=(1, 10))
    >>> parse_scores("Response A: 4/10\nResponse B: 9/10", grammar).outcome
    <Outcome.SECOND: 'second'>
    >>> parse_scores("A: 6. B: 6.", grammar).outcome, parse_scores("Response A: 6", grammar).rule
    (<Outcome.TIE: 'tie'>, 'score-missing')
    """
    normal = normalise(text)
    found = _found(normal, grammar, complete=complete)
    if not found:
        # Nearly no text without scores has words that refuse: only of those is it asked whether they decide after all.
        refused = refusal(normal, grammar) is not None
        plain = parse_decision(text, replace(grammar, scale=None), complete=complete) if refused else None
        if plain is not None and plain.status is DecisionStatus.REFUSAL:
            return plain
        return Decision(status=DecisionStatus.NONE, rule="no-scores")
    return _weigh(found, normal)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotScores:
    """The scores of the two slots, on the prompt's scale."""

    first: float
    second: float


def stated_scores(text: str, grammar: DecisionGrammar, *, complete: bool = True) -> SlotScores | None:
    """The scores behind a decision by :func:`parse_scores`; None where that finds none.

    Examples
    --------
    >>> from evenhand.records import LabelSet
    >>> stated_scores("A: 7, B: 5", DecisionGrammar(labels=LabelSet.parse("A/B"), scale=(1, 10)))
    SlotScores(first=7.0, second=5.0)
    """
    normal = normalise(text)
    found = _found(normal, grammar, complete=complete)
    if not found or _weigh(found, normal).status is not DecisionStatus.FOUND:
        return None
    # Where it is found, all statements of a slot agree.
    values = {item.slot: item.value for item in found}
    return SlotScores(first=values[Outcome.FIRST], second=values[Outcome.SECOND])


def _found(normal: NormalText, grammar: DecisionGrammar, *, complete: bool) -> list[_Score]:
    """Every score that is stated, in the order of the text."""
    objects = list(_in_json(normal, grammar))
    stated = (item for item in _stated(normal, grammar) if not any(o.start <= item.start < o.end for o in objects))
    found = [*stated, *objects]
    if not complete:
        found = [item for item in found if item.rule == "scores-json" or _line_is_whole(item, normal)]
    if not found and complete:
        found = _two_lines(normal, grammar)
    return sorted(found, key=lambda item: (item.start, item.end))


def _weigh(found: list[_Score], normal: NormalText) -> Decision:
    first, second = ([item for item in found if item.slot is slot] for slot in (Outcome.FIRST, Outcome.SECOND))
    for scores in (first, second):
        if len({item.value for item in scores}) > 1:
            other = next(item for item in scores if item.value != scores[0].value)
            return _none(DecisionStatus.CONTRADICTORY, "scores-contradictory", scores[0], other, normal=normal)
    off = next((item for item in found if not item.on_scale), None)
    if off is not None:
        return _none(DecisionStatus.OUT_OF_RANGE, "score-out-of-range", off, normal=normal)
    if not (first and second):
        return _none(DecisionStatus.NONE, "score-missing", found[0], normal=normal)
    # The last statement of each label: all of them agree, and the last is the one that a reader looks for.
    a, b = first[-1], second[-1]
    outcome = Outcome.TIE if a.value == b.value else Outcome.FIRST if a.value > b.value else Outcome.SECOND
    shown = sorted((a, b), key=lambda item: (item.start, item.end))
    return Decision(
        status=DecisionStatus.FOUND,
        rule=b.rule if a.rule == b.rule else "scores",
        outcome=outcome,
        excerpt=_excerpt(*shown, normal=normal),
        span=(min(a.start, b.start), max(a.end, b.end)),
    )


def _none(status: DecisionStatus, rule: str, *items: _Score, normal: NormalText) -> Decision:
    span = (items[0].start, max(item.end for item in items))
    return Decision(status=status, rule=rule, excerpt=_excerpt(*items, normal=normal), span=span)


def _excerpt(*items: _Score, normal: NormalText) -> str:
    """Both statements, each cut at its share, so that neither hides the other."""
    spans = dict.fromkeys((item.start, item.end) for item in items)
    room = _EXCERPT // len(spans) - 2
    return " … ".join(normal.raw[start:end][:room] for start, end in spans)


def _stated(normal: NormalText, grammar: DecisionGrammar) -> Iterator[_Score]:
    text = normal.text
    for match in islice(_patterns(grammar).statement.matches(Searchable(text)), _MAX_MATCHES):
        around = surroundings(text, match.start("pick"), match.end())
        if around.quoted or around.conditional or around.negated or around.reported or _is_list(match, text):
            continue
        start, end = _trimmed(match, text)
        span = normal.to_raw(start), normal.to_raw(end - 1) + 1
        yield _score(match, grammar.outcome_of(match["pick"]), grammar, "scores", *span)


def _trimmed(match: re.Match[str], text: str) -> tuple[int, int]:
    start, end = match.span()
    while start < end and text[start] in "\n ":
        start += 1
    return start, end


def _is_list(match: re.Match[str], text: str) -> bool:
    """Whether the number counts an item below the label: "Response A: 1. Correct. 2. Short."."""
    numbered = re.compile(r"[.)] ?\S").match(text, match.end()) is not None
    if match["value"] != "1" or match["maximum"] is not None or not numbered:
        return False
    return _SECOND_ITEM.search(text, match.end(), match.end() + 2_000) is not None


def _score(match: re.Match[str], slot: Outcome, grammar: DecisionGrammar, rule: str, start: int, end: int) -> _Score:
    value = float(match["value"]) * (-1 if match["sign"] in ("-", "−") else 1)
    maximum = None if match["maximum"] is None else float(match["maximum"])
    return _Score(slot=slot, value=value, on_scale=_fits(value, maximum, grammar), rule=rule, start=start, end=end)


def _fits(value: float, maximum: float | None, grammar: DecisionGrammar) -> bool:
    if grammar.scale is None:
        return True
    low, high = grammar.scale
    return low <= value <= high and maximum in (None, high)


def _two_lines(normal: NormalText, grammar: DecisionGrammar) -> list[_Score]:
    """Two bare numbers and nothing else; not where numbers are the labels, which may then be what is written."""
    if any(label.isdigit() for label in grammar.labels.by_outcome.values()):
        return []
    lines = normal.text.split("\n")
    matches = [_ALONE.fullmatch(line) for line in lines] if len(lines) == 2 else []
    scores = []
    begin = 0
    for slot, line, match in zip((Outcome.FIRST, Outcome.SECOND), lines, matches, strict=False):
        if match is None:
            return []
        span = normal.to_raw(begin), normal.to_raw(begin + len(line) - 1) + 1
        scores.append(_score(match, slot, grammar, "scores-two-lines", *span))
        begin += len(line) + 1
    return scores


def _line_is_whole(item: _Score, normal: NormalText) -> bool:
    return any(end in normal.raw[item.end :] for end in "\n\r")


def _in_json(normal: NormalText, grammar: DecisionGrammar) -> Iterator[_Score]:
    for found in json_objects(normal.raw, normal.pieces):
        yield from _of_fields(found.fields, found, grammar)
        for key, value in found.fields.items():
            if isinstance(value, dict) and key.casefold() in ("score", "scores", "rating", "ratings"):
                yield from _of_fields(value, found, grammar)


def _of_fields(fields: dict[str, object], found: JsonObject, grammar: DecisionGrammar) -> Iterator[_Score]:
    key_pattern = _patterns(grammar).key
    for key, value in fields.items():
        label = key_pattern.fullmatch(" ".join(key.replace("_", " ").split()))
        inner = next((value[k] for k in ("score", "rating") if k in value), None) if isinstance(value, dict) else value
        if label is None or isinstance(inner, bool) or not isinstance(inner, int | float | str):
            continue
        match = _ALONE.fullmatch(" ".join(str(inner).split())) if _printable(inner) else None
        if match is not None:
            yield _score(match, grammar.outcome_of(label["pick"]), grammar, "scores-json", found.start, found.end)


def _printable(value: float | str) -> bool:
    """Whether turning it into text is cheap and harmless; a number of a thousand digits is no score."""
    return not isinstance(value, int) or abs(value) < 10**6


@lru_cache(maxsize=64)
def _patterns(grammar: DecisionGrammar) -> _Patterns:
    labels = grammar.labels
    parts = Parts.of(
        every=labels.by_outcome.values(),
        sides=(labels.first, labels.second),
        nouns=grammar.nouns,
        case_insensitive=grammar.case_insensitive,
    )
    head = rf"{_BEGIN}(?:{parts.nouns})?[\"'(\[]{{0,3}}"
    rest = rf"(?P<pick>{parts.sides})(?!\w){_BETWEEN}{_NUMBER}"
    key = rf"(?:{_SCORE} )?(?:(?:of|for) )?(?:{parts.nouns})?(?P<pick>{parts.sides})(?:'s)?(?: {_SCORE})?"
    statement = AtLabels(
        pattern=re.compile(rf"{head}(?<![\w$&@+\\/-]){rest}{_AFTER}", re.IGNORECASE),
        labels=(labels.first, labels.second),
        any_case=re.compile(rf"(?={parts.sides})", re.IGNORECASE) if grammar.case_insensitive else None,
        rest=re.compile(rest, re.IGNORECASE),
        head=re.compile(rf"{head}\Z", re.IGNORECASE),
        before=_LONGEST_BEGIN + len("the ") + 2 * (max(map(len, grammar.nouns), default=0) + 1) + 3,
    )
    return _Patterns(statement=statement, key=re.compile(key, re.IGNORECASE))
