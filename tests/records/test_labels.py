import pytest

from evenhand.errors import ConfigError
from evenhand.records import LabelSet, Outcome


@pytest.mark.parametrize("text", ["A/B", "X/Y", "1/2", "A/B/C", "Red/Blue"])
def test_parse_and_name_are_inverse(text: str) -> None:
    assert LabelSet.parse(text).name == text


@pytest.mark.parametrize("text", ["A", "A/B/C/D", "", "A/", "/B", " A/B", "A/B ", "A/A", "a/A"])
def test_what_cannot_be_told_apart_or_read_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="labels"):
        LabelSet.parse(text)


def test_variants_are_the_label_and_the_label_after_one_space() -> None:
    labels = LabelSet.parse("X/Y")
    assert labels.variants(Outcome.FIRST) == ("X", " X")
    assert labels.variants("second") == ("Y", " Y")


def test_a_tie_is_offered_only_where_it_has_a_label() -> None:
    assert Outcome.TIE not in LabelSet.parse("A/B").by_outcome
    assert LabelSet.parse("A/B/C").by_outcome[Outcome.TIE] == "C"
