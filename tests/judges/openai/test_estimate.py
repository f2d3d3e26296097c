"""What it would cost."""

import asyncio

from evenhand.judges.base import Generate, JudgeRequest
from evenhand.judges.openai.estimate import bytes_of, estimate_cost, written_at_most
from evenhand.records import LabelSet, Message, TextStatus


class Open:
    def status(self, text):  # noqa: ARG002
        return TextStatus.OPEN


def ask(content, **more):
    return JudgeRequest(
        messages=(Message(role="user", content=content),), labels=LabelSet.parse("A/B"), **({"budgets": (5, 9)} | more)
    )


def cost(requests, count=None):
    return asyncio.run(estimate_cost(requests, count))


def test_how_much_may_be_written():
    assert written_at_most(ask("x")) == 9
    assert written_at_most(ask("x", watcher=Open())) == 14
    assert written_at_most(ask("x", generate=Generate.UNLESS_LED)) == 10
    assert written_at_most(ask("x", generate=Generate.NEVER)) == 1
    assert 1 < written_at_most(ask("x", constrained=True)) < 100


def test_by_the_rule():
    found = cost([ask("ä" * 40), ask("x" * 40, prefill="so ", generate=Generate.NEVER)])
    assert bytes_of(ask("ä" * 40)) == 80
    assert found.prompt_tokens == round((80 + 42) / 4) + (4 + 3) + (8 + 3)
    assert (found.completion_tokens_low, found.completion_tokens_high) == (2, 10)
    assert found.seconds_low is None
    assert "UTF-8 bytes / 4" in found.basis


def test_by_the_server_each_prompt_once():
    asked = []

    async def count(request):
        asked.append(request.messages[0].content)
        return len(request.messages[0].content)

    found = cost([ask("abc"), ask("abc"), ask("de")], count)
    assert found.prompt_tokens == 8
    assert sorted(asked) == ["abc", "de"]
    assert "tokenised by the server" in found.basis


def test_of_many_prompts_a_sample_is_counted():
    asked = []

    async def count(request):
        asked.append(request)
        return 2 * bytes_of(request)

    requests = [ask(f"{i:05d}" * (1 + i % 3)) for i in range(950)]
    found = cost(requests, count)
    assert len(asked) == 95
    assert abs(found.prompt_tokens - 2 * sum(map(bytes_of, requests))) <= 1
    assert "95 of 950" in found.basis


def test_a_server_that_will_not_count_leaves_the_rule():
    async def count(request):
        return None

    assert cost([ask("x" * 40)], count) == cost([ask("x" * 40)])
    assert cost([], count).prompt_tokens == 0
