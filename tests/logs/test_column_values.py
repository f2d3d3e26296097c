import polars as pl
import pytest

from evenhand.logs.column_values import ColumnValues
from evenhand.logs.columns import UnsuitedError, open_columns
from evenhand.records import Order, Outcome
from evenhand.records.codes import NO_CODE


@pytest.fixture
def values(tmp_path):
    def make(**columns):
        path = tmp_path / "t.parquet"
        pl.DataFrame(columns).write_parquet(path)
        return ColumnValues(open_columns(path, wanted=tuple(columns)))

    return make


def texts(coded):
    return [None if code == NO_CODE else coded.values[code] for code in coded.codes.tolist()]


def test_choices_are_indices_and_the_first_other_value_is_marked(values):
    read = values(outcome=["second", "", None, "Second", "x"])
    assert read.choice("outcome", Outcome).tolist() == [1, -1, -1, -1, -1]
    assert read.first_odd == 3


def test_a_needed_choice_must_be_there(values):
    read = values(order=["AB", None])
    assert read.choice("order", Order, needed=True).tolist() == [0, -1]
    assert read.first_odd == 1


def test_an_absent_column_is_no_value_anywhere(values):
    read = values(order=["AB", "BA"])
    assert read.choice("outcome", Outcome).tolist() == [-1, -1]
    assert read.names("source") is None
    assert read.labels() is None
    assert read.repeat().tolist() == [0, 0]
    assert read.first_odd == 2


@pytest.mark.parametrize(
    ("names", "first_odd"),
    [(["a", "b"], 2), (["a", "\t"], 1), (["\x85", "a"], 0), (["a", "\u3000 "], 1), (["a", "x\x7f"], 1)],
)
def test_a_name_is_neither_blank_nor_has_control_characters(values, names, first_odd):
    read = values(source=names)
    read.names("source")
    assert read.first_odd == first_odd


def test_integers_are_names_and_an_empty_field_is_none(values):
    assert texts(values(source=[10, None, 9]).names("source")) == ["10", None, "9"]
    assert texts(values(source=["", "s"]).names("source")) == [None, "s"]
    assert texts(values(condition=["", "c"]).names("condition", absent="table")) == ["table", "c"]


def test_a_name_that_is_a_fraction_is_marked(values):
    read = values(pair_id=[None, 1.5])
    assert texts(read.names("pair_id")) == [None, None]
    assert read.first_odd == 1


@pytest.mark.parametrize(
    ("column", "numbers", "first_odd"),
    [
        (["0", "", "12", "1000000"], [0, 0, 12, 1_000_000], 4),
        (["1", "1000001", "-1", "٣"], [1, 0, 0, 0], 1),
        ([1, None, 2**40, -1], [1, 0, 0, 0], 2),
        ([True, None, None, None], [0, 0, 0, 0], 0),
    ],
)
def test_repeats_are_small_whole_numbers(values, column, numbers, first_odd):
    read = values(repeat=column)
    assert read.repeat().tolist() == numbers
    assert read.first_odd == first_odd


def test_labels_are_parsed_once_a_text(values):
    read = values(labels=["1/2", None, "1/2", "nonsense"])
    coded, sets = read.labels()
    assert texts(coded) == ["1/2", None, "1/2", "nonsense"]
    assert sets[coded.values.to_list().index("1/2")].name == "1/2"
    assert read.first_odd == 3


def test_texts_that_are_read_again_are_refused(values):
    assert values(text=[None, ""], order=["AB", "AB"]).refuse_texts().tolist() == [False, True]
    with pytest.raises(UnsuitedError):
        values(text=[None, "A"]).refuse_texts()
    with pytest.raises(UnsuitedError):
        values(logprobs=[{"A": -0.1}]).refuse_texts()
