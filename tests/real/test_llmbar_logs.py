"""Every LLMBar ``statistics.json`` at hand, recomputed from the ``result.json`` beside it."""

import json

import pytest

from evenhand.logs import inspect, read_log
from evenhand.logs.llmbar import decided_statistics, published_statistics
from evenhand.records import Order, Outcome
from real.log_data import needs, real

RESULTS = real("llmbar/verdicts/*/*/*/result.json")
pytestmark = [pytest.mark.real, needs(RESULTS, "LLMBar results")]


def name(path):
    return "/".join(path.parts[-4:-1])


@pytest.fixture(params=RESULTS, ids=name)
def result(request):
    return request.param


def test_the_published_statistics_are_reproduced_exactly(result):
    published = json.loads((result.parent / "statistics.json").read_text())
    ours = published_statistics(read_log("llmbar", result)).as_published()
    for key, value in published.items():
        if isinstance(value, str):
            assert ours[key] == value, key
        else:
            assert ours[key] == pytest.approx(value, abs=1e-14), key
    assert {"equal", "correct_False", "correct_True", "correct_average", "correct_both"} <= published.keys()
    assert "kappa_agreement" in published


def test_every_presentation_is_there_in_both_orders(result):
    log = read_log("llmbar", result)
    assert (len(log.pairs), len(log.entries)) == (100, 200)
    assert all(entry.completion.text is not None for entry in log.entries)
    assert inspect(result).importable
    assert log.pairs[0].id == "llmbar-Natural-0"


def test_where_nothing_is_missing_both_rules_agree(result):
    log = read_log("llmbar", result)
    published, ours = published_statistics(log), decided_statistics(log)
    assert ours.pairs + ours.missing == published.pairs
    assert ours.correct_false == published.correct_false
    assert ours.correct_true == published.correct_true
    if ours.missing == 0:
        assert (ours.equal, ours.correct_both) == (published.equal, published.correct_both)
        assert ours.kappa_agreement == published.kappa_agreement


def test_none_equal_to_none_is_what_the_published_rule_counts():
    """PaLM2/CoT has one pair with no verdict in either order: published 64 equal of 100, ours 63 of 99."""
    (result,) = (path for path in RESULTS if name(path) == "Natural/PaLM2/CoT")
    log = read_log("llmbar", result)
    assert published_statistics(log).equal == 64
    ours = decided_statistics(log)
    assert (ours.equal, ours.pairs, ours.missing) == (63, 99, 1)
    assert ours.kappa_agreement != pytest.approx(published_statistics(log).kappa_agreement, abs=1e-3)


@pytest.mark.parametrize(("evaluator", "again"), [("GPT-4/Swap", 7), ("LLaMA2/Swap", 33)])
def test_swap_evaluators_ask_again_and_their_first_round_can_be_read(evaluator, again):
    (result,) = (path for path in RESULTS if name(path) == f"Natural/{evaluator}")
    final, first = read_log("llmbar", result), read_log("llmbar", result, round="first")
    assert f"for {again} of 100 pairs" in final.notes[0]
    by_pair = {}
    for entry in first.entries:
        by_pair.setdefault(entry.presentation.pair_id, {})[entry.presentation.order] = entry.completion.log_outcome
    locked = [
        orders
        for orders in by_pair.values()
        if orders[Order.AB] is orders[Order.BA] and orders[Order.AB] in (Outcome.FIRST, Outcome.SECOND)
    ]
    assert len(locked) == again  # asked again exactly where the first answers were a flip


def test_the_log_s_own_parser_misread_palm2_for_the_first_slot():
    """PaLM2/CoT: any line that begins "Output (a)" was read as (a), whatever the verdict before it."""
    (result,) = (path for path in RESULTS if name(path) == "Natural/PaLM2/CoT")
    opened = {"Output (a) is better": Outcome.FIRST, "Output (b) is better": Outcome.SECOND}
    against = [
        (said, entry.completion.log_outcome)
        for entry in read_log("llmbar", result).entries
        for opening, said in opened.items()
        if entry.completion.text.startswith(opening) and entry.completion.log_outcome is not said
    ]
    assert against == [(Outcome.SECOND, Outcome.FIRST)] * 20
