import pytest

from evenhand.errors import DataError
from evenhand.store.bounded import read_bounded


def test_up_to_the_bound_and_no_further(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bounded(path, most=5, what="policy") == b"12345"
    with pytest.raises(DataError, match="is larger than 4 bytes, which no policy is") as caught:
        read_bounded(path, most=4, what="policy")
    assert caught.value.path == path


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="can't be read"):
        read_bounded(tmp_path / "missing", most=9, what="policy")
    with pytest.raises(DataError, match="can't be read"):
        read_bounded(tmp_path, most=9, what="policy")
