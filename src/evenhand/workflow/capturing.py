"""A judge whose activations are on the disk before its answers are handed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from evenhand.errors import DataError, JudgeError
from evenhand.judges import Answer, Captures, CostEstimate, JudgeRequest
from evenhand.probes.activation_files import ActivationRecord, ActivationStore
from evenhand.probes.activation_record import positions_of
from evenhand.probes.places import Position
from evenhand.records import Completion, FinishReason, JudgeIdentity, LabelSet, LabelTokens, Presentation
from evenhand.workflow.judged import UNKEPT
from evenhand.workflow.verdict_token import Locate

if TYPE_CHECKING:
    from evenhand.judges.hf.capture import Captured

__all__ = ["CapturingJudge", "record_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remembered:
    """A request that was handed out, kept alive so that its identity stays its own."""

    request: JudgeRequest
    presentation: Presentation


class CapturingJudge:
    """Hands every request on to a judge that captures, and keeps what it captured.

    A runner counts an answer once it has it, so the record is written first. What fails leaves no record. An answer of
    which something was captured that can't be kept, such as a number that isn't finite, is handed on as a failed one.

    Parameters
    ----------
    judge
        Who answers. It stays the caller's to close, also through :meth:`close`.
    store
        Where records go: begun, with ``layers``.
    layers
        Which layers to keep, ascending.
    locate
        Which written token is the verdict (:func:`evenhand.workflow.verdict_token.verdict_locator`).
    """

    def __init__(self, judge: Captures, store: ActivationStore, *, layers: Sequence[int], locate: Locate) -> None:
        self._judge = judge
        self._store = store
        self._layers = tuple(layers)
        self._locate = locate
        self._remembered: dict[int, _Remembered] = {}

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's own: that its activations are kept changes no answer."""
        return self._judge.identity

    def label_tokens(self, labels: LabelSet) -> tuple[LabelTokens, ...]:
        """The judge's own."""
        return self._judge.label_tokens(labels)

    def estimate(self, requests: Sequence[JudgeRequest]) -> CostEstimate:
        """The judge's own."""
        return self._judge.estimate(requests)

    def request_for(self, presentation: Presentation, request: JudgeRequest) -> JudgeRequest:
        """The same request, as an object that stands for this presentation until it is answered.

        Requests don't say whose they are, and two may be equal: a repeat asks the same thing again.
        """
        made = replace(request)
        self._remembered[id(made)] = _Remembered(request=made, presentation=presentation)
        return made

    def answer(self, requests: Sequence[JudgeRequest]) -> Iterator[Answer]:
        """Answer each request, its record on the disk before its answer is yielded; see :class:`Judge`.

        Raises
        ------
        JudgeError
            The judge as a whole failed, captured nothing of an answer, or a request didn't come from
            :meth:`request_for`.
        StoreError
            A record could not be written: its answer is not yielded.
        """
        presentations = []
        for request in requests:
            remembered = self._remembered.pop(id(request), None)
            if remembered is None:
                raise JudgeError("a request whose presentation is unknown: make it with CapturingJudge.request_for")
            presentations.append(remembered.presentation)
        return self._answers(requests, presentations)

    def _answers(self, requests: Sequence[JudgeRequest], presentations: Sequence[Presentation]) -> Iterator[Answer]:
        held: dict[int, Captured] = {}

        def hold(captured: Captured) -> None:
            held[captured.index] = captured

        with self._judge.capture(layers=self._layers, sink=hold):
            answers = self._judge.answer(requests)
            try:
                for answer in answers:
                    captured = held.pop(answer.index, None)
                    if answer.completion.finish_reason is not FinishReason.ERROR:
                        if captured is None or not 0 <= answer.index < len(presentations):
                            raise JudgeError(
                                f"judge {self.identity.spec} captured nothing of index {answer.index}: "
                                "this is a fault of the judge's code"
                            )
                        answer = self._kept(presentations[answer.index], captured, answer)
                    yield answer
            finally:
                close = getattr(answers, "close", None)
                if close is not None:
                    close()

    def _kept(self, presentation: Presentation, captured: Captured, answer: Answer) -> Answer:
        """The answer once its record is written; a failed one where what was captured of it can't be kept."""
        try:
            index = self._locate(captured, answer.completion)
            record = record_of(presentation, captured, verdict_index=index)
        except (DataError, IndexError) as error:
            return Answer(index=answer.index, completion=_unkept(answer.completion, error))
        try:
            self._store.add(record)
        except DataError as error:
            raise JudgeError(
                f"judge {self.identity.spec}: what it captured of pair {presentation.pair_id!r}, order "
                f"{presentation.order}, can't be kept: {error}"
            ) from error
        return answer

    def close(self) -> None:
        """Close the judge."""
        self._judge.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _unkept(completion: Completion, error: Exception) -> Completion:
    """Asking again would compute the same, so it isn't retried within a call."""
    return Completion(
        text=None,
        finish_reason=FinishReason.ERROR,
        usage=completion.usage,
        error=f"{UNKEPT}: {error}",
    )


def record_of(presentation: Presentation, captured: Captured, *, verdict_index: int | None) -> ActivationRecord:
    """What is kept of a captured presentation: two positions of all that the judge went through.

    Raises
    ------
    DataError
        The captured parts don't fit each other, or aren't finite.
    """
    places = {Position.BEFORE_VERDICT: verdict_index, Position.PROMPT_END: 0}
    vectors = {}
    for position in positions_of(verdict_index):
        place = places[position]
        if place is None or place >= len(captured.vectors):
            raise DataError(f"there are {len(captured.vectors)} positions, the verdict is at {place}", field="vectors")
        # A copy: a view would keep the whole text's activations in memory.
        vectors[position] = np.array(captured.vectors[place], dtype=np.float32)
    return ActivationRecord(
        key=presentation.key,
        pair_id=presentation.pair_id,
        order=presentation.order,
        repeat=presentation.repeat,
        layers=captured.layers,
        vectors=vectors,
        prompt_ids=captured.prompt_ids,
        token_ids=captured.token_ids,
        verdict_index=verdict_index,
        label_ids=captured.label_ids,
        label_logits=None if verdict_index is None else np.array(captured.label_logits[verdict_index]),
    )
