"""Markdown on and off a text, with every word kept in its place.

A text is *plain* where a CommonMark parser finds no dress in it: no heading, bullet, quotation, rule or emphasis.
Numbered lines, links, entities, escapes and code spans are left as they are written, on or off. Code blocks and tables
are more than dress: a text that holds one is never changed here. Formulas must have been put aside before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from evenhand.perturbations.prose import sentences_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["Dress", "as_bullets", "as_code_block", "as_headed", "dress_of", "words_of"]

_DRESS: Final = {
    "heading_open": "headings",
    "bullet_list_open": "bullets",
    "blockquote_open": "quotations",
    "hr": "rules",
    "strong_open": "bold",
    "em_open": "emphasis",
}
_SOLID: Final = {"fence": "code", "code_block": "code", "table_open": "table"}
_LEFT_AS_WRITTEN: Final = ("link", "image", "autolink", "html_inline", "html_block", "entity", "reference")
_INDENTED: Final = re.compile(r"\n(?: {4}|\t)")
_NUMBERED: Final = re.compile(r"[ \t]*\d{1,9}[.)][ \t]+")
_WORD: Final = re.compile(r"[^\W_]+")
_TICKS: Final = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dress:
    """What a text is dressed in.

    Attributes
    ----------
    marks
        Names of the kinds of markup that can be taken off, sorted; empty in a plain text.
    solid
        ``code`` or ``table`` where the text holds one, sorted.
    bare
        The text without the marks.
    """

    marks: tuple[str, ...]
    solid: tuple[str, ...]
    bare: str


def words_of(text: str) -> list[str]:
    """The letters and digits of a text in runs: what dress must not change.

    Examples
    --------
    >>> words_of("**Two** primes: 2, 3_000")
    ['Two', 'primes', '2', '3', '000']
    """
    return _WORD.findall(text)


def dress_of(text: str) -> Dress:
    r"""Parse a text and take its dress off, once.

    Examples
    --------
    >>> dress_of("# Primes\n\n- *two*\n- three")
    Dress(marks=('bullets', 'emphasis', 'headings'), solid=(), bare='Primes\ntwo\nthree')
    """
    marks: set[str] = set()
    solid: set[str] = set()
    parts: list[str] = []
    number, tight = "", False
    for token in _parser().parse(text):
        if (mark := _DRESS.get(token.type)) is not None:
            marks.add(mark)
        if (kind := _SOLID.get(token.type)) is not None:
            solid.add(kind)
        match token.type:
            case "list_item_open":
                number = f"{token.info}{token.markup} " if token.info else ""
            case "list_item_close":
                number = ""
            case "paragraph_open":
                tight = bool(token.hidden)
            case "heading_open":
                tight = False
            case "inline":
                if _INDENTED.search(token.content):
                    solid.add("code")
                if parts:
                    parts.append("\n" if tight else "\n\n")
                parts.append(number + _bare(token, marks))
                number = ""
            case _:
                pass
    return Dress(marks=tuple(sorted(marks)), solid=tuple(sorted(solid)), bare="".join(parts))


def as_bullets(text: str) -> str:
    r"""Every sentence of a plain text as an item of a list; a numbered line is one already.

    Examples
    --------
    >>> as_bullets("Stir. Rest.\n\nServe.")
    '- Stir.\n- Rest.\n- Serve.'
    """
    items: list[str] = []
    for line in text.split("\n"):
        if _NUMBERED.match(line):
            items.append(line)
        else:
            items += [f"- {sentence}" for sentence in sentences_of(line)]
    return "\n".join(items)


def as_headed(text: str) -> str:
    r"""The first sentence of a plain text as a heading, and the first of each later paragraph in bold.

    A text of one sentence has it in bold.

    Examples
    --------
    >>> as_headed("It is solid. So it keeps its form.\n\nOld panes are uneven. Look.")
    '## It is solid.\n\n**So it keeps its form.**\n\n**Old panes are uneven.** Look.'
    """
    blocks: list[str] = []
    paragraphs = [part.strip("\n") for part in re.split(r"\n[ \t]*(?=\n)", text) if part.strip()]
    for paragraph in paragraphs:
        body = paragraph
        numbered = _NUMBERED.match(body)
        if not blocks and numbered is None:
            first, rest = _first_sentence(body)
            if rest.strip() or len(paragraphs) > 1:
                blocks.append(f"## {first}")
                body = rest.strip()
        if body:
            number = numbered[0] if numbered is not None else ""
            first, rest = _first_sentence(body[len(number) :])
            blocks.append(f"{number}**{first}**{rest}" if first else body)
    return "\n\n".join(blocks)


def as_code_block(text: str) -> str:
    """A plain text within a code fence that is longer than any in it.

    Examples
    --------
    >>> as_code_block("Stir.").splitlines()
    ['```', 'Stir.', '```']
    """
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=2))
    return f"{fence}\n{text}\n{fence}"


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Without text_join an escape stays a token of its own, which still has its backslash.
    return MarkdownIt("commonmark").enable("table").disable([*_LEFT_AS_WRITTEN, "text_join"])


def _bare(inline: Token, marks: set[str]) -> str:
    """An inline token's text without emphasis; what else there is stays as it is written."""
    parts: list[str] = []
    for token in inline.children or ():
        if (mark := _DRESS.get(token.type)) is not None:
            marks.add(mark)
        match token.type:
            case "softbreak" | "hardbreak":
                parts.append("\n")
            case "text_special":  # an escape, such as the \\[ of a formula
                parts.append(token.markup)
            case "code_inline":
                parts.append(f"{token.markup}{token.content}{token.markup}")
            case _:
                parts.append(token.content)
    return "".join(parts)


def _first_sentence(text: str) -> tuple[str, str]:
    """The first sentence of the first line, and what follows it."""
    line, _, _ = text.lstrip().partition("\n")
    sentences = sentences_of(line)
    first = sentences[0] if sentences else ""
    return first, text.lstrip()[len(first) :]
