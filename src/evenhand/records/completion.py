"""What a judge returned for one presentation, before anybody reads a verdict from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evenhand.records.outcome import Outcome

__all__ = ["Completion", "FinishReason", "FirstToken", "TokenLogProb", "Usage"]


class FinishReason(StrEnum):
    """Why the text ends where it does."""

    STOP = "stop"
    """The judge ended its turn."""
    LENGTH = "length"
    """The last budget was used up."""
    SETTLED = "settled"
    """We stopped it: no later text could change the parse."""
    FILTERED = "filtered"
    """The provider's filter withheld the answer, or the API marked a refusal."""
    NOT_GENERATED = "not-generated"
    """Only the first token was asked for."""
    ERROR = "error"
    """No answer: ``Completion.error`` says why."""
    UNKNOWN = "unknown"
    """A log that doesn't say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLogProb:
    """Natural-log probability of one token at the first generated position.

    Attributes
    ----------
    text
        The token as text.
    token_id
        Its id where the engine tells.
    logprob
        None where it was not returned (outside top-k): *censored*, never 0.
    below
        For a censored token, the upper bound on ``logprob``: the smallest log probability that was returned.
    """

    text: str
    token_id: int | None = None
    logprob: float | None = None
    below: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstToken:
    """The distribution at the first generated position.

    Attributes
    ----------
    argmax
        The most probable token, over the whole vocabulary or, when ``whole_vocabulary`` is False, over the
        returned top entries (the same token, since the top entries are the largest).
    labels
        For each verdict that the prompt offers, the log probabilities of the label's declared variants that
        are single tokens of the judge's vocabulary.
    top
        The largest entries, descending, for the record.
    whole_vocabulary
        Whether the engine could return any token asked for (else labels may be censored).
    """

    argmax: TokenLogProb
    labels: tuple[tuple[Outcome, tuple[TokenLogProb, ...]], ...]
    top: tuple[TokenLogProb, ...] = ()
    whole_vocabulary: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and time that one presentation cost.

    ``prompt_tokens`` counts the whole prompt; ``cached_tokens`` of them were not computed again.
    """

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    calls: int = 1
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A judge's answer to one presentation. Readouts read it; nothing here is a verdict.

    Attributes
    ----------
    text
        What the judge wrote, without prompt and special tokens; None where nothing was generated.
    finish_reason
        Why it ends there.
    first_token
        None where the engine or log gives no log probabilities.
    budget
        The token budget under which the text was accepted (500, then 1,500), None for logs.
    error
        Why there is no answer; set exactly when ``finish_reason`` is ERROR.
    retryable
        Whether asking again may help; only with an error.
    note
        What a reader of this answer must know, such as why there is no first token; None where nothing was odd.
    served
        What the endpoint says answered, such as the dated model name and its fingerprint; None where it doesn't say.
    log_outcome
        An imported log's own reading of this presentation, kept beside ours.
    """

    text: str | None
    finish_reason: FinishReason
    first_token: FirstToken | None = None
    budget: int | None = None
    usage: Usage = Usage()
    error: str | None = None
    retryable: bool = False
    note: str | None = None
    served: str | None = None
    log_outcome: Outcome | None = None
    log_note: str | None = None
