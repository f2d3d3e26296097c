"""What stands around a match: negations, conditions, quotations and instructions that make it no decision."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from evenhand.readouts.search import AtEnd, With, fold, has_any

__all__ = ["Surroundings", "surroundings"]

_REACH: Final = 400
"""Characters looked at on either side: longer than nearly all sentences, and bounded."""

_SENTENCE_BREAK: Final = re.compile(r"[.!?;][\"')\]]{0,2} ")
_SENTENCE_END: Final = re.compile(r"[.!?](?=[\"')\]]{0,2}(?: |$))")
_CLAUSE_BREAK: Final = re.compile(
    r"[,;:()—–]|\b(?:but|while|whereas|although|though|because|since|so|and|yet|however|therefore)\b", re.IGNORECASE
)

_CONDITION: Final = re.compile(
    r"\b(?:if|whether|unless|suppos(?:e|ing)|assuming|imagine|in case|depends on|"
    r"determine which|decide which|see which)\b",
    re.IGNORECASE,
)
_CONCESSION: Final = re.compile(
    r"\beven (?:if|though)\b|"
    r"\b(?:if|when) (?:i|we)(?: (?:absolutely|really))?(?: (?:had|have|must|were|am|was)|'m)?(?: to)? "
    r"(?:choose|pick|decide|select|forced|pressed|pushed|asked)\b(?: to (?:choose|pick|decide|select)\b(?: one)?)?|"
    r"\b(?:if|when) (?:i|we) (?:really |absolutely )?(?:must|had to|have to)\b|"
    r"\bif (?:forced|pressed|pushed)\b",
    re.IGNORECASE,
)
"""What looks like a condition and is none: a forced choice is a choice."""
_CONDITION_AFTER: Final = re.compile(
    r"[\"')\]]{0,3} ?,? ?(?:only )?(?:if|unless|assuming|provided|when|whenever|depending|or|either|for a tie|means|"
    r"indicates)\b",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(r"\b(?:not|never|neither|nor|no|hardly|cannot|without|nothing)\b|n't\b", re.IGNORECASE)
_NO_NEGATION: Final = re.compile(
    r"\b(?:no|without(?: a)?|not a|little) (?:doubt|question|wonder)|\bnot (?:only|just|merely|surprisingly)\b|"
    r"\bno(?: clear)? (?:errors?|issues?|mistakes?)\b",
    re.IGNORECASE,
)
_UNCERTAIN: Final = re.compile(
    r"(?:n't|\bnot|\bcannot|\bno longer) (?:\w{1,12} )?(?:think|believe|say|agree|claim|conclude|feel|clear|"
    r"convinced|sure|"
    r"certain|obvious|mean|necessarily|true|evident)\b|\b(?:unclear|unsure|debatable|doubtful|undecided)\b|"
    r"\b(?:hard|difficult|impossible) to (?:say|tell|know|judge|determine|decide)\b|\bdoubt (?:that|if)\b|"
    r"\b(?:wrong|false|incorrect|mistaken|misleading|untrue|disagree)\b[^,;]{0,25}\bthat\b",
    re.IGNORECASE,
)
_OTHERS_SAY: Final = With(
    pattern=re.compile(
        r"\b(?:some|one|ones|others?|people|you|someone|users?|critics?|readers?|they|it|many|graders?|evaluators?)"
        r"(?: people| users| readers)? (?:may|might|could|can|would|will) (?:also )?(?:argue|say|think|claim|prefer|"
        r"believe|feel|"
        r"consider|find|choose|pick|be (?:argued|said|claimed|thought))\b|"
        r"\b(?:prompt|instructions?|system(?: message| prompt)?|users?|task|question) (?:says?|said|tells?|told|asks?|"
        r"asked|"
        r"instructs?|wants?|wanted|requires?) (?:me |us |you |the judge )?(?:to|that|for)\b",
        re.IGNORECASE,
    ),
    words=(
        " may ",
        " might ",
        " could ",
        " can ",
        " would ",
        " will ",
        "prompt",
        "instruction",
        "system",
        "user",
        "task",
        "question",
    ),
)
_INSTRUCTION: Final = re.compile(
    r"^[\"'(\[>• -]{0,4}(?:please |just |then |and |you (?:must|should|can|may|need to|have to|will) )?"
    r"(?:respond|reply|answer|output|write|print|return|choose|select|pick|state|give|indicate|end|say|use|finish)\b"
    r"(?: \w{1,14}){0,6}? ?(?:with|either|only|exactly|one of|between|strictly|using|by|in the (?:form|format)|"
    r"as follows|"
    r"whether|which|your)\b",
    re.IGNORECASE,
)
_PROVISIONAL: Final = With(
    pattern=re.compile(
        r"\b(?:at first|at first glance|initially|on the surface|originally|first impression|first instinct)\b",
        re.IGNORECASE,
    ),
    words=("first", "initially", "on the surface", "originally"),
)
_ASPECT: Final = With(
    pattern=re.compile(
        r"\b(?:in terms of|with (?:regard|respect) to|when it comes to|as far as|regarding|concerning|for|on|in) "
        r"[^,;.:]{1,60}[,:] ?(?:though |however |and )?$",
        re.IGNORECASE,
    ),
    words=("in terms of", "with regard", "with respect", "when it comes to", "as far as", "regarding", "concerning"),
)
"""With the words that the head needs, which is all that counts of what it finds."""
_ASPECT_HEAD: Final = re.compile(
    r"\b(?:in terms of|with (?:regard|respect) to|when it comes to|as far as|regarding|concerning)\b", re.IGNORECASE
)
_AGAINST: Final = AtEnd(
    pattern=re.compile(
        r"\b(?:than|over|not|against|nor|or|versus|vs\.?|neither|unlike|instead of)[ \"'(\[]*$", re.IGNORECASE
    ),
    words=("than", "over", "not", "against", "nor", "or", "versus", "vs", "vs.", "neither", "unlike", "instead of"),
    trailing=" \"'([",
)
_FINAL: Final = With(
    pattern=re.compile(r"\b(?:final|finally|in conclusion|to conclude|conclude|in the end)\b", re.IGNORECASE),
    words=("final", "conclude", "in conclusion", "in the end"),
)
_CONCLUDING: Final = re.compile(
    r"\b(?:overall|therefore|thus|hence|in summary|to summari[sz]e|in sum|ultimately|on balance|all things considered|"
    r"consequently|accordingly|all in all|as a result)\b|(?:^|, |- )so\b",
    re.IGNORECASE,
)
_TURN: Final = re.compile(r"\b(?:but|however|yet)\b")

_CONDITION_WORDS: Final = ("if", "whether", "unless", "suppos", "assuming", "imagine", "case", "depends", "which")
_NEGATION_WORDS: Final = ("no", "never", "neither", "hardly", "without", "n't")
_UNCERTAIN_WORDS: Final = (
    *("no", "n't", "un", "debatable", "doubt", "hard", "difficult", "impossible"),
    *("wrong", "false", "incorrect", "mistaken", "misleading", "disagree"),
)
"""Of each pattern above a word that it doesn't match without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The sentence around a match.

    Attributes
    ----------
    before
        From the beginning of the sentence to the match.
    clause
        The last clause of ``before``.
    matched
        The match.
    after
        From the match to the end of the sentence, its punctuation included.
    quoted
        Whether the match lies inside a quotation or a quoted line.
    wrapped
        Whether quotation marks enclose exactly the match.
    """

    before: str
    clause: str
    matched: str
    after: str
    quoted: bool
    wrapped: bool

    @property
    def final(self) -> bool:
        """Whether the sentence says that it is final."""
        return bool(_FINAL.search(self.before + self.matched) or _forced_choice(self.before))

    @property
    def concluding(self) -> bool:
        """Whether the sentence says that it is final, or draws a conclusion ("overall", "therefore")."""
        return self.final or bool(_CONCLUDING.search(self.before + self.matched))

    @property
    def conditional(self) -> bool:
        """Whether it holds only under a condition, or is asked rather than said."""
        if _CONDITION_AFTER.match(self.after) or self.after.rstrip("\"') ").endswith("?"):
            return True
        # What is replaced ends and begins with whole words, so that no word of a condition comes from around it.
        return has_any(fold(self.before), _CONDITION_WORDS) and bool(
            _CONDITION.search(_CONCESSION.sub(" ", self.before))
        )

    @property
    def negated(self) -> bool:
        """Whether it is denied, doubted, or stands on the losing side ("than A", "over A")."""
        if _AGAINST.search(self.before):
            return True
        folded = fold(self.before)  # the clause is its end
        return (has_any(folded, _NEGATION_WORDS) and bool(_NEGATION.search(_NO_NEGATION.sub(" ", self.clause)))) or (
            has_any(folded, _UNCERTAIN_WORDS) and bool(_UNCERTAIN.search(_NO_NEGATION.sub(" ", self.before)))
        )

    @property
    def reported(self) -> bool:
        """Whether it is somebody else's view, an instruction, or a first impression."""
        return bool(
            _OTHERS_SAY.search(self.before)
            or _INSTRUCTION.match(self.before + self.matched)
            or (_PROVISIONAL.search(self.before) and _PROVISIONAL.search(_TURN.split(self.before)[-1]))
        )

    @property
    def of_one_aspect(self) -> bool:
        """Whether the sentence limits it to one aspect ("In terms of clarity, …")."""
        found = _ASPECT.search(self.before)
        return bool(found and _ASPECT_HEAD.match(found[0]))


def _forced_choice(before: str) -> bool:
    if not has_any(fold(before), ("if", "when")):
        return False
    found = _CONCESSION.search(before)
    return bool(found and found[0].lower().startswith(("if", "when")))


def surroundings(text: str, start: int, end: int) -> Surroundings:
    """Look around ``text[start:end]`` in a normalised text.

    Examples
    --------
    >>> around = surroundings("It is long. I do not think that A is better.", 32, 44)
    >>> around.before, around.negated, around.final
    ('I do not think that ', True, False)
    """
    low = max(0, start - _REACH)
    newline = text.rfind("\n", low, start)
    line = text[newline + 1 if newline >= 0 else low : start]
    breaks = list(_SENTENCE_BREAK.finditer(line))
    before = line[breaks[-1].end() :] if breaks else line
    clauses = list(_CLAUSE_BREAK.finditer(before))
    stop = text.find("\n", end, end + _REACH)
    rest = text[end : stop if stop >= 0 else end + _REACH]
    sentence_end = _SENTENCE_END.search(rest)
    after = rest[: sentence_end.end()] if sentence_end else rest
    return Surroundings(
        before=before,
        clause=before[clauses[-1].end() :] if clauses else before,
        matched=text[start:end],
        after=after,
        quoted=_quoted(line, text[start:end], rest),
        wrapped=line.endswith('"') and rest.startswith('"'),
    )


def _quoted(before: str, matched: str, after: str) -> bool:
    if before.startswith(">"):
        return True
    if before.count('"') % 2 == 0 or '"' not in after:
        return False
    whole_line = (before + matched + after).strip()
    return not (whole_line.startswith('"') and whole_line.rstrip(".").endswith('"') and whole_line.count('"') == 2)
