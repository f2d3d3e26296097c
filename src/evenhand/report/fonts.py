"""Typefaces for scripts that the figures' own one lacks: found late, once, and only where a figure needs one.

An SVG's text stays text: whoever looks at it has the fonts. A PDF or PNG needs them here. Characters that no installed
font has are shown by their code instead of an empty box.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BASE", "Fallback", "fallback_for", "quiet_fonts", "show_codes", "text_of"]

BASE: Final = "DejaVu Sans"
"""Comes with matplotlib, so that figures are the same on every machine."""

# Names, best first; what a machine has is likely among them. Sans-serif faces of one weight's width each.
_FAMILIES: Final = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Noto Sans SC",
    "Noto Sans JP",
    "Noto Sans KR",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "PingFang SC",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "IPAGothic",
    "NanumGothic",
    "Noto Sans Devanagari",
    "Noto Sans Bengali",
    "Noto Sans Tamil",
    "Noto Sans Telugu",
    "Noto Sans Thai",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Ethiopic",
    "Noto Sans Symbols",
    "Noto Sans Symbols 2",
    "Noto Emoji",
    "Noto Serif CJK SC",
    "Arial Unicode MS",
    "Unifont",
)
_FILES: Final = ("cjk", "sourcehan", "wqy", "droidsansfallback", "notosans", "unifont", "ipag", "nanumgothic")
"""Parts of names of files that may hold one of these: matplotlib's own list of fonts may be older than they are."""
_CFF: Final = b"OTTO"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """What is needed beside the figures' own typeface.

    Attributes
    ----------
    families
        Fonts that have the rest of a text's characters, as far as any has.
    missing
        Characters that none has.
    truetype
        Whether each can be embedded in a PDF as TrueType. Others have outlines of another kind (CFF), which matplotlib
        would embed under a wrong name.
    """

    families: tuple[str, ...] = ()
    missing: frozenset[str] = frozenset()
    truetype: bool = True


@lru_cache(maxsize=64)
def fallback_for(characters: frozenset[str]) -> Fallback:
    """Find fonts for the characters that the figures' own typeface lacks; cached, since charmaps take a while to read.

    Examples
    --------
    >>> fallback_for(frozenset("flip rate, é, ≥ 5 %")).families
    ()
    """
    rest = {c for c in characters if c.isprintable()} - _covered(_path(BASE))
    found: list[str] = []
    truetype = True
    if rest:
        _add_installed()
    for family in _known() if rest else ():
        if not rest:
            break
        path = _path(family)
        own = rest & _covered(path)
        if own:
            found.append(family)
            truetype = truetype and not _is_cff(path)
            rest -= own
    return Fallback(families=tuple(found), missing=frozenset(rest), truetype=truetype)


def _known() -> list[str]:
    """The listed families that this machine has, in order."""
    from matplotlib.font_manager import fontManager

    names = {entry.name for entry in fontManager.ttflist}
    return [family for family in _FAMILIES if family in names]


@lru_cache(maxsize=1)
def _add_installed() -> None:
    """Tell matplotlib of fonts that were installed after it made its list; for this process only."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    listed = {entry.fname for entry in fontManager.ttflist}
    for path in sorted(findSystemFonts()):
        name = path.replace("\\", "/").rsplit("/", 1)[-1].lower().replace("-", "").replace("_", "")
        if path not in listed and any(part in name for part in _FILES):
            try:
                fontManager.addfont(path)
            except (OSError, RuntimeError, ValueError):  # a damaged font is no font
                continue


def _path(family: str) -> str:
    from matplotlib.font_manager import FontProperties, findfont

    with quiet_fonts():
        return str(findfont(FontProperties(family=family)))


@lru_cache(maxsize=len(_FAMILIES) + 1)
def _covered(path: str) -> frozenset[str]:
    from matplotlib.ft2font import FT2Font

    return frozenset(map(chr, FT2Font(path).get_charmap()))


def _is_cff(path: str) -> bool:
    """Whether a font file holds CFF outlines: its first face's first table says so."""
    with open(path, "rb") as file:  # noqa: PTH123 - a path of matplotlib's list
        start = file.read(16)
        if start[:4] == b"ttcf":
            file.seek(int.from_bytes(start[12:16], "big"))
            start = file.read(4)
    return start[:4] == _CFF


def text_of(figure: Figure) -> frozenset[str]:
    """Every character that a figure writes."""
    from matplotlib.text import Text

    return frozenset("".join(text.get_text() for text in figure.findobj(Text))) - {"\n"}


def show_codes(figure: Figure, missing: frozenset[str]) -> None:
    """Replace each run of characters that no font has by the code of its first, as every report shows hidden ones."""
    from matplotlib.text import Text

    if not missing:
        return
    for text in figure.findobj(Text):
        if missing & set(text.get_text()):
            text.set_text(_coded(text.get_text(), missing))


def _coded(text: str, missing: frozenset[str]) -> str:
    out: list[str] = []
    run = ""
    for character in f"{text}\n":
        if character in missing:
            run += character
            continue
        if run:
            out.append(f"[U+{ord(run[0]):04X}{'…' if len(run) > 1 else ''}]")
            run = ""
        out.append(character)
    return "".join(out)[:-1]


@contextmanager
def quiet_fonts() -> Iterator[None]:
    """Without matplotlib's remarks on stderr, such as that a fallback has no bold face."""
    logger = logging.getLogger("matplotlib.font_manager")
    before = logger.level
    logger.setLevel(logging.ERROR + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
