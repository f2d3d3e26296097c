"""Text that others wrote, made safe to show: one cleaning for every surface, and one escape for each format."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

__all__ = [
    "csv_cell",
    "figure_text",
    "keep_together",
    "latex_text",
    "markdown_text",
    "shortened",
    "visible",
    "visible_json",
    "visible_lines",
    "visible_tree",
]

NAME_LIMIT = 160
"""Characters of a name that a report shows; what is cut is said."""

_JOINERS = frozenset("\u200c\u200d")  # needed to write Persian, Hindi and many emoji; they hide nothing
_SPACES = frozenset("\t\n\r\x0b\x0c\x85\u2028\u2029")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Cn"})
_SAFE = re.compile(r"[ -~]*")


def _shown(character: str) -> str:
    if character in _SPACES:
        return " "
    if character in _JOINERS or unicodedata.category(character) not in _HIDDEN:
        return character
    return f"[U+{ord(character):04X}]"


def visible(text: object, *, limit: int | None = NAME_LIMIT) -> str:
    r"""Text on one line with nothing hidden: terminal escapes, direction overrides and surrogates become ``[U+…]``.

    Parameters
    ----------
    text
        Anything; ``str()`` of it is shown.
    limit
        Characters kept; what is cut is counted in the result. None keeps all.

    Examples
    --------
    >>> visible("a\x1b]0;b\ud800\u202e")
    'a[U+001B]]0;b[U+D800][U+202E]'
    >>> visible("x" * 1000, limit=4)
    'xxxx… [+996 characters]'
    """
    whole = str(text)
    kept = whole if limit is None else whole[:limit]
    if not _SAFE.fullmatch(kept):
        kept = "".join(map(_shown, kept))
    return kept if len(whole) <= (limit or len(whole)) else f"{kept}… [+{len(whole) - len(kept):,} characters]"


def shortened(text: object, limit: int) -> str:
    """A name that fits, cut in its middle, since the ends of a path or a model's name tell most.

    Examples
    --------
    >>> shortened("judgebench:outputs/claude-3-haiku-20240307.jsonl", 30)
    'judgebench:outp…20240307.jsonl'
    """
    whole = str(text)
    if len(whole) > 4 * limit:  # the middle will not be seen: don't clean a megabyte of it
        whole = whole[: 2 * limit] + whole[-2 * limit :]
    shown = visible(whole, limit=None)
    if len(shown) <= limit:
        return shown
    kept = max(limit - 1, 2)
    return f"{shown[: (kept + 1) // 2]}…{shown[-(kept // 2) :]}"


TEXT_LIMIT = 10_000
"""Characters of a text in JSON: longer than any name or note that a person wrote."""


def visible_lines(text: str) -> str:
    r"""Text with its line breaks and tabs, and nothing else hidden; a very long one is cut and says so.

    Examples
    --------
    >>> visible_lines("a\n\u202eb\x00")
    'a\n[U+202E]b[U+0000]'
    """
    if text.isprintable() and len(text) <= TEXT_LIMIT:
        return text
    kept = "".join(c if c in "\n\t" else visible(c) for c in text[:TEXT_LIMIT])
    return kept if len(text) <= TEXT_LIMIT else f"{kept}… [+{len(text) - TEXT_LIMIT:,} characters]"


def _json_text(text: str) -> str:
    """A text of JSON, where the controls that JSON escapes may stay: all of ASCII's but DEL."""
    plain = text.isascii() and "\x7f" not in text and len(text) <= TEXT_LIMIT
    return text if plain else visible_lines(text)


def visible_tree(value: object) -> object:
    r"""A JSON-able value whose every string, keys too, holds nothing hidden and is of bounded length.

    ASCII controls stay where JSON escapes them itself.

    Examples
    --------
    >>> visible_tree({"a": ["\ud800", "\x7f", "\x1b", 1, None]})
    {'a': ['[U+D800]', '[U+007F]', '\x1b', 1, None]}
    """
    match value:
        case str():
            return _json_text(value)
        case dict():
            return visible_json(value)
        case list() | tuple():
            return [visible_tree(item) for item in value]
        case _:
            return value


def visible_json(tree: Mapping[str, object]) -> dict[str, object]:
    """A JSON object under :func:`visible_tree`."""
    return {str(visible_tree(str(key))): visible_tree(item) for key, item in tree.items()}


_MARKDOWN = re.compile(r"[\\`*_{}\[\]#|~$]")
_MARKDOWN_START = re.compile(r"^(?=[-+=>])")
_MARKDOWN_NUMBERED = re.compile(r"^([0-9]{1,9})([.)])(?=\s|$)")  # a list's number; "8.3" starts no list
# `\<` is not honoured inside table cells by every reader; bare addresses are linked by many: entities are safe in all.
_ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("://", "&#58;//"), ("www.", "www&#46;"), ("@", "&#64;"))


def markdown_text(text: object, *, limit: int | None = NAME_LIMIT) -> str:
    r"""Escape for Markdown: nothing in the text can become markup, a link, a table cell or HTML.

    Examples
    --------
    >>> print(markdown_text("a|b <i>*x*"))
    a\|b &lt;i&gt;\*x\*
    """
    escaped = _MARKDOWN.sub(r"\\\g<0>", visible(text, limit=limit))
    for plain, entity in _ENTITIES:
        escaped = escaped.replace(plain, entity)
    return _MARKDOWN_NUMBERED.sub(r"\1\\\2", _MARKDOWN_START.sub(r"\\", escaped))


_SYMBOLS = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "phi",
    "χ": "chi",
    "Δ": "Delta",
    "Σ": "Sigma",
    "√": "surd",
    "→": "rightarrow",
    "≤": "leq",
    "≥": "geq",
    "≈": "approx",
    "≠": "neq",
    "∞": "infty",
    "±": "pm",
}
"""What statistics are written with, by the name of its command: LaTeX's text fonts have none of them."""

_LATEX = {
    **{character: f"$\\{name}$" for character, name in _SYMBOLS.items()},
    **{character: f"$_{digit}$" for digit, character in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": r"{[}",
    "]": r"{]}",
    "−": r"$-$",
    "–": r"--",
    "—": r"---",
    "…": r"\ldots{}",
    "×": r"$\times$",
    "·": r"\textperiodcentered{}",
    "*": "{*}",  # after the end of a row it would be taken for a part of it
    "`": r"\textasciigrave{}",
}


# What pdfLaTeX sets with the T1 encoding and nothing else (found by setting each character, TeX Live 2022).
_SET_BY_T1 = frozenset(map(chr, range(0xA0, 0x17F))) - frozenset("\u00adĦħĸĿŀŉŦŧ")
_SET_BY_T1 |= frozenset("ƒȘșȚț‐‑‒–—―‘’‚“”„†‡•…‰‱‹›※€℃№™←↑→↓")
_LIGATURES = frozenset("-,'")  # two of these in a row become another sign
_LONG_WORD, _STEP = 30, 15  # characters of a word that a line or a column may break, and how often


def latex_text(text: object, *, limit: int | None = NAME_LIMIT) -> str:
    r"""Escape for LaTeX: no command in the text survives, and pdfLaTeX sets it with the T1 encoding and nothing else.

    Characters of other scripts are handed to ``\evenhandother{CODES}{CHARACTERS}``, which a table's file defines: it
    prints the codes, as no engine and font has them all.

    Examples
    --------
    >>> print(latex_text(r"$\input{x}$ 5 %"), latex_text("β₂"), latex_text("--top"))
    \$\textbackslash{}input\{x\}\$ 5 \% $\beta$$_2$ -{}-top
    >>> print(latex_text("判官 1"))
    \evenhandother{5224 5B98}{判官} 1
    """
    made: list[str] = []
    other: list[str] = []
    before, run = "", 0
    for character in visible(text, limit=limit):
        run = 0 if character == " " else run + 1
        if character not in _LATEX and character not in _SET_BY_T1 and not character.isascii():
            other.append(character)
            continue
        made += _other_scripts(other)
        other.clear()
        if run >= _LONG_WORD and run % _STEP == 0:
            made.append(r"\allowbreak{}")
        elif character == before and character in _LIGATURES:
            made.append("{}")
        made.append(_LATEX.get(character, character))
        before = character
    return "".join((*made, *_other_scripts(other)))


def _other_scripts(characters: list[str]) -> list[str]:
    if not characters:
        return []
    codes = " ".join(f"{ord(character):04X}" for character in characters)
    return [f"\\evenhandother{{{codes}}}{{{''.join(characters)}}}"]


def csv_cell(text: object) -> str:
    """A cell that no spreadsheet takes for a formula: a leading ``= + - @``, tab or return gets an apostrophe.

    Numbers written by this package are never passed here, so that ``-0.1`` stays a number.

    Reference: OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection

    Examples
    --------
    >>> csv_cell("=1+1")
    "'=1+1"
    """
    whole = str(text)
    shown = visible(whole)
    return f"'{shown}" if whole[:1] in "=+-@\t\r" and whole else shown


def figure_text(text: object, *, limit: int = 34) -> str:
    """A figure's label, cut to fit. Figures are drawn with mathematics off, so ``$`` is an ordinary character.

    Examples
    --------
    >>> figure_text("a condition with a very long name indeed")
    'a condition with a very long name…'
    """
    shown = visible(text, limit=None)
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


_UNITS = re.compile(r"(?<=[0-9]) (?=%|pp\b)|(?<=\bp) (?=[<=] )|(?<=\bp [<=]) (?=[.0-9])")
_INTERVALS = re.compile(r"(?<=\[)([−+]?[0-9.]+), ([−+]?[0-9.]+)(?=\])")


def keep_together(text: str) -> str:
    """The text with no line break inside a quantity or an interval (no-break spaces).

    Examples
    --------
    >>> keep_together("41.7 % [29.2, 54.9]").count(chr(0xA0))
    3
    """
    return (
        _INTERVALS.sub("\\1,\u00a0\\2", _UNITS.sub("\u00a0", text))
        .replace("% [", "%\u00a0[")
        .replace("pp [", "pp\u00a0[")
    )
