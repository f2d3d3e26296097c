"""For each pattern of a grammar, the words that it can't match without: how its matches are looked for quickly."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from evenhand.readouts.patterns import TOPICS, Parts, Patterns, from_first_label, up_to_first_label
from evenhand.readouts.search import Anywhere, AtEnd, AtLabels, AtWords, Search, With

__all__ = ["Searches", "searches_of"]

_BETTER: Final = ("better", "superior", "prefer", "best", "stronger", "winner", "winning")
_SUBJECTS: Final = (
    "verdict",
    "decision",
    "judg",
    "conclusion",
    "winn",
    "prefer",
    "select",
    "pick",
    "better",
    "superior",
    "stronger",
    "chosen",
    "vote",
    "choice",
    "final answer",
)
_THAT_IS: Final = (" that is ", " that was ", " that seems ", " which is ", " which was ", " which seems ")
_CHOOSERS: Final = (
    *("i ", "i'", "i,", "we ", "we'", "we,", "going with"),
    *("the edge", "the win", "the victory", "the point", "the nod", "the advantage"),
)
_CHOOSING: Final = (
    *("choos", "chose", "pick", "select", "prefer", "favo", "vot", "go with", "going with", "lean ", "opt for"),
    *("opting for", "recommend", "rule for", " goes to "),
)

_SAYING: Final = (
    *("say", "said", "claim", "argue", "state", "conclude", "suggest", "assert", "answer", "determine", "give", "gave"),
    *("chose", "choose", "select", "identif"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searches:
    """A search for each pattern that may match at many places; see :class:`Patterns`."""

    bracket: Search
    comparison: Search | None
    tag: Search
    field: Search
    answer: Search
    boxed: Search
    better: Search
    worse: Search
    mine: Search
    choose: Search
    say: Search
    find: Search
    tie: Search
    equal: Search
    listed_before: AtEnd
    says: With


def searches_of(
    patterns: Patterns, parts: Parts, *, sides: Collection[str], nouns: Collection[str], case_insensitive: bool
) -> Searches:
    """The searches for these patterns, which were compiled from these parts, labels and nouns.

    Examples
    --------
    >>> from evenhand.readouts.patterns import compile_patterns
    >>> from evenhand.readouts.search import Searchable
    >>> parts = Parts.of(every="AB", sides="AB", nouns=["Response"])
    >>> searches = searches_of(compile_patterns(parts), parts, sides="AB", nouns=["Response"], case_insensitive=False)
    >>> [match[0] for match in searches.better.matches(Searchable("A is long, but Response B is better."))]
    ['Response B is better']
    """
    longest_noun = max(map(len, nouns), default=0)
    at_labels = _at_labels(patterns, parts, sides=sides, longest_noun=longest_noun, case_insensitive=case_insensitive)
    longest_topic = max(longest_noun, *map(len, TOPICS))
    return Searches(
        bracket=AtWords(pattern=patterns.bracket, inner=("[[", "[\\["), before=1),  # perhaps after a backslash
        comparison=None if patterns.comparison is None else AtWords(pattern=patterns.comparison, words=("[[",)),
        tag=AtWords(pattern=patterns.tag, words=("<",), needs=("</",)),
        # "the response that is better is A": the subject begins with a noun, before the words that are looked for.
        field=AtWords(pattern=patterns.field, words=_SUBJECTS, inner=_THAT_IS, before=longest_topic),
        answer=AtWords(pattern=patterns.answer, words=("answer", "best")),
        boxed=AtWords(pattern=patterns.boxed, words=("\\boxed",)),
        choose=AtWords(pattern=patterns.choose, words=_CHOOSERS, needs=_CHOOSING),
        say=Anywhere(pattern=patterns.say, ways=((("say",),),)),
        find=AtWords(
            pattern=patterns.find,
            words=("find ", "found ", "consider", "deem ", "judge ", "believe ", "rate ", "think "),
            needs=_BETTER,
        ),
        tie=Anywhere(pattern=patterns.tie, ways=(((" tie", " draw"),),)),
        equal=Anywhere(
            pattern=patterns.equal,
            ways=(((" are ",), ("equal", "tied", "same quality")),),
            otherwise=AtWords(pattern=patterns.equal, words=("neither",)),
        ),
        listed_before=AtEnd(
            pattern=patterns.listed_before,
            words=("and", "or", "/", "&", "vs", "vs.", "versus"),  # "nor" ends with "or"
        ),
        says=With(pattern=patterns.says, words=_SAYING),
        **at_labels,
    )


def _at_labels(
    patterns: Patterns, parts: Parts, *, sides: Collection[str], longest_noun: int, case_insensitive: bool
) -> dict[str, Search]:
    """Those that begin with a mention of a label: "Response A is better"."""
    words = {
        "better": (*_BETTER, "wins", "beats", "outperforms", "surpasses", "edges out"),
        "worse": (
            *("worse", "inferior", "weaker", "as good as", "as strong as", "loses to"),
            *("outperformed by", "beaten by", "surpassed by"),
        ),
        "mine": (" my ",),
    }
    head = up_to_first_label(parts)
    longest_head = len('the ""([ (') + 2 * (longest_noun + 1)
    any_case = re.compile(rf"(?={parts.sides})", re.IGNORECASE) if case_insensitive else None
    rests = from_first_label(parts)
    return {
        name: AtLabels(
            pattern=getattr(patterns, name),
            words=words[name],
            labels=tuple(sides),
            any_case=any_case,
            rest=rest,
            head=head,
            before=longest_head,
        )
        for name, rest in rests.items()
    }
