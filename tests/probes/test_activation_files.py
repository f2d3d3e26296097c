from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.probes import activation_files
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.places import Position
from evenhand.store import atomic
from probes.activation_examples import LAYERS, META, SIZE, record, same


@pytest.fixture
def store(tmp_path):
    made = ActivationStore(tmp_path)
    made.begin(META)
    return made


def again(store):
    """The store as another process finds it."""
    return ActivationStore(store.folder.parent)


def test_a_record_is_found_by_whoever_comes_next_before_and_after_packing(store):
    made = [record(f"k{n}", verdict_index=n % 3) for n in range(5)]
    for each in made:
        store.add(each)
        assert same(again(store).get(each.key), each)
    store.pack()
    late = record("late")
    store.add(late)
    found = again(store)
    assert found.keys() == {each.key for each in [*made, late]}
    assert all(same(got, each) for got, each in zip(found.records(r.key for r in made), made, strict=True))
    assert same(found.get("late"), late)
    assert [path.name for path in store.folder.glob("pending/*")] == ["late.safetensors"]


def test_stacks_follow_the_order_asked_for_across_files(store, monkeypatch):
    monkeypatch.setattr(activation_files, "_PACK", 3)
    made = {f"k{n}": record(f"k{n}", verdict_index=n % 3) for n in range(8)}
    for each in made.values():
        store.add(each)
    assert len(list(store.folder.glob("shard-*.safetensors"))) == 2
    assert len(list(store.folder.glob("pending/*"))) == 2
    keys = ["k7", "k0", "k4", "k3", "k6", "k1"]
    for position in Position:
        stacked = again(store).stack(keys, position)
        assert stacked.dtype == np.float32
        assert stacked.shape == (6, len(LAYERS), SIZE)
        for key, vectors in zip(keys, stacked, strict=True):
            assert np.array_equal(vectors, made[key].at(position))
    assert np.array_equal(again(store).stack(keys, position, layers=(3,)), stacked[:, 1:])


def test_facts_need_no_activations(store):
    made = [record("a"), record("b", verdict_index=None)]
    for each in made:
        store.add(each)
    before = [again(store).facts(key) for key in "abc"]
    store.pack()
    for path in store.folder.glob("shard-*"):
        path.unlink()
    assert [again(store).facts(key) for key in "abc"] == before
    assert before[0].verdict_index == 1
    assert before[0].label_logits == tuple(made[0].label_logits.tolist())
    assert (before[1].verdict_index, before[1].label_logits, before[2]) == (None, None, None)


def test_a_presentation_asked_again_replaces_its_orphan_wherever_that_is(store):
    store.add(record("k"))
    newer = record("k", seed=1)
    store.add(newer)
    assert same(again(store).get("k"), newer)
    store.pack()
    newest = record("k", seed=2, verdict_index=2)
    store.add(newest)
    for _ in range(2):
        assert same(again(store).get("k"), newest)
        assert np.array_equal(again(store).stack(["k"], Position.PROMPT_END)[0], newest.at(Position.PROMPT_END))
        store.pack()


@pytest.mark.parametrize("step", ["shard", "index", "unlink"])
def test_a_crash_while_packing_loses_nothing(store, monkeypatch, step):
    made = [record(f"k{n}") for n in range(4)]
    store.add(made[0])
    store.pack()
    for each in made[1:]:
        store.add(each)

    def crash(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        match step:
            case "shard":
                patch.setattr(atomic.os, "fsync", crash)
            case "index":
                patch.setattr(activation_files, "write_index", crash)
            case "unlink":
                patch.setattr("pathlib.Path.unlink", crash)
        with pytest.raises(KeyboardInterrupt):
            store.pack()
    found = again(store)
    assert found.keys() == {each.key for each in made}
    assert all(same(found.get(each.key), each) for each in made)
    found.pack()
    assert not list(store.folder.glob("pending/*.safetensors"))
    assert all(same(again(store).get(each.key), each) for each in made)
    assert len(list(store.folder.glob("shard-*.safetensors"))) in (2, 3)


def test_a_full_disk_keeps_the_old_record(store, monkeypatch):
    old = record("k")
    store.add(old)

    def full(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(atomic.os, "fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            store.add(record("k", seed=1))
    assert same(again(store).get("k"), old)
    assert len(list(store.folder.glob("pending/*"))) == 1


@pytest.mark.parametrize("name", ["pending/k.safetensors", "shard-0000.safetensors", "index.parquet", "meta.json"])
def test_a_damaged_file_is_named(store, name):
    store.add(record("k"))
    if not name.startswith("pending"):
        store.pack()
    path = store.folder / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(StoreError, match=str(path)):
        again(store).get("k")
    with pytest.raises(StoreError, match=str(path)):
        again(store).stack(["k"], Position.BEFORE_VERDICT)


def test_what_is_not_there_is_an_error(store):
    store.add(record("k", verdict_index=None))
    for packed in (False, True):
        with pytest.raises(StoreError, match="no activation at before-verdict"):
            store.stack(["k"], Position.BEFORE_VERDICT)
        with pytest.raises(StoreError, match="no activation of presentation x"):
            store.get("x")
        with pytest.raises(StoreError, match="no activation of presentation x"):
            store.stack(["x"], Position.PROMPT_END)
        with pytest.raises(ConfigError, match="keeps 1, 3"):
            store.stack(["k"], Position.PROMPT_END, layers=(2,))
        if not packed:
            store.pack()


def test_other_activations_than_those_kept_are_refused(store, tmp_path):
    again(store).begin(META)
    with pytest.raises(ConfigError, match=r"layers 1 against 1, 3.*--out"):
        again(store).begin(replace(META, layers=(1,)))
    with pytest.raises(DataError, match=r"layers \(1,\)"):
        store.add(record(layers=(1,), vectors={p: v[:1] for p, v in record().vectors.items()}))
    with pytest.raises(StoreError, match="evenhand probe collect"):
        _ = ActivationStore(tmp_path / "none").meta


@pytest.mark.parametrize("size", [10**12, 10**400])
def test_a_width_that_no_shard_has_makes_no_room_for_it(store, size):
    store.add(record("k"))
    store.pack()
    path = store.folder / "meta.json"
    path.write_text(path.read_text().replace(f'"size": {SIZE}', f'"size": {size}'))
    with pytest.raises(StoreError, match=r"shard-0000\.safetensors: damaged.* before-verdict has shape \[1, 2, 4\]"):
        again(store).stack(["k"], Position.BEFORE_VERDICT)
