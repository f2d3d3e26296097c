"""Whose decision a sentence states, and of what: the judge's of a response, or something else that looks like it."""

from __future__ import annotations

import re

from evenhand.readouts.context import Surroundings
from evenhand.readouts.grammar import DecisionGrammar

__all__ = ["about_the_question", "is_listed", "is_subject", "opens_a_choice"]

_MULTIPLE_CHOICE = re.compile(
    r"\b(?:correct|right|wrong|incorrect|actual|true|expected|reference|ground[- ]truth|multiple(?:[- ]choice)?|"
    r"answer|most \w{1,20}|its|their|his|her|"
    r"\w{1,20}'s|s')(?: (?:final|best|own|correct))?[ \"']*$",
    re.IGNORECASE,
)
_OUR_OWN = re.compile(r"\b(?:my|our)(?: \w{1,12})? ?$", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\b(?:of|in|by|from|for|with|at|on|to|than|about|between|like|unlike|into|using|as)(?: the)?[ \"'(]*$",
    re.IGNORECASE,
)
_COMPARED_TO = re.compile(r"\b(?:compared|relative|opposed) to[^,]{0,40}$", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"([\w'-]+)[ \"'(\[]*$")
_CLAUSE_WORDS = frozenset(
    [
        "that",
        "so",
        "because",
        "and",
        "but",
        "think",
        "believe",
        "find",
        "say",
        "overall",
        "therefore",
        "thus",
        "hence",
        "then",
        "while",
        "conclude",
        "feel",
        "finally",
        "however",
        "since",
        "although",
        "though",
        "where",
        "whereas",
        "as",
        "conclusion",
        "summary",
        "ultimately",
        "clearly",
        "yet",
        "consider",
        "judge",
        "determine",
        "see",
        "sum",
        "conclude",
        "decided",
        "concluded",
        "opinion",
        "view",
        "balance",
        "consequently",
        "determined",
        "found",
        "said",
        "means",
        "why",
    ]
)
_CHOICE_OPENING = re.compile(
    r"(?:(?:so|and|but|yet|then|thus|therefore|hence|overall|ultimately|finally|still|personally|"
    r"in (?:the end|conclusion|summary|my (?:opinion|view))|to conclude|all in all|on balance|all things considered|"
    r"(?:if|when) (?:i|we|forced|pressed|pushed|asked)\b[^,;:]{0,40}),? ){0,3}",
    re.IGNORECASE,
)


def about_the_question(around: Surroundings, grammar: DecisionGrammar) -> bool:
    """Whether "answer", "choice" and the like are those of the judged question or of a response, not the judge's."""
    if _OUR_OWN.search(around.before):
        return False
    return bool(_MULTIPLE_CHOICE.search(around.before) or grammar.searches.says.search(around.before))


def is_listed(around: Surroundings, grammar: DecisionGrammar) -> bool:
    """Whether another label stands in a list right before: "A and …"."""
    return grammar.searches.listed_before.search(around.before) is not None


def is_subject(match: re.Match[str], around: Surroundings, grammar: DecisionGrammar) -> bool:
    """Whether the label is the sentence's subject: not "vitamin A is better", "A and B", "the tone of A is better"."""
    if is_listed(around, grammar):
        return False
    if _PREPOSITION.search(around.before) and not re.search(r"\b(?:as|than)(?: the)? $", around.before):
        return bool(_COMPARED_TO.search(around.before) and "," in around.before)
    word = _WORD_BEFORE.search(around.before)
    groups = match.groupdict()
    named = groups.get("pick_n") or groups.get("rest_n") or groups.get("pick_p") or not match[0].lstrip()[:1].isalnum()
    return bool(named or grammar.parenthesised or word is None or word[1].casefold() in _CLAUSE_WORDS)


def opens_a_choice(around: Surroundings) -> bool:
    """Whether a match begins its sentence, but for words that draw a conclusion: not "On tone, I'd say A".

    Examples
    --------
    >>> from evenhand.readouts.context import surroundings
    >>> text = "Both are good. Overall, I'd say A."
    >>> opens_a_choice(surroundings(text, 24, 33)), opens_a_choice(surroundings("On tone, I'd say A.", 9, 18))
    (True, False)
    """
    return _CHOICE_OPENING.fullmatch(around.before) is not None
