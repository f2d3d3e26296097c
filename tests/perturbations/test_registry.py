import pytest

from evenhand.perturbations.registry import perturbations


def test_the_table_is_by_factor_and_can_not_be_written():
    table = perturbations()
    assert list(table)[:2] == ["padding", "endorsement"]
    assert all(one.factor == factor for factor, one in table.items())
    with pytest.raises(TypeError):
        table["mood"] = table["tone"]
