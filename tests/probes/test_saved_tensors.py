import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import load, save

from evenhand.errors import DataError
from evenhand.probes.saved_tensors import TENSORS, largest_file, read_tensors, write_tensors

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


def tensors(columns: int = 3) -> dict[str, np.ndarray]:
    return {
        "mean": np.arange(columns, dtype=np.float64),
        "scale": np.arange(1, columns + 1, dtype=np.float64),
        "weights": np.linspace(-1, 1, columns),
        "intercept": np.array([0.25]),
    }


@given(
    st.integers(0, 20).flatmap(
        lambda n: st.fixed_dictionaries(
            {
                "mean": arrays(np.float64, n, elements=FINITE),
                "scale": arrays(np.float64, n, elements=st.floats(1e-300, 1e300)),
                "weights": arrays(np.float64, n, elements=FINITE),
                "intercept": arrays(np.float64, 1, elements=FINITE),
            }
        )
    )
)
def test_numbers_come_back_to_the_last_bit(values: dict[str, np.ndarray]) -> None:
    data = write_tensors(values)
    again = read_tensors(data, columns=len(values["mean"]))
    assert {name: array.tobytes() for name, array in again.items()} == {
        name: values[name].tobytes() for name in TENSORS
    }
    assert len(data) <= largest_file(len(values["mean"]))


def test_other_readers_of_safetensors_read_the_file() -> None:
    again = load(write_tensors(tensors()))
    assert set(again) == set(TENSORS)
    np.testing.assert_array_equal(again["weights"], tensors()["weights"])


def test_the_same_numbers_give_the_same_bytes() -> None:
    assert write_tensors(tensors()) == write_tensors(dict(reversed(tensors().items())))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weights": np.zeros(3, dtype=np.float32)}, "'weights': is F32, expected F64"),
        ({"weights": np.zeros(3, dtype=np.int64)}, "is I64"),
        ({"weights": np.zeros(4)}, r"has shape \[4\], the card says \[3\]"),
        ({"weights": np.zeros((3, 1))}, r"has shape \[3, 1\]"),
        ({"intercept": np.zeros(2)}, "'intercept': has shape"),
        ({"mean": np.array([0.0, np.nan, 1.0])}, "'mean': holds a number that isn't finite"),
        ({"weights": np.array([0.0, np.inf, 1.0])}, "'weights': holds a number that isn't finite"),
        ({"scale": np.array([1.0, 0.0, 1.0])}, "'scale': holds a scale that isn't positive"),
        ({"extra": np.zeros(1)}, "holds extra, intercept"),
    ],
)
def test_another_tensor_than_the_card_promises_is_refused(change: dict[str, np.ndarray], said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_tensors(save({**tensors(), **change}), columns=3)


def test_a_missing_tensor_is_refused() -> None:
    without = tensors()
    del without["mean"]
    with pytest.raises(DataError, match="expected mean, scale, weights, intercept"):
        read_tensors(save(without), columns=3)


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 8, b"\xff" * 64, b"cos\nsystem\n(S'true'\ntR.", write_tensors(tensors())[:-1]]
)
def test_what_is_no_safetensors_file_is_refused(data: bytes) -> None:
    with pytest.raises(DataError, match="not a safetensors file"):
        read_tensors(data, columns=3)


@given(st.data())
def test_any_cut_or_changed_header_is_an_error_or_the_same_shape(data: st.DataObject) -> None:
    whole = bytearray(write_tensors(tensors()))
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] = data.draw(st.integers(0, 255))
    try:
        again = read_tensors(bytes(whole), columns=3)
    except DataError:
        return
    assert [array.shape for array in again.values()] == [(3,), (3,), (3,), (1,)]
    assert all(np.isfinite(array).all() for array in again.values())
