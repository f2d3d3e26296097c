"""Question and answers inside the judge prompts of MT-bench's family, found by their marker lines.

The markers are those of ``fastchat/llm_judge/data/judge_prompts.jsonl`` (https://github.com/lm-sys/FastChat, prompts
``pair-v2``, ``pair-math-v1`` and their multi-turn forms) and of ``config/judge_config.yaml``
(https://github.com/lmarena/arena-hard-auto).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["PromptTexts", "exchanged", "texts_in", "texts_missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTexts:
    """What a judge prompt shows: the question, and an answer in each slot (empty second where there is one)."""

    instruction: str
    first: str
    second: str


_QUESTIONS = (
    ("[User Question]\n", "\n\n[The Start of "),
    ("[Question]\n", "\n\n[The Start of "),
    ("<|User Prompt|>\n", "\n\n<|The Start of Assistant A's Answer|>"),
)

_ANSWERS = (
    ("[The Start of Assistant {}'s Answer]\n", "\n[The End of Assistant {}'s Answer]"),
    ("<|The Start of Assistant {}'s Answer|>\n", "\n<|The End of Assistant {}'s Answer|>"),
)

_SINGLE = ("[The Start of Assistant's Answer]\n", "\n[The End of Assistant's Answer]")

_TALKS = (
    "<|The Start of Assistant {}'s Conversation with User|>\n",
    "\n<|The End of Assistant {}'s Conversation with User|>",
)


def texts_in(prompt: str) -> PromptTexts | None:
    r"""Find question and answers; None where a marker is absent or stands there more than once.

    Of a conversation of several turns the instruction is every user turn, and the answer every turn of the assistant.

    Examples
    --------
    >>> answer = "<|The Start of Assistant {0}'s Answer|>\n{1}\n<|The End of Assistant {0}'s Answer|>\n\n"
    >>> texts_in("<|User Prompt|>\nWhy?\n\n" + answer.format("A", "So.") + answer.format("B", "No."))
    PromptTexts(instruction='Why?', first='So.', second='No.')
    """
    for begin, end in _ANSWERS:
        first, second = (_between(prompt, begin.format(side), end.format(side)) for side in "AB")
        question = _question(prompt)
        if first is not None and second is not None and question is not None:
            return PromptTexts(instruction=question, first=first, second=second)
    single, question = _between(prompt, *_SINGLE), _question(prompt)
    if single is not None and question is not None:
        return PromptTexts(instruction=question, first=single, second="")
    talks = [_talk(prompt, side) for side in "AB"]
    if talks[0] is None:
        return None
    if talks[1] is None:
        return PromptTexts(instruction=talks[0][0], first=talks[0][1], second="")
    if talks[0][0] != talks[1][0]:
        return None
    return PromptTexts(instruction=talks[0][0], first=talks[0][1], second=talks[1][1])


def exchanged(one: PromptTexts, other: PromptTexts) -> bool:
    """Whether two prompts show the same question with the two answers in exchanged slots."""
    return one.instruction == other.instruction and (one.first, one.second) == (other.second, other.first)


def texts_missing(texts: Sequence[PromptTexts | None], *, prompts: bool) -> tuple[str, ...]:
    """Say for a log's notes of how many pairs the texts are not known, and why; nothing where all are.

    Examples
    --------
    >>> texts_missing([None, None], prompts=False)
    ('the file keeps no prompts, so its pairs are without their texts',)
    """
    unread = sum(found is None for found in texts)
    if not unread:
        return ()
    if not prompts:
        return ("the file keeps no prompts, so its pairs are without their texts",)
    why = "the prompts of their two games don't show the same texts, in exchanged places, between the known markers"
    return (f"{unread} of {len(texts)} pairs are without their texts: {why}",)


def _question(prompt: str) -> str | None:
    for begin, end in _QUESTIONS:
        if prompt.count(begin) == 1:
            start = prompt.index(begin) + len(begin)
            stop = prompt.find(end, start)
            if stop >= 0:
                return prompt[start:stop]
    return None


def _between(text: str, begin: str, end: str) -> str | None:
    """The text between two markers that each stand there exactly once."""
    if text.count(begin) != 1 or text.count(end) != 1:
        return None
    start, stop = text.index(begin) + len(begin), text.index(end)
    return text[start:stop] if start <= stop else None


def _talk(prompt: str, side: str) -> tuple[str, str] | None:
    """The user's turns and the assistant's, each joined."""
    block = _between(prompt, _TALKS[0].format(side), _TALKS[1].format(side))
    if block is None:
        return None
    user, assistant = "\n### User:\n", f"\n### Assistant {side}:\n"
    turns = block.split(user)[1:]
    if not turns or any(turn.count(assistant) != 1 for turn in turns):
        return None
    asked, answered = zip(*(turn.split(assistant) for turn in turns), strict=True)
    return "\n\n".join(map(str.strip, asked)), "\n\n".join(map(str.strip, answered))
