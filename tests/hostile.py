r"""Text that means harm, for every surface that shows what others wrote: one corpus for all tests.

Each text carries :data:`MARK` where it is short, so that a test can find it again. What must hold afterwards, whatever
the surface, is said once here too: :data:`SENTINELS` never appear in a window, :data:`CONTROLS` never in a terminal.

Examples
--------
>>> all(MARK in text for text in MARKUP.values())
True
>>> len(short_texts()) > 60
True
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = [
    "CONTROLS",
    "DEEP",
    "FORMULAS",
    "LATEX",
    "MARK",
    "MARKDOWN",
    "MARKUP",
    "PATHS",
    "SENTINELS",
    "SHAPES",
    "TEN_MEGABYTES",
    "TERMINAL",
    "UNICODE",
    "control_characters",
    "every_text",
    "pair_rows",
    "short_texts",
]

MARK = "qzmarkqz"
"""In every short text: a test finds the text by it, whatever escapes surround it."""

SENTINELS = ("__hostile_ran", "__hostile_css")
"""Names that a text's script would set on ``window``, were it to run."""

_RAN = "window.__hostile_ran=(window.__hostile_ran||0)+1"

MARKUP = {
    "script": f"<script>{_RAN};alert('{MARK}')</script>",
    "script_end": f"</script></style></title></textarea></template><script>{_RAN}</script>{MARK}",
    "image": f"<img src=x onerror=\"{_RAN};alert('{MARK}')\">",
    "svg": f"<svg xmlns='http://www.w3.org/2000/svg' onload='{_RAN}'><script>{_RAN}</script><text>{MARK}</text></svg>",
    "foreign": f"<svg><foreignObject><iframe srcdoc='<script>parent.{_RAN}</script>'></iframe></foreignObject>{MARK}",
    "style": f"<style>body{{display:none}}*{{background:url(//evil.example/{MARK})}}@import '//evil.example';</style>",
    "attribute": f'" onmouseover="{_RAN}" autofocus onfocus=\'{_RAN}\' x="{MARK}',
    "attribute_single": f"' onmouseover='{_RAN}' style='position:fixed;inset:0' x='{MARK}",
    "iframe": f'<iframe src="javascript:parent.{_RAN}" title={MARK}></iframe>',
    "link": f"<a href=\"javascript:{_RAN}\">{MARK}</a><a href='data:text/html,<script>{_RAN}</script>'>b</a>",
    "base": f"<base href='//evil.example/'><link rel=stylesheet href='//evil.example/{MARK}.css'>",
    "meta": f"<meta http-equiv=refresh content='0;url=//evil.example/{MARK}'>",
    "form": f"<form action='//evil.example/{MARK}'><input name=x autofocus onfocus='{_RAN}'><button>x</button></form>",
    "comment": f"<!-- {MARK} --!> <![CDATA[ <script>{_RAN}</script> ]]> <? x ?> <!DOCTYPE x [<!ENTITY a 'b'>]> &a;",
    "entity": f"&lt;script&gt;{_RAN}&lt;/script&gt;&#60;img src=x onerror={_RAN}&#62;&NewLine;&Tab;{MARK}",
    "template": f"{{{{ ''.__class__.__mro__ }}}} {{% raw %}} ${{7*7}} <%= 7*7 %> #{{7*7}} {{0.__class__}} %s %n {MARK}",
    "id_clobber": f"<a id=getElementById name=cookie></a><form id=document><input name=body></form>{MARK}",
    "null_in_tag": f"<scr\0ipt>{_RAN}</scr\0ipt><\0img src=x onerror={_RAN}>{MARK}",
    "xml_entities": "<!DOCTYPE lolz [<!ENTITY l 'lol'><!ENTITY m '&l;&l;&l;&l;&l;&l;&l;&l;'>]><lolz>&m;</lolz>" + MARK,
}
"""HTML, SVG, CSS and templates."""

UNICODE = {
    "override": f"\u202e{MARK}\u202c safe",
    "isolate": f"\u2066\u2067\u2068{MARK}\u2069 \u200e\u200f\u061c",
    "zero_width": f"z\u200be\u2060r\ufeffo\u00ad{MARK}\u180e",
    "tags": "\U000e0001\U000e0041\U000e0042\U000e007f" + MARK,
    "separators": f"one\u2028two\u2029three\x85four\x0bfive\x0csix {MARK}",
    "surrogate": f"{MARK}\ud800 \udfff \udc80",
    "null": f"nul\0{MARK}\0",
    "noncharacter": f"\ufffe\uffff\U0001fffe\ufdd0{MARK}",
    "private": f"\ue000\U000f0000{MARK}",
    "combining": "Z" + "\u0300\u0489" * 60 + MARK,
    "homoglyph": f"\u0430dm\u0456n \u212a \uff1cscript\uff1e {MARK}",
    "arabic": f"\u0627\u0644\u0639\u0631\u0628\u064a\u0629 {MARK} \u05e2\u05d1\u05e8\u05d9\u05ea",
    "interlinear": f"\ufff9{MARK}\ufffa\ufffb",
}
"""Direction controls, hidden characters, surrogates, and what has no glyph."""

TERMINAL = {
    "colour": f"\x1b[31;1m{MARK}\x1b[0m",
    "clear": f"\x1b[2J\x1b[H\x1b[3J{MARK}",
    "title": f"\x1b]0;{MARK}\x07",
    "clipboard": f"\x1b]52;c;ZXZpbA==\x07{MARK}",
    "link": f"\x1b]8;;https://evil.example/\x1b\\{MARK}\x1b]8;;\x1b\\",
    "c1": f"\x9b31m{MARK}\x9d0;t\x9c\x90q\x9c",
    "device": f"\x1b[6n\x1b[c\x1bP+q\x1b\\\x05{MARK}",
    "return": f"safe\rhidden {MARK}\b\b\b\x7f",
    "charset": f"\x0e{MARK}\x0f\x1b(0",
    "rich": f"[bold red]{MARK}[/] [link=https://evil.example]x[/link] [/nothing] [[A]]",
    "bell": f"\x07\x07{MARK}\x1a\x1c",
}
"""Escapes that move a cursor, set a title or a clipboard, or are markup of the library that prints."""

FORMULAS = {
    "equals": f'=HYPERLINK("//evil.example","{MARK}")',
    "plus": f"+cmd|' /C calc'!A0 {MARK}",
    "minus": f"-2+3+cmd|' /C calc'!A0 {MARK}",
    "at": f"@SUM(1+1)*{MARK}",
    "tab": f"\t=1+1 {MARK}",
    "carriage": f"\r=1+1 {MARK}",
    "newline": f"\n=1+1 {MARK}",
    "quote": f'"\n=1+1,{MARK}',
    "wide": f"\uff1d1+1 {MARK}",
    "space": f" =1+1 {MARK}",
    "dde": f"=cmd|'/c calc'!{MARK};=1+1",
}
"""What a spreadsheet would run where a cell begins with it."""

MARKDOWN = {
    "link": f"[{MARK}](javascript:{_RAN}) ![x](//evil.example/{MARK}.png) <https://evil.example/{MARK}>",
    "autolink": f"https://evil.example/{MARK} www.evil.example a@evil.example",
    "table": f"a|b|{MARK}\n|---|---|\n| c | d |",
    "heading": f"# {MARK}\n===\n---\n> quote\n1. one\n- two\n+ three",
    "code": f"```{MARK}\n~~~\n`` ` ``\n    indented",
    "emphasis": f"**{MARK}** __b__ ~~c~~ $x^2$ \\(y\\) [^1] [ref]: //evil.example",
    "html": f'<details open ontoggle="{_RAN}">{MARK}</details>',
    "reference": f"[{MARK}]\n\n[{MARK}]: javascript:{_RAN}",
}
"""Links, tables, code and HTML in Markdown."""

LATEX = {
    "input": f"\\input{{/etc/passwd}} \\include{{{MARK}}}",
    "write": f"\\write18{{touch {MARK}}} \\immediate\\openout5=x",
    "end": f"\\end{{tabular}}\\end{{document}} {MARK}",
    "special": f"# $ % & ~ _ ^ {{ }} \\ {MARK} $\\infty$ ^^5cinput{{x}}",
    "catcode": f"\\catcode`\\@=0 @input{{x}} \\def\\x{{\\x\\x}}\\x {MARK}",
    "ligature": f"<<{MARK}>> ?` !` -- '' ``",
}
"""Commands and special characters of TeX."""

PATHS = {
    "up": f"../../../{MARK}",
    "root": f"/etc/{MARK}",
    "windows": f"..\\..\\{MARK}",
    "device": f"CON.{MARK}",
    "drive": f"C:\\{MARK}:stream",
    "null": f"a\0/{MARK}",
    "newline": f"a\nb/{MARK}",
    "option": f"--out={MARK}",
    "home": f"~/{MARK} $(touch {MARK}) `touch {MARK}`",
    "dots": "../" * 40 + MARK,
    "long": "n" * 300 + MARK,
}
"""Names that lead out of a folder, or that no file system takes."""

DEEP = 100_000
"""Levels of nesting in the texts of :data:`SHAPES` that nest: more than any recursive reader survives."""

SHAPES = {
    "long_word": MARK + "w" * 20_000,
    "many_lines": f"{MARK}\n" * 2_000,
    "brackets": "[" * DEEP,
    "braces": '{"a":' * DEEP,
    "html_nesting": "<div>" * 5_000 + MARK,
    "quotes": "\"'" * 5_000,
    "spaces": " " * 20_000 + MARK,
    "blank": "",
    "white": " \t\n\r ",
    "verdicts": "[[A]] [[B]] " * 2_000,
    "think": "<think>" * 2_000 + MARK,
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 500 + MARK,
    "one_number": "1" * 5_000,
}
"""Texts whose length or nesting is the harm."""

TEN_MEGABYTES = 10_000_000
"""Characters of the longest text that a test uses: ``"x" * TEN_MEGABYTES``."""

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u061c\u2028-\u202e\u2060\u2066-\u2069\ufeff]")
"""What must never reach a terminal from a text: a control, a direction control, or a character nobody sees."""

_OWN_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def control_characters(shown: str) -> list[str]:
    r"""Those of :data:`CONTROLS` in what a terminal got, but for colours (``ESC [ … m``), which only we may send.

    A test of plain output passes the text as it is; where a text might send colours itself, turn ours off first.

    Examples
    --------
    >>> control_characters("\x1b[1mbold\x1b[0m fine"), control_characters("\x1b]0;t\x07")
    ([], ['\x1b', '\x07'])
    """
    return CONTROLS.findall(_OWN_COLOURS.sub("", shown))


def short_texts() -> dict[str, str]:
    """Every text that fits a name: all but :data:`SHAPES`, each under a unique name like ``markup_script``."""
    kinds = {
        "markup": MARKUP,
        "unicode": UNICODE,
        "terminal": TERMINAL,
        "formula": FORMULAS,
        "markdown": MARKDOWN,
        "latex": LATEX,
        "path": PATHS,
    }
    return {f"{kind}_{name}": text for kind, texts in kinds.items() for name, text in texts.items()}


def every_text() -> dict[str, str]:
    """All texts by their short name; where two kinds share a name the later kind's text is meant."""
    return {**MARKUP, **UNICODE, **TERMINAL, **FORMULAS, **MARKDOWN, **LATEX, **PATHS, **SHAPES}


def pair_rows(texts: Sequence[str] | None = None) -> list[dict[str, object]]:
    """Rows of a pair file in which every field that takes text is hostile; ids are unique.

    Parameters
    ----------
    texts
        By default all of :func:`short_texts`.
    """
    chosen = list(short_texts().values()) if texts is None else list(texts)
    following = [*chosen[1:], *chosen[:1]]
    return [
        {
            "id": f"{text} {number}",
            "instruction": f"{text} {number}",
            "response_a": text,
            "response_b": other,
            "gold": ("A", "B", "tie")[number % 3],
            "source": chosen[number % 7],
            "author_a": text,
            "author_b": other,
            "metadata": {other: text},
        }
        for number, (text, other) in enumerate(zip(chosen, following, strict=True))
    ]
