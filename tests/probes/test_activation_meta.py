import json
from dataclasses import replace

import pytest

from evenhand.errors import ConfigError, StoreError
from evenhand.probes.activation_meta import ActivationMeta, difference, read_meta, write_meta
from evenhand.probes.places import Position
from evenhand.records import Readout
from probes.activation_examples import META


def test_it_is_read_as_it_was_written(tmp_path):
    write_meta(tmp_path / "meta.json", META)
    assert read_meta(tmp_path / "meta.json") == META
    assert META.bytes_each == 2 * 2 * 4 * 4


def test_a_verdict_at_the_first_token_has_one_position():
    for readout in (Readout.FIRST_TOKEN, Readout.PREFILLED):
        meta = replace(META, readout=readout)
        assert meta.positions == (Position.BEFORE_VERDICT,)
        assert meta.bytes_each == META.bytes_each // 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"layers": ()}, "layers none"),
        ({"layers": (3, 1)}, "ascending"),
        ({"layers": (1, 1)}, "ascending"),
        ({"layers": (5,)}, "to 4"),
        ({"layers": (-1,)}, "to 4"),
        ({"size": 0}, "width 0"),
        ({"readout": Readout.HYBRID}, "readout hybrid"),
    ],
)
def test_what_no_model_can_give_is_refused(change, said):
    with pytest.raises(ConfigError, match=said):
        replace(META, **change)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"layers": [1, 9]}, "damaged.*layers 1, 9"),
        ({"size": "4"}, "damaged"),
        ({"more": 1}, "damaged"),
        ({"format": 2}, "newer than the 1"),
    ],
)
def test_a_damaged_or_newer_file_is_named(tmp_path, change, said):
    path = tmp_path / "meta.json"
    write_meta(path, META)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StoreError, match=f"meta.json: .*{said}"):
        read_meta(path)


def test_bytes_that_are_no_text_are_named(tmp_path):
    (tmp_path / "meta.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StoreError, match="not UTF-8"):
        read_meta(tmp_path / "meta.json")
    with pytest.raises(StoreError, match="No such file"):
        read_meta(tmp_path / "none.json")


def test_a_difference_is_told_by_its_field():
    assert difference(META, META) is None
    other = ActivationMeta(blocks=4, size=4, layers=(2,), readout=Readout.GENERATED)
    assert difference(META, other) == "layers 1, 3 against 2"
