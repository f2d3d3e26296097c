"""How a decision may be written, given the labels: the compiled patterns that the parser looks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from evenhand.records import LabelSet, Outcome

__all__ = ["NOUNS", "DecisionGrammar", "Patterns", "compile_patterns"]

NOUNS: Final = (
    "Response",
    "Output",
    "Assistant",
    "Answer",
    "Option",
    "Model",
    "Candidate",
    "Completion",
    "Choice",
    "Reply",
    "Summary",
    "System",
    "AI",
    "Chatbot",
    "Text",
    "Version",
    "Passage",
    "Submission",
)
"""What judges call the two things they compare; a grammar for a log may name others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionGrammar:
    """What counts as a label, and what may stand around it.

    Attributes
    ----------
    labels
        The labels that the prompt asked for.
    nouns
        Words that may precede a label ("Response A"), in any case.
    comparison
        Also read ``[[A>>B]]``, ``[[A>B]]``, ``[[A=B]]`` (the first two labels; the format itself offers a tie).
    parenthesised
        A label counts only in parentheses or after a noun: "(a)", "Output (a)", "Output a".
    case_insensitive
        Labels match in any case (for logs; refused where the labels differ by case only).

    Examples
    --------
    >>> DecisionGrammar.of(LabelSet.parse("A/B")).offers_tie
    False
    """

    labels: LabelSet
    nouns: tuple[str, ...] = NOUNS
    comparison: bool = False
    parenthesised: bool = False
    case_insensitive: bool = False

    @classmethod
    def of(cls, labels: LabelSet) -> DecisionGrammar:
        """The grammar for our own prompts."""
        return cls(labels=labels)

    @property
    def offers_tie(self) -> bool:
        """Whether the judge could answer with a tie."""
        return self.labels.tie is not None or self.comparison

    @property
    def patterns(self) -> Patterns:
        """The compiled patterns (cached)."""
        return compile_patterns(self)

    def outcome_of(self, label: str) -> Outcome:
        """The verdict that a matched label or word for a tie stands for."""
        for outcome, text in self.labels.by_outcome.items():
            if label == text or (self.case_insensitive and label.casefold() == text.casefold()):
                return outcome
        return Outcome.TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """Compiled patterns; the group ``pick`` holds the label decided for, ``rest`` the one decided against."""

    bracket: re.Pattern[str]
    comparison: re.Pattern[str] | None
    tag: re.Pattern[str]
    field: re.Pattern[str]
    answer: re.Pattern[str]
    boxed: re.Pattern[str]
    better: re.Pattern[str]
    worse: re.Pattern[str]
    choose: re.Pattern[str]
    find: re.Pattern[str]
    mine: re.Pattern[str]
    tie: re.Pattern[str]
    equal: re.Pattern[str]
    bare_line: re.Pattern[str]
    lead: re.Pattern[str]
    bold_end: re.Pattern[str]
    listed_before: re.Pattern[str]
    says: re.Pattern[str]
    value: re.Pattern[str]


# A label is a word of its own: not part of "Apple", "10", "1.5", "A-", "A+", "A/B", "B's".
_BEFORE = r"(?<![\w$&@+\\/|])(?<!\w[-'./,])"
_AFTER = r"(?![\w\u0300-\u036f+%°$@&\\/|-]|'\w|[.,:]\w| ?[<>=]{1,3} ?\w| (?:out )?of\b)"
_OPEN = r"""["'(\[{<]{0,3} ?"""
_CLOSE = r"""(?>(?: ?["')\]}>]{1,3})?)"""  # atomic: what may follow is looked for after the last bracket
_TIE_WORD = r"(?:a |an )?(?:clear |close |complete )?(?:tie|draw)\b"
_TOPIC = r"(?:answer|response|output|reply|solution|work|summary|completion|explanation and answer|submission|one)"
_ADVERB = (
    r"(?:,? ?\b(?:clearly|slightly|much|significantly|marginally|overall|definitely|a bit|a little|by far|far|"
    r"generally|"
    r"still|therefore|thus|ultimately|somewhat|notably|considerably|substantially|indeed|just|probably|likely|arguably|"
    r"hence|actually|obviously|objectively|also|even|certainly|really|only slightly|ever so slightly|simply|"
    r"moderately|decidedly|undoubtedly|a lot|way|in my (?:opinion|view)),? ?){0,3}"
)
_BE = r"(?:is|was|'s|seems|appears|looks|remains|emerges|stands out|comes out)(?: to be)?(?: as)?"
_GOOD = (
    r"(?:(?:the |a )?(?:clear |overall |clearly |slightly |much |significantly |far |marginally |somewhat ){0,2}"
    r"(?:better|superior|preferable|preferred|best|stronger|winner|winning)"
    rf"(?: (?:overall )?(?:{_TOPIC}|choice|option|assistant|model|candidate|text|version|pick))?"
    r"(?: (?:of|between|among|out of) (?:the two|these two|them|the pair|both)(?: \w{1,15})?)?(?: overall)?(?: here)?)"
)
_END = (
    r"(?= ?(?:$|\n|[.,;!)\]}\"'>–—(\[]|- |because\b|since\b|as\b|due\b|for (?:its|this|these|that|the|several|many|"
    r"two|three|being)\b|overall\b|here\b|over\b|rather\b|"
    r"instead\b|based\b|"
    r"given\b|but\b|and\b|while\b|whereas\b|so\b|though\b|although\b|by (?:a|far)\b|in (?:my|this|every|general|"
    r"that|the end)\b|"
    r"with (?:high|low|moderate|medium|full|\d)))"
)
_SENTENCE_END = _END.replace("[.,;!", "[.,;:!")  # after a whole clause a colon may introduce the reasons


@lru_cache(maxsize=256)
def compile_patterns(grammar: DecisionGrammar) -> Patterns:
    """Compile a grammar's patterns. Every repetition is bounded, so that each match attempt takes bounded time."""
    flag = "i" if grammar.case_insensitive else "-i"
    ordered = sorted(grammar.labels.by_outcome.values(), key=len, reverse=True)
    every = f"(?{flag}:{'|'.join(map(re.escape, ordered))})"
    decided = sorted((grammar.labels.first, grammar.labels.second), key=len, reverse=True)
    sides = f"(?{flag}:{'|'.join(map(re.escape, decided))})"
    noun = f"(?:{'|'.join(map(re.escape, grammar.nouns))})"
    nouns = rf"(?:the )?(?:\b{noun} ){{1,2}}"

    def mention(name: str, labels: str = sides) -> str:
        core = rf"{_BEFORE}(?P<{name}>{labels})(?:'s? (?:own )?{_TOPIC}\b|{_AFTER})"
        if grammar.parenthesised:
            in_parentheses = rf"\((?P<{name}_p>{labels})\)(?:'s? {_TOPIC}\b)?"
            return rf"(?:{nouns}{_OPEN}{core}{_CLOSE}|(?:{nouns})?{_OPEN}{in_parentheses}{_CLOSE})"
        return rf"(?:(?P<{name}_n>{nouns})?{_OPEN}{core}{_CLOSE})"

    other = rf"(?:{nouns})?{_OPEN}{every}{_AFTER}"
    listed = rf"(?! ?(?:/|\||,|&|or|and|vs\.?|versus) ?(?:also )?{other}(?! ?(?:is|was|has|does|lacks)\b))"
    earlier = rf"the (?:first|second|other|former|latter|previous)(?: {noun}| one)?"
    rival = rf"(?:(?:than|to|over) (?:{mention('rest')}|{earlier}))"
    separator = (
        r"[\"']? ?(?:\([^()\n]{0,40}\) ?)?(?::|=|- |– |— |\bis\b|\bwas\b|\bgoes to\b|\bwould be\b|\bmust be\b|"
        r"\bremains\b)"
        r" ?:? ?(?:that |clearly |therefore |still |definitely |ultimately |for |in favou?r of |with |then )?\n?"
    )
    better_noun = rf"(?:preferred|better|superior|stronger|winning|chosen|selected|preferable) (?:{noun}|{_TOPIC})"
    subject = (
        rf"\b(?:verdict|decision|judge?ment|conclusion|winner|preference|selection|pick|{better_noun}|vote|choice|"
        r"final answer|preferred)(?: overall)?"
    )
    verdict = rf"(?:{mention('pick', every)}|\"?(?P<tie>{_TIE_WORD}))"
    than = rf"(?: {rival})?"
    i = re.IGNORECASE
    return Patterns(
        bracket=re.compile(
            rf"\\?\[\\?\[ ?(?:{nouns})?[\"'(]?(?:(?P<pick>{every})|(?P<tie>tie|draw))[\"')]? ?\\?\]\\?\]", i
        ),
        comparison=re.compile(
            rf"\[\[ ?(?P<pick>{sides}) ?(?P<op>[><]{{1,3}}|={{1,2}}|≈|~=?) ?(?P<rest>{sides}) ?\]\]", i
        )
        if grammar.comparison
        else None,
        tag=re.compile(
            r"<(?P<tag>(?:final_?)?(?:verdict|answer|winner|choice|decision|judge?ment|preference|preferred|result))>"
            rf"\n?{_OPEN}(?:{nouns})?{_OPEN}(?:(?P<pick>{every})|(?P<tie>tie|draw)){_CLOSE}\n?</(?P=tag)>",
            i,
        ),
        field=re.compile(rf"{subject}{separator}{verdict}{listed}{_END}", i),
        answer=re.compile(
            rf"\b(?:answer|best (?:overall )?(?:{noun}|{_TOPIC}|choice)){separator}{verdict}{listed}{_END}", i
        ),
        boxed=re.compile(
            rf"\\boxed ?\{{ ?(?:\\(?:text|textbf|mathrm|mathbf)\{{)? ?(?:{nouns})?(?P<pick>{every}) ?\}}", i
        ),
        better=re.compile(
            rf"{mention('pick')} (?:{_ADVERB}{_BE} ?{_ADVERB}{_GOOD}|{_ADVERB}wins\b(?: overall)?|"
            rf"{_ADVERB}(?:beats|outperforms|surpasses|"
            rf"edges out) (?:{mention('beaten')}))(?: overall)?{than}{_SENTENCE_END}",
            i,
        ),
        worse=re.compile(
            rf"{mention('rest')} {_ADVERB}(?:{_BE} ?{_ADVERB}(?:worse|inferior|weaker) (?:than|to)|"
            r"(?:is not|isn't|was not|wasn't) (?:quite |nearly |nowhere near )?as (?:good|strong) as|"
            rf"(?:is|was) (?:outperformed|beaten|surpassed) by|loses to) {mention('pick')}{_SENTENCE_END}",
            i,
        ),
        choose=re.compile(
            r"(?:\b(?:i|we)(?:'d|'ll|'ve|'m)?(?: (?:would|will|have|had|must|am|do|going to|to|ultimately|therefore|"
            r"thus|rather|"
            r"still|slightly|strongly|personally|hereby|overall|should|finally|clearly|just|would have to)){0,4},? "
            r"(?:choose|chose|chosen|pick|picked|select|selected|prefer|preferred|favou?r|vote for|voting for|"
            r"go with|going with|"
            r"lean (?:more )?towards?|opt for|opting for|recommend|rule (?:for|in favou?r of)|choosing|picking|"
            r"selecting)"
            rf"|\bgoing with|\bthe (?:edge|win|victory|point|nod|"
            rf"advantage) goes to) {mention('pick', every)}(?: to {mention('rest')})?{listed}{_END}",
            i,
        ),
        find=re.compile(
            rf"\b(?:find|found|consider|considered|deem|judge|believe|rate|think) (?:that )?{mention('pick')} "
            rf"(?:to be )?(?:as )?{_ADVERB}{_GOOD}{than}{_SENTENCE_END}",
            i,
        ),
        mine=re.compile(
            rf"{mention('pick')} (?:is|was|gets|has|would be) my (?:final |overall |clear )?"
            rf"(?:choice|pick|preference|preferred \w{{1,12}}|selection|vote|answer|verdict|winner|"
            rf"decision){_SENTENCE_END}",
            i,
        ),
        tie=re.compile(
            r"\b(?:it'?s|it is|this is|that is|call (?:it|this)|calling (?:it|this)|consider (?:it|this)|declare|"
            r"(?:result|outcome|verdict|comparison) (?:is|as)|ends in|(?:it|this) (?:would be|as)) (?:essentially |"
            r"effectively )?"
            rf"(?P<tie>{_TIE_WORD}){_SENTENCE_END}",
            i,
        ),
        equal=re.compile(
            rf"(?P<tie>\b(?:both(?: of them)?(?: the)?(?: {noun}s?)?(?: {other} and {other}{_CLOSE})?|"
            rf"the two(?: {noun}s?)?|they|"
            rf"{other}{_CLOSE} and {other}{_CLOSE}) are (?:about |roughly |essentially |basically |nearly )?"
            r"(?:equally (?:good|matched|strong|valid)|tied|equal|of equal quality|of the same quality)|"
            rf"\bneither(?: of them|(?: {noun}| one)?)? is (?:clearly |really |much )?(?:better|superior|"
            rf"preferable)){_SENTENCE_END}",
            i,
        ),
        bare_line=re.compile(
            rf"(?:[-•+] )?(?:(?:response|output|label|final|result): )?{mention('pick', every)}[.!;,]?", i
        ),
        lead=re.compile(
            rf"{mention('pick', every)}(?:(?P<mark>[.:,;]| ?[–—]| -) |,? \(?(?=(?:because|since|as|"
            rf"due)\b))(?P<more>[^\n]*)",
            i,
        ),
        bold_end=re.compile(rf"\*\*[ ]?{mention('pick', every)}[.!]?[ ]?\*\*[.!]?\s{{0,40}}\Z", i),
        listed_before=re.compile(rf"{other}{_CLOSE} ?(?:and|or|nor|/|&|vs\.?|versus) ?$", i),
        says=re.compile(
            rf"(?:{nouns})?{_OPEN}{every}{_CLOSE}(?:'s \w{{1,20}})?(?: \w{{1,15}})? (?:says?|said|claims?|claimed|"
            rf"argues?|argued|"
            r"states?|stated|concludes?|concluded|suggests?|asserts?|answers?|answered|determines?|determined|"
            r"gives?|gave|"
            r"chose|chooses|selects?|selected|identif(?:y|ies|ied))\b",
            i,
        ),
        value=re.compile(
            rf"[\[(\"' ]{{0,3}}(?:{nouns})?[\[(\"' ]{{0,3}}(?:(?P<pick>{every})|(?P<tie>tie|draw))[\])\"'. ]{{0,4}}", i
        ),
    )
