"""One prefill and the first token's distribution: exact, never censored, and the same alone or in any batch.

llama.cpp computes a token that is alone in its batch with other kernels than tokens in company, and the log
probabilities then differ by some tenths. So the batches are fixed: the prompt without its last token is prefilled
in batches of two or more (with flash attention off their results don't depend on how they are cut, measured bit for
bit in docs/decisions/0002-llamacpp-judge.md), and the last token is always computed alone. Asking for another
token's log probability then computes one token again, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evenhand.errors import JudgeError

__all__ = ["Completer", "FirstStep", "Prefiller", "VocabularyEntry"]

_ENTRIES = 128
"""Log probabilities to ask for: so many cost nothing measurable, while the whole vocabulary of SmolLM2-135M (49,152)
costs about 0.9 s on 2 cores. A label outside them is asked for by itself, which costs one token."""


class Completer(Protocol):
    """What this needs of an engine."""

    def complete(
        self,
        prompt: Sequence[int],
        *,
        max_tokens: int,
        n_probs: int = 0,
        reuse: bool = True,
        force: int | None = None,
    ) -> dict[str, Any]:
        """See :meth:`evenhand.judges.llama.engine.LlamaEngine.complete`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyEntry:
    """One token of the vocabulary with its log probability; ``data`` its bytes, empty for a control token."""

    token_id: int
    logprob: float
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStep:
    """The first generated position.

    Attributes
    ----------
    entries
        The largest, descending.
    wanted
        Log probabilities of the tokens asked for, in that order.
    ends_turn
        Whether the most probable token ends the judge's turn.
    cached_tokens
        Prompt tokens taken from the presentation before.
    calls
        Engine calls made.
    """

    entries: tuple[VocabularyEntry, ...]
    wanted: tuple[tuple[int, float], ...]
    ends_turn: bool
    cached_tokens: int
    calls: int

    @property
    def argmax(self) -> VocabularyEntry:
        """The most probable token over the whole vocabulary."""
        return self.entries[0]

    def logprob(self, token: int) -> float:
        """Log probability of a token that was asked for."""
        return dict(self.wanted)[token]


class Prefiller:
    """Prefills prompts on one engine, reusing the part shared with the prompt before where that is exact."""

    def __init__(self, engine: Completer, *, n_batch: int, reuse: bool) -> None:
        self._engine = engine
        self._n_batch = n_batch
        self._reuse = reuse
        self._held: Sequence[int] = ()

    def first_step(self, prompt: Sequence[int], *, wanted: Sequence[int], any_token: int) -> FirstStep:
        """Prefill a prompt and read its first position.

        Parameters
        ----------
        prompt
            Token ids, not empty.
        wanted
            Tokens whose log probabilities are needed.
        any_token
            A token with a text of its own, written in place of one whose text is only part of a character, for which
            llama.cpp returns no log probabilities. It changes nothing but that.
        """
        cached, calls = self._prefill(prompt[:-1])
        position = self._read(prompt, n_probs=_ENTRIES)
        calls += 1
        ends_turn = position.finish == "stop"
        if position.written is None:
            position = self._read(prompt, n_probs=_ENTRIES, force=any_token)
            calls += 1
        if not position.top:
            raise JudgeError("llama.cpp returned no log probabilities", retryable=True)
        known = {entry.token_id: entry.logprob for entry in position.top}
        for token in wanted:
            if token not in known:
                # What is written has its own log probability reported, the model's, however it came to be written.
                forced = self._read(prompt, n_probs=_ENTRIES, force=token).written
                calls += 1
                if forced is None or forced.token_id != token:
                    raise JudgeError(f"llama.cpp returned no log probability of token {token}", retryable=True)
                known[token] = forced.logprob
        return FirstStep(
            entries=position.top,
            wanted=tuple((token, known[token]) for token in wanted),
            ends_turn=ends_turn,
            cached_tokens=cached,
            calls=calls,
        )

    def forget(self) -> None:
        """The engine was used for something else: what it holds is unknown."""
        self._held = ()

    def _prefill(self, body: Sequence[int]) -> tuple[int, int]:
        """Compute all but the last token; returned: tokens taken from the cache, and calls made."""
        if not body:
            return 0, 0
        shared = self._shared(body)
        self._held = ()
        got = self._engine.complete(body, max_tokens=1, reuse=shared > 0)
        calls = 1
        if _cached(got) != shared:
            # The engine kept another part than we thought: what it computed may have been cut to single tokens.
            shared = 0
            got = self._engine.complete(body, max_tokens=1, reuse=False)
            calls = 2
        self._held = tuple(body)
        return shared, calls

    def _shared(self, body: Sequence[int]) -> int:
        """Leading tokens to take from the cache; 0 where that would compute some token alone, or reuse one that was."""
        if not self._reuse:
            return 0
        shared = 0
        for mine, its in zip(body, self._held, strict=False):
            if mine != its:
                break
            shared += 1
        alone = (len(body) - shared) % self._n_batch == 1 or len(body) % self._n_batch == 1
        # Beyond the held prompt follow tokens that were computed alone, while writing.
        beyond = shared == len(self._held)
        return 0 if shared >= len(body) - 1 or alone or beyond else shared

    def _read(self, prompt: Sequence[int], *, n_probs: int, force: int | None = None) -> _Position:
        choice = self._engine.complete(prompt, max_tokens=1, n_probs=n_probs, force=force)["choices"][0]
        content = (choice.get("logprobs") or {}).get("content") or []
        finish = choice.get("finish_reason")
        if not content:
            return _Position(written=None, top=(), finish=finish)
        return _Position(
            written=_entry(content[0]), top=tuple(_entry(e) for e in content[0]["top_logprobs"]), finish=finish
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Position:
    """What one call tells of the first position; ``written`` None where it was only part of a character."""

    written: VocabularyEntry | None
    top: tuple[VocabularyEntry, ...]
    finish: str | None


def _entry(data: dict[str, Any]) -> VocabularyEntry:
    # Rounding can leave a log probability a hair above 0.
    return VocabularyEntry(
        token_id=int(data["id"]), logprob=min(0.0, float(data["logprob"])), data=bytes(data["bytes"])
    )


def _cached(got: dict[str, Any]) -> int:
    return int(got["usage"]["prompt_tokens_details"]["cached_tokens"])
