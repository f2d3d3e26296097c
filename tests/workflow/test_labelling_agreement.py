"""Agreement against direct counts and the plain libraries; planted habits are found, and too little is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from evenhand.records import Order
from evenhand.stats import Estimate, Refusal
from evenhand.store.label_store_records import Choice
from evenhand.workflow.labelling import open_labelling
from evenhand.workflow.labelling_agreement import LabelAgreement, label_agreement, measure_agreement
from workflow.label_events import KnownPairs, labels_of, says_a, says_b, stated
from workflow.labelled_runs import label_all, plain_pairs, prefers_a, unjudged_run


def value(found: Estimate | Refusal) -> float:
    assert isinstance(found, Estimate), found
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high or found.value in (0.0, 1.0)
    assert found.interval.low < found.interval.high
    return found.value


@pytest.fixture(scope="module")
def people() -> tuple[LabelAgreement, np.ndarray]:
    """Three annotators who agree with a truth in 85, 75 and 65 of 100 cases; the last has seen half of the pairs."""
    rng = np.random.default_rng(5)
    truth = rng.random(120) < 0.5
    said = np.array([np.where(rng.random(120) < right, truth, ~truth) for right in (0.85, 0.75, 0.65)]).astype(float)
    said[2, 60:] = np.nan

    def answer(person: int) -> Any:
        return lambda row, order: says_a(order) if said[person, row] else says_b(order)

    events = [
        labels_of(name, range(120 if person < 2 else 60), answer(person), rng, first_id=1000 * person)
        for person, name in enumerate(["Ann", "Bob", "Cy"])
    ]
    return measure_agreement(stated(*events), KnownPairs(120, group=2), resamples=300), said  # type: ignore[arg-type]


def test_raw_agreement_is_the_share_of_equal_twos(people: tuple[LabelAgreement, np.ndarray]) -> None:
    made, said = people
    twos = [
        said[a, row] == said[b, row]
        for a, b in ((0, 1), (0, 2), (1, 2))
        for row in range(120)
        if not np.isnan(said[[a, b], row]).any()
    ]
    assert value(made.raw) == pytest.approx(np.mean(twos))
    assert (made.labelled, made.several, made.resampled_by) == (120, 120, "question group")


def test_alpha_and_kappa_are_the_libraries(people: tuple[LabelAgreement, np.ndarray]) -> None:
    made, said = people
    alpha = krippendorff.alpha(reliability_data=said, level_of_measurement="nominal")
    assert value(made.people.alpha) == pytest.approx(alpha)
    assert [(each.first, each.second, each.pairs) for each in made.people.between] == [
        ("Ann", "Bob", 120),
        ("Ann", "Cy", 60),
        ("Bob", "Cy", 60),
    ]
    for each, (a, b) in zip(made.people.between, ((0, 1), (0, 2), (1, 2)), strict=True):
        both = ~np.isnan(said[[a, b]]).any(axis=0)
        assert value(each.kappa) == pytest.approx(cohen_kappa_score(said[a, both], said[b, both]))


def test_a_person_swayed_by_the_place_is_found_and_one_who_is_not_has_a_half() -> None:
    rng = np.random.default_rng(1)
    swayed = labels_of("Ann", range(300), lambda _, __: Choice.FIRST if rng.random() < 0.8 else Choice.SECOND, rng)
    firm = labels_of("Bob", range(300), lambda row, order: says_a(order), rng, first_id=1000)
    made = measure_agreement(stated(swayed, firm), KnownPairs(300))  # type: ignore[arg-type]
    by_name = {each.name: each.first_chosen for each in made.annotators}
    assert value(by_name["Ann"]) == pytest.approx(0.8, abs=0.08)
    assert by_name["Ann"].interval.low > 0.5  # type: ignore[union-attr]
    assert by_name["Bob"].interval.low < 0.5 < by_name["Bob"].interval.high  # type: ignore[union-attr]


def test_self_consistency_is_of_repeats_in_the_other_order() -> None:
    rng = np.random.default_rng(2)
    rows = [*range(100), *range(40)]
    firm = labels_of("Ann", rows, lambda row, order: says_a(order) if row % 3 else says_b(order), rng)
    locked = labels_of("Bob", rows, lambda row, order: Choice.FIRST, rng, first_id=1000)
    made = measure_agreement(stated(firm, locked), KnownPairs(100))  # type: ignore[arg-type]
    ann, bob = made.annotators
    assert (ann.labels, ann.repeated, bob.repeated) == (100, 40, 40)
    assert value(ann.consistency) == 1.0
    assert value(bob.consistency) == 0.0
    assert value(made.everybody.consistency) == 0.5
    # Repeats are of the annotator: they are no second vote on the pair.
    assert sum(each.pairs for each in made.people.between) == 100


def test_ties_and_skips_are_counted_apart() -> None:
    rng = np.random.default_rng(3)

    def answer(row: int, order: Order) -> Choice:
        return [Choice.TIE, Choice.SKIP, says_a(order)][row % 3]

    made = measure_agreement(stated(labels_of("Ann", range(60), answer, rng)), KnownPairs(60))  # type: ignore[arg-type]
    (ann,) = made.annotators
    assert (ann.labels, ann.ties, ann.skipped, made.labelled) == (40, 20, 20, 40)
    assert isinstance(ann.first_chosen, Estimate)
    assert ann.first_chosen.n == 20  # neither ties nor skips
    assert ann.seconds == 3.0


def test_a_skip_is_no_vote_in_any_agreement() -> None:
    rng = np.random.default_rng(3)
    ann = labels_of("Ann", range(40), lambda row, order: Choice.SKIP if row < 20 else says_a(order), rng)
    bob = labels_of("Bob", range(40), lambda row, order: says_a(order) if row % 4 else says_b(order), rng, first_id=99)
    made = measure_agreement(stated(ann, bob), KnownPairs(40))  # type: ignore[arg-type]
    assert value(made.raw) == 0.75
    assert made.people.between[0].pairs == 20
    assert made.several == 20


def test_too_little_is_refused_with_its_reason() -> None:
    rng = np.random.default_rng(3)
    alone = stated(labels_of("Ann", range(9), lambda row, order: says_a(order), rng))
    made = measure_agreement(alone, KnownPairs(9))  # type: ignore[arg-type]
    assert made.raw == Refusal(reason="needs at least 10 pairs with labels of two annotators, has 0", n=0)
    assert made.everybody.first_chosen == Refusal(reason="needs at least 10 labels that chose a response, has 9", n=9)
    assert isinstance(made.everybody.consistency, Refusal)
    assert isinstance(made.people.alpha, Refusal)
    nothing = measure_agreement((), KnownPairs(9))  # type: ignore[arg-type]
    assert (nothing.annotators, nothing.labelled) == ((), 0)


def test_few_clusters_are_refused_however_many_labels() -> None:
    rng = np.random.default_rng(3)
    one_question = KnownPairs(60, group=20)
    own = stated(labels_of("Ann", range(60), lambda row, order: says_a(order), rng))
    made = measure_agreement(own, one_question)  # type: ignore[arg-type]
    assert isinstance(made.everybody.first_chosen, Refusal)
    assert "5 clusters" in made.everybody.first_chosen.reason


def test_sources_are_resampled_where_there_are_enough() -> None:
    rng = np.random.default_rng(3)
    own = stated(labels_of("Ann", range(90), lambda row, order: says_a(order), rng))
    assert measure_agreement(own, KnownPairs(90, sources=30)).resampled_by == "source"  # type: ignore[arg-type]
    assert measure_agreement(own, KnownPairs(90, sources=29)).resampled_by == "question group"  # type: ignore[arg-type]


def test_labels_of_a_store(tmp_path: Path) -> None:
    pairs = plain_pairs(30)
    path = tmp_path / "labels.sqlite"
    labelling = open_labelling([unjudged_run(tmp_path / "one", pairs)], path)
    ann = label_all(labelling, "Ann", prefers_a)
    session = labelling.store.enter("again", "Ann")
    labelling.store.look_at_results(session)
    first = labelling.store.states()[0].showing
    labelling.store.label(session, first, Choice.TIE, form="x")
    changed = [replace(pair, response_b="other") for pair in pairs[:4]] + pairs[4:25]
    now = open_labelling([unjudged_run(tmp_path / "two", changed)], path)
    made = label_agreement(now.store, now.pairs, resamples=200)
    (figures,) = made.annotators
    assert figures.name == ann.name
    old = {f"id-of-{n}" for n in range(4)}
    gone = {f"id-of-{n}" for n in range(25, 30)}
    labels = [event.showing for event in labelling.store.events()]
    assert made.changed == sum(showing.pair_id in old for showing in labels)
    assert made.elsewhere == sum(showing.pair_id in gone for showing in labels)
    assert made.labelled == 21
    inside = first.pair_id not in old | gone
    assert (figures.revised, figures.after_results) == ((1, 1) if inside else (figures.revised, 0))
    assert made.version == now.store.version()
