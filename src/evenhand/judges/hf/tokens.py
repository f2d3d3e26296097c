"""Texts and token ids of a tokenizer of transformers: plain text as plain text, tokens as the text they add."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import ConfigError
from evenhand.records import LabelSet, LabelTokens, content_hash

__all__ = ["TextStream", "TokenTexts", "label_tokens"]

_MARKUP = re.compile(r"<[^<>\s]+>|\[/?[A-Z_]+\]")
"""Added tokens that are not marked special, but look like markup, such as ``<think>``: control tokens all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlToken:
    """A token that structures a chat; ``lstrip`` and ``rstrip``: it takes the white space on that side with it."""

    text: str
    token_id: int
    lstrip: bool
    rstrip: bool


class TokenTexts:
    """A tokenizer with a second one beside it that knows no control tokens.

    Parameters
    ----------
    tokenizer
        A fast tokenizer of transformers.

    Raises
    ------
    ConfigError
        It is none of the fast ones, which alone can be told to read control tokens as plain text.
    """

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401 - transformers' tokenizers have no common typed base
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if backend is None:
            raise ConfigError(
                f"tokenizer {type(tokenizer).__name__} is not a fast one (tokenizer.json): "
                "special tokens inside a message can't be told from the template's with it"
            )
        self.tokenizer = tokenizer
        whole = backend.to_str()
        self.control = {
            token.content: ControlToken(text=token.content, token_id=number, lstrip=token.lstrip, rstrip=token.rstrip)
            for number, token in tokenizer.added_tokens_decoder.items()
            if token.content and (token.special or _MARKUP.fullmatch(token.content))
        }
        self._control_ids = frozenset(token.token_id for token in self.control.values())
        longest_first = sorted(self.control, key=len, reverse=True)
        self.control_pattern = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        self._mark = f"\ue000evenhand {content_hash(whole)}\ue001"
        self._plain, self._mark_id, self._renamed = self._without_control(json.loads(whole))
        self._anchor = [self.plain("a", first=True)[-1]]
        self._anchor_text = self._decode(self._anchor, skip=False)

    def _without_control(self, description: dict[str, Any]) -> tuple[Any, int, dict[int, int]]:
        """The plain tokenizer, the id of its mark, and ids that differ from the whole tokenizer's."""
        from tokenizers import AddedToken, Tokenizer

        kept = [token for token in description["added_tokens"] if token["content"] not in self.control]
        plain = Tokenizer.from_str(json.dumps(description | {"added_tokens": [], "post_processor": None}))
        plain.no_truncation()
        plain.no_padding()
        for token in kept:
            flags = {name: token[name] for name in ("single_word", "lstrip", "rstrip", "normalized", "special")}
            plain.add_tokens([AddedToken(token["content"], **flags)])
        plain.add_special_tokens([AddedToken(self._mark, special=True, normalized=False)])
        known = plain.get_vocab(with_added_tokens=True)
        renamed = {known[token["content"]]: int(token["id"]) for token in kept}
        return plain, known[self._mark], renamed

    def plain(self, text: str, *, first: bool = False) -> list[int]:
        """Token ids of a text in which nothing is a control token.

        Parameters
        ----------
        first
            Whether it stands at the very beginning of what the model reads: some tokenizers put a space before that.
        """
        if not text:
            return []
        ids = self._plain.encode(text if first else self._mark + text, add_special_tokens=False).ids
        ids = ids if first else ids[1:]
        known = [self._renamed.get(token, token) for token in ids]
        if self._mark_id in ids or not self._control_ids.isdisjoint(known):
            raise ConfigError("a message holds special-token text that this tokenizer can't read as plain text")
        return known

    def whole(self, text: str) -> list[int]:
        """Token ids of a text that the chat template made, control tokens read as such, nothing added."""
        return list(self.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids)

    def text(self, token: int) -> str:
        """What a token adds to a text: with its leading space; a control token by name; part of a character U+FFFD."""
        return self.decode([token], skip=False)

    def decode(self, ids: Sequence[int], *, skip: bool = True) -> str:
        """Text that tokens add; ``skip`` leaves special tokens out."""
        return self._decode([*self._anchor, *ids], skip=skip)[len(self._anchor_text) :]

    def _decode(self, ids: Sequence[int], *, skip: bool) -> str:
        return str(self.tokenizer.backend_tokenizer.decode(list(ids), skip_special_tokens=skip))

    def single(self, text: str) -> int | None:
        """The one token that adds exactly this text, or None."""
        candidates = [ids[-1] for ids in (self.plain(text), self.plain(f"\n{text}"), self.plain(f"a{text}")) if ids]
        for spelled in (text, text.replace(" ", "\u2581"), text.replace(" ", "\u0120")):
            known = self._plain.token_to_id(spelled)
            candidates += [] if known is None else [self._renamed.get(known, known)]
        return next((token for token in candidates if self.text(token) == text), None)


def label_tokens(texts: TokenTexts, labels: LabelSet, *, model: str) -> tuple[LabelTokens, ...]:
    """Every declared variant of the labels with the token that adds exactly its text.

    Raises
    ------
    ConfigError
        A label none of whose variants is a single token.
    """
    found: list[LabelTokens] = []
    for outcome, label in labels.by_outcome.items():
        ids = {variant: texts.single(variant) for variant in labels.variants(outcome)}
        if all(token is None for token in ids.values()):
            shown = ", ".join(f"{text!r} is {len(texts.plain(text))} tokens" for text in ids)
            raise ConfigError(
                f"label {label!r}: none of its variants is a single token of {model} ({shown}); choose a shorter label"
            )
        found += [LabelTokens(label=label, variant=text, token_id=token) for text, token in ids.items()]
    return tuple(found)


@dataclass(slots=True, kw_only=True)
class TextStream:
    """A text that grows token by token, in whole characters.

    Bytes of a character that is not complete yet are held back, and so they are at the end of a text that was cut.
    """

    texts: TokenTexts
    _ids: list[int] = field(default_factory=list)
    _start: int = 0
    _read: int = 0

    def add(self, token: int) -> str:
        """The text that a token completes; empty for a special token and for part of a character."""
        self._ids.append(token)
        before = self.texts.decode(self._ids[self._start : self._read])
        now = self.texts.decode(self._ids[self._start :])
        if len(now) <= len(before) or now.endswith("\ufffd"):
            return ""
        self._start, self._read = self._read, len(self._ids)
        return now[len(before) :]
