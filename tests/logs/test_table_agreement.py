import numpy as np
import polars as pl
import pytest

from evenhand.logs.table_agreement import first_disagreement, first_doubled, first_other, stated_of_pairs
from evenhand.records.codes import NO_CODE, CodedTexts


def coded(*codes):
    numbers = [NO_CODE if code is None else code for code in codes]
    values = pl.Series([str(i) for i in range(9)])
    return CodedTexts(codes=np.array(numbers, dtype=np.uint32), values=values)


def test_the_first_value_of_a_pair_is_stated():
    stated = stated_of_pairs(coded(0, 1, 0, 1), coded(None, 3, 2, 4))
    assert stated[:3].tolist() == [2, 3, NO_CODE]


def test_a_disagreement_names_the_row_that_stated_first():
    pair, fact = coded(0, 1, 1, 0, 0), coded(None, 3, 3, 2, 5)
    assert first_disagreement(pair, {"gold": fact}, {"gold": stated_of_pairs(pair, fact)}) == (3, 4)


def test_of_two_fields_in_one_row_the_first_is_looked_at():
    pair, gold, source = coded(0, 0, 0), coded(None, 1, 2), coded(1, 1, 2)
    facts = {"gold": gold, "source": source}
    stated = {name: stated_of_pairs(pair, fact) for name, fact in facts.items()}
    assert first_disagreement(pair, facts, stated) == (1, 2)


def test_agreement_is_nothing():
    pair, fact = coded(0, 1, 0), coded(1, None, 1)
    assert first_disagreement(pair, {"gold": fact}, {"gold": stated_of_pairs(pair, fact)}) == ()


@pytest.mark.parametrize(
    ("codes", "found"), [((None, None), ()), ((None, 1, None, 1), ()), ((None, 1, None, 2, 3), (1, 3))]
)
def test_a_constant_has_one_value(codes, found):
    assert first_other(coded(*codes).codes) == found


def test_a_doubled_row_stands_behind_its_first():
    one, two = np.array([5, 1, 1, 5, 1]), np.array([0, 0, 1, 0, 0])
    assert first_doubled(one, two) == (0, 3)
    assert first_doubled(one, np.arange(5)) == ()
