"""Chat messages to token ids: the template applied once, one BOS, and no control tokens from inside a message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from evenhand.records import Message, content_hash

__all__ = ["PromptEncoder", "Tokenizer"]


class Tokenizer(Protocol):
    """What encoding needs of an engine."""

    bos_text: str

    def tokenize(self, text: str, *, special: bool, add_special: bool = False) -> list[int]:
        """Token ids of a text."""
        ...

    def pieces(self, text: str) -> list[tuple[int, str]]:
        """Token ids with their texts, special tokens read as such."""
        ...

    def render(self, messages: Sequence[dict[str, str]]) -> str:
        """The chat template applied."""
        ...


class PromptEncoder:
    """Encode chats as a model's own template has them.

    A response may hold special-token text, such as ``<|im_end|>``: read as a control token it would end the message
    and let the response speak for the system or the judge. Messages that hold such text are therefore encoded in
    parts: the template's special tokens as such, everything between two of them, message and template text together,
    as plain text. That is how llama.cpp splits a whole prompt too, so nothing changes for the text around it.

    Lone surrogates, which no tokenizer takes, become U+FFFD.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._special: dict[int, bool] = {}
        bos = tokenizer.tokenize(tokenizer.bos_text, special=True) if tokenizer.bos_text else []
        added = tokenizer.tokenize("", special=True, add_special=True)
        self._bos = bos[0] if len(bos) == 1 and added[:1] == bos else None

    def encode(self, messages: Sequence[Message], *, prefill: str | None = None) -> list[int]:
        """Token ids of the whole prompt, up to where the judge begins or, with ``prefill``, goes on.

        The prefill's own tokens are added behind the prompt's, as the judge would have written them: the prompt keeps
        its tokens (a template's last line end never joins the prefill's first word), special-token text is plain text,
        and white space at its end is left to the next token.
        """
        contents = [_valid(message.content) for message in messages]
        if any(self._holds_special_text(content) for content in contents):
            ids = self._in_parts(messages, contents)
        else:
            rendered = self._tokenizer.render(_chat(messages, contents))
            ids = self._tokenizer.tokenize(rendered, special=True)
        if self._bos is not None and ids[:1] != [self._bos]:
            ids = [self._bos, *ids]
        return ids + self._plain(_valid((prefill or "").rstrip()))

    def _holds_special_text(self, content: str) -> bool:
        plain = self._tokenizer.tokenize(content, special=False)
        return plain != self._tokenizer.tokenize(content, special=True)

    def _in_parts(self, messages: Sequence[Message], contents: Sequence[str]) -> list[int]:
        # Stand-ins made from the contents' own hash: no content can hold its own SHA-256, and runs repeat exactly.
        seed = content_hash([*contents])
        stand_ins = {f"message{seed}n{index}x": content for index, content in enumerate(contents)}
        rendered = self._tokenizer.render(_chat(messages, list(stand_ins)))
        pattern = "(" + "|".join(stand_ins) + ")"
        ids: list[int] = []
        text = ""
        for part in re.split(pattern, rendered):
            if part in stand_ins:
                text += stand_ins[part]
                continue
            end = 0
            for token, piece in self._special_tokens(part):
                start = part.index(piece, end)
                text += part[end:start]
                ids += self._plain(text)
                ids.append(token)
                text, end = "", start + len(piece)
            text += part[end:]
        return ids + self._plain(text)

    def _plain(self, text: str) -> list[int]:
        return self._tokenizer.tokenize(text, special=False) if text else []

    def _special_tokens(self, part: str) -> list[tuple[int, str]]:
        """The special tokens of a part of the template, in order: those whose text alone doesn't give them."""
        found = []
        for token, piece in self._tokenizer.pieces(part) if part else []:
            if token not in self._special:
                self._special[token] = bool(piece) and piece in part and self._plain(piece) != [token]
            if self._special[token]:
                found.append((token, piece))
        return found


def _valid(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _chat(messages: Sequence[Message], contents: Sequence[str]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": content} for message, content in zip(messages, contents, strict=True)]
