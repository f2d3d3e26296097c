"""SVG fit to stand inside a page with a strict content policy: an allow-list, unique ids, no style attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree as ET

__all__ = ["clean_svg"]

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_ELEMENTS = frozenset({"svg", "g", "path", "rect", "circle", "line", "text", "tspan", "use", "defs", "clipPath"})
_PLACE = ("id", "d", "x", "y", "width", "height", "cx", "cy", "r", "transform", "viewBox", "clip-path", "opacity")
_PAINT = ("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-dashoffset")
_LINE = ("stroke-linecap", "stroke-linejoin", "stroke-miterlimit")
_LETTERS = ("font-size", "font-weight", "font-style", "text-anchor")
_ATTRIBUTES = frozenset({*_PLACE, *_PAINT, *_LINE, *_LETTERS})
_FONT = re.compile(r"(?:(?P<style>italic|oblique)\s+)?(?:(?P<weight>bold|[1-9]00)\s+)?(?P<size>[0-9.]+px)")
_LOCAL = re.compile(r"url\(#([\w.-]+)\)")


def clean_svg(source: str, *, prefix: str, title: str, description: str, classes: Mapping[str, str]) -> str:
    """Rebuild a figure's SVG for a page.

    Parameters
    ----------
    source
        What matplotlib wrote.
    prefix
        Put before every id, so that several figures can share a page.
    title, description
        For people who hear the page; the caller passes clean text, it is escaped here.
    classes
        Colour (``#rrggbb``) to name: an element of that colour gets the class ``f-NAME`` or ``s-NAME``
        (fill, stroke), so that a style sheet can adapt it to light and dark.

    Returns
    -------
    str
        One ``<svg>`` element. Elements and attributes that are not listed are dropped; references stay inside
        the figure; ``style`` attributes, which a strict policy forbids, become plain attributes.
    """
    root = ET.fromstring(source)  # noqa: S314 - made by matplotlib in this process; labels have no control characters
    out = _rebuild(root, prefix=prefix, classes=classes)
    if out is None:
        return ""
    for name in ("width", "height"):
        out.attrib.pop(name, None)
    out.attrib.update(
        {
            "role": "img",
            "aria-labelledby": f"{prefix}-title {prefix}-desc",
            "stroke-linejoin": "round",
            "focusable": "false",
        }
    )
    for index, (name, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(name, {"id": f"{prefix}-{name}"})
        element.text = text
        out.insert(index, element)
    return ET.tostring(out, encoding="unicode", short_empty_elements=True)


def _rebuild(element: ET.Element, *, prefix: str, classes: Mapping[str, str]) -> ET.Element | None:
    name = element.tag.removeprefix(_SVG)
    if name not in _ELEMENTS:
        return None
    attributes = _attributes(element, prefix=prefix, classes=classes)
    out = ET.Element(name, attributes)
    if name in ("text", "tspan"):
        out.text = element.text
    for child in element:
        kept = _rebuild(child, prefix=prefix, classes=classes)
        if kept is not None and (name != "defs" or len(kept) or kept.tag != "g"):
            out.append(kept)
    return out


def _attributes(element: ET.Element, *, prefix: str, classes: Mapping[str, str]) -> dict[str, str]:
    given = {**element.attrib, **_declarations(element.attrib.get("style", ""))}
    out: dict[str, str] = {}
    for name, value in given.items():
        if name in (_HREF, "href"):
            if value.startswith("#"):
                out["href"] = f"#{prefix}-{value[1:]}"
        elif name == "id":
            out["id"] = f"{prefix}-{value}"
        elif name in _ATTRIBUTES:
            out[name] = _LOCAL.sub(rf"url(#{prefix}-\1)", value)
    found = [f"{kind[0]}-{classes[out[kind]]}" for kind in ("fill", "stroke") if out.get(kind) in classes]
    if element.tag == f"{_SVG}text" and "fill" not in out:
        found.append("f-ink")
    if found:
        out["class"] = " ".join(found)
    return out


def _declarations(style: str) -> dict[str, str]:
    """A style attribute's declarations as attributes; the ``font`` shorthand taken apart, its family dropped."""
    out: dict[str, str] = {}
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        name, value = name.strip(), value.strip()
        if not colon:
            continue
        if name == "font" and (match := _FONT.match(value)):
            out["font-size"] = match["size"]
            out |= {key: got for key, got in (("font-weight", match["weight"]), ("font-style", match["style"])) if got}
        else:
            out[name] = value
    return out
