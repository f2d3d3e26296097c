"""Figures of labels as a study: what is said of them, and what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import ConfigError, StoreError
from evenhand.store.label_store_records import Choice
from evenhand.workflow.labelling import open_labelling
from evenhand.workflow.labelling_agreement import measure_agreement
from evenhand.workflow.labelling_study import labelling_study, labels_status
from report.studies.tied import anchors_of
from workflow.label_events import KnownPairs, labels_of, says_a, stated
from workflow.labelled_runs import label_all, plain_pairs, prefers_a, unjudged_run


def test_one_annotator_tells_nothing_of_agreement() -> None:
    rng = np.random.default_rng(0)
    made = measure_agreement(
        stated(labels_of("Ann", range(40), lambda row, order: says_a(order), rng)),
        KnownPairs(40),  # type: ignore[arg-type]
    )
    study = labelling_study(made)
    assert study.headline.verdict == "Nothing tells yet how far people agree"
    assert [table.id for table in study.tables] == ["among", "annotators"]
    assert len(study.tables[1].rows) == 1
    assert study.headline.next_steps[0].startswith("Let a second person label")
    assert study.headline.next_steps[1].startswith("evenhand report RUN holds the judge beside the labels in RUN")


def test_two_annotators_with_few_pairs_in_common_are_asked_for_no_second_person() -> None:
    rng = np.random.default_rng(0)
    people = [
        labels_of(
            name, range(40 * place, 40 * place + 44), lambda row, order: says_a(order), rng, first_id=place * 1000
        )
        for place, name in enumerate(["Ann", "Bob"])
    ]
    study = labelling_study(measure_agreement(stated(*people), KnownPairs(90)))  # type: ignore[arg-type]
    assert study.headline.verdict == "Nothing tells yet how far people agree"
    assert study.headline.next_steps[0] == "Let people label more of the same pairs, of other questions too."


def test_two_annotators_agree_and_are_swayed() -> None:
    rng = np.random.default_rng(0)
    people = [
        labels_of(name, range(200), lambda row, order: Choice.FIRST, rng, first_id=place * 1000)
        for place, name in enumerate(["Ann", "Bob"])
    ]
    study = labelling_study(measure_agreement(stated(*people), KnownPairs(200)))  # type: ignore[arg-type]
    assert study.headline.verdict.startswith("Two people agree on 46.5 % [")
    assert any("shown first in 100 %" in text and "sways them" in text for text in study.headline.meaning)
    found = anchors_of(study)
    assert [found[text] for text in study.headline.meaning] == ["table-among", "table-annotators"]
    assert [table.id for table in study.tables] == ["among", "annotators", "twos"]
    assert [row[0] for row in study.tables[1].rows] == ["Ann", "Bob", "everybody"]
    assert [text.split(" RUN")[0] for text in study.headline.next_steps] == ["evenhand report", "evenhand humans"]


def test_one_of_anything_is_one() -> None:
    rng = np.random.default_rng(0)
    ann = labels_of("Ann", range(1), lambda row, order: says_a(order), rng)
    study = labelling_study(measure_agreement(stated(ann), KnownPairs(40)))  # type: ignore[arg-type]
    assert study.headline.lead == "1 pair has a label that counts, by 1 annotator; 0 have labels of two or more."
    assert study.subtitle == "1 labelled pair"
    assert study.tables[0].caption == "Of 1 labelled pair 0 have labels of two annotators or more."


def test_a_store_needs_its_run(tmp_path: Path) -> None:
    run = unjudged_run(tmp_path / "run", plain_pairs(20))
    with pytest.raises(StoreError, match="no such file"):
        labels_status(run)
    label_all(open_labelling([run]), "Ann", prefers_a)
    with pytest.raises(ConfigError, match="name a run with these pairs"):
        labels_status(run / "labels.sqlite")
    assert labels_status(run, resamples=100) == labels_status(run / "labels.sqlite", runs=[run], resamples=100)


def test_pairs_that_cannot_be_labelled_are_counted(tmp_path: Path) -> None:
    pairs = plain_pairs(12)
    other = [replace(pairs[0], response_a="else"), replace(pairs[1], id="empty", response_a="", response_b="")]
    runs = [unjudged_run(tmp_path / "one", pairs), unjudged_run(tmp_path / "two", other)]
    label_all(open_labelling(runs), "Ann", prefers_a)
    study = labelling_study(labels_status(runs[0], runs=runs[1:], resamples=100))
    assert "Pairs that can’t be labelled, since their log kept no texts: 1." in study.notes
    assert "Pairs that can’t be labelled, since two runs have them with other texts: 1." in study.notes
