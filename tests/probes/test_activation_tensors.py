import numpy as np
import pytest

from evenhand.errors import ConfigError, StoreError
from evenhand.probes import activation_tensors
from evenhand.probes.activation_tensors import open_tensors, write_tensors


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "x.safetensors"
    tensors = {"v": np.arange(6, dtype=np.float32).reshape(2, 3), "ids": np.array([3, 4], dtype=np.int32)}
    write_tensors(made, {**tensors, "none": np.zeros(0, dtype=np.int32)}, metadata={"kind": "x"})
    return made


def test_it_gives_back_what_was_written(path):
    with open_tensors(path) as file:
        assert file.names == {"v", "ids", "none"}
        assert file.text("kind") == "x"
        assert file.floats("v", (2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]
        assert file.row("v", 1, (3,)).tolist() == [3, 4, 5]
        assert file.ids("ids").tolist() == [3, 4]
        assert file.ids("none").tolist() == []


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda file: file.floats("w", (2, 3)), "no tensor 'w'"),
        (lambda file: file.floats("v", (3, 2)), r"shape \[2, 3\], expected \[3, 2\]"),
        (lambda file: file.floats("v", (6,)), "expected 1 dimensions"),
        (lambda file: file.floats("ids", (2,)), "ids is I32, expected F32"),
        (lambda file: file.row("v", 2, (3,)), "expected entry 2"),
        (lambda file: file.ids("v"), "v is F32, expected I32"),
        (lambda file: file.text("key"), "no 'key' in its metadata"),
    ],
)
def test_nothing_is_believed_unchecked(path, read, said):
    expected = f"x.safetensors: damaged, or no activation file of ours: .*{said}"
    with open_tensors(path) as file, pytest.raises(StoreError, match=expected):
        read(file)


def test_numbers_that_cannot_be_are_refused(path):
    write_tensors(path, {"v": np.float32([[1, np.nan]]), "ids": np.int32([1, -1])}, metadata={})
    with open_tensors(path) as file:
        with pytest.raises(StoreError, match="v holds numbers that are not finite"):
            file.floats("v", (1, 2))
        with pytest.raises(StoreError, match="not finite"):
            file.row("v", 0, (2,))
        with pytest.raises(StoreError, match="negative token id"):
            file.ids("ids")


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b"", lambda b: b"\xff" * 8 + b[8:], lambda b: b"x" * 50]
)
def test_a_damaged_file_is_named(path, damage):
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(StoreError, match=r"x\.safetensors: damaged"), open_tensors(path):
        pass


def test_a_file_that_is_not_there_is_named(tmp_path):
    said = r"none.safetensors: can't be read \(No such file"
    with pytest.raises(StoreError, match=said), open_tensors(tmp_path / "none.safetensors"):
        pass


def test_a_missing_library_names_the_command(path, monkeypatch):
    def missing(name):
        raise ImportError(f"no {name}")

    monkeypatch.setattr(activation_tensors, "import_module", missing)
    with pytest.raises(ConfigError, match=r'pip install "evenhand\[probes\]"'), open_tensors(path):
        pass
    with pytest.raises(ConfigError, match=r'pip install "evenhand\[probes\]"'):
        write_tensors(path, {}, metadata={})
