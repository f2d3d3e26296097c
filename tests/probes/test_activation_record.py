import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import DataError, StoreError
from evenhand.probes.activation_record import read_record, write_record
from evenhand.probes.activation_tensors import open_tensors, write_tensors
from evenhand.probes.places import Position
from evenhand.records import Order
from probes.activation_examples import LAYERS, SIZE, record, same


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("records")


@given(
    tokens=st.integers(0, 4),
    index=st.none() | st.integers(0, 3),
    order=st.sampled_from(list(Order)),
    repeat=st.integers(0, 3),
    pair_id=st.text(max_size=12),
    seed=st.integers(0, 1000),
)
def test_any_record_survives_its_file_to_the_bit(folder, tokens, index, order, repeat, pair_id, seed):
    index = None if index is None else min(index, max(0, tokens - 1))
    made = record(tokens=tokens, verdict_index=index, order=order, repeat=repeat, pair_id=pair_id, seed=seed)
    path = folder / "k1.safetensors"
    write_record(path, made)
    pair_id = pair_id.encode("utf-8", "backslashreplace").decode("utf-8")
    assert same(read_record(path, layers=LAYERS, size=SIZE), record(**{**locals_of(made), "pair_id": pair_id}))


def locals_of(made):
    return {name: getattr(made, name) for name in made.__dataclass_fields__}


def test_before_a_first_token_is_the_end_of_the_prompt():
    made = record(verdict_index=0, tokens=0)
    assert set(made.vectors) == {Position.BEFORE_VERDICT}
    assert made.at(Position.PROMPT_END) is made.at(Position.BEFORE_VERDICT)
    assert record(verdict_index=None).at(Position.BEFORE_VERDICT) is None
    two = record(verdict_index=2)
    assert two.at(Position.PROMPT_END) is two.vectors[Position.PROMPT_END]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"key": "../x"}, "presentation key"),
        ({"key": ""}, "presentation key"),
        ({"verdict_index": 3}, "is 3, of 3 tokens"),
        ({"verdict_index": -1}, "is -1"),
        ({"verdict_index": None}, "with a verdict at None"),
        ({"vectors": {}}, "hold nothing"),
        ({"layers": (1,)}, "expected \\(1, size\\)"),
        ({"label_logits": None}, "exactly one set"),
        ({"label_logits": np.zeros(2, np.float32)}, "of 3 ids"),
        ({"label_logits": np.float32([1, 2, np.nan])}, "not finite"),
        ({"prompt_ids": ()}, "at least one token"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, said):
    with pytest.raises(DataError, match=said):
        record(**{**locals_of(record()), **change})


def test_vectors_are_finite_float32():
    fine = record()
    wide = {position: vectors.astype(np.float64) for position, vectors in fine.vectors.items()}
    with pytest.raises(DataError, match="not float32"):
        record(vectors=wide)
    broken = {position: np.full_like(vectors, np.inf) for position, vectors in fine.vectors.items()}
    with pytest.raises(DataError, match="not finite"):
        record(vectors=broken)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"key": "other"}, "another presentation"),
        ({"kind": "other-1"}, "its kind is 'other-1'"),
        ({"layers": "1,2"}, "its layers are 1,2, the run keeps 1,3"),
        ({"verdict_index": "99"}, "is 99, of 3 tokens"),
        ({"verdict_index": "-1"}, "expected a whole number"),
        ({"verdict_index": "9" * 30}, "expected a whole number"),
        ({"verdict_index": ""}, "no tensor 'prompt-end'"),
        ({"order": "CD"}, "expected AB or BA"),
        ({"repeat": "x"}, "expected a whole number"),
    ],
)
def test_a_file_that_was_changed_is_named(tmp_path, change, said):
    path = tmp_path / "k1.safetensors"
    write_record(path, record())
    with open_tensors(path) as file:
        tensors = {name: file._file.get_tensor(name) for name in file.names}
        texts = {**file.metadata, **change}
    if change.get("verdict_index") == "":
        del tensors["prompt-end"]
    write_tensors(path, tensors, metadata=texts)
    with pytest.raises(StoreError, match=rf"k1\.safetensors: damaged.*({said})"):
        read_record(path, layers=LAYERS, size=SIZE)


def test_another_width_than_the_run_keeps_is_named(tmp_path):
    write_record(tmp_path / "k1.safetensors", record())
    with pytest.raises(StoreError, match=r"shape \[2, 4\], expected \[2, 8\]"):
        read_record(tmp_path / "k1.safetensors", layers=LAYERS, size=8)
