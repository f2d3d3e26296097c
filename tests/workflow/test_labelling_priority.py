"""The most informative pairs are those of the review queue."""

from pathlib import Path

from evenhand.store.label_store_records import Drawn
from evenhand.workflow.labelling import open_labelling
from evenhand.workflow.labelling_priority import informative_pairs
from evenhand.workflow.labelling_settings import LabelSettings
from evenhand.workflow.mitigate import mitigate
from workflow.labelled_runs import label_all, prefers_a
from workflow.ranked_runs import authored_pairs, ranked_run


def test_they_are_those_of_the_queue_and_come_first(tmp_path: Path) -> None:
    run = ranked_run(tmp_path / "run", pairs=authored_pairs(40))
    found = informative_pairs([run])
    queue = mitigate(run, only=["order"], resamples=100).queue
    assert found == {item.pair_id: item.priority for item in queue}
    assert 0 < len(found) < 40
    labelling = open_labelling([run], settings=LabelSettings(order="informative", overlap=0, repeats=0, seed=1))
    label_all(labelling, "Ann", prefers_a, most=len(found))
    states = labelling.store.states()
    assert {state.showing.pair_id for state in states} == set(found)
    assert {state.showing.drawn for state in states} == {Drawn.INFORMATIVE}


def test_two_runs_of_one_judge_are_two_voices(tmp_path: Path) -> None:
    runs = [
        ranked_run(tmp_path / name, position=position, pairs=authored_pairs(30))
        for name, position in (("a", 0.0), ("b", 3.0))
    ]
    assert max(informative_pairs(runs).values()) > 0
