import pytest

from evenhand.errors import ConfigError
from evenhand.judges.options import Option, read_options

KNOWN = {
    "n_ctx": Option(kind=int, help="context", least=1),
    "timeout": Option(kind=float, help="seconds", least=0.5),
    "thinking": Option(kind=bool, help="think"),
    "dtype": Option(kind=str, help="numbers", choices=("float32", "bfloat16")),
    "revision": Option(kind=str, help="any text"),
}


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("n_ctx", "4096", 4096),
        ("n_ctx", 4096, 4096),
        ("timeout", "1.5", 1.5),
        ("timeout", 2, 2.0),
        ("thinking", "on", True),
        ("thinking", "False", False),
        ("thinking", True, True),
        ("dtype", "bfloat16", "bfloat16"),
        ("revision", "0", "0"),
    ],
)
def test_texts_and_values_are_read(name, given, value):
    [read] = read_options({name: given}, KNOWN, spec="x:y").values()
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("n_ctx", "many", "whole number"),
        ("n_ctx", "1.5", "whole number"),
        ("n_ctx", True, "whole number"),
        ("n_ctx", 0, "at least 1"),
        ("timeout", "nan", "a number"),
        ("timeout", "inf", "a number"),
        ("timeout", "0.1", "at least 0.5"),
        ("thinking", "maybe", "on or off"),
        ("thinking", 1, "on or off"),
        ("dtype", "int4", "float32, bfloat16"),
        ("revision", 3, "a text"),
        ("colour", "red", "no option 'colour'"),
    ],
)
def test_others_are_refused_by_name(name, given, message):
    with pytest.raises(ConfigError, match=message) as refused:
        read_options({name: given}, KNOWN, spec="x:y")
    assert name in str(refused.value)


def test_none_is_not_given():
    assert read_options({"n_ctx": None}, KNOWN, spec="x:y") == {}
