"""The first token's distribution as a chat endpoint returns it: censored where it tells less, absent where it lies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evenhand.records import FirstToken, LabelSet, TokenLogProb, first_token_of

__all__ = ["FirstRead", "Position", "position_of", "read_first"]

_ROUNDING = 1e-3
"""How far rounding may lift a log probability above 0."""
_TOO_MUCH = 0.05
"""How far rounding, to two digits at the coarsest, may lift the sum of probabilities above 1."""
_UNLIKELY = -9999.0
"""OpenAI's stand-in for "not told, very unlikely"."""
_SUM_SLACK = 1e-4
"""How far the visible probabilities' sum may be off: servers add up the vocabulary in single precision (measured for
llama.cpp in docs/decisions/0002-llamacpp-judge.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One token that the endpoint named, with its bytes where it gives them."""

    text: str
    data: bytes
    logprob: float

    @property
    def record(self) -> TokenLogProb:
        """As it is recorded."""
        return TokenLogProb(text=self.text, logprob=self.logprob)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The first position as returned; ``problem`` says why it is no distribution."""

    written: Entry | None = None
    top: tuple[Entry, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRead:
    """The record, or why there is none."""

    first: FirstToken | None = None
    note: str | None = None


def position_of(choice: Mapping[str, Any]) -> Position:
    """Take the first position out of a choice."""
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list) or not content:
        return Position(problem="the endpoint returned no log probabilities")
    entry = content[0]
    listed = entry.get("top_logprobs") if isinstance(entry, dict) else None
    written = _entry(entry)
    top = [] if listed is None else [_entry(item) for item in listed] if isinstance(listed, list) else [None]
    entries = [item for item in (written, *top) if item is not None]
    if len(entries) != len(top) + 1:
        return Position(problem="the endpoint returned log probabilities that can't be read")
    if any(math.isnan(item.logprob) or item.logprob > _ROUNDING for item in entries):
        return Position(problem="the endpoint returned log probabilities that are none (NaN, missing or above 0)")
    if math.fsum(math.exp(min(0.0, item.logprob)) for item in entries[1:]) > 1.0 + _TOO_MUCH:
        return Position(problem="the endpoint returned log probabilities whose probabilities add up to more than 1")
    if all(item.text.startswith("token_id:") for item in entries):
        return Position(problem="the endpoint names tokens by id, not by text")
    kept = [replace(item, logprob=min(0.0, item.logprob)) for item in entries]
    return Position(written=kept[0], top=tuple(item for item in kept[1:] if item.logprob > _UNLIKELY))


def read_first(position: Position, *, text: str, labels: LabelSet, bound: bool = False) -> FirstRead:
    """Make the record where the position is that of the text's first token.

    Parameters
    ----------
    position
        As returned.
    text
        What the judge wrote, without what its turn began with.
    bound
        Whether the decoder was constrained: then what was written need not be likely.

    Returns
    -------
    FirstRead
        Without a record where there are no log probabilities, or where they belong to something else than the text.
    """
    written = position.written
    if position.problem is not None or written is None:
        return FirstRead(note=position.problem or "the endpoint returned no log probabilities")
    if not begins(text, written):
        return FirstRead(
            note=f"the log probabilities are not of the text's beginning (but of {written.text[:40]!r}): not used"
        )
    top = sorted(position.top, key=lambda entry: -entry.logprob)
    same = [entry for entry in top if _same(entry, written)]
    notes = []
    if not top:
        if bound or written.logprob <= _UNLIKELY:
            return FirstRead(note="the endpoint returned no top log probabilities")
        # Greedy: what was written is the likeliest.
        notes.append("the endpoint returned the written token's log probability only")
        top = [written]
    elif top[0].data[:1] and top[0].data[0] & 0xC0 == 0x80:
        # llama.cpp puts a character together from several tokens and then gives the last one's log probabilities.
        return FirstRead(note="the log probabilities are of the middle of a character: not used")
    elif not bound and not same:
        return FirstRead(note="the token that was written is not among those returned: log probabilities not used")
    elif not bound and same[0].logprob < top[0].logprob:
        notes.append(f"the endpoint wrote {written.text[:40]!r}, not the likeliest token")
    return FirstRead(first=_record(top, labels, below=_bound(top, written)), note="; ".join(notes) or None)


def begins(text: str, entry: Entry) -> bool:
    """Whether a text begins with a token, but for white space that was stripped and a character not yet whole."""
    if not entry.data:
        # A control token, such as the end of the turn.
        return not text.strip()
    data, whole = entry.data.lstrip(), text.encode("utf-8", "replace").lstrip()
    if not text.strip("\ufffd").strip() and "\ufffd" in entry.text:
        # Part of a character, and nothing after it.
        return True
    # Trailing white space of a very short text may be stripped too.
    return whole.startswith(data) or (len(whole) < len(data) and whole == data.rstrip()) or not data


def _record(top: list[Entry], labels: LabelSet, *, below: float) -> FirstToken:
    """Tokens of the same text are summed for the labels; the largest single one is the argmax."""
    together: dict[str, float] = {}
    for entry in top:
        before = together.get(entry.text)
        together[entry.text] = entry.logprob if before is None else _log_add(before, entry.logprob)
    first = first_token_of(together, labels)
    return replace(
        first,
        argmax=top[0].record,
        top=tuple(entry.record for entry in top),
        labels=tuple(
            (
                outcome,
                tuple(
                    replace(token, below=below)
                    if token.logprob is None
                    else replace(token, logprob=min(0.0, token.logprob))
                    for token in tokens
                ),
            )
            for outcome, tokens in first.labels
        ),
    )


def _bound(top: list[Entry], written: Entry) -> float:
    """The most that a token which was not returned can have: the least of the top ones, and what these leave of 1.

    What was written but is not the likeliest may be there only because it was written (vLLM lists it first, then as
    many of the likeliest as there is room for): it bounds nothing.
    """
    likeliest = [entry for entry in top if entry is top[0] or not _same(entry, written)]
    least = likeliest[-1].logprob
    rest = 1.0 - math.fsum(math.exp(entry.logprob) for entry in top)
    return min(least, math.log(max(rest, 0.0) + _SUM_SLACK))


def _log_add(one: float, other: float) -> float:
    high, low = max(one, other), min(one, other)
    return high + math.log1p(math.exp(low - high))


def _same(one: Entry, other: Entry) -> bool:
    return one.text == other.text and one.data == other.data


def _entry(item: Any) -> Entry | None:  # noqa: ANN401 - a server's own
    if not isinstance(item, dict) or not isinstance(item.get("token"), str):
        return None
    value, listed = item.get("logprob"), item.get("bytes")
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        # JSON's whole numbers have no largest one.
        number = math.nan
    token = item["token"]
    if isinstance(listed, list) and all(isinstance(b, int) and 0 <= b < 256 for b in listed):
        data = bytes(listed)
    else:
        data = b"" if token.startswith("<|") and token.endswith("|>") else token.encode("utf-8", "replace")
    return Entry(text=data.decode("utf-8", "replace") if data else token, data=data, logprob=number)
