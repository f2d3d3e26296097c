from dataclasses import replace

import numpy as np
import pytest

import evenhand
from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.places import Place, Position
from evenhand.records import Completion, FinishReason, FirstToken, Outcome, Readout, TokenLogProb
from evenhand.workflow import AuditSettings, ReadoutChoice
from evenhand.workflow.collect import collect
from evenhand.workflow.collect_settings import CollectSettings
from evenhand.workflow.probe_data import load_probe_data, pair_compliance, shared_pairs
from workflow.capturing_judge import SIZE, CapturingDouble, logits, pairs, three_lines, vectors

BY_TOKEN = (("x", -0.3), ("A", -1.5), ("B", -4.0))
ERROR = Completion(text=None, finish_reason=FinishReason.ERROR, error="prompt of 9 tokens does not fit the context")


def scripted(number, ab):
    """Pairs 0 to 9: two flips among the usable, and one of each way to be lost."""
    match number, ab:
        case 2, _:
            return three_lines("A", confidence=60)  # flips, locked to the first slot
        case 3, _:
            return three_lines("B", confidence=55)  # flips, locked to the second
        case 4, True:
            return "A"
        case 5, False:
            return three_lines("A") + "\nmore"
        case 6, False:
            return ERROR
        case 7, True:
            return three_lines("(A)")  # one token of the double's
        case 1, _:
            return three_lines("B" if ab else "A", confidence=70)  # prefers B
        case _:
            return three_lines("A" if ab else "B", confidence=90)  # prefers A


@pytest.fixture
def run(tmp_path):
    double = CapturingDouble(scripted)
    return double, collect(double, pairs(10), out=tmp_path, settings=CollectSettings(repeat=2))


def test_usable_pairs_become_aligned_rows(run, tmp_path):
    double, _ = run
    data = load_probe_data(tmp_path)
    assert data.pair_ids == ("p0", "p1", "p2", "p3", "p8", "p9")
    assert data.groups == ("g0", "g0", "g1", "g1", "g4", "g4")
    assert data.flips.tolist() == [False, False, True, True, False, False]
    assert data.choice_ab.tolist() == [0, 1, 0, 1, 0, 0]
    assert data.confidence.tolist() == [90, 70, 60, 55, 90, 90]
    difference = double.count_tokens("alpha 0 of some length") - double.count_tokens("beta 0")
    assert data.length_difference.tolist() == [difference] * 6
    assert {place.name for place in data.activations} == {
        f"{position}@{layer}" for position in Position for layer in (1, 2, 3)
    }


def test_activations_and_margins_are_those_of_order_ab(run, tmp_path):
    _, _ = run
    data = load_probe_data(tmp_path)
    store = ActivationStore(tmp_path)
    with evenhand.store.Journal.open(tmp_path, read_only=True) as journal:
        keys = {(p.pair_id, p.order, p.repeat): p.key for p in journal.plan()}
    for row, pair_id in enumerate(data.pair_ids):
        record = store.get(keys[pair_id, "AB", 0])
        written = record.token_ids[: record.verdict_index]
        for place, values in data.activations.items():
            assert values.flags.c_contiguous
            read = written if place.position is Position.BEFORE_VERDICT else ()
            assert np.array_equal(values[row], vectors(record.prompt_ids, read, (place.layer,))[0])
        first, second = logits(record.prompt_ids, written, record.label_ids)
        assert data.margin[row] == pytest.approx(first - second)


def test_every_lost_pair_is_counted_once_under_its_first_reason(run, tmp_path):
    _, made = run
    retention = load_probe_data(tmp_path, places=()).retention
    assert retention == made.data.retention
    assert (retention.planned, retention.usable) == (10, 6)
    assert sum(count for _, count in retention.lost) == 4
    assert dict(retention.lost) == {
        "format: fewer than three lines": 1,
        "format: more than three lines": 1,
        "too long for the judge's context": 1,
        "the label is part of a longer token": 1,
    }


def test_the_subject_says_what_a_probe_must_match(run, tmp_path):
    subject = load_probe_data(tmp_path, places=()).subject
    assert (subject.model, subject.revision, subject.dtype) == ("x", "sha256:0", "float32")
    assert (subject.prompt, subject.labels, subject.readout) == ("brief-reasoning", "A/B", Readout.GENERATED)
    assert (subject.blocks, subject.size) == (4, SIZE)
    assert subject.settings == (("device", "cpu"),)


def test_only_the_places_asked_for_are_read(run, tmp_path):
    place = Place(position=Position.PROMPT_END, layer=2)
    assert set(load_probe_data(tmp_path, places=[place, place]).activations) == {place}
    assert load_probe_data(tmp_path, places=()).activations == {}
    with pytest.raises(ConfigError, match=r"place prompt-end@4: .* keeps before-verdict@1,"):
        load_probe_data(tmp_path, places=[Place(position=Position.PROMPT_END, layer=4)])


def test_an_unfinished_run_says_what_was_not_asked_yet(tmp_path):
    asked = []

    def stop():
        asked.append(None)
        return len(asked) > 6

    made = collect(CapturingDouble(), pairs(10), out=tmp_path, stop=stop)
    assert not made.complete
    data = load_probe_data(tmp_path)
    assert 0 < len(data) < 10
    assert data.retention.lost == (("not asked yet", 10 - len(data)),)


def test_a_run_without_activations_is_no_collection(tmp_path):
    evenhand.audit("simulated:fair", "starter", limit=2, out=tmp_path)
    with pytest.raises(StoreError, match="evenhand probe collect"):
        load_probe_data(tmp_path)


def test_answers_of_another_command_on_the_same_directory_are_noticed(run, tmp_path):
    double, _ = run
    settings = AuditSettings(prompt="single-character", readout=ReadoutChoice.GENERATED)
    evenhand.audit(double, pairs(3), settings=settings, out=tmp_path)
    with pytest.raises(StoreError, match=r"6 answers have no activation \(the first is of pair 'p0', order AB\)"):
        load_probe_data(tmp_path)
    evenhand.audit(double, pairs(3), settings=replace(settings, readout=ReadoutChoice.BOTH), out=tmp_path)
    with pytest.raises((StoreError, DataError)):
        load_probe_data(tmp_path)


def test_shared_pairs_are_usable_for_every_judge(tmp_path):
    datas = []
    for name, lost in (("one", 3), ("two", 1)):

        def write(number, ab, lost=lost):
            return "no" if number == lost else three_lines("A")

        collect(CapturingDouble(write), pairs(5), out=tmp_path / name)
        datas.append(load_probe_data(tmp_path / name, places=()))
    assert shared_pairs(datas) == ("p0", "p2", "p4")
    assert shared_pairs(datas[:1]) == ("p0", "p1", "p2", "p4")
    collect(CapturingDouble(), pairs(4), out=tmp_path / "three")
    other = load_probe_data(tmp_path / "three", places=())
    with pytest.raises(ConfigError, match="different pairs"):
        shared_pairs([*datas, other])
    with pytest.raises(ConfigError, match="at least one"):
        shared_pairs([])


def test_compliance_of_first_tokens_is_of_all_tokens_in_both_orders(tmp_path):
    double = CapturingDouble()

    def write(number, ab):
        other = number < 6 and (ab or number % 2)
        at = {label: TokenLogProb(text=label, token_id=double.tokens(label)[0][0], logprob=p) for label, p in BY_TOKEN}
        return Completion(
            text=None,
            finish_reason=FinishReason.NOT_GENERATED,
            first_token=FirstToken(
                argmax=at["x" if other else "A"], labels=((Outcome.FIRST, (at["A"],)), (Outcome.SECOND, (at["B"],)))
            ),
        )

    double._write = write
    settings = CollectSettings(readout=Readout.FIRST_TOKEN)
    collect(double, pairs(20), out=tmp_path, settings=settings)
    data = load_probe_data(tmp_path)
    assert data.retention.usable == len(data) == 20, "no label led, yet one is the likelier of the two"
    expected = [int(pair_id[1:]) >= 6 for pair_id in data.pair_ids]
    assert data.led.tolist() == expected
    found = pair_compliance(data)
    assert (found.count, found.n) == (sum(expected), len(expected))
    assert found.interval.low < found.value < found.interval.high
    assert pair_compliance(replace(data, led=None)).reason == "first tokens are not known of every pair"


def test_what_the_judge_wrote_has_a_format_in_place_of_compliance(run, tmp_path):
    data = load_probe_data(tmp_path)
    assert data.led is None
    assert pair_compliance(data) is None
