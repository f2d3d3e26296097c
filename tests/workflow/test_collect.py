import json

import numpy as np
import pytest
import torch

import evenhand
from evenhand.errors import ConfigError, StoreError
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.places import Place, Position
from evenhand.records import Completion, FinishReason, LabelSet, Order, Pair, Readout
from evenhand.stats import Estimate, Refusal
from evenhand.store import Journal
from evenhand.workflow import AuditSettings, ReadoutChoice, open_run
from evenhand.workflow.collect import collect, collect_directory, collect_dry_run, flip_rate
from evenhand.workflow.collect_settings import CollectSettings
from evenhand.workflow.probe_data import load_probe_data
from judges.tiny_models import LLAMA3, QWEN3, judge_of
from workflow.capturing_judge import CapturingDouble, flipping, pairs, three_lines

FIRST = CollectSettings(readout=Readout.FIRST_TOKEN)


def test_a_collection_is_a_run_with_activations_in_it(tmp_path):
    run = collect(CapturingDouble(flipping(3)), pairs(12), out=tmp_path, command="evenhand probe collect")
    assert run.complete
    assert run.counts.planned == 24
    assert run.data.retention.usable == 12
    assert isinstance(run.flip_rate, Estimate)
    assert (run.flip_rate.count, run.flip_rate.n, run.flip_rate.clusters) == (4, 12, 6)
    files = [path for path in (tmp_path / "activations").rglob("*") if path.is_file()]
    assert run.bytes == sum(path.stat().st_size for path in files) > 24 * 2 * 3 * 6 * 4
    assert {path.name for path in files} == {"index.parquet", "meta.json", "pairs.parquet", "shard-0000.safetensors"}
    opened = open_run(tmp_path)
    assert opened.complete
    assert opened.manifest.readouts == ("generated",)
    assert opened.manifest.command == "evenhand probe collect"
    report = opened.write_report()
    assert report.html.is_file()
    found = json.loads(json.dumps(run.to_json(), allow_nan=False))
    assert found["retention"] == {"planned": 12, "usable": 12, "lost": []}
    assert found["replay"] is None


def test_a_second_call_asks_nothing_and_finds_the_same(tmp_path):
    double = CapturingDouble()
    first = collect(double, pairs(5), out=tmp_path)
    asked = len(double.asked)
    again = collect(double, pairs(5), out=tmp_path)
    assert len(double.asked) == asked == 10
    assert again.execution.reused == 10
    assert again.data.retention == first.data.retention
    more = collect(double, pairs(7), out=tmp_path)
    assert len(double.asked) == 14
    assert len(more.data) == 7


def test_stopped_in_the_middle_it_goes_on_without_asking_twice(tmp_path):
    double = CapturingDouble()
    collect(double, pairs(6), out=tmp_path, stop=lambda: len(double.asked) >= 5)
    assert len(double.asked) == 5
    kept = ActivationStore(tmp_path)
    with Journal.open(tmp_path, read_only=True) as journal:
        assert kept.keys() == journal.answered_keys()
    run = collect(double, pairs(6), out=tmp_path)
    assert run.complete
    assert len(double.asked) == len(set(double.asked)) == 12


def test_a_crash_between_record_and_journal_asks_that_one_again(tmp_path, monkeypatch):
    double = CapturingDouble()
    record = Journal.record

    def crash(self, key, completion):
        if len(double.asked) == 4:
            raise KeyboardInterrupt
        record(self, key, completion)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "record", crash)
        collect(double, pairs(4), out=tmp_path)
    store = ActivationStore(tmp_path)
    with Journal.open(tmp_path, read_only=True) as journal:
        orphans = store.keys() - journal.answered_keys()
    assert len(orphans) == 1
    data = load_probe_data(tmp_path)
    assert data.retention.usable < 4
    run = collect(double, pairs(4), out=tmp_path)
    assert run.complete
    assert len(double.asked) == 9
    assert len(run.data) == 4
    with Journal.open(tmp_path, read_only=True) as journal:
        assert ActivationStore(tmp_path).keys() == journal.answered_keys() > orphans


def test_a_failed_pair_is_asked_again_and_the_others_are_not(tmp_path):
    failing = {2}

    def write(number, ab):
        if number in failing:
            return Completion(text=None, finish_reason=FinishReason.ERROR, error="no memory")
        return three_lines("A")

    double = CapturingDouble(write)
    run = collect(double, pairs(4), out=tmp_path)
    assert not run.complete
    assert run.data.retention.lost == (("the call failed", 1),)
    failing.clear()
    assert collect(double, pairs(4), out=tmp_path).complete
    assert len(double.asked) == 8 + 2


def test_repeats_are_kept_but_no_rows(tmp_path):
    run = collect(CapturingDouble(), pairs(4), out=tmp_path, settings=CollectSettings(repeat=3))
    assert run.counts.planned == 11
    assert len(ActivationStore(tmp_path).keys()) == 11
    assert len(run.data) == 4


def test_too_few_groups_are_a_refusal_not_a_rate(tmp_path):
    run = collect(CapturingDouble(), pairs(3), out=tmp_path)
    assert isinstance(run.flip_rate, Refusal)
    none = collect(CapturingDouble(lambda number, ab: "no A"), pairs(3), out=tmp_path / "none")
    assert isinstance(flip_rate(none.data), Refusal)
    assert none.data.retention.lost == (("format: fewer than three lines", 3),)


def test_other_layers_in_the_same_directory_are_refused_and_change_nothing(tmp_path):
    double = CapturingDouble()
    collect(double, pairs(3), out=tmp_path)
    before = load_probe_data(tmp_path)
    with pytest.raises(ConfigError, match="layers 2 against 1, 2, 3"):
        collect(double, pairs(3), out=tmp_path, settings=CollectSettings(layers=(2,)))
    with pytest.raises(ConfigError, match="readout first-token against generated"):
        collect(double, pairs(3), out=tmp_path, settings=FIRST)
    assert load_probe_data(tmp_path).pair_ids == before.pair_ids
    assert len(double.asked) == 6


def test_answers_of_an_audit_are_not_taken_for_collected_ones(tmp_path):
    double = CapturingDouble()
    settings = AuditSettings(prompt="brief-reasoning", readout=ReadoutChoice.GENERATED)
    evenhand.audit(double, pairs(3), settings=settings, out=tmp_path)
    with pytest.raises(StoreError, match="6 answers have no activation"):
        collect(double, pairs(3), out=tmp_path)
    assert not (tmp_path / "activations").exists()
    assert open_run(tmp_path).complete


def test_a_judge_without_activations_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"'simulated:fair' doesn't show its activations.*transformers:"):
        collect("simulated:fair", "starter", out=tmp_path)
    with pytest.raises(ConfigError, match="CollectSettings"):
        collect(CapturingDouble(), pairs(2), out=tmp_path, settings=AuditSettings())
    assert not list(tmp_path.iterdir())


def test_a_dry_run_asks_and_writes_nothing(tmp_path):
    double = CapturingDouble()
    dry = collect_dry_run(double, pairs(5), out=tmp_path / "run", settings=CollectSettings(layers=(1, 2)))
    assert (dry.dry.presentations, dry.dry.answered) == (10, 0)
    assert dry.bytes == 10 * 2 * 2 * 6 * 4
    assert dry.dry.cost.prompt_tokens == 100
    assert not double.asked
    assert not (tmp_path / "run").exists()
    collect(double, pairs(2), out=tmp_path / "run")
    assert collect_dry_run(double, pairs(5), out=tmp_path / "run").dry.answered == 4


def test_the_default_directory_is_beside_the_audit_s():
    assert collect_directory("transformers:a/b", "starter").as_posix() == "runs/probe-starter--transformers-a-b"


def test_a_replay_is_asked_for_and_told(tmp_path):
    double = CapturingDouble()
    run = collect(double, pairs(3), out=tmp_path, replay=True)
    assert run.replay is not None
    assert (run.replay.replayed, run.replay.of, run.replay.passed) == (6, 6, True)
    assert run.to_json()["replay"]["passed"] is True
    again = collect(double, pairs(3), out=tmp_path, replay=True, replay_limit=2)
    assert again.replay.replayed == 2
    assert len(double.asked) == 6
    stopped = collect(CapturingDouble(), pairs(9), out=tmp_path / "new", replay=True, stop=lambda: True)
    assert stopped.replay is None


# -- on real, tiny models --------------------------------------------------------------------------------------------

SHORT = [
    Pair(id=f"p{n}", instruction=f"Say {n}.", response_a=f"{n} yes", response_b=f"no {n}{n}", group=f"g{n}")
    for n in range(7)
]


@pytest.fixture(scope="session")
def tiny_of(tmp_path_factory):
    from judges.tiny_models import save

    made = {}

    def folder_of(family):
        if family.name not in made:
            made[family.name] = save(family, tmp_path_factory.mktemp(family.name), max_position_embeddings=2048)
        return made[family.name]

    return folder_of


class Counting:
    """What was asked of a judge, remembered."""

    def __init__(self, judge):
        self._judge = judge
        self.asked = []

    def __getattr__(self, name):
        return getattr(self._judge, name)

    def answer(self, requests):
        for answer in self._judge.answer(requests):
            self.asked.append(requests[answer.index].messages[0].content)
            yield answer

    # The protocol looks for these on the object.
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass


def hidden(judge, record, layers):
    """Transformers' own hidden states where the record's vectors were taken, shape (positions, layers, size)."""
    ids = [*record.prompt_ids, *record.token_ids[: record.verdict_index]]
    with torch.no_grad():
        states = judge._loaded.model(torch.tensor([ids]), output_hidden_states=True).hidden_states
    return torch.stack([states[layer][0] for layer in layers], dim=1).numpy()


def test_on_a_model_a_prefilled_verdict_has_its_beginning_in_the_prompt(tiny_of, tmp_path):
    settings = CollectSettings(readout=Readout.PREFILLED, prefill="The better response is", layers=(4,))
    with judge_of(tiny_of(LLAMA3)) as judge:
        run = collect(judge, SHORT[:3], out=tmp_path, settings=settings, replay=True)
        assert run.complete
        assert run.replay.passed
        assert run.replay.replayed == 6
        [record, *_] = ActivationStore(tmp_path).records(p.key for p in plan(tmp_path))
        # Of the last block: before the final norm, so compared after it.
        with torch.no_grad():
            after = judge._loaded.model.get_decoder().norm(torch.from_numpy(record.at(Position.PROMPT_END)))
        assert np.allclose(after.numpy(), hidden(judge, record, (4,))[-1], atol=2e-4, rtol=1e-4)
    assert dict(run.data.subject.settings)["prefill"] == "The better response is"
    assert run.data.subject.readout is Readout.PREFILLED
    assert len(run.data) == 3


@pytest.mark.parametrize("family", [QWEN3, LLAMA3], ids=lambda family: family.name)
def test_on_a_model_a_killed_collection_goes_on_and_holds_its_hidden_states(tiny_of, tmp_path, family):
    with judge_of(tiny_of(family)) as opened:
        judge = Counting(opened)
        collect(judge, SHORT, out=tmp_path, settings=FIRST, stop=lambda: len(judge.asked) >= 5)
        assert 5 <= len(judge.asked) < 14
        run = collect(judge, SHORT, out=tmp_path, settings=FIRST, replay=True)
        assert run.complete
        assert len(judge.asked) == len(set(judge.asked)) == 14
        assert run.replay.replayed == 14
        assert run.replay.passed
        assert run.replay.largest < 1e-4
        data = load_probe_data(tmp_path)
        assert len(data) == 7
        assert {place.name for place in data.activations} == {f"before-verdict@{layer}" for layer in (1, 2, 3)}
        assert np.isnan(data.confidence).all()
        table = open_run(tmp_path).to_polars()
        store = ActivationStore(tmp_path)
        for row, pair_id in enumerate(data.pair_ids):
            keys = {p.order: p.key for p in plan(tmp_path) if p.pair_id == pair_id}
            record = store.get(keys[Order.AB])
            assert record.verdict_index == 0
            expected = hidden(opened, record, (1, 2, 3))[-1]
            for column, layer in enumerate((1, 2, 3)):
                vectors = data.activations[Place(position=Position.BEFORE_VERDICT, layer=layer)][row]
                assert np.allclose(vectors, expected[column], atol=2e-4, rtol=1e-4)
            verdicts = {
                each["order"]: each
                for each in table.filter(pair_id=pair_id, readout="first-token").iter_rows(named=True)
            }
            assert data.flips[row] == (verdicts["AB"]["preference"] != verdicts["BA"]["preference"])
            assert data.margin[row] == pytest.approx(verdicts["AB"]["log_odds"], abs=1e-3)


def plan(directory):
    with Journal.open(directory, read_only=True) as journal:
        return list(journal.plan())


def test_on_a_model_both_positions_of_a_written_verdict_are_its_hidden_states(tiny_of, tmp_path, monkeypatch):
    # A random model never keeps the format: where the verdict is found is told, what is kept there is real.
    places = iter(range(1, 100))
    monkeypatch.setattr(
        "evenhand.workflow.collect.verdict_locator",
        lambda *given: lambda captured, completion: 1 + next(places) % (len(captured.token_ids) - 1),
    )
    with judge_of(tiny_of(QWEN3)) as judge:
        settings = CollectSettings(max_tokens=9, layers=(1, 3), labels=LabelSet.parse("X/Y"))
        run = collect(judge, SHORT[:4], out=tmp_path, settings=settings, replay=True)
        assert run.replay.replayed == 8
        assert run.replay.passed
        for record in ActivationStore(tmp_path).records(p.key for p in plan(tmp_path)):
            states = hidden(judge, record, (1, 3))
            assert record.verdict_index > 0
            assert len(states) == len(record.prompt_ids) + record.verdict_index
            assert np.allclose(record.at(Position.BEFORE_VERDICT), states[-1], atol=2e-4, rtol=1e-4)
            assert np.allclose(record.at(Position.PROMPT_END), states[len(record.prompt_ids) - 1], atol=2e-4, rtol=1e-4)


def test_a_pair_that_does_not_fit_in_one_order_is_a_recorded_error(tiny_of, tmp_path):
    long = Pair(id="long", instruction="Say.", response_a="word " * 600, response_b="no", group="l")
    with judge_of(tiny_of(QWEN3), n_ctx=1500) as judge:
        run = collect(judge, [*SHORT[:2], long], out=tmp_path, settings=FIRST)
    assert not run.complete
    assert run.counts.errors == 2
    assert run.data.retention.lost == (("too long for the judge's context", 1),)
