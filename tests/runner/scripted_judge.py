"""A judge that plays a script: what it answers, in which order, and when it fails."""

from evenhand.judges.base import Answer, CostEstimate, JudgeRequest
from evenhand.records import Completion, FinishReason, JudgeIdentity, LabelSet, Usage

LABELS = LabelSet.parse("A/B")


def request_for(presentation):
    return JudgeRequest(messages=presentation.messages, labels=LABELS)


def answer_to(request):
    return Completion(
        text=f"A ({request.messages[0].content})",
        finish_reason=FinishReason.STOP,
        usage=Usage(prompt_tokens=10, completion_tokens=2),
    )


def failure(text="time-out", *, retryable=True):
    return Completion(text=None, finish_reason=FinishReason.ERROR, error=text, retryable=retryable)


class ScriptedJudge:
    """``script(batch number, requests)`` yields the answers; by default every request is answered, last first."""

    def __init__(self, script=None):
        self._script = script or backwards
        self.batches = []
        self.closed_iterators = 0

    @property
    def identity(self):
        return JudgeIdentity(spec="scripted:x", model="x")

    def label_tokens(self, labels):  # noqa: ARG002 - the interface is given
        return ()

    def estimate(self, requests):  # noqa: ARG002 - as above
        return CostEstimate(
            prompt_tokens=0,
            completion_tokens_low=0,
            completion_tokens_high=0,
            seconds_low=None,
            seconds_high=None,
            basis="none",
        )

    def answer(self, requests):
        self.batches.append([request.messages[0].content for request in requests])
        try:
            yield from self._script(len(self.batches) - 1, requests)
        finally:
            self.closed_iterators += 1

    @property
    def asked(self):
        return [content for batch in self.batches for content in batch]

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def backwards(number, requests):
    for index in reversed(range(len(requests))):
        yield Answer(index=index, completion=answer_to(requests[index]))
