"""The plan: which presentations there are, that keys pin what can change an answer, and what the judge is asked."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from evenhand.datasets import load_pairs
from evenhand.errors import ConfigError
from evenhand.judges import Generate, Judge, load_judge
from evenhand.readouts import DecisionWatcher
from evenhand.records import Ask, LabelSet, Order, Pair, TextStatus
from evenhand.workflow import AuditSettings, ReadoutChoice
from evenhand.workflow.plan import Plan, make_plan

AB, XY = LabelSet.parse("A/B"), LabelSet.parse("X/Y")


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with load_judge("simulated:position=0.5") as opened:
        yield opened


@pytest.fixture(scope="module")
def pairs() -> tuple[Pair, ...]:
    return tuple(load_pairs("starter"))[:6]


def keys(plan: Plan) -> set[str]:
    return {presentation.key for presentation in plan.presentations}


def test_every_pair_in_both_orders_under_every_label_set(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    plan = make_plan(judge, pairs, AuditSettings(labels=(AB, XY)))
    asked = [(p.condition, p.pair_id, p.order) for p in plan.presentations]
    names = [condition.id for condition in plan.conditions]
    assert names == ["single-character, A/B", "single-character, X/Y"]
    assert sorted(asked) == sorted((name, pair.id, order) for name in names for pair in pairs for order in Order)
    assert len(keys(plan)) == len(asked)
    assert set(plan.label_tokens) == set(names)


def test_the_control_asks_some_pairs_again_with_the_same_words_and_another_key(
    judge: Judge, pairs: tuple[Pair, ...]
) -> None:
    plan = make_plan(judge, pairs, AuditSettings(repeat=2))
    again = [p for p in plan.presentations if p.repeat]
    assert len(again) == 2
    for repeated in again:
        (first,) = (
            p for p in plan.presentations if (p.pair_id, p.order, p.repeat) == (repeated.pair_id, repeated.order, 0)
        )
        assert repeated.messages == first.messages
        assert repeated.key != first.key


def test_both_orders_show_the_same_two_responses(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    for presentation in make_plan(judge, pairs, AuditSettings()).presentations:
        pair = next(pair for pair in pairs if pair.id == presentation.pair_id)
        prompt = presentation.messages[-1].content
        first, second = pair.response_a, pair.response_b
        if presentation.order is Order.BA:
            first, second = second, first
        assert -1 < prompt.find(first) < prompt.rfind(second)


def test_the_same_choices_give_the_same_keys(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    assert keys(make_plan(judge, pairs, AuditSettings())) == keys(make_plan(judge, pairs, AuditSettings(resamples=500)))


@pytest.mark.parametrize(
    "settings",
    [
        AuditSettings(labels=(XY,)),
        AuditSettings(budgets=(100,)),
        AuditSettings(readout=ReadoutChoice.HYBRID),
        AuditSettings(prompt="mt-bench-like"),
    ],
    ids=["labels", "budgets", "readout", "prompt"],
)
def test_what_can_change_an_answer_changes_every_key(
    judge: Judge, pairs: tuple[Pair, ...], settings: AuditSettings
) -> None:
    assert not keys(make_plan(judge, pairs, AuditSettings())) & keys(make_plan(judge, pairs, settings))


def test_another_judge_or_another_text_changes_its_keys(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    plan = make_plan(judge, pairs, AuditSettings())
    with load_judge("simulated:position=0.6") as other:
        assert not keys(plan) & keys(make_plan(other, pairs, AuditSettings()))
    edited = (replace(pairs[0], response_a="Another answer."), *pairs[1:])
    changed = keys(make_plan(judge, edited, AuditSettings())) - keys(plan)
    assert len(changed) == 2


def test_a_request_asks_what_its_presentation_says(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    plan = make_plan(judge, pairs, AuditSettings(labels=(AB, XY), budgets=(20, 50), readout=ReadoutChoice.HYBRID))
    presentation = next(p for p in plan.presentations if p.condition.endswith("X/Y"))
    request = plan.request_for(presentation)
    assert request.messages == presentation.messages
    assert (request.labels, request.budgets, request.generate) == (XY, (20, 50), Generate.UNLESS_LED)
    assert (request.temperature, request.first_token) == (0.0, True)
    assert isinstance(request.watcher, DecisionWatcher)
    assert request.watcher.status("I choose X.") is TextStatus.READ
    assert request.watcher.status("I choose A.") is TextStatus.OPEN


def test_what_the_prompt_leaves_open_is_filled_in(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    plan = make_plan(judge, pairs, AuditSettings())
    assert plan.settings.labels == (plan.templates[0].labels,)
    assert plan.settings.budgets


def test_an_unknown_prompt_is_refused(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    with pytest.raises(ConfigError, match="single-caracter"):
        make_plan(judge, pairs, AuditSettings(prompt="single-caracter"))


EVERY = (ReadoutChoice.BOTH, ReadoutChoice.PREFILLED, ReadoutChoice.CONSTRAINED)


def test_each_way_of_asking_is_a_presentation_of_its_own(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    plan = make_plan(judge, pairs, AuditSettings(readout=EVERY, prefill="I choose "))
    assert len(keys(plan)) == len(plan.presentations) == 3 * 2 * len(pairs)
    opened, prefilled, constrained = (plan.request_for(p) for p in plan.presentations[:3])
    assert {(r.prefill, r.constrained) for r in (opened, prefilled, constrained)} == {
        (None, False),
        ("I choose ", False),
        (None, True),
    }
    assert prefilled.prefill == "I choose "
    assert prefilled.generate is Generate.NEVER
    assert constrained.constrained
    assert opened.messages == prefilled.messages == constrained.messages
    assert plan.conditions[0].prefill == "I choose "


def test_further_ways_leave_the_keys_of_the_free_answers(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    assert keys(make_plan(judge, pairs, AuditSettings())) < keys(make_plan(judge, pairs, AuditSettings(readout=EVERY)))


def test_another_beginning_is_another_question(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    plans = [
        make_plan(judge, pairs, AuditSettings(readout=ReadoutChoice.PREFILLED, prefill=text)) for text in ("I", "We")
    ]
    assert keys(plans[0]).isdisjoint(keys(plans[1]))


def test_a_budget_asks_first_tokens_and_then_the_text_of_those_drawn(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    plan = make_plan(judge, pairs, AuditSettings(budget=0.5))
    first = make_plan(judge, pairs, AuditSettings(readout=ReadoutChoice.FIRST_TOKEN))
    both = make_plan(judge, pairs, AuditSettings())
    assert keys(plan) == keys(first)
    [name] = plan.asked
    written = plan.written({name: (pairs[3].id, pairs[0].id)})
    assert [(p.pair_id, p.order, p.ask) for p in written] == [
        (pair.id, order, Ask.WRITTEN) for pair in (pairs[3], pairs[0]) for order in Order
    ]
    assert {p.key for p in written} < keys(both)
    assert plan.request_for(written[0]).generate is Generate.ALWAYS


def test_conditions_take_turns_in_the_order_of_the_draw(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    plan = make_plan(judge, pairs, AuditSettings(budget=0.5, labels=(AB, XY)))
    first, second = plan.asked
    written = plan.written({first: (pairs[2].id, pairs[0].id), second: (pairs[1].id,)})
    assert [(p.condition, p.pair_id) for p in written[::2]] == [
        (first, pairs[2].id),
        (second, pairs[1].id),
        (first, pairs[0].id),
    ]


def test_changed_pairs_are_asked_beside_the_control_whose_keys_stay(judge: Judge, pairs: tuple[Pair, ...]) -> None:
    plain = make_plan(judge, pairs, AuditSettings(repeat=2))
    plan = make_plan(judge, pairs, AuditSettings(biases=("tone",), repeat=2))
    assert keys(plain) < keys(plan)
    assert [c.id for c in plan.conditions if not c.changes] == [c.id for c in plain.conditions]
    assert len(plan.changed) == len(plan.changed_conditions) * len(pairs) * 2
    assert {p.repeat for p in plan.changed} == {0}
    assert plan.left_out == {}
    # All that is asked of a pair stands together, so that an interrupted run compares on the same pairs.
    order = [p.pair_id for p in plan.presentations if not p.repeat]
    assert order == sorted(order, key=[pair.id for pair in pairs].index)


def test_noise_is_measured_where_pairs_are_changed_unless_the_user_says_how(
    judge: Judge, pairs: tuple[Pair, ...]
) -> None:
    def repeats(**choices: object) -> int | None:
        plan = make_plan(judge, pairs, AuditSettings(**choices))
        assert sum(p.repeat for p in plan.presentations) == plan.settings.repeat
        return plan.settings.repeat

    assert repeats() == 0
    assert repeats(biases=("tone",)) == len(pairs)
    assert repeats(biases=("tone",), repeat=0) == 0
    assert repeats(biases=("tone",), repeat=2) == 2
    assert repeats(biases=("rationale",)) == 0
    many = [replace(pairs[0], id=f"p{i}") for i in range(60)]
    assert make_plan(judge, many, AuditSettings(biases=("tone",))).settings.repeat == 50
