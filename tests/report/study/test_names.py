import re

from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.study.names import distinct_names, safe_name

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)


@given(ANY_TEXT)
def test_a_name_is_one_plain_lower_case_word_that_no_file_system_minds(text):
    name = safe_name(text)
    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,79}", name)
    assert not name.endswith(".")
    assert ".." not in name


@given(st.from_regex(r"[a-z][a-z0-9-]{0,30}", fullmatch=True))
def test_a_plain_name_stays_as_it_is(text):
    assert safe_name(text) == text


@given(st.lists(ANY_TEXT, max_size=8))
def test_no_two_names_are_alike_and_each_keeps_its_place(texts):
    names = distinct_names(texts)
    assert len(names) == len(texts)
    assert len(set(names)) == len(names)


def test_texts_that_differ_in_what_is_left_out_differ_in_their_names():
    assert safe_name("../a") != safe_name("./a")
    assert safe_name("Main") != "main", "a file system that ignores case would take one for the other"
    assert safe_name("n" * 1_000_000).startswith("n" * 64)


def test_a_number_is_never_taken_twice():
    assert distinct_names(["a", "a-2", "a", "a"]) == ("a", "a-2", "a-3", "a-4")
