"""The JudgeBench outputs at hand, scored by the published rule."""

import pytest

from evenhand.logs import inspect, read_log
from evenhand.logs.judgebench import published_score
from evenhand.records import Order
from real.log_data import needs, real

OUTPUTS = real("judgebench/outputs/*.jsonl")
pytestmark = [pytest.mark.real, needs(OUTPUTS, "JudgeBench outputs")]


@pytest.fixture(scope="module")
def log():
    return read_log("judgebench", OUTPUTS[0])


def test_the_published_score(log):
    score = published_score(log)
    assert score.pairs == 270
    assert f"{score.correct_percent:.2f}" == "32.22"
    assert (score.inconsistent, score.nulls) == (135, 13)


def test_what_the_inconsistent_pairs_are(log):
    score = published_score(log)
    # No pair is null in both games, so every null is an inconsistency by the published rule.
    assert (score.flips, score.tie_changes) == (44, 78)
    assert score.flips + score.tie_changes + score.nulls == score.inconsistent
    assert score.correct + score.incorrect + score.tied == score.pairs


def test_the_records(log):
    assert log.judge.model == "claude-3-haiku-20240307"
    assert len(log.entries) == 540
    assert len({pair.group for pair in log.pairs}) == 269
    assert inspect(OUTPUTS[0]).importable


def test_the_prompts_show_the_responses_in_the_order_that_we_say(log):
    """The log keeps its prompts, so the order of the two games can be checked against them."""
    pairs = {pair.id: pair for pair in log.pairs}
    contradicted = []
    for entry in log.entries:
        pair, prompt = pairs[entry.presentation.pair_id], entry.presentation.messages[0].content
        first, second = prompt.find("<|The Start of Assistant A's"), prompt.find("<|The Start of Assistant B's")
        straight = entry.presentation.order is Order.AB
        above, below = (pair.response_a, pair.response_b) if straight else (pair.response_b, pair.response_a)
        if not (0 <= first <= prompt.find(above, first) < second <= prompt.find(below, second)):
            contradicted.append(entry.presentation)
    assert contradicted == []
