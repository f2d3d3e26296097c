"""One request on its way through the model: what was read at the first position, and what has been written since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenhand.errors import JudgeError
from evenhand.judges.base import Generate, JudgeRequest
from evenhand.judges.hf.constrain import Constraint
from evenhand.judges.hf.tokens import TextStream, TokenTexts
from evenhand.judges.writing import Writing
from evenhand.records import Completion, FinishReason, FirstToken, LabelTokens, Outcome, TokenLogProb, Usage

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Row", "failed", "read_logits"]

_TOP = 20
"""Entries of the first token's distribution that are kept for the record."""


@dataclass(slots=True, kw_only=True)
class Row:
    """A request in work.

    Attributes
    ----------
    index
        Its place in the caller's batch.
    prompt
        Token ids of the whole prompt.
    variants
        The labels' variants with their tokens.
    ends
        Tokens that end the judge's turn.
    written
        Tokens generated so far.
    starts
        For each of them, the characters of text before it.
    cached
        Prompt tokens taken from a neighbour.
    calls
        Forward passes that this row was in.
    seconds
        Its share of the time of those.
    """

    index: int
    request: JudgeRequest
    prompt: Sequence[int]
    variants: tuple[LabelTokens, ...]
    texts: TokenTexts
    ends: frozenset[int]
    constraint: Constraint | None = None
    written: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    first: FirstToken | None = None
    writing: Writing = field(init=False)
    cached: int = 0
    calls: int = 0
    seconds: float = 0.0
    _stream: TextStream = field(init=False)

    def __post_init__(self) -> None:
        self.writing = Writing(request=self.request)
        self._stream = TextStream(texts=self.texts)

    @property
    def tokens(self) -> list[int]:
        """What the model has to have read before the next token."""
        return [*self.prompt, *self.written]

    @property
    def started(self) -> bool:
        """Whether the first position has been read."""
        return bool(self.written)

    def take(self, token: int, *, score: float, logits: Tensor) -> Completion | None:
        """The next position's most probable token; the completion where the row is finished with it.

        Parameters
        ----------
        token
            The argmax.
        score
            Its logit: not finite where the model's arithmetic failed.
        logits
            The whole position, shape (vocabulary,).
        """
        if score != score or score in (float("inf"), float("-inf")):
            return failed(self, JudgeError("the model's logits are not finite: try dtype=float32"))
        if self.constraint is not None:
            return self._take_constrained(self.constraint, logits)
        led = token in {variant.token_id for variant in self.variants}
        generate = self.request.generate
        if not self.started and (generate is Generate.NEVER or (generate is Generate.UNLESS_LED and led)):
            return self._completion(text=None, reason=FinishReason.NOT_GENERATED, tokens=1, budget=None)
        if token in self.ends:
            self.writing.end(FinishReason.STOP)
        else:
            self.written.append(token)
            self.starts.append(len(self.writing.text))
            self.writing.add(self._stream.add(token), tokens=len(self.written))
        writing = self.writing
        if writing.finish_reason is None:
            return None
        return self._completion(
            text=writing.text, reason=writing.finish_reason, tokens=len(self.written), budget=writing.budget
        )

    def _take_constrained(self, constraint: Constraint, logits: Tensor) -> Completion | None:
        allowed = constraint.allowed
        scores = logits[list(allowed)].tolist()
        best = max(range(len(allowed)), key=lambda place: scores[place])
        whole = constraint.may_end
        if whole is not None and self.ends and float(logits[sorted(self.ends)].max()) >= scores[best]:
            return self._label(whole)
        self.written.append(allowed[best])
        self.starts.append(0)
        label = constraint.take(allowed[best])
        return None if label is None else self._label(label)

    def _label(self, label: str) -> Completion:
        # No budget: it is no limit under which a label was written.
        return self._completion(text=label, reason=FinishReason.STOP, tokens=len(self.written), budget=None)

    def _completion(self, *, text: str | None, reason: FinishReason, tokens: int, budget: int | None) -> Completion:
        return Completion(
            text=text,
            finish_reason=reason,
            first_token=self.first,
            budget=budget,
            usage=self.usage(tokens),
        )

    def usage(self, tokens: int | None) -> Usage:
        """What the row has cost so far."""
        return Usage(
            prompt_tokens=len(self.prompt),
            cached_tokens=self.cached,
            completion_tokens=tokens,
            calls=max(1, self.calls),
            seconds=self.seconds,
        )


def failed(row: Row, error: Exception) -> Completion:
    """The completion of a request that could not be answered."""
    return Completion(
        text=None,
        finish_reason=FinishReason.ERROR,
        error=str(error),
        retryable=bool(getattr(error, "retryable", False)),
        usage=row.usage(None),
    )


def read_logits(rows: Sequence[Row], logits: Tensor) -> list[Completion | None]:
    """Take the last position of each row: first-token records where wanted, the next token for all.

    Parameters
    ----------
    rows
        In the order of the logits.
    logits
        Shape (rows, vocabulary), any float type; probabilities are computed in float32.

    Returns
    -------
    list of Completion or None
        None: the row goes on.
    """
    import torch

    logits = logits.float()
    best = torch.argmax(logits, dim=-1)
    scores = logits.gather(1, best[:, None])[:, 0]
    broken = torch.isnan(logits).any(dim=1)
    tokens = best.tolist()
    values = torch.where(broken, torch.nan, scores).tolist()
    fresh = [place for place, row in enumerate(rows) if row.request.first_token and not row.started]
    if fresh:
        for place, first in zip(fresh, _first_tokens([rows[p] for p in fresh], logits[fresh]), strict=True):
            rows[place].first = first
    return [
        row.take(token, score=score, logits=logits[place])
        for place, (row, token, score) in enumerate(zip(rows, tokens, values, strict=True))
    ]


def _first_tokens(rows: Sequence[Row], logits: Tensor) -> list[FirstToken]:
    import torch

    norm = torch.logsumexp(logits, dim=-1, keepdim=True)
    top = torch.topk(logits, min(_TOP, logits.shape[1]), dim=-1)
    best = torch.argmax(logits, dim=-1).tolist()
    values = (top.values - norm).tolist()
    ids = top.indices.tolist()
    found = []
    for place, row in enumerate(rows):
        wanted = [variant.token_id for variant in row.variants if variant.token_id is not None]
        logprobs = dict(zip(wanted, (logits[place, wanted] - norm[place]).tolist(), strict=True))
        entries = [
            _entry(row.texts.text(token), token, value) for token, value in zip(ids[place], values[place], strict=True)
        ]
        # Of equally probable tokens the one that the judge would write comes first.
        entries.sort(key=lambda entry, chosen=best[place]: (-(entry.logprob or 0.0), entry.token_id != chosen))  # type: ignore[misc]
        found.append(FirstToken(argmax=entries[0], labels=_by_outcome(row, logprobs), top=tuple(entries)))
    return found


def _by_outcome(row: Row, logprobs: dict[int, float]) -> tuple[tuple[Outcome, tuple[TokenLogProb, ...]], ...]:
    return tuple(
        (
            outcome,
            tuple(
                _entry(variant.variant, variant.token_id, logprobs[variant.token_id])
                for variant in row.variants
                if variant.label == label and variant.token_id is not None
            ),
        )
        for outcome, label in row.request.labels.by_outcome.items()
    )


def _entry(text: str, token: int, logprob: float) -> TokenLogProb:
    # Rounding can leave a log probability a hair above 0.
    return TokenLogProb(text=text, token_id=token, logprob=min(0.0, logprob))
