"""From runs to what mitigations buy, through the real files."""

import json

import numpy as np
import pytest

import evenhand
from evenhand.errors import ConfigError, DataError
from evenhand.records import Readout
from evenhand.workflow import AuditSettings, ReadoutChoice
from evenhand.workflow.mitigate import mitigate, truncate_run
from workflow.mitigation_runs import judged_directory, quality_pairs

FIRST = AuditSettings(readout=ReadoutChoice.FIRST_TOKEN)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [
        judged_directory(folder / f"j{seed}", spec=f"simulated:position=1.2,noise=0.6,seed={seed}", settings=FIRST)
        for seed in (1, 2, 3)
    ]


def effects(found, judge=None):
    return {effect.mitigation: effect for effect in found.results.effects if judge in (None, effect.judge)}


def test_one_run_with_gold(runs):
    found = evenhand.mitigate(runs[0], resamples=200)
    made = effects(found)
    # A judge with quality and position bias: both orders together are righter than one at random.
    assert made["averaged probabilities"].bought() == "helps"
    assert made["averaged probabilities"].gain.value > 0.1
    assert made["tie on conflict"].bought() == "no change"
    assert made["tie on conflict"].presentations == 2.0
    assert made["recalibrated (slot bias), one order"].bought() == "helps"
    [selection] = found.results.selections
    assert selection.apparent_gain.interval.low > 0
    [system] = found.results.systems
    assert (system.system, system.other) == ("alpha", "beta")
    study = found.study()
    assert study.kind == "mitigation"
    assert study.headline.status == "good"
    assert "beware of selection" in " ".join(study.headline.meaning)
    assert {table.id for table in study.tables} >= {"effects", "counts", "selection", "length-control", "calibration"}


def test_the_same_seed_gives_the_same_figures(runs):
    one, two = (mitigate(runs[0], resamples=100, only=["order", "recalibration"]) for _ in range(2))
    assert one.results.effects == two.results.effects
    scores = [[each.scores for each in run.results.calibrations[0].maps] for run in (one, two)]
    assert scores[0] == scores[1]


def test_a_panel_and_its_queue(runs, tmp_path):
    path = tmp_path / "q.jsonl"
    found = mitigate(runs, resamples=100, only=["panel"], review=path)
    assert [run.judged.judge for run in found.runs] == ["simulated (j1)", "simulated (j2)", "simulated (j3)"]
    made = effects(found, "panel of 3")
    assert made["panel: majority"].presentations == 6.0
    assert len(found.results.agreements) == 6
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["pair_id"] for row in rows] == [item.pair_id for item in found.queue]
    assert 0 < len(rows) < 80


def test_human_labels_take_the_place_of_gold(runs, tmp_path):
    path = tmp_path / "labels.csv"
    lines = [f"p{i:03d},{'A' if i % 2 else 'tie'},{who}" for i in range(60) for who in ("ann", "bob")]
    path.write_text("\n".join(["pair_id,preference,annotator", *lines, "p070,,ann", "nowhere,A,ann"]) + "\n")
    found = mitigate(runs[0], labels=path, resamples=100, only=["order"])
    assert effects(found)["order AB"].pairs == 60
    assert found.labels.annotators == ("ann", "bob")
    assert any("1 labels are of pairs that this run doesn't have" in note for note in found.notes)
    assert any("1 rows have no preference" in note for note in found.notes)
    assert any("60 of 60 pairs have several labels" in note for note in found.notes)
    assert any("20 of 80 pairs have no human label" in note for note in found.notes)
    assert ("Labels", "labels.csv") in found.study().facts


def test_no_labels_at_all_is_said_and_nothing_made_up(tmp_path):
    from dataclasses import replace

    pairs = [replace(pair, gold=None) for pair in quality_pairs(30)]
    found = mitigate(judged_directory(tmp_path / "r", pairs, settings=FIRST), resamples=100)
    study = found.study()
    assert study.headline.status == "failed"
    assert "--labels FILE" in " ".join(study.headline.next_steps)
    assert all(effect.bought() is None for effect in found.results.effects)
    assert found.queue


def test_truncated_pairs_are_written_judged_and_compared(runs, tmp_path):
    done = truncate_run(runs[0], tmp_path / "t.jsonl")
    assert done.cut > 60
    cut = tmp_path / "cut"
    evenhand.audit("simulated:position=1.2,noise=0.6,seed=1", str(done.path), settings=FIRST, out=cut)
    found = mitigate(runs[0], truncated=cut, resamples=100, only=["truncation"])
    effect = effects(found)["truncated to equal length"]
    assert effect.gain.n == 80
    assert effect.tokens < 0.95
    assert effect.presentations == 1.0
    other = judged_directory(
        tmp_path / "other", settings=AuditSettings(readout=ReadoutChoice.FIRST_TOKEN, prompt="rubric")
    )
    with pytest.raises(ConfigError, match="has no condition"):
        mitigate(runs[0], truncated=other, resamples=100)


def test_scores_of_single_responses(runs, tmp_path):
    path = tmp_path / "alone.jsonl"
    rng = np.random.default_rng(0)
    rows = [
        {"pair_id": f"p{i:03d}", "score_a": int(a), "score_b": int(b)}
        for i, (a, b) in enumerate(rng.integers(1, 11, (80, 2)))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = mitigate(runs[0], alone=path, resamples=100, only=["order"])
    effect = effects(found)["independent scores"]
    assert effect.ties == sum(row["score_a"] == row["score_b"] for row in rows)
    assert (effect.presentations, effect.tokens) == (2.0, None)


def test_what_does_not_go_together_is_refused(runs, tmp_path):
    other = judged_directory(tmp_path / "other", quality_pairs(80, seed=5), settings=FIRST)
    with pytest.raises(DataError, match="has other texts or gold"):
        mitigate([runs[0], other])
    apart = judged_directory(tmp_path / "apart", evenhand.load_pairs("starter", limit=6), settings=FIRST)
    with pytest.raises(DataError, match="shares no pair"):
        mitigate([runs[0], apart])
    with pytest.raises(ConfigError, match="named twice"):
        mitigate([runs[0], runs[0]])
    with pytest.raises(ConfigError, match="readout 'spoken': expected one of"):
        mitigate(runs[0], readout="spoken")
    with pytest.raises(ConfigError, match="mitigation 'magic'"):
        mitigate(runs[0], only=["magic"])
    for setting in ({"resamples": 10}, {"level": 1.0}, {"seed": -1}):
        with pytest.raises(ConfigError, match=next(iter(setting))):
            mitigate(runs[0], **setting)
    with pytest.raises(ConfigError, match="at least one run"):
        mitigate([])
    assert (
        mitigate(runs[0], readout=Readout.FIRST_TOKEN, resamples=100, only=["selection"]).runs[0].readout
        is Readout.FIRST_TOKEN
    )
