"""How a decision may be written: the compiled patterns that the parser looks for, grouped by what they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["TOPICS", "Parts", "Patterns", "compile_patterns", "from_first_label", "up_to_first_label"]


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
    say: re.Pattern[str]
    find: re.Pattern[str]
    mine: re.Pattern[str]
    tie: re.Pattern[str]
    equal: re.Pattern[str]
    bare_line: re.Pattern[str]
    marker: re.Pattern[str]
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
TOPICS = (
    "answer",
    "response",
    "output",
    "reply",
    "solution",
    "work",
    "summary",
    "completion",
    "explanation and answer",
    "submission",
    "one",
)
"""What a label may be said to have, and what may be called the better one."""
_TOPIC = f"(?:{'|'.join(TOPICS)})"
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
_SEPARATOR = (
    r"[\"']? ?(?:\([^()\n]{0,40}\) ?)?(?::|=|- |– |— |\bis\b|\bwas\b|\bgoes to\b|\bwould be\b|\bmust be\b|"
    r"\bremains\b)"
    r" ?:? ?(?:that |clearly |therefore |still |definitely |ultimately |for |in favou?r of |with |then )?\n?"
)
"""Between a verdict's subject and the verdict."""
_SAID = r"(?= ?(?:$|\n|[.!;]|(?:, ?)?(?:because|since|due to|by far|overall|over|rather than)\b))"
_SENTENCE_END = _END.replace("[.,;!", "[.,;:!")  # after a whole clause a colon may introduce the reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The pieces of a grammar's patterns, as regular expressions.

    Attributes
    ----------
    every, sides
        Any label; a label of one of the two slots.
    noun, nouns
        One word such as "Response"; up to two of them before a label, with an article.
    parenthesised
        Whether a label needs parentheses or a noun.
    """

    every: str
    sides: str
    noun: str
    nouns: str
    parenthesised: bool

    @classmethod
    def of(
        cls,
        *,
        every: Iterable[str],
        sides: Iterable[str],
        nouns: Iterable[str],
        parenthesised: bool = False,
        case_insensitive: bool = False,
    ) -> Parts:
        """Parts for these labels (all of them, and those of the two slots) and these nouns, as plain text."""
        flag = "i" if case_insensitive else "-i"
        noun = f"(?:{_any_of(nouns)})"
        return cls(
            # The longest first: of "A" and "A1" the latter must be tried before.
            every=f"(?{flag}:{_any_of(sorted(every, key=len, reverse=True))})",
            sides=f"(?{flag}:{_any_of(sorted(sides, key=len, reverse=True))})",
            noun=noun,
            nouns=rf"(?:the )?(?:\b{noun} ){{1,2}}",
            parenthesised=parenthesised,
        )

    def mention(self, name: str, labels: str | None = None) -> str:
        """A label as it stands in a sentence, in a group of this name; by default one of the two slots'."""
        labels = self.sides if labels is None else labels
        core = rf"{_BEFORE}(?P<{name}>{labels})(?:'s? (?:own )?{_TOPIC}\b|{_AFTER})"
        if self.parenthesised:
            in_parentheses = rf"\((?P<{name}_p>{labels})\)(?:'s? {_TOPIC}\b)?"
            return rf"(?:{self.nouns}{_OPEN}{core}{_CLOSE}|(?:{self.nouns})?{_OPEN}{in_parentheses}{_CLOSE})"
        return rf"(?:(?P<{name}_n>{self.nouns})?{_OPEN}{core}{_CLOSE})"

    @property
    def pick(self) -> str:
        """The label decided for, a tie's included."""
        return self.mention("pick", self.every)

    @property
    def other(self) -> str:
        """A label that isn't captured."""
        return rf"(?:{self.nouns})?{_OPEN}{self.every}{_AFTER}"

    @property
    def unlisted(self) -> str:
        """Not followed by "or B", "and B", "/B"."""
        return rf"(?! ?(?:/|\||,|&|or|and|vs\.?|versus) ?(?:also )?{self.other}(?! ?(?:is|was|has|does|lacks)\b))"

    @property
    def than(self) -> str:
        """Perhaps the side decided against: "than B", "over the other"."""
        earlier = rf"the (?:first|second|other|former|latter|previous)(?: {self.noun}| one)?"
        return rf"(?: (?:(?:than|to|over) (?:{self.mention('rest')}|{earlier})))?"

    @property
    def verdict(self) -> str:
        """What a verdict's subject is said to be: a label or a tie.

        A prompt's marker ("[Response A]") counts on the subject's own line; on the next it may head a copied response.
        """
        return rf"(?:(?:(?<!\n)\[(?={self.nouns}))?{self.pick}|\"?(?P<tie>{_TIE_WORD}))"


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))


def compile_patterns(parts: Parts, *, comparison: bool = False) -> Patterns:
    """Compile the patterns. Every repetition is bounded, so that each match attempt takes bounded time.

    Examples
    --------
    >>> parts = Parts.of(every=["A", "B"], sides=["A", "B"], nouns=["Response"])
    >>> compile_patterns(parts).bracket.search("It is [[Response B]].")["pick"]
    'B'
    """
    sources = {
        **_declared(parts),
        **_called_the_answer(parts),
        **_compared(parts),
        **_chosen(parts),
        **_tied(parts),
        **_bare(parts),
        **_around(parts),
    }
    return Patterns(
        comparison=re.compile(_comparison(parts), re.IGNORECASE) if comparison else None,
        **{name: re.compile(source, re.IGNORECASE) for name, source in sources.items()},
    )


def _declared(p: Parts) -> dict[str, str]:
    """Forms that are used for nothing else: double brackets, tags, verdict fields, a JSON field's value."""
    better_noun = rf"(?:preferred|better|superior|stronger|winning|chosen|selected|preferable) (?:{p.noun}|{_TOPIC})"
    that_is_better = (
        rf"(?:{p.noun}|{_TOPIC}) (?:that|which) (?:is|was|seems) (?:the )?(?:overall )?"
        r"(?:better|best|superior|preferable|stronger)(?: (?:one|overall))?"
    )
    subject = (
        rf"\b(?:verdict|decision|judge?ment|conclusion|winner|preference|selection|pick|{better_noun}|{that_is_better}|vote|choice|"
        r"final answer|preferred)(?: overall)?"
    )
    return {
        "bracket": rf"\\?\[\\?\[ ?(?:{p.nouns})?[\"'(]?(?:(?P<pick>{p.every})|(?P<tie>tie|draw))[\"')]? ?\\?\]\\?\]",
        "tag": (
            r"<(?P<tag>(?:final_?)?(?:verdict|answer|winner|choice|decision|judge?ment|preference|preferred|result))>"
            rf"\n?{_OPEN}(?:{p.nouns})?{_OPEN}(?:(?P<pick>{p.every})|(?P<tie>tie|draw)){_CLOSE}\n?</(?P=tag)>"
        ),
        "field": rf"{subject}{_SEPARATOR}{p.verdict}{p.unlisted}{_END}",
        "value": (
            rf"[\[(\"' ]{{0,3}}(?:{p.nouns})?[\[(\"' ]{{0,3}}(?:(?P<pick>{p.every})|(?P<tie>tie|draw))"
            r"[\])\"'. ]{0,4}"
        ),
    }


def _comparison(p: Parts) -> str:
    """The comparison of both slots in double brackets."""
    return rf"\[\[ ?(?P<pick>{p.sides}) ?(?P<op>[><]{{1,3}}|={{1,2}}|≈|~=?) ?(?P<rest>{p.sides}) ?\]\]"


def _called_the_answer(p: Parts) -> dict[str, str]:
    """Sentences about "the answer", which may also be that of the judged question."""
    return {
        "answer": (
            rf"\b(?:answer|best (?:overall )?(?:{p.noun}|{_TOPIC}|choice)){_SEPARATOR}{p.verdict}{p.unlisted}{_END}"
        ),
        "boxed": rf"\\boxed ?\{{ ?(?:\\(?:text|textbf|mathrm|mathbf)\{{)? ?(?:{p.nouns})?(?P<pick>{p.every}) ?\}}",
    }


def _compared(p: Parts) -> dict[str, str]:
    """Sentences whose subject is a response."""
    pick, rest, beaten = p.mention("pick"), p.mention("rest"), p.mention("beaten")
    return {
        "better": (
            rf"{pick} (?:{_ADVERB}{_BE} ?{_ADVERB}{_GOOD}|{_ADVERB}wins\b(?: overall)?|"
            rf"{_ADVERB}(?:beats|outperforms|surpasses|edges out) (?:{beaten}))(?: overall)?{p.than}{_SENTENCE_END}"
        ),
        "worse": (
            rf"{rest} {_ADVERB}(?:{_BE} ?{_ADVERB}(?:worse|inferior|weaker) (?:than|to)|"
            r"(?:is not|isn't|was not|wasn't) (?:quite |nearly |nowhere near )?as (?:good|strong) as|"
            rf"(?:is|was) (?:outperformed|beaten|surpassed) by|loses to) {pick}{_SENTENCE_END}"
        ),
        "mine": (
            rf"{pick} (?:is|was|gets|has|would be) my (?:final |overall |clear )?"
            r"(?:choice|pick|preference|preferred \w{1,12}|selection|vote|answer|verdict|winner|"
            rf"decision){_SENTENCE_END}"
        ),
    }


def _chosen(p: Parts) -> dict[str, str]:
    """Sentences whose subject is the judge."""
    return {
        "choose": (
            r"(?:\b(?:i|we)(?:'d|'ll|'ve|'m)?(?: (?:would|will|have|had|must|am|do|going to|to|ultimately|therefore|"
            r"thus|rather|still|slightly|strongly|personally|hereby|overall|should|finally|clearly|just|"
            r"would have to)){0,4},? "
            r"(?:choose|chose|chosen|pick|picked|select|selected|prefer|preferred|favou?r|vote for|voting for|"
            r"go with|going with|lean (?:more )?towards?|opt for|opting for|recommend|"
            r"rule (?:for|in favou?r of)|choosing|picking|selecting)"
            r"|\bgoing with|\bthe (?:edge|win|victory|point|nod|advantage) goes to) "
            rf"{p.pick}(?: to {p.mention('rest')})?{p.unlisted}{_END}"
        ),
        # What may follow is narrower than for "I choose A": "I'd say A (the short one) reads well" chooses nothing.
        "say": (
            r"\b(?:i|we)(?:'d| would|'ll| will)(?: (?:probably|still|therefore|overall|just|definitely|have to)){0,2} "
            rf"say(?: that|:)?(?: it'?s| it is)? {p.pick}{p.unlisted}{_SAID}"
        ),
        "find": (
            rf"\b(?:find|found|consider|considered|deem|judge|believe|rate|think) (?:that )?{p.mention('pick')} "
            rf"(?:to be )?(?:as )?{_ADVERB}{_GOOD}{p.than}{_SENTENCE_END}"
        ),
    }


def _tied(p: Parts) -> dict[str, str]:
    """Ties, stated as a result or as a remark that both are equally good."""
    return {
        "tie": (
            r"\b(?:it'?s|it is|this is|that is|call (?:it|this)|calling (?:it|this)|consider (?:it|this)|declare|"
            r"(?:result|outcome|verdict|comparison) (?:is|as)|ends in|(?:it|this) (?:would be|as)) (?:essentially |"
            rf"effectively )?(?P<tie>{_TIE_WORD}){_SENTENCE_END}"
        ),
        "equal": (
            rf"(?P<tie>\b(?:both(?: of them)?(?: the)?(?: {p.noun}s?)?(?: {p.other} and {p.other}{_CLOSE})?|"
            rf"the two(?: {p.noun}s?)?|they|"
            rf"{p.other}{_CLOSE} and {p.other}{_CLOSE}) are (?:about |roughly |essentially |basically |nearly )?"
            r"(?:equally (?:good|matched|strong|valid)|tied|equal|of equal quality|of the same quality)|"
            rf"\bneither(?: of them|(?: {p.noun}| one)?)? is (?:clearly |really |much )?(?:better|superior|"
            rf"preferable)){_SENTENCE_END}"
        ),
    }


def _bare(p: Parts) -> dict[str, str]:
    """Labels with no sentence: on a line of their own, at the beginning, in bold at the end."""
    return {
        "bare_line": rf"(?:[-•+] )?(?:(?:response|output|label|final|result): )?{p.pick}[.!;,]?",
        "marker": rf"\[{p.nouns}\(?(?P<pick>{p.every})\)?\][.!]?",
        "lead": (rf"{p.pick}(?:(?P<mark>[.:,;]| ?[–—]| -) |,? \(?(?=(?:because|since|as|due)\b))(?P<more>[^\n]*)"),
        "bold_end": rf"\*\*[ ]?{p.pick}[.!]?[ ]?\*\*[.!]?\s{{0,40}}\Z",
    }


def _around(p: Parts) -> dict[str, str]:
    """What is looked for before a match: another label in a list with it, a response that says it."""
    return {
        "listed_before": rf"{p.other}{_CLOSE} ?(?:and|or|nor|/|&|vs\.?|versus) ?$",
        "says": (
            rf"(?:{p.nouns})?{_OPEN}{p.every}(?:'s \w{{1,20}}|{_CLOSE})(?: \w{{1,15}})? (?:says?|said|claims?|claimed|"
            r"argues?|argued|states?|stated|concludes?|concluded|suggests?|asserts?|answers?|answered|determines?|"
            r"determined|gives?|gave|chose|chooses|selects?|selected|identif(?:y|ies|ied))\b"
        ),
    }


def up_to_first_label(p: Parts) -> re.Pattern[str]:
    """What may stand before the label of a mention, up to the end of what is searched."""
    return re.compile(rf"(?:{p.nouns})?{_OPEN}\(?\Z", re.IGNORECASE)


def from_first_label(p: Parts) -> dict[str, re.Pattern[str]]:
    """From its first label on, a wider form of each pattern that begins with a mention of one.

    It matches wherever the pattern can match with that label, and in a few more places: it looks at nothing before.
    """
    label = rf"{p.sides}\)?(?:'s? (?:own )?{_TOPIC}\b)?(?: ?[\"')\]}}>]{{1,3}})? "
    verbs = {
        "better": rf"{_ADVERB}(?:{_BE} ?{_ADVERB}{_GOOD}|wins\b|beats|outperforms|surpasses|edges out)",
        "worse": (
            rf"{_ADVERB}(?:{_BE} ?{_ADVERB}(?:worse|inferior|weaker) (?:than|to)|(?:is not|isn't|was not|wasn't) |"
            r"(?:is|was) (?:outperformed|beaten|surpassed) by|loses to)"
        ),
        "mine": "(?:is|was|gets|has|would be) my ",
    }
    return {name: re.compile(label + verb, re.IGNORECASE) for name, verb in verbs.items()}
