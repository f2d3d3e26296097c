"""Chats to token ids by a model's own chat template: applied once, one BOS, no control tokens from inside a message."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.errors import ConfigError
from evenhand.judges.hf.tokens import ControlToken, TokenTexts
from evenhand.records import Message, content_hash

__all__ = ["ChatEncoder"]

_DATE = "26 Jul 2024"
"""What templates that print today's date get (Llama 3.1's own default): a prompt must not change overnight."""


class ChatEncoder:
    """Encode chats as a model's own template has them.

    A response may hold special-token text, such as ``<|im_end|>``: read as a control token it would end the message
    and let the response speak for the system or the judge. Messages that hold such text are encoded in parts: the
    template's control tokens as such, everything between two of them, message and template text together, as plain
    text. Without such text the ids are those of ``apply_chat_template``. Lone surrogates become U+FFFD.

    Where the template has no system role (Gemma 2), the system text is put before the user's, an empty line between.

    Parameters
    ----------
    texts
        The tokenizer.
    thinking
        Whether the judge may think first, where the template knows such a switch (``enable_thinking``).
    model
        For messages.

    Raises
    ------
    ConfigError
        There is no chat template, it can't print a user's message, or thinking is asked of one that has no switch.
    """

    def __init__(self, texts: TokenTexts, *, thinking: bool, model: str) -> None:
        self._texts = texts
        self._model = model
        self.template = _template(texts.tokenizer, model)
        self._switches: dict[str, object] = {}
        if "enable_thinking" in self.template:
            self._switches["enable_thinking"] = thinking
        elif thinking:
            raise ConfigError(f"model {model}: thinking=on, but its chat template has no enable_thinking switch")
        if "date_string" in self.template:
            self._switches["date_string"] = _DATE
        probe = self._render([{"role": "user", "content": "evenhand user"}])
        if "evenhand user" not in probe:
            raise ConfigError(f"model {model}: its chat template does not print the user's message")
        self.has_system_role = self._prints_system()
        bos = texts.tokenizer.bos_token_id
        self._bos = None if bos is None else int(bos)

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """What belongs to the judge's identity."""
        thinking = self._switches.get("enable_thinking")
        return (
            ("chat_template", f"sha256:{content_hash(self.template)}"),
            ("thinking", "not in the template" if thinking is None else "on" if thinking else "off"),
            ("system_role", "template" if self.has_system_role else "before the user's message"),
            *((("template_date", _DATE),) if "date_string" in self._switches else ()),
        )

    def encode(self, messages: Sequence[Message], *, prefill: str | None = None) -> list[int]:
        """Token ids of the whole prompt, up to where the judge goes on.

        Raises
        ------
        ConfigError
            The template refuses these messages, or special-token text in them can't be read as plain text.
        """
        chat = self._chat(messages)
        begun = _valid(prefill or "").rstrip()
        pattern = self._texts.control_pattern
        if any(pattern.search(text) for text in (*(turn["content"] for turn in chat), begun)):
            ids = self._in_parts(chat, begun)
        else:
            ids = self._texts.whole(self._render(chat) + begun)
        while len(ids) > 1 and ids[0] == ids[1] == self._bos:
            ids = ids[1:]
        return ids

    def turn_ends(self) -> frozenset[int]:
        """Control tokens that the template itself puts right after a turn of the judge; empty where it has none."""
        turns = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "evenhand answer"}]
        try:
            shown = self._render(turns, answer=False)
        except ConfigError:
            return frozenset()
        _, found, after = shown.partition("evenhand answer")
        match = self._texts.control_pattern.search(after) if found else None
        return frozenset() if match is None else frozenset({self._texts.control[match.group()].token_id})

    def _chat(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        chat = [{"role": str(message.role), "content": _valid(message.content)} for message in messages]
        if self.has_system_role:
            return chat
        system = [turn["content"] for turn in chat if turn["role"] == "system"]
        rest = [turn for turn in chat if turn["role"] != "system"]
        if system and not rest:
            rest = [{"role": "user", "content": ""}]
        if system:
            rest[0] = {**rest[0], "content": "\n\n".join([*system, rest[0]["content"]])}
        return rest

    def _in_parts(self, chat: Sequence[Mapping[str, str]], begun: str) -> list[int]:
        # Stand-ins made from the contents' own hash: no content can hold its own SHA-256, and runs repeat exactly.
        # White space at a content's ends stays outside, so that a template that trims it still does.
        seed = content_hash([turn["content"] for turn in chat])
        stand_ins: dict[str, str] = {}
        turns = []
        for index, turn in enumerate(chat):
            content = turn["content"]
            core = content.strip()
            start = content.index(core)
            name = f"message{seed}n{index}x"
            stand_ins[name] = core
            turns.append({**turn, "content": f"{content[:start]}{name}{content[start + len(core) :]}"})
        rendered = self._render(turns)
        ids: list[int] = []
        end, before = 0, None
        for match in self._texts.control_pattern.finditer(rendered):
            token = self._texts.control[match.group()]
            ids += self._segment(rendered[end : match.start()], stand_ins, before, token, first=not end)
            ids.append(token.token_id)
            end, before = match.end(), token
        tail = _filled(rendered[end:], stand_ins) + begun
        return ids + self._segment(tail, {}, before, None, first=not end)

    def _segment(
        self,
        text: str,
        stand_ins: Mapping[str, str],
        before: ControlToken | None,
        after: ControlToken | None,
        *,
        first: bool,
    ) -> list[int]:
        filled = _filled(text, stand_ins)
        if before is not None and before.rstrip:
            filled = filled.lstrip()
        if after is not None and after.lstrip:
            filled = filled.rstrip()
        return self._texts.plain(filled, first=first)

    def _prints_system(self) -> bool:
        try:
            shown = self._render(
                [{"role": "system", "content": "evenhand system"}, {"role": "user", "content": "evenhand user"}]
            )
        except ConfigError:
            return False
        return "evenhand system" in shown

    def _render(self, chat: Sequence[Mapping[str, str]], *, answer: bool = True) -> str:
        import jinja2

        try:
            shown: Any = self._texts.tokenizer.apply_chat_template(
                [dict(turn) for turn in chat], tokenize=False, add_generation_prompt=answer, **self._switches
            )
        except (jinja2.TemplateError, TypeError, ValueError, KeyError) as error:
            raise ConfigError(f"model {self._model}: its chat template refuses these messages: {error}") from error
        return str(shown)


def _template(tokenizer: Any, model: str) -> str:  # noqa: ANN401 - transformers' tokenizers have no common typed base
    try:
        template = tokenizer.get_chat_template()
    except ValueError:
        template = None
    if not template:
        raise ConfigError(
            f"model {model} has no chat template: a judge must be an instruction-tuned model whose tokenizer has one"
        )
    return str(template)


def _filled(text: str, stand_ins: Mapping[str, str]) -> str:
    if not stand_ins:
        return text
    return re.sub("|".join(stand_ins), lambda match: stand_ins[match.group()], text)


def _valid(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)


_SURROGATE = re.compile("[\ud800-\udfff]")
