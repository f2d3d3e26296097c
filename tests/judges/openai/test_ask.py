"""Which calls one presentation takes, and the completion that comes of them."""

import asyncio

import pytest

from evenhand.judges.base import Generate, JudgeRequest
from evenhand.judges.openai.ask import Asker, messages_of
from evenhand.judges.openai.constraint import constraint_for
from evenhand.judges.openai.dialect import Dialect
from evenhand.judges.openai.sender import Unanswered
from evenhand.judges.openai.server import Server, ServerKind
from evenhand.judges.openai.settings import read_settings
from evenhand.records import FinishReason, LabelSet, Message, TextStatus
from judges.openai.faulty import chat, top

LABELS = LabelSet.parse("A/B")
LLAMA, VLLM, OTHER = (Server(kind=kind, root="http://127.0.0.1:1") for kind in ServerKind)
A, THE = top(A=0.8, The=0.1), top(The=0.8, A=0.1)


class Sends:
    """Sends to a script: answers, or Unanswered."""

    def __init__(self, *script):
        self._script = iter(script)
        self.bodies = []

    async def send(self, make):
        self.bodies.append(make())
        said = next(self._script)
        if isinstance(said, Exception):
            raise said
        return said


class Says:
    def __init__(self, *statuses):
        self._statuses = iter(statuses)

    def status(self, text):
        assert isinstance(text, str)
        return next(self._statuses)


def request(**more):
    chat = (Message(role="user", content="A or B?"),)
    return JudgeRequest(messages=chat, labels=LABELS, **({"budgets": (5, 9)} | more))


def ask(*script, server=None, constraint=None, dialect=None, **more):
    settings = read_settings(
        "m", spec="openai:m", options={"base_url": "http://127.0.0.1:1/v1"}, environment={"OPENAI_API_KEY": "k"}
    )
    constraints = {} if constraint is None else {LABELS: constraint_for(constraint, LABELS, ids=[[1], [2]])}
    asker = Asker(dialect or Dialect(settings), server=server, constraints=constraints)
    sends = Sends(*script)
    return asyncio.run(asker.ask(request(**more), sends)), sends.bodies


def limits(bodies):
    return [(body["max_tokens"], "logprobs" in body) for body in bodies]


def test_one_call_gives_first_token_and_text():
    completion, bodies = ask(chat("A is better.", position=A, usage=(20, 5)))
    assert limits(bodies) == [(9, True)]
    assert (completion.text, completion.finish_reason) == ("A is better.", FinishReason.STOP)
    assert completion.first_token.argmax.text == "A"
    assert (completion.budget, completion.note, completion.served) == (5, None, "served-1 (fp_1)")
    usage = completion.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.calls, usage.cached_tokens) == (20, 5, 1, None)
    assert usage.seconds >= 0


def test_without_first_token_nothing_of_it_is_asked():
    completion, bodies = ask(chat("A", position=A), first_token=False)
    assert limits(bodies) == [(9, False)]
    assert completion.first_token is None


def test_an_open_end_is_asked_again_with_more_room_and_both_calls_count():
    completion, bodies = ask(
        chat("A seems to", position=A, finish="length", usage=(20, 5)),
        chat("A seems to win: A", position=A, usage=(20, 7)),
        watcher=Says(TextStatus.OPEN),
    )
    assert limits(bodies) == [(5, True), (9, False)]
    assert (completion.text, completion.finish_reason) == ("A seems to win: A", FinishReason.STOP)
    assert completion.first_token.argmax.text == "A"
    assert completion.budget == 9
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens, completion.usage.calls) == (40, 12, 2)


@pytest.mark.parametrize("status", [TextStatus.READ, TextStatus.SETTLED])
def test_a_text_that_says_enough_is_not_asked_again(status):
    completion, bodies = ask(chat("A, for", finish="length", usage=(20, 5)), watcher=Says(status))
    assert limits(bodies) == [(5, True)]
    assert (completion.finish_reason, completion.budget) == (FinishReason.LENGTH, 5)


def test_the_last_budget_is_the_end():
    completion, bodies = ask(
        chat("A", finish="length", usage=(20, 5)),
        chat("A b c", finish="length", usage=(20, 9)),
        watcher=Says(TextStatus.OPEN, TextStatus.OPEN),
    )
    assert limits(bodies) == [(5, True), (9, False)]
    assert (completion.finish_reason, completion.budget, completion.note) == (FinishReason.LENGTH, 9, None)


def test_a_text_that_the_endpoint_cut_short_says_so():
    completion, _ = ask(chat("A", finish="length", usage=(20, 3)))
    assert completion.note == "the endpoint ended the text at 3 tokens, before the budget of 9"


def test_when_the_second_call_fails_the_first_is_not_taken_for_the_last():
    completion, _ = ask(
        chat("A seems to", position=A, finish="length", usage=(20, 5)),
        Unanswered("HTTP 503; given up", retryable=True),
        watcher=Says(TextStatus.OPEN),
    )
    assert (completion.text, completion.finish_reason) == (None, FinishReason.ERROR)
    assert completion.error == "HTTP 503; given up"
    assert completion.retryable
    assert completion.first_token.argmax.text == "A"
    assert (completion.usage.calls, completion.usage.completion_tokens) == (1, 5)
    assert "answered before the one that failed: 1" in completion.note


def test_never_asks_one_token():
    completion, bodies = ask(chat("A", position=A, finish="length"), generate=Generate.NEVER)
    assert limits(bodies) == [(1, True)]
    assert (completion.text, completion.finish_reason) == (None, FinishReason.NOT_GENERATED)
    assert completion.budget is None
    assert completion.first_token.argmax.text == "A"


def test_unless_led_writes_on_only_where_the_judge_did_not_lead():
    led, bodies = ask(chat("A", position=A, finish="length"), generate=Generate.UNLESS_LED)
    assert limits(bodies) == [(1, True)]
    assert (led.text, led.finish_reason) == (None, FinishReason.NOT_GENERATED)
    other, bodies = ask(
        chat("The", position=THE, finish="length"), chat("The better is A."), generate=Generate.UNLESS_LED
    )
    assert limits(bodies) == [(1, True), (9, False)]
    assert other.text == "The better is A."
    assert other.first_token.argmax.text == "The"
    assert other.usage.calls == 2


def test_unless_led_writes_on_where_it_can_not_be_told():
    blind = chat("A") | {}
    blind["choices"][0]["logprobs"] = None
    completion, bodies = ask(blind, chat("A!"), generate=Generate.UNLESS_LED)
    assert len(bodies) == 2
    assert completion.text == "A!"
    assert completion.first_token is None
    assert completion.note == (
        "the endpoint returned no log probabilities; whether the judge led with a label is unknown: "
        "its text was asked for"
    )
    led, _ = ask(chat("A", position=A), generate=Generate.UNLESS_LED, first_token=False)
    assert (led.first_token, led.text) == (None, None)


def test_what_was_withheld_is_filtered_also_at_the_first_token():
    data = chat(None, finish="content_filter")
    for generate in (Generate.NEVER, Generate.ALWAYS):
        completion, _ = ask(data, generate=generate)
        assert completion.finish_reason is FinishReason.FILTERED
        assert "withheld" in completion.note
        assert completion.error is None


def test_no_choice_is_an_error_worth_another_try():
    completion, _ = ask(chat() | {"choices": []})
    assert completion.finish_reason is FinishReason.ERROR
    assert completion.retryable
    assert completion.usage.prompt_tokens == 10


def test_a_begun_turn_is_the_last_message_without_trailing_space():
    more = {"prefill": "The better response is \n"}
    assert messages_of(request(**more))[-1] == Message(role="assistant", content="The better response is")
    assert messages_of(request(prefill=" ")) == messages_of(request())
    completion, bodies = ask(chat("The better response is A.", position=top(_A=0.9)), server=LLAMA, **more)
    assert bodies[0]["messages"][-1] == {"role": "assistant", "content": "The better response is"}
    assert (completion.text, completion.note) == (" A.", None)
    assert completion.first_token.argmax.text == " A"
    _, bodies = ask(chat(" A.", position=top(_A=0.9)), server=VLLM, **more)
    assert bodies[0]["continue_final_message"] is True
    assert bodies[0]["add_generation_prompt"] is False
    unknown, _ = ask(chat(" A.", position=top(_A=0.9)), server=OTHER, **more)
    assert "not known to go on" in unknown.note


@pytest.mark.parametrize(
    ("server", "method", "said"),
    [
        (LLAMA, "grammar", "B"),
        (LLAMA, "logit_bias", "B"),
        (VLLM, "choice", "B"),
        (OTHER, "response_format", '{"verdict": "B"}'),
    ],
)
def test_constrained(server, method, said):
    position = {**top(B=0.1, The=0.8), "top_logprobs": top(The=0.8, A=0.1)["top_logprobs"]}
    data = chat(said, position=position, finish="length")
    completion, bodies = ask(data, server=server, constraint=method, constrained=True)
    assert (completion.text, completion.finish_reason, completion.budget) == ("B", FinishReason.STOP, None)
    assert completion.note.startswith(f"constrained by {method}")
    own = method != "response_format"
    assert (completion.first_token is not None) is own
    assert ("may not be the judge's own" in completion.note) is not own
    assert bodies[0].keys() >= constraint_for(method, LABELS, ids=[[1], [2]]).fields.keys()
    if own:
        assert completion.first_token.argmax.text == "The"


def test_a_constraint_that_is_ignored_leaves_the_text_and_says_so():
    completion, _ = ask(chat("I prefer A."), server=OTHER, constraint="response_format", constrained=True)
    assert (completion.text, completion.finish_reason) == ("I prefer A.", FinishReason.STOP)
    assert completion.note.endswith("the endpoint did not keep to the constraint")


def test_a_constraint_that_is_refused_is_an_error():
    refusal = Unanswered("HTTP 400: unknown field response_format", retryable=False)
    completion, _ = ask(refusal, server=OTHER, constraint="response_format", constrained=True)
    assert completion.error.startswith("the endpoint does not take the constraint (response_format): HTTP 400")
    assert not completion.retryable
    passing, _ = ask(Unanswered("HTTP 503", retryable=True), server=OTHER, constraint="choice", constrained=True)
    assert (passing.error, passing.retryable) == ("HTTP 503", True)


def test_a_least_limit_is_noted():
    settings = read_settings(
        "m", spec="openai:m", options={"base_url": "http://127.0.0.1:1/v1"}, environment={"OPENAI_API_KEY": "k"}
    )
    dialect = Dialect(settings)
    dialect.fewest = 16
    completion, bodies = ask(chat("A and more", position=A), dialect=dialect, generate=Generate.NEVER)
    assert limits(bodies) == [(16, True)]
    assert completion.text is None
    assert completion.note == "the endpoint takes no token limit below 16"
