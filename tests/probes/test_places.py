"""Places in the residual stream, and which layers are taken where nobody says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import ConfigError
from evenhand.probes.places import Place, Position, default_layers


@given(st.sampled_from(Position), st.integers(0, 200))
def test_a_place_reads_its_own_name(position: Position, layer: int) -> None:
    place = Place(position=position, layer=layer)
    assert Place.parse(place.name) == place


@pytest.mark.parametrize(
    "text", ["", "21", "before-verdict", "before-verdict@", "before-verdict@-1", "middle@3", "before-verdict@²"]
)
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="POSITION@LAYER"):
        Place.parse(text)


@pytest.mark.parametrize(
    ("blocks", "layers"), [(36, (9, 18, 27, 35)), (32, (8, 16, 24, 31)), (28, (7, 14, 21, 27)), (1, (0, 1))]
)
def test_quarter_half_three_quarters_and_the_penultimate(blocks: int, layers: tuple[int, ...]) -> None:
    assert default_layers(blocks) == layers


@given(st.integers(2, 200))
def test_layers_are_blocks_of_the_model_and_the_penultimate_is_among_them(blocks: int) -> None:
    layers = default_layers(blocks)
    assert list(layers) == sorted(set(layers))
    assert blocks - 1 in layers
    assert all(0 <= layer <= blocks for layer in layers)


def test_a_model_without_blocks_is_refused() -> None:
    with pytest.raises(ConfigError, match="0 blocks"):
        default_layers(0)
