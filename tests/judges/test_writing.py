"""Budgets and the watcher."""

import pytest

from evenhand.errors import ConfigError
from evenhand.judges.base import JudgeRequest
from evenhand.judges.writing import Writing, check_requests
from evenhand.records import FinishReason, LabelSet, TextStatus

LABELS = LabelSet.parse("A/B")


class Watcher:
    """Says what a table says of the text's length, and remembers how often it was asked."""

    def __init__(self, read_from=None, settled_from=None):
        self.read_from, self.settled_from, self.asked = read_from, settled_from, 0

    def status(self, text):
        self.asked += 1
        if self.settled_from is not None and len(text) >= self.settled_from:
            return TextStatus.SETTLED
        if self.read_from is not None and len(text) >= self.read_from:
            return TextStatus.READ
        return TextStatus.OPEN


def write(watcher, budgets, length):
    writing = Writing(request=JudgeRequest(messages=(), labels=LABELS, budgets=budgets, watcher=watcher))
    for count in range(1, length + 1):
        if writing.add("x", tokens=count):
            return writing
    writing.end(FinishReason.STOP)
    return writing


@pytest.mark.parametrize(
    ("watcher", "length", "tokens", "reason", "budget"),
    [
        (None, 3, 3, "stop", 5),
        (None, 7, 7, "stop", 12),
        (None, 99, 12, "length", 12),
        (Watcher(), 99, 12, "length", 12),
        (Watcher(read_from=5), 99, 5, "length", 5),
        (Watcher(read_from=6), 99, 12, "length", 12),
        (Watcher(read_from=2), 4, 4, "stop", 5),
        (Watcher(settled_from=2), 99, 2, "settled", 5),
        (Watcher(settled_from=8), 99, 8, "settled", 12),
        (Watcher(settled_from=5), 99, 5, "settled", 5),
    ],
)
def test_where_it_ends(watcher, length, tokens, reason, budget):
    writing = write(watcher, (5, 12), length)
    assert (writing.tokens, writing.finish_reason, writing.budget) == (tokens, reason, budget)
    assert writing.text == "x" * tokens


def test_the_watcher_is_asked_rarely_in_long_texts_but_always_at_a_budget():
    watcher = Watcher()
    write(watcher, (501, 1500), 2000)
    assert watcher.asked < 32 + 1500 / 8 + 3
    watcher = Watcher(read_from=501)
    assert write(watcher, (501, 1500), 2000).tokens == 501


def test_several_tokens_may_come_at_once():
    writing = Writing(request=JudgeRequest(messages=(), labels=LABELS, budgets=(2, 4, 6)))
    assert not writing.add("🦄", tokens=5)
    assert writing.budget == 6
    assert writing.add("!", tokens=6)


@pytest.mark.parametrize("budgets", [(), (0,), (5, 5), (5, 4), (-1, 3)])
def test_budgets_must_ascend(budgets):
    with pytest.raises(ConfigError, match="ascending"):
        check_requests([JudgeRequest(messages=(), labels=LABELS, budgets=budgets)], judge="any")


def test_only_greedy():
    with pytest.raises(ConfigError, match=r"temperature 0\.7"):
        check_requests([JudgeRequest(messages=(), labels=LABELS, temperature=0.7)], judge="any")


@pytest.mark.parametrize("prefill", ["", " ", "\n\t"])
def test_a_prefill_must_have_text(prefill):
    with pytest.raises(ConfigError, match="prefill"):
        check_requests([JudgeRequest(messages=(), labels=LABELS, prefill=prefill)], judge="any")
    check_requests([JudgeRequest(messages=(), labels=LABELS, prefill="It is ")], judge="any")
