"""Hypothesis strategies for whole records: every field is drawn, hostile texts included."""

from dataclasses import fields
from enum import Enum
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from evenhand.records import LabelSet


def _as_json_tells(text):
    # A high surrogate before a low one is, in JSON, the character that they encode: the only texts it can't tell apart.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


hostile_texts = st.text(st.characters(exclude_categories=()), max_size=20).map(_as_json_tells)

label_sets = st.sampled_from(
    [LabelSet.parse("A/B"), LabelSet.parse("1/2/tie"), LabelSet(first="m", second="M", case_sensitive=True)]
)


def whole(hint):
    """Any value of a record's field type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of([st.none() if part is NoneType else whole(part) for part in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        if arguments[1:] == (Ellipsis,):
            return st.lists(whole(arguments[0]), max_size=3).map(tuple)
        return st.tuples(*map(whole, arguments))
    if hint is LabelSet:
        return label_sets
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    if hint is str:
        return hostile_texts
    if hint is float:
        return st.floats(allow_nan=False)
    if hint in (int, bool):
        return st.from_type(hint)
    hints = get_type_hints(hint)
    return st.builds(hint, **{field.name: whole(hints[field.name]) for field in fields(hint)})
