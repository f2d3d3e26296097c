"""Small records that the store's and the runner's tests share."""

from evenhand.records import (
    Completion,
    Condition,
    DataIdentity,
    FinishReason,
    FirstToken,
    JudgeIdentity,
    LabelSet,
    LabelTokens,
    Message,
    Order,
    Outcome,
    Pair,
    Presentation,
    RunManifest,
    Sampling,
    TokenLogProb,
    Usage,
)

ANSWER = Completion(text="A", finish_reason=FinishReason.STOP, usage=Usage(prompt_tokens=10, completion_tokens=1))
FAILURE = Completion(text=None, finish_reason=FinishReason.ERROR, error="time-out", retryable=True)
RICH_ANSWER = Completion(
    text="The answer is A",
    finish_reason=FinishReason.SETTLED,
    first_token=FirstToken(
        argmax=TokenLogProb(text="The", token_id=5, logprob=-0.1),
        labels=(
            (Outcome.FIRST, (TokenLogProb(text="A", token_id=1, logprob=-2.5),)),
            (Outcome.SECOND, (TokenLogProb(text="B", token_id=2, logprob=float("-inf")),)),
        ),
        top=(TokenLogProb(text="The", token_id=5, logprob=-0.1), TokenLogProb(text="\ud800", below=-3.0)),
        whole_vocabulary=False,
    ),
    budget=500,
    usage=Usage(prompt_tokens=100, cached_tokens=40, completion_tokens=4, calls=2, seconds=0.25),
    log_outcome=Outcome.TIE,
    log_note="kept",
)


def pairs(count):
    return [Pair(id=f"p{i}", instruction=f"question {i}", response_a="yes", response_b="no") for i in range(count)]


def presentations(count, *, labels="A/B"):
    return [
        Presentation(
            key=f"{labels}-p{i}-{order}",
            pair_id=f"p{i}",
            condition=f"single-character, {labels}",
            order=order,
            messages=(Message(role="user", content=f"p{i} {order}"),),
        )
        for i in range(count)
        for order in Order
    ]


def manifest(**changes):
    labels = LabelSet.parse("A/B")
    values = {
        "kind": "live",
        "judge": JudgeIdentity(spec="scripted:x", model="x", settings=(("threads", "2"),)),
        "data": DataIdentity(spec="made up", pairs=1, sha256="00"),
        "conditions": (Condition(id="single-character, A/B", prompt="single", prompt_hash="1", labels=labels),),
        "readouts": ("first-token", "generated"),
        "sampling": Sampling(),
        "label_tokens": (("single-character, A/B", (LabelTokens(label="A", variant=" A", token_id=None),)),),
        "created": "2026-01-01T00:00:00Z",
        **changes,
    }
    return RunManifest(**values)
