"""Every place in a text that reads as a decision, before they are weighed against each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from typing import assert_never

from evenhand.readouts.context import Surroundings, surroundings
from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.json_fields import json_fields
from evenhand.readouts.normalise import NormalText
from evenhand.readouts.search import Search, Searchable
from evenhand.readouts.subject import about_the_question, is_listed, is_subject, opens_a_choice
from evenhand.records import Outcome

__all__ = ["Candidate", "Tier", "TierCandidates", "candidates", "candidates_by_tier", "marked_candidates"]


class Tier(IntEnum):
    """How explicit a decision is; a lower tier is read only where no higher one is present."""

    DECLARED = 1
    """A form that is used for nothing else: ``[[A]]``, JSON, a verdict field, a bare label as the last line."""
    STATED = 2
    """A sentence: "Response A is better", "I choose A", "The answer is A"."""
    LEAD = 3
    """A bare label at the beginning."""
    EQUAL = 4
    """Only a remark that both are equally good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One decision found; offsets are of the normalised text."""

    outcome: Outcome
    tier: Tier
    rule: str
    start: int
    end: int
    final: bool = False
    strong: bool | None = None


_MAX_MATCHES = 1_000
"""Matches of one pattern that are looked at; a text within the largest default budget has fewer."""


_NEXT_BRACKET = re.compile(r"[\"']? ?(?:/|\||,|&|or|and|vs\.?) ?(?:or |and )?[\"']?\\?\[\\?\[")
"""Of a list of answers to choose from: "[[A]] or [[B]]"."""


def _each(search: Search, where: Searchable) -> Iterator[re.Match[str]]:
    return islice(search.matches(where), _MAX_MATCHES)


def _label(match: re.Match[str], name: str) -> str | None:
    groups = match.groupdict()
    return groups.get(name) or groups.get(f"{name}_p")


def _picked(match: re.Match[str], grammar: DecisionGrammar) -> Outcome:
    label = _label(match, "pick")
    return Outcome.TIE if label is None else grammar.outcome_of(label)


def _comparison(match: re.Match[str], grammar: DecisionGrammar) -> tuple[Outcome, bool | None] | None:
    left, right = grammar.outcome_of(match["pick"]), grammar.outcome_of(match["rest"])
    if left is right:
        return None
    sign = match["op"]
    if sign[0] == ">":
        return left, len(sign) > 1
    if sign[0] == "<":
        return right, len(sign) > 1
    return Outcome.TIE, None


def marked_candidates(text: str, grammar: DecisionGrammar) -> Iterator[Candidate]:
    """The declared decisions that later lines can't undo: brackets, tags and fields."""
    return _marked(Searchable(text), grammar)


def _marked(where: Searchable, grammar: DecisionGrammar) -> Iterator[Candidate]:
    searches, text = grammar.searches, where.text
    for match in _each(searches.bracket, where):
        around = surroundings(text, *match.span())
        if not _echo(around, bracket=True):
            yield _found(match, _picked(match, grammar), Tier.DECLARED, "bracketed", around)
    if searches.comparison is not None:
        for match in _each(searches.comparison, where):
            around = surroundings(text, *match.span())
            result = _comparison(match, grammar)
            if result is not None and not _echo(around, bracket=True):
                yield Candidate(
                    outcome=result[0],
                    tier=Tier.DECLARED,
                    rule="bracketed-comparison",
                    start=match.start(),
                    end=match.end(),
                    final=around.final,
                    strong=result[1],
                )
    for match in _each(searches.tag, where):
        around = surroundings(text, *match.span())
        if not _echo(around, bracket=True):
            yield _found(match, _picked(match, grammar), Tier.DECLARED, "tagged", around)
    for match in _each(searches.field, where):
        around = surroundings(text, *match.span())
        if not _echo(around) and not about_the_question(around, grammar):
            yield _found(match, _picked(match, grammar), Tier.DECLARED, "verdict-field", around)


def candidates(normal: NormalText, grammar: DecisionGrammar) -> list[Candidate]:
    """All decisions found, in no particular order."""
    return [item for tier in candidates_by_tier(normal, grammar) for item in tier.found]


@dataclass(frozen=True, slots=True, kw_only=True)
class TierCandidates:
    """The decisions of one tier, in the order in which they stand."""

    tier: Tier
    found: list[Candidate]


def candidates_by_tier(normal: NormalText, grammar: DecisionGrammar) -> Iterator[TierCandidates]:
    """The decisions of each tier from the highest on; a tier is looked for when it is asked for.

    Nearly every answer has a decision in one of the first two, and what stands in the others is then not read at all.
    """
    where = Searchable(normal.text)
    for tier in Tier:
        found = sorted(_of_tier(tier, where, normal, grammar), key=lambda item: (item.start, item.end))
        yield TierCandidates(tier=tier, found=found)


def _of_tier(tier: Tier, where: Searchable, normal: NormalText, grammar: DecisionGrammar) -> Iterator[Candidate]:
    match tier:
        case Tier.DECLARED:
            yield from _marked(where, grammar)
            yield from _json(normal, grammar)
            yield from _last_lines(where.text, grammar)
        case Tier.STATED:
            yield from _stated(where, grammar)
            yield from _bold_end(normal, grammar)
        case Tier.LEAD:
            yield from _lead(where.text, grammar)
        case Tier.EQUAL:
            yield from _equal(where, grammar)
        case _:
            assert_never(tier)


def _found(
    match: re.Match[str], outcome: Outcome, tier: Tier, rule: str, around: Surroundings | None = None
) -> Candidate:
    final = around is not None and (around.final if tier is Tier.DECLARED else around.concluding)
    return Candidate(outcome=outcome, tier=tier, rule=rule, start=match.start(), end=match.end(), final=final)


def _echo(around: Surroundings, *, bracket: bool = False) -> bool:
    """Whether a match is no decision by what stands around it."""
    quoted = around.quoted and not (bracket and around.wrapped)
    listed = bracket and _NEXT_BRACKET.match(around.after)
    return bool(quoted or listed or around.conditional or around.negated or around.reported)


def _json(normal: NormalText, grammar: DecisionGrammar) -> Iterator[Candidate]:
    for field in json_fields(normal.raw, normal.pieces):
        match = grammar.patterns.value.fullmatch(" ".join(field.value.split()))
        start = normal.from_raw(field.start)
        around = surroundings(normal.text, start, start + 1)
        if match is not None and not (around.reported or around.negated):
            yield Candidate(
                outcome=_picked(match, grammar),
                tier=Tier.DECLARED,
                rule="json-field",
                start=start,
                end=max(start + 1, normal.from_raw(field.end)),
                final=around.final,
            )


def _last_lines(text: str, grammar: DecisionGrammar) -> Iterator[Candidate]:
    """The run of bare labels that ends a text of several lines: one is a decision, two different ones are none."""
    end = len(text)
    while True:
        begin = text.rfind("\n", 0, end) + 1
        match = grammar.patterns.bare_line.fullmatch(text, begin, end)
        if match is None or begin == end:
            return
        whole = begin == 0 and end == len(text)
        if not whole:
            yield _found(match, _picked(match, grammar), Tier.DECLARED, "last-line")
        if begin == 0:
            return
        end = begin - 1


def _stated(where: Searchable, grammar: DecisionGrammar) -> Iterator[Candidate]:
    searches, text = grammar.searches, where.text
    for rule, search in (("answer", searches.answer), ("boxed", searches.boxed)):
        for match in _each(search, where):
            around = surroundings(text, *match.span())
            if not _echo(around) and not about_the_question(around, grammar):
                yield _found(match, _picked(match, grammar), Tier.STATED, rule, around)
    for rule, search in (("choose", searches.choose), ("find", searches.find), ("tie", searches.tie)):
        for match in _each(search, where):
            around = surroundings(text, *match.span())
            if not _echo(around) and not around.of_one_aspect:
                yield _found(match, _picked(match, grammar), Tier.STATED, rule, around)
    for match in _each(searches.say, where):
        around = surroundings(text, *match.span())
        if opens_a_choice(around) and not _echo(around):
            yield _found(match, _picked(match, grammar), Tier.STATED, "say", around)
    for rule, search in (("better", searches.better), ("worse", searches.worse), ("mine", searches.mine)):
        for match in _each(search, where):
            if _same_side(match, grammar):
                continue
            around = surroundings(text, *match.span())
            if not _echo(around) and not around.of_one_aspect and is_subject(match, around, grammar):
                yield _found(match, _picked(match, grammar), Tier.STATED, rule, around)


def _same_side(match: re.Match[str], grammar: DecisionGrammar) -> bool:
    for name in ("rest", "beaten"):
        label = _label(match, name)
        if label is not None and grammar.outcome_of(label) is _picked(match, grammar):
            return True
    return False


def _bold_end(normal: NormalText, grammar: DecisionGrammar) -> Iterator[Candidate]:
    if not normal.pieces:
        return
    begin, end = normal.pieces[-1]
    tail = normal.raw[max(begin, end - 120) : end]
    match = grammar.patterns.bold_end.search(tail)
    position = len(normal.text) - 1
    if match is not None and position >= 0:
        last_line = normal.text[normal.text.rfind("\n") + 1 :]
        at = normal.from_raw(end - len(tail) + match.start())
        around = surroundings(normal.text, min(at, position), len(normal.text))
        if last_line and not _echo(around) and not is_listed(around, grammar):
            yield Candidate(
                outcome=_picked(match, grammar),
                tier=Tier.STATED,
                rule="bold-end",
                start=min(at, position),
                end=len(normal.text),
                final=around.concluding,
            )


def _lead(text: str, grammar: DecisionGrammar) -> Iterator[Candidate]:
    marker = grammar.patterns.marker.fullmatch(text)
    if marker is not None:
        yield _found(marker, _picked(marker, grammar), Tier.LEAD, "marker")
        return
    first, _, rest = text.partition("\n")
    bare = grammar.patterns.bare_line.fullmatch(first)
    if bare is not None:
        digits = (_label(bare, "pick") or "").isdigit()
        if not rest or not _headed_later(rest, _picked(bare, grammar), grammar, numbered=digits):
            yield _found(bare, _picked(bare, grammar), Tier.LEAD, "lead")
        return
    match = grammar.patterns.lead.match(first)
    if match is None:
        return
    label = _label(match, "pick") or ""
    mark, more = match["mark"], match["more"].strip()
    reasons = re.match(r"(?:because|since|as|due)\b", more, re.IGNORECASE) is not None
    # "1. Response A is …" numbers a list, "A: it is …" heads a paragraph, "A, B …" is a list; none chooses.
    heads = mark is not None and (label.isdigit() or mark in ":,;" or match.groupdict().get("pick_n") is not None)
    if (heads and not reasons) or not more:
        return
    outcome = _picked(match, grammar)
    if mark is not None and not reasons and _headed_later(more + "\n" + rest, outcome, grammar):
        return
    yield Candidate(outcome=outcome, tier=Tier.LEAD, rule="lead", start=0, end=match.start("more"))


def _headed_later(rest: str, outcome: Outcome, grammar: DecisionGrammar, *, numbered: bool = False) -> bool:
    """Whether another label heads a later line, or a later part of the same one: then the first one was a heading too.

    The last line is left out: there a bare label is a conclusion. With ``numbered``, "2. …" is only a list's number.
    """
    lines = rest.split("\n")
    for number, line in enumerate(lines):
        bare = grammar.patterns.bare_line.fullmatch(line)
        if bare is not None and number < len(lines) - 1 and _picked(bare, grammar) is not outcome:
            return True
        if numbered:
            continue
        head = grammar.patterns.lead.match(line)
        if head is not None and head["mark"] is not None and _picked(head, grammar) is not outcome:
            return True
    return False


def _equal(where: Searchable, grammar: DecisionGrammar) -> Iterator[Candidate]:
    for match in _each(grammar.searches.equal, where):
        around = surroundings(where.text, *match.span())
        if not _echo(around) and not around.of_one_aspect:
            yield _found(match, Outcome.TIE, Tier.EQUAL, "equal", around)
