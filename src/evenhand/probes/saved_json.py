"""The JSON file of a saved probe: the card, which tensors file belongs to it, and a checksum of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from evenhand.errors import DataError
from evenhand.probes.saved_card import ProbeCard
from evenhand.records import content_hash
from evenhand.store.codec import decode, encode

__all__ = ["FORMAT", "FORMAT_VERSION", "CardFile", "TensorsFile", "card_from_json", "card_to_json"]

FORMAT: Final = "evenhand probe"
FORMAT_VERSION: Final = 1
"""Of the two files. A reader refuses a newer one by name."""

_HEX: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorsFile:
    """The file beside the card.

    Attributes
    ----------
    file
        Its bare name: it lies in the card's own folder, and a path is refused.
    sha256
        Of its bytes.
    """

    file: str
    sha256: str

    def __post_init__(self) -> None:
        stem, dot, ending = self.file.rpartition(".")
        plain = stem.strip(".") and not any(c in "/\\:" or not c.isprintable() for c in self.file)
        if not plain or f"{dot}{ending}" != ".safetensors" or len(self.file) > 255:
            raise DataError(f"the tensors' file is {self.file[:80]!r}, expected a bare name such as probe.safetensors")
        if len(self.sha256) != 64 or not set(self.sha256) <= _HEX:
            raise DataError(f"the tensors' SHA-256 is {self.sha256[:80]!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    format: str
    format_version: int
    card: ProbeCard
    tensors: TensorsFile
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFile:
    """What a card's file holds."""

    card: ProbeCard
    tensors: TensorsFile


def card_to_json(card: ProbeCard, tensors: TensorsFile) -> str:
    """The text of ``NAME.json``: indented, ending in a line feed, the same for the same probe."""
    # As a reader will have it: a whole number in a field of floats would else hash otherwise there than here.
    content = _content(decode(ProbeCard, json.loads(json.dumps(encode(card))), what="probe"), tensors)
    return json.dumps({**content, "sha256": content_hash(content)}, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def card_from_json(text: str) -> CardFile:
    """Read :func:`card_to_json`'s text.

    Raises
    ------
    DataError
        Not a probe's card, a newer format, an unknown, missing or ill-typed field, or content that doesn't fit the
        card's own checksum; the message names the field.

    Examples
    --------
    >>> card_from_json('{"format": "evenhand probe", "format_version": 2}')
    Traceback (most recent call last):
        ...
    evenhand.errors.DataError: probe format 2 is newer than the 1 that this version of Evenhand reads: update Evenhand
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON ({str(error)[:100]})") from error
    _check_format(value)
    file = decode(_File, value, what="probe")
    if content_hash(_content(file.card, file.tensors)) != file.sha256:
        raise DataError("the card doesn't fit its own checksum: it was changed after it was written, or is damaged")
    return CardFile(card=file.card, tensors=file.tensors)


def _content(card: ProbeCard, tensors: TensorsFile) -> dict[str, Any]:
    return {"format": FORMAT, "format_version": FORMAT_VERSION, "card": encode(card), "tensors": encode(tensors)}


def _check_format(value: object) -> None:
    """Look at the version before anything else: a newer format may have fields that this one can't know."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise DataError("not the card of a saved probe")
    version = value.get("format_version")
    if type(version) is int and version > FORMAT_VERSION:
        raise DataError(
            f"probe format {version} is newer than the {FORMAT_VERSION} that this version of Evenhand reads: "
            "update Evenhand"
        )
    if version != FORMAT_VERSION or type(version) is not int:
        raise DataError(f"probe format {str(version)[:40]!r}, expected {FORMAT_VERSION}")
